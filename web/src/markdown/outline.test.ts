import { describe, expect, it } from 'vitest';
import { BlockReader } from './blocks.ts';
import { openAfter, opened } from './outline.ts';

const after = (text: string): string => {
  const reader = new BlockReader();
  reader.push(text);
  reader.end();
  return openAfter(reader.blocks(), '');
};

describe('the headings that a text stands under', () => {
  for (const [written, open] of [
    ['Words alone.', ''],
    ['# One', '1'],
    ['### Three', '3'],
    ['# One\n\n### Three\n\nWords.', '13'],
    ['# One\n\n### Three\n\n## Two', '12'],
    ['### Three\n\n# One', '1'],
    ['Underlined\n===\n\nAnother\n---\n\nWords.', '12'],
    ['Words.\n\n---\n\nA rule is none.', ''],
    ['#no heading', ''],
    ['```\n# a comment\n```\n', ''],
    [`## Two\n\n${'Words. '.repeat(900)}\n\n#### Four`, '24'],
  ] as const)
    it(`are ${JSON.stringify(open)} after ${JSON.stringify(written.slice(0, 40))}`, () => {
      expect(after(written)).toBe(open);
    });

  it('never go down by more than one level', () => {
    let open = '';
    for (const depth of [3, 6, 6, 1, 4, 5, 2, 6, 3, 3, 1]) {
      const next = opened(open, depth);
      expect(next.length).toBeLessThanOrEqual(open.length + 1);
      open = next;
    }
  });
});
