import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../tests/support/long.ts';
import { MarkdownStream, markdownLines } from './markdown.ts';
import { widthOf } from './text.ts';
import { createTheme } from './theme.ts';

const theme = createTheme({ LANG: 'C.UTF-8' });
const bare = (lines: readonly string[]): string[] => lines.map((line) => line.replaceAll(/\x1b\[[0-9;]*m/g, ''));
const render = (text: string, width = 60): string[] => bare(markdownLines(text, width, theme));

const PIECES = [
  ...['\n', '\n\n', ' ', '    ', '               ', '# Head', '###### deep', '---'],
  ...['- item', '  - inner', '              - far in', '1. one', '123456789. many', '- [x] done', '  * [ ] open'],
  ...['> quote', '> > >', '>>>>>>>>>>', '```', '```ts\n', '```diff\n', '~~~', 'const a = "b"; // c', '+added', '-gone'],
  ...['| a | b |', '|---|---|', '| 日本語 | longer than that | c | d |', '|', ' |\n'],
  ...[
    '**bold**',
    '*it',
    '`code`',
    '[x](http://y.z)',
    '<https://a.test>',
    '~~no~~',
    '\\*',
    'a_b_c',
    '**',
    '_',
    '~~',
    '`',
  ],
  ...[
    ' word ',
    'longlonglonglonglonglonglongword',
    '日本語',
    '日',
    '、',
    '한국어',
    'ｆｕｌｌ',
    '😀',
    '👩‍👩‍👧',
    '🇩🇪',
    '🇩',
    '❤️',
    '❤',
  ],
  ...[
    'e\u0301',
    '\u0301',
    '\u0301\u0302\u0303',
    '\u200d',
    '\ufe0f',
    'ก็',
    'กำ',
    'नि',
    'שלום',
    'مرحبا',
    '👍🏽',
    '🏽',
    '½',
    '\u200b',
  ],
];
const piece = fc.constantFrom(...PIECES);
const source = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

/** Without signs that join the letter before them: together they are narrower than one by one. */
const JOINING = /^(?:\p{M}+|\p{Cf}|🏽|🇩|🇩🇪)$/u;
const lettered = fc
  .array(fc.constantFrom(...PIECES.filter((each) => !JOINING.test(each))), { maxLength: 30 })
  .map((pieces) => pieces.join(''));

/** One letter with its marks is not divided, however narrow the window is. A wide one by itself has two columns. */
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const widestLetter = (text: string): number =>
  Math.max(2, ...[...graphemes.segment(text)].map(({ segment }) => widthOf(segment)));

describe('streaming markdown', () => {
  it('gives the same lines however the text is cut, never wider than the window', () => {
    fc.assert(
      fc.property(
        source,
        fc.integer({ min: 1, max: 70 }),
        fc.array(fc.nat(400), { maxLength: 12 }),
        (text, width, cuts) => {
          const widest = Math.max(width, widestLetter(text));
          const whole = markdownLines(text, width, theme);
          const stream = new MarkdownStream(theme);
          const lines: string[] = [];
          let from = 0;
          for (const cut of [...cuts.map((each) => each % (text.length + 1)), text.length].sort((a, b) => a - b)) {
            stream.push(text.slice(from, cut));
            from = cut;
            lines.push(...stream.take(width));
            for (const line of stream.live(width)) expect(widthOf(line)).toBeLessThanOrEqual(widest);
          }
          lines.push(...stream.end(width));
          while (lines.at(-1) === '') lines.pop();
          expect(lines).toEqual(whole);
          for (const line of whole) expect(widthOf(line)).toBeLessThanOrEqual(widest);
        },
      ),
      {
        numRuns: rounds(833, 25_000),
        examples: [
          ['              - inner# Head', 20, [304]],
          ['123456789. many\n               नि', 2, []],
          ['  - inner\ufe0f🏽', 4, []],
        ],
      },
    );
  });

  it('gives no line that is wider than the window to the scrollback', () => {
    fc.assert(
      fc.property(source, fc.integer({ min: 1, max: 40 }), fc.nat(10), (text, width, rows) => {
        const widest = Math.max(width, widestLetter(text));
        const stream = new MarkdownStream(theme);
        for (const letter of text) {
          stream.push(letter);
          for (const line of [...stream.take(width), ...stream.overflow(width, rows), ...stream.live(width)])
            expect(widthOf(line)).toBeLessThanOrEqual(widest);
        }
        for (const line of stream.end(width)) expect(widthOf(line)).toBeLessThanOrEqual(widest);
      }),
      { numRuns: rounds(100, 5_000) },
    );
  });

  it('gives rows of an open line early, and they are those that it would have as a whole', () => {
    fc.assert(
      fc.property(lettered, fc.integer({ min: 4, max: 40 }), fc.integer({ min: 1, max: 9 }), (text, width, step) => {
        const stream = new MarkdownStream(theme);
        const lines: string[] = [];
        for (let at = 0; at < text.length; at += step) {
          stream.push(text.slice(at, at + step));
          lines.push(...stream.take(width), ...stream.overflow(width, 1_000));
        }
        lines.push(...stream.end(width));
        while (lines.at(-1) === '') lines.pop();
        expect(lines).toEqual(markdownLines(text, width, theme));
      }),
      { numRuns: rounds(833, 25_000) },
    );
  });

  it.each([
    ['> > > > > deep in', 10, ['│ │ deep', '│ │ in']],
    ['            - far in', 20, ['          • far in']],
    ['            - far in', 10, ['   • far', '     in']],
    ['123456789. many', 10, ['123456789.', 'many']],
    ['- [x] done', 6, ['• ✓', 'done']],
    ['1. one\n   two', 5, ['1.', 'one', '  two']],
  ])('gives up what it indents by, never the text: %j in %i columns', (text, width, lines) => {
    expect(render(text, width)).toEqual(lines);
  });

  it('gives the top of a line without end to the scrollback and loses no word of it', () => {
    const words = Array.from({ length: 900 }, (_, index) => `w${index}`);
    const stream = new MarkdownStream(theme);
    const lines: string[] = [];
    for (const word of words) {
      stream.push(`${word} `);
      lines.push(...stream.overflow(40, 6));
      expect(stream.live(40).length).toBeLessThanOrEqual(6);
    }
    lines.push(...stream.end(40));
    expect(bare(lines).join(' ').split(/\s+/).filter(Boolean)).toEqual(words);
  });

  it('shows marks as looks and keeps what is not closed as it was typed', () => {
    expect(render('# Head **bold**\ntext with `code`, *it*, a_b_c and 2 * 3 * 4\n')).toEqual([
      'Head bold',
      'text with `code`, it, a_b_c and 2 * 3 * 4',
    ]);
    expect(render('an **open mark')).toEqual(['an **open mark']);
    expect(render('a \\*star\\*')).toEqual(['a *star*']);
  });

  it('says where a link leads', () => {
    expect(render('[the docs](https://good.test/a) and <https://b.test>')).toEqual([
      'the docs (https://good.test/a) and https://b.test',
    ]);
  });

  it('keeps code as it is, so that it copies clean', () => {
    expect(render('```ts\nconst a = 1;\n  **not bold**\n```\nafter')).toEqual([
      '```ts',
      'const a = 1;',
      '  **not bold**',
      '```',
      'after',
    ]);
  });

  it('puts list lines under their text and table columns in line', () => {
    expect(render('- a long item that has to be wrapped\n  and goes on\n  - inner', 24)).toEqual([
      '• a long item that has',
      '  to be wrapped',
      '  and goes on',
      '  • inner',
    ]);
    expect(render('| name | size |\n|---|---:|\n| a.ts | 12 |\n\nend')).toEqual([
      'name    size',
      '──────  ──────',
      'a.ts    12',
      '',
      'end',
    ]);
  });
});

// A call takes no more arguments than the stack holds, which is some hundred thousand.
const MANY = 200_000;
it.each([
  ['lines', 'a\n'.repeat(MANY)],
  ['rows of a table', '|a|\n'.repeat(MANY)],
  ['lines of one paragraph', `${'b'.repeat(9)} `.repeat(MANY)],
  ['marks in a mark', `**${'`a`b '.repeat(MANY)}b**`],
])('an answer of more %s than a call takes arguments is shown', (_what, text) => {
  expect(markdownLines(text, 9, createTheme({ TERM: 'dumb' })).length).toBeGreaterThanOrEqual(MANY / 2);
});
