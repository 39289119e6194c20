import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, BlockReader } from './blocks.ts';

const read = (...pieces: string[]): Block[] => {
  const reader = new BlockReader();
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return reader.blocks();
};
const shape = (blocks: readonly Block[]): string[] =>
  blocks.map((block) => (block.kind === 'code' ? `${block.language}:${block.lines.join('⏎')}` : block.text));

const LINES = fc.constantFrom(
  '',
  '',
  'words',
  '# heading',
  '- item',
  '  more of it',
  '1. first',
  '```js',
  '```',
  '~~~~',
  '  ```',
  '- ```sh',
  '| a | b |',
  '|---|---|',
  '> quote',
  '[r]: https://example.test',
  '    indented',
  '[^n]: a note',
);
const text = fc.array(LINES, { maxLength: 30 }).map((lines) => lines.join('\n'));
const longText = fc
  .array(fc.oneof(LINES, fc.constant('y'.repeat(40_000))), { maxLength: 8 })
  .map((lines) => lines.join('\n'));

describe('blocks of Markdown', () => {
  it('cuts where Markdown ends a block', () => {
    const source = 'One\ntwo\n\nthree\n# Head\ntext\n\n```ts\nconst a = 1;\n\nb\n```\nend';
    expect(shape(read(source))).toEqual(['One\ntwo', 'three', '# Head', 'text', 'ts:const a = 1;⏎⏎b', 'end']);
  });

  it('keeps a list with its paragraphs and fences together', () => {
    const list = '- a\n\n  more\n\n  ```js\n  x\n\n# no heading\n  ```\n- b';
    expect(shape(read(`${list}\n\nafter`))).toEqual([list, 'after']);
  });

  it('lets a fence inside a longer fence be code', () => {
    expect(shape(read('````md\n```js\nx\n```\n````\n'))).toEqual(['md:```js⏎x⏎```']);
  });

  it('takes the text of a footnote out of the text, with what belongs to it, and hides its beginning', () => {
    const source = 'A[^n].\n[^N]: one\ntwo\n\n    ```js\n    x\n    ```\n\nB.\n\n- item\n[^m]: three\n- item\n';
    expect(read(source).map((block) => (block.kind === 'prose' ? [block.text, block.note] : block.kind))).toEqual([
      ['A[^n].', undefined],
      ['one\ntwo\n\n```js\nx\n```', 'n'],
      ['B.', undefined],
      ['- item', undefined],
      ['three', 'm'],
      ['- item', undefined],
    ]);
    const reader = new BlockReader();
    reader.push('A\n\n[^n]');
    expect(shape(reader.blocks())).toEqual(['A']);
    reader.push(' is not one');
    expect(shape(reader.blocks())).toEqual(['A', '[^n] is not one']);
    expect(shape(read('```\n[^n]: code\n```'))).toEqual([':[^n]: code']);
  });

  it('does not take inline code at the beginning of a line for a fence', () => {
    expect(shape(read('```a``` b\nc'))).toEqual(['```a``` b\nc']);
  });

  it('shows an open fence as code and the beginning of a fence not at all', () => {
    const reader = new BlockReader();
    reader.push('text\n``');
    expect(shape(reader.blocks())).toEqual(['text']);
    reader.push('`js\nlet a');
    expect(shape(reader.blocks())).toEqual(['text', 'js:let a']);
    reader.push('\n``');
    expect(shape(reader.blocks())).toEqual(['text', 'js:let a']);
  });

  it('gives a list, a paragraph, a table and a line without an end a bound', () => {
    const long = {
      list: '- item of a list\n'.repeat(2_000),
      paragraph: 'words of a paragraph\n'.repeat(2_000),
      table: `| a | b |\n|---|---|\n${'| cell | cell |\n'.repeat(2_000)}`,
      line: 'x'.repeat(200_000),
    };
    for (const source of Object.values(long)) {
      const blocks = read(source);
      for (const block of blocks) expect(block.kind === 'prose' && block.text.length).toBeLessThan(20_000);
    }
    expect(read(long.list).map((block) => block.kind === 'prose' && block.continues === true)).toEqual([
      false,
      ...read(long.list)
        .slice(1)
        .map(() => true),
    ]);
    // Every part of a table is a table with the same head.
    expect(read(long.table).every((block) => block.kind === 'prose' && block.text.startsWith('| a | b |\n|---'))).toBe(
      true,
    );
  });

  it('is the same however the text is cut into pieces', () => {
    fc.assert(
      fc.property(
        fc.oneof(text, longText),
        fc.array(fc.oneof(fc.nat(200), fc.nat(200_000)), { maxLength: 20 }),
        (source, cuts) => {
          const places = [...new Set(cuts.filter((cut) => cut < source.length))].sort((a, b) => a - b);
          const pieces = [0, ...places].map((from, index) => source.slice(from, places[index]));
          expect(read(...pieces)).toEqual(read(source));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('never changes or loses a closed block', () => {
    fc.assert(
      fc.property(text, (source) => {
        const reader = new BlockReader();
        let closed: Block[] = [];
        for (const letter of source) {
          reader.push(letter);
          const now = reader.blocks().slice(0, reader.closedCount);
          expect(now.slice(0, closed.length).every((block, index) => block === closed[index])).toBe(true);
          closed = now;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('loses no line that says something', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('', 'words', '- item', '# head', '  more', '> quote'), { maxLength: 30 }),
        (lines) => {
          const shown = shape(read(lines.join('\n')))
            .join('\n')
            .split('\n')
            .filter((line) => line.trim() !== '');
          expect(shown).toEqual(lines.filter((line) => line.trim() !== ''));
        },
      ),
    );
  });
});
