import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { type Block, BlockReader } from './blocks.ts';
import { linksFor } from './links.ts';
import { drawnFrom, PASSAGE, PassageReader } from './passages.ts';

const SIZE = 300_000;
const PIECE = 300;
const grown = (line: (index: number) => string): string => {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < SIZE; length += parts.at(-1)?.length ?? 1, index += 1)
    parts.push(line(index));
  return parts.join('');
};
const SHAPES: Readonly<Record<string, string>> = {
  'one paragraph': grown((index) => `word ${index} and **strong** words go on. `),
  'one paragraph in lines': grown((index) => `line ${index} of it\n`),
  'no blank at all': 'a'.repeat(SIZE),
  'signs without blanks': grown((index) => `这是第${index}段文字没有空格`),
  'a list': grown((index) => `- item ${index}\n`),
  'a numbered list': grown((index) => `${index}. item\n`),
  'a list in steps': grown((index) => `${'  '.repeat(index % 12)}- item ${index}\n`),
  'a list within one item': `- a\n${grown((index) => `    - item ${index}\n`)}`,
  'words within one item': `- a\n${grown((index) => `  words ${index}\n`)}`,
  'paragraphs within one item': `1. a\n${grown((index) => `\n   words ${index}\n`)}`,
  'code within one item': `- a\n\n  \`\`\`js\n${grown((index) => `  const a${index} = 1;\n`)}  \`\`\`\n`,
  'a table': `| a | b |\n|---|---|\n${grown((index) => `| ${index} | two |\n`)}`,
  'a table with a long head': `| ${'h'.repeat(3_500)} | b |\n|---|---|\n${grown((index) => `| ${index} | two |\n`)}`,
  'mathematics without an end': `$$\n${grown((index) => `${'x_1 + '.repeat(100)}${index}\n`)}`,
  'a quote': grown((index) => `> line ${index}\n`),
  'short paragraphs': grown((index) => `Word ${index}.\n\n`),
  'parts of all kinds': grown(
    (index) =>
      `## Part ${index}\n\n$x_${index}$\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\`\`\`ts\nx\n\`\`\`\n\n- a\n- b\n\n`,
  ),
  'a note without an end': `A[^n].\n\n[^n]: words\n${grown((index) => `    words ${index}\n`)}`,
};
/** Of what is read again for one piece: three times the longest line that is taken whole. */
const READ_AGAIN = 13_000;

const lengthOf = (block: Block): number => (block.kind === 'code' ? 0 : block.text.length);

describe('a text of 300 KB', () => {
  it.each(Object.entries(SHAPES))('is read and drawn in short pieces: %s', (_, text) => {
    verifies('L7');
    const [reader, passages] = [new BlockReader(), new PassageReader()];
    let most = 0;
    let before: readonly Block[] = [];
    for (let at = 0; at < text.length; at += PIECE) {
      reader.push(text.slice(at, at + PIECE));
      const blocks = reader.blocks();
      const again = blocks.slice(Math.max(0, before.length - 1)).filter((block, index) => block !== before[index]);
      most = Math.max(
        most,
        again.reduce((sum, block) => sum + lengthOf(block), 0),
      );
      before = blocks.slice(0, reader.closedCount);
      if (at % (20 * PIECE) === 0) passages.read(blocks, reader.closedCount);
    }
    reader.end();
    expect(most).toBeLessThan(READ_AGAIN);
    const all = passages.read(reader.blocks(), reader.closedCount);
    expect(Math.max(...all.map(({ weight }) => weight))).toBeLessThan(READ_AGAIN);
    expect(all.flatMap(({ blocks }) => blocks)).toEqual(reader.blocks());
    expect(drawnFrom(all, PASSAGE.atOnce)).toBeGreaterThanOrEqual(all.length - PASSAGE.atOnce / PASSAGE.block);
    // What is carried over into the next block is little beside it.
    expect(reader.blocks().reduce((sum, block) => sum + lengthOf(block), 0)).toBeLessThan(3 * text.length);
  });
});

describe('passages', () => {
  const paragraphs = (count: number): Block[] =>
    Array.from({ length: count }, (_, index) => ({ kind: 'prose' as const, text: `${index}`.padEnd(900, 'x') }));

  it('stay the same objects once they are full', () => {
    const reader = new PassageReader();
    const blocks = paragraphs(30);
    let before: readonly unknown[] = [];
    for (let count = 1; count <= blocks.length; count += 1) {
      const now = reader.read(blocks.slice(0, count), count - 1);
      const full = before.slice(0, -2);
      expect(full.every((passage, index) => passage === now[index])).toBe(true);
      before = now;
    }
    expect(before.length).toBe(10);
  });

  it('are drawn at once from the end, the last one whatever it weighs', () => {
    const all = new PassageReader().read(paragraphs(9), 9);
    expect(drawnFrom(all, 7_000)).toBe(1);
    expect(drawnFrom(all, 1)).toBe(2);
    expect(drawnFrom(all, 0)).toBe(3);
    expect(drawnFrom([], 7_000)).toBe(0);
  });
});

describe('links that are defined elsewhere', () => {
  it('come to the blocks that refer to them, each as it was defined first', () => {
    const reader = new BlockReader();
    reader.push(
      'See [A  page][R1] and [other].\n\nNone.\n\n[r1]: /one\n\n[r1]: /two\n\n[Other]: /three\n\n[no]: /four\n',
    );
    const [refers, none] = reader.blocks() as [Block, Block];
    expect(linksFor(refers, reader.definitions)).toBe('[r1]: /one\n[Other]: /three');
    expect(linksFor(none, reader.definitions)).toBe('');
  });
});
