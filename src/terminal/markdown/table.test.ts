/** Tables are readable in every window, and no cell of them is lost or comes twice. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { MarkdownStream, markdownLines } from '../markdown.ts';
import { widthOf } from '../text.ts';
import { createTheme } from '../theme.ts';

const theme = createTheme({ NO_COLOR: '1', LANG: 'C.UTF-8' });

const FILLERS: Record<string, string> = {
  'short cells': '',
  'long cells': 'and so many words that no column has room for them',
  'wide letters': '日本語の表はここで折り返される',
  emoji: '🎉👩‍👩‍👧🇩🇪 done',
};
const cell = (number: number, filler: string): string => `${filler === '' ? '' : `${filler} `}w${number};`;
const table = (columns: number, rows: number, filler: string): string => {
  const row = (each: (column: number) => string): string =>
    `| ${Array.from({ length: columns }, (_, column) => each(column)).join(' | ')} |\n`;
  const body = Array.from({ length: rows }, (_, index) => row((column) => cell(index * columns + column, filler)));
  return row((column) => `name ${column}`) + row(() => '---') + body.join('');
};
/** A word that is cut at the end of a row goes on in the next one of its column: only whole ones are counted here. */
const wordsIn = (lines: readonly string[]): number[] =>
  lines.flatMap((line) => [...line.matchAll(/w(\d+);/g)].map((match) => Number(match[1]))).sort((a, b) => a - b);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const CASES = [39, 79, 119].flatMap((width) =>
  [3, 6, 12].flatMap((columns) => Object.keys(FILLERS).map((filler) => [width, columns, filler] as const)),
);

describe('a table', () => {
  it.each(CASES)('in %i columns, of %i columns with %s, shows each cell once and whole', (width, columns, filler) => {
    verifies('Z19');
    const text = table(columns, 4, FILLERS[filler]!);
    const lines = markdownLines(text, width, theme);
    expect(wordsIn(lines)).toEqual(upTo(4 * columns));
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    expect(lines.join('\n')).not.toContain('|');
  });

  it.each([39, 79, 119])(
    'that grows past a window of %i columns stays one: no row is raw, none comes twice',
    (width) => {
      const stream = new MarkdownStream(theme);
      const lines: string[] = [];
      for (const piece of table(3, 70, 'and some words 🎉').match(/[\s\S]{1,17}/gu) ?? []) {
        stream.push(piece);
        lines.push(...stream.take(width), ...stream.overflow(width, 20));
        expect(stream.live(width).length).toBeLessThanOrEqual(24);
      }
      lines.push(...stream.end(width));
      expect(wordsIn(lines)).toEqual(upTo(210));
      expect(lines.join('\n')).not.toContain('|');
      // Every row begins its columns where the head does.
      const starts = new Set(lines.filter((line) => /\w/.test(line)).map((line) => line.search(/\S/)));
      expect([...starts].every((start) => start === 0 || start > 5)).toBe(true);
    },
  );

  it('keeps cells that are more than its head has names, also when its columns are on the screen for good', () => {
    const stream = new MarkdownStream(theme);
    stream.push(table(2, 20, ''));
    const lines = [...stream.take(60), ...stream.overflow(60, 5)];
    stream.push('| a | b | w40; | w41; |\n');
    lines.push(...stream.end(60));
    expect(wordsIn(lines)).toEqual(upTo(42));
  });

  it('stands one cell below the other, behind its names, where the window is too narrow', () => {
    const text =
      '| name | size | owner | kind |\n|---|---|---|---|\n| a.ts | 12 kB | Anna Svensson | file |\n| b | - |  | link |\n';
    expect(markdownLines(text, 22, theme).map(stripVTControlCharacters)).toEqual([
      'name: a.ts',
      'size: 12 kB',
      'owner: Anna Svensson',
      'kind: file',
      '──────────────────────',
      'name: b',
      'size: -',
      'owner: ',
      'kind: link',
    ]);
  });

  const WORDY: readonly [string, number, readonly (readonly string[])[]][] = [
    [
      'a short column beside long words',
      44,
      [
        ['`src/math.js`', 'sums', '12'],
        ['`docs/explanation.md`', 'what it is and why', '4'],
      ],
    ],
    [
      'long words in the middle',
      40,
      [
        ['a b c d e f g h', 'internationalisation', 'x y z'],
        ['one two', 'it', 'three four five'],
      ],
    ],
    [
      'one word beside sentences',
      36,
      [
        ['a', 'a sentence of many short words in it', 'considerable'],
        ['b', 'and one more', 'no'],
      ],
    ],
  ];
  it.each(WORDY)('breaks no word where there is room for it: %s', (_, width, rows) => {
    verifies('Z19');
    const table = [['Name', 'What', 'Size'], ['---', '---', '---'], ...rows];
    const text = table.map((row) => `| ${row.join(' | ')} |\n`).join('');
    const lines = markdownLines(text, width, theme).map(stripVTControlCharacters);
    const words = rows.flatMap((row) => row.flatMap((each) => each.split(' ')));
    expect(words.filter((word) => !lines.some((line) => line.includes(word)))).toEqual([]);
    expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
  });

  it('keeps a row of dashes that is no line below the head', () => {
    expect(markdownLines('| a | b |\n|---|---|\n| - | - |\n', 40, theme).map(stripVTControlCharacters)).toEqual([
      'a       b',
      '──────  ──────',
      '-       -',
    ]);
  });

  it('is shown as it was written where it is none', () => {
    expect(markdownLines('| a | b |\n| c | d |\n', 40, theme)).toEqual(['| a | b |', '| c | d |']);
  });
});
