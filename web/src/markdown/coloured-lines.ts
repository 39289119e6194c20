/**
 * Lines of code in pieces with their colours. By shiki's JavaScript engine: the page's policy allows no evaluation. A language
 * comes with its first use.
 */
import type { GrammarState, HighlighterCore } from 'shiki';
import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { languageModule } from './languages.ts';

export type HighlightRequest = {
  id: number;
  /** The block that the lines belong to; they follow those that were asked for before. */
  block: string;
  language: string;
  lines: readonly string[];
};
export type Token = readonly [text: string, className: string];

/** What bounds the work for a line. A time would colour it, and all below it, by how slow the machine is at that moment. */
const LINE_CHARACTERS = 1_000;
const NO_TIME_LIMIT = 0;
/** Blocks whose place in the grammar is remembered. */
const BLOCKS = 500;
const THEME = 'kinds';

const states = new Map<string, GrammarState>();
const languages = new Map<string, Promise<boolean>>();
let core: Promise<HighlighterCore> | undefined;

const open = (): Promise<HighlighterCore> => {
  core ??= createHighlighterCore({
    themes: [createCssVariablesTheme({ name: THEME, variablePrefix: '--tok-' })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  return core;
};

const isKnown = (language: string): Promise<boolean> => {
  const load = async (): Promise<boolean> => {
    const module = await languageModule(language);
    if (module === undefined) return false;
    await (await open()).loadLanguage(module.default);
    return true;
  };
  const known = languages.get(language) ?? load().catch(() => false);
  languages.set(language, known);
  return known;
};

/** `var(--tok-token-keyword)` → `tok-keyword`: a class, because the page's policy allows no styles in the text. */
const classOf = (color: string | undefined): string => {
  const kind = /--tok-token-([\w-]+)/.exec(color ?? '')?.[1];
  return kind === undefined ? '' : `tok-${kind}`;
};

const remember = (block: string, state: GrammarState | undefined): void => {
  states.delete(block);
  if (state) states.set(block, state);
  for (const oldest of states.keys()) {
    if (states.size <= BLOCKS) return;
    states.delete(oldest);
  }
};

export const colouredLines = async ({
  block,
  language,
  lines,
}: Omit<HighlightRequest, 'id'>): Promise<readonly (readonly Token[])[]> => {
  if (!(await isKnown(language))) return [];
  const state = states.get(block);
  const code = lines.map((line) => (line.length > LINE_CHARACTERS ? '' : line)).join('\n');
  const options = {
    lang: language,
    theme: THEME,
    tokenizeTimeLimit: NO_TIME_LIMIT,
    ...(state ? { grammarState: state } : {}),
  };
  const found = (await open()).codeToTokens(code, options);
  remember(block, found.grammarState);
  return lines.map((line, index): Token[] =>
    line.length > LINE_CHARACTERS
      ? [[line, '']]
      : (found.tokens[index] ?? []).map(({ content, color }) => [content, classOf(color)]),
  );
};
