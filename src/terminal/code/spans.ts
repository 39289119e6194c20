import type { Span } from '../text.ts';
import type { Theme } from '../theme.ts';
import type { Token } from './lexer.ts';

/** Tokens in the colours of the theme; `at` counts from the beginning of the line. */
export const codeSpans = (tokens: readonly Token[], { code }: Theme): Span[] => {
  let at = 0;
  return tokens.map(({ text, kind }) => {
    const span = { text, paint: kind && code?.[kind], at };
    at += text.length;
    return span;
  });
};
