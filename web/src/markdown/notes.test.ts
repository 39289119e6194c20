import { describe, expect, it } from 'vitest';
import { BlockReader } from './blocks.ts';
import { notesOf, stubsFor } from './notes.ts';

const read = (text: string) => {
  const reader = new BlockReader();
  reader.push(text);
  reader.end();
  return reader.blocks();
};

describe('the notes of a text', () => {
  it('come in the order in which they are referred to, and none is lost', () => {
    const notes = notesOf(read('[^lone]: Nobody asks.\n\nA[^B] and[^a].\n\n[^a]: One.\n\n[^b]: Two[^a].\n'));
    expect(notes.map(({ label, isReferred, blocks }) => [label, isReferred, blocks.map(({ text }) => text)])).toEqual([
      ['b', true, ['Two[^a].']],
      ['a', true, ['One.']],
      ['lone', false, ['Nobody asks.']],
    ]);
  });

  it('are given to the blocks that refer to them, and nothing else is', () => {
    const blocks = read('A[^a] and [^a-z] and[^a].\n\nB.\n\n[^a]: One.\n');
    const notes = notesOf(blocks);
    expect(
      blocks.map(
        (block) =>
          stubsFor(block, new Set(notes.map(({ label }) => label)))
            .split('\n')
            .filter((line) => line !== '').length,
      ),
    ).toEqual([1, 0, 0]);
    expect(notesOf(read('No note[^a] here.'))).toEqual([]);
  });
});
