import { describe, expect, it } from 'vitest';
import { type DiffRow, diffRows, hunkRows } from './diff-rows.ts';

const facts = ({ sign, old, now, pieces }: DiffRow) => [
  sign,
  old,
  now,
  pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join(''),
];

describe('the rows of a change', () => {
  it('have the numbers of both files, and the words that changed', () => {
    const diff =
      '--- a/x.ts\n+++ b/x.ts\n@@ -10,3 +10,4 @@\n same\n-const a = 1;\n+const b = 1;\n+// new\n last\n@@ -40,2 +41,1 @@\n-gone\n end\n';
    expect(diffRows(diff).map(facts)).toEqual([
      ['@', undefined, undefined, '--- a/x.ts'],
      ['@', undefined, undefined, '+++ b/x.ts'],
      [' ', 10, 10, ' same'],
      // Two lines stand in the place of one, so nobody knows which of them it became.
      ['-', 11, undefined, '-const a = 1;'],
      ['+', undefined, 11, '+const b = 1;'],
      ['+', undefined, 12, '+// new'],
      [' ', 12, 13, ' last'],
      ['@', undefined, undefined, '⋯'],
      ['-', 40, undefined, '-gone'],
      [' ', 41, 41, ' end'],
    ]);
    expect(diffRows('@@ -1,1 +1,1 @@\n-const a = 1;\n+const b = 1;').map(facts)).toEqual([
      ['-', 1, undefined, '-const [a] = 1;'],
      ['+', undefined, 1, '+const [b] = 1;'],
    ]);
  });

  it('have no numbers where the diff tells none, and none for a word about it', () => {
    expect(diffRows('-one\n+two\n same').map(facts)).toEqual([
      ['-', undefined, undefined, '-one'],
      ['+', undefined, undefined, '+two'],
      [' ', undefined, undefined, ' same'],
    ]);
    expect(diffRows('@@ -1,9 +1,9 @@\n one\n[7 more lines of this diff are not shown]').map(facts).at(-1)).toEqual([
      ' ',
      undefined,
      undefined,
      '[7 more lines of this diff are not shown]',
    ]);
    const [, about] = hunkRows({ old_start: 3, new_start: 4, lines: ['-x', '\\ No newline at end of file', '+y'] });
    expect(about && facts(about)).toEqual(['@', undefined, undefined, '\\ No newline at end of file']);
  });

  it('show every character, also those that hide', () => {
    const [row] = hunkRows({ old_start: 1, new_start: 1, lines: ['+a\u202eb\r'] });
    expect(row?.pieces).toEqual([{ text: '+a\\u{202E}b', changed: false }]);
  });
});
