import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../tests/support/long.ts';
import { MarkdownStream, markdownLines } from './markdown.ts';
import { widthOf } from './text.ts';
import { createTheme } from './theme.ts';

const theme = createTheme({ LANG: 'C.UTF-8' });
const bare = (lines: readonly string[]): string[] => lines.map((line) => line.replaceAll(/\x1b\[[0-9;]*m/g, ''));
const render = (text: string, width = 60): string[] => bare(markdownLines(text, width, theme));

const piece = fc.constantFrom(
  '# Head',
  '\n',
  '\n\n',
  '- item',
  '  - inner',
  '1. one',
  '> quote',
  '```',
  '```ts\n',
  '| a | b |',
  '|---|---|',
  '**bold**',
  '*it',
  '`code`',
  '[x](http://y.z)',
  ' word ',
  '日本語',
  '---',
  '\\*',
  'a_b_c',
  '~~no~~',
  '    ',
  'longlonglonglonglonglonglongword',
);
const source = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

describe('streaming markdown', () => {
  it('gives the same lines however the text is cut, never wider than the window', () => {
    fc.assert(
      fc.property(
        source,
        fc.integer({ min: 20, max: 70 }),
        fc.array(fc.nat(400), { maxLength: 12 }),
        (text, width, cuts) => {
          const whole = markdownLines(text, width, theme);
          const stream = new MarkdownStream(theme);
          const lines: string[] = [];
          let from = 0;
          for (const cut of [...cuts.map((each) => each % (text.length + 1)), text.length].sort((a, b) => a - b)) {
            stream.push(text.slice(from, cut));
            from = cut;
            lines.push(...stream.take(width));
            for (const line of stream.live(width)) expect(widthOf(line)).toBeLessThanOrEqual(width);
          }
          lines.push(...stream.end(width));
          while (lines.at(-1) === '') lines.pop();
          expect(lines).toEqual(whole);
          for (const line of whole) expect(widthOf(line)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: rounds(833, 25_000) },
    );
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
