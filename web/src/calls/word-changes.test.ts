import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Piece, wordChanges } from './word-changes.ts';

const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');
const changedOf = (pieces: readonly Piece[] = []): string[] =>
  pieces.flatMap(({ text, changed }) => (changed ? [text] : []));

describe('the words of a line that changed', () => {
  it.each([
    ['const a = 1;', 'const b = 1;', ['a'], ['b']],
    ['return value;', 'return value * 2;', [], [' * 2']],
    ['the quick brown fox', 'the slow red fox', ['quick brown'], ['slow red']],
    ['  indented', '    indented', ['  '], ['    ']],
    ['naïve Größe 1', 'naïve Größe 2', ['1'], ['2']],
  ])('are marked, and no others: %j → %j', (before, after, old, now) => {
    const changes = wordChanges(before, after);
    expect(changedOf(changes?.before)).toEqual(old);
    expect(changedOf(changes?.after)).toEqual(now);
  });

  it('are not marked where the lines are two different ones', () => {
    expect(wordChanges('import fs from "node:fs";', 'export const sum = 3;')).toBeUndefined();
    expect(wordChanges('', 'new')).toBeUndefined();
  });

  it('put together are the line again, however long it is', () => {
    const line = fc.stringMatching(/^[ab =;]{0,40}$/);
    fc.assert(
      fc.property(line, line, fc.constantFrom(1, 60), (before, after, times) => {
        const [old, now] = [before.repeat(times), after.repeat(times)];
        const changes = wordChanges(old, now);
        if (changes === undefined) return;
        expect(textOf(changes.before)).toBe(old);
        expect(textOf(changes.after)).toBe(now);
      }),
    );
  });
});
