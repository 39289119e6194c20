import { describe, expect, it } from 'vitest';
import { diffLines } from './diff-lines.ts';
import { labelled, widthOf, wrapSpans } from './text.ts';
import { createTheme } from './theme.ts';
import { jsonLines } from './transcript/json-view.ts';

const theme = createTheme({ LANG: 'C.UTF-8' });
const WORDS = 'a longlonglonglongword and 日本語 then';
const nested = (depth: number): Record<string, unknown> =>
  depth === 0 ? { key: [WORDS] } : { key: nested(depth - 1) };
const INDENTED: Readonly<Record<string, (width: number) => string[]>> = {
  'a hanging indent': (width) => wrapSpans([{ text: WORDS }], width, ' '.repeat(12)).map((line) => line.text),
  'a label': (width) => labelled('name ', WORDS, width, theme),
  'deep JSON': (width) => jsonLines(nested(12) as never, width, theme),
  'a diff': (width) => diffLines(`--- a\n+++ b\n@@ -1 +1 @@\n-${WORDS}\n+${WORDS}${WORDS}`, width, theme),
};

describe('what is indented', () => {
  it.each(Object.entries(INDENTED))('is never wider than the window, and loses no letter: %s', (_, lines) => {
    const letters = (width: number): string =>
      lines(width)
        .join('')
        .replaceAll(/\x1b\[[0-9;]*m|[\s…]/g, '');
    for (let width = 2; width <= 60; width += 1) {
      for (const line of lines(width)) expect([width, line, widthOf(line) <= width]).toEqual([width, line, true]);
      expect(letters(width)).toBe(letters(200));
    }
  });
});
