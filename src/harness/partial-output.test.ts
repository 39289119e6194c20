import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../core/json.ts';
import { HARNESS_LIMITS } from './limits.ts';
import { readPartialJson } from './partial-json.ts';
import { PartialOutput } from './partial-output.ts';

const piecesOf = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));

/** What is told of an answer that comes in these pieces, and how many characters were read for it. */
const play = (pieces: readonly string[]): { told: JsonValue[]; characters: number } => {
  const told: JsonValue[] = [];
  let characters = 0;
  const read = (text: string): JsonValue | undefined => {
    characters += text.length;
    return readPartialJson(text);
  };
  const output = new PartialOutput(read, (part) => told.push(part));
  for (const piece of pieces) output.add(piece);
  output.end();
  return { told, characters };
};

/** The same, read at every piece. */
const playEach = (pieces: readonly string[]): JsonValue[] => {
  const told: JsonValue[] = [];
  let text = '';
  for (const piece of pieces) {
    text += piece;
    const part = readPartialJson(text);
    if (part !== undefined && JSON.stringify(part) !== JSON.stringify(told.at(-1) ?? null)) told.push(part);
  }
  return told;
};

const SHORT = HARNESS_LIMITS.partialOutputCharacters;
const values = (maxLength: number) =>
  fc.array(fc.record({ name: fc.string({ maxLength: 40 }), tags: fc.array(fc.string({ maxLength: 8 })) }), {
    minLength: 1,
    maxLength,
  });

describe('the value of an answer that still comes', () => {
  it('is told at every piece while it is short', () => {
    const short = values(20).filter((value) => JSON.stringify(value).length < SHORT);
    fc.assert(
      fc.property(short, fc.integer({ min: 1, max: 9 }), (value, size) => {
        const pieces = piecesOf(JSON.stringify(value), size);
        expect(play(pieces).told).toEqual(playEach(pieces));
      }),
      { numRuns: 30 },
    );
  });

  it('is told of a long one as it would be at every piece, in fewer parts, and is whole in the end', () => {
    const long = values(200).map((value) => [...value, { name: 'x'.repeat(SHORT), tags: [] }, ...value]);
    fc.assert(
      fc.property(long, fc.integer({ min: 50, max: 400 }), (value, size) => {
        const pieces = piecesOf(JSON.stringify(value), size);
        const each = playEach(pieces).map((part) => JSON.stringify(part));
        const told = play(pieces).told.map((part) => JSON.stringify(part));
        let at = -1;
        for (const part of told) {
          at = each.indexOf(part, at + 1);
          expect(at, part).toBeGreaterThanOrEqual(0);
        }
        expect(told.at(-1)).toBe(JSON.stringify(value));
      }),
      { numRuns: 20 },
    );
  });

  it('costs a multiple of a long text', () => {
    const costOf = (length: number): number => {
      const text = JSON.stringify({ text: 'word '.repeat(length / 5) });
      return play(piecesOf(text, 4)).characters / text.length;
    };
    expect(costOf(160_000)).toBeLessThan(costOf(40_000) * 1.2);
  });
});
