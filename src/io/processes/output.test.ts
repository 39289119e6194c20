import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { rounds } from '../../../tests/support/long.ts';
import { createCharacterGate, createOutputKeeper } from './output.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
/** The same bytes, cut anywhere. */
const cut = (all: Uint8Array, lengths: readonly number[]): Uint8Array[] => {
  const pieces: Uint8Array[] = [];
  let start = 0;
  for (const length of [...lengths, all.length]) {
    pieces.push(all.subarray(start, start + length));
    start += length;
  }
  return pieces;
};
const LENGTHS = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 });

describe('what is kept of an output', () => {
  it('is all of what fits, and of a flood both ends, within the limit, with whole characters', () => {
    verifies('L1');
    const text = fc.string({ unit: 'binary', maxLength: 800 }).map((made) => made.toWellFormed());
    fc.assert(
      fc.property(text, LENGTHS, fc.integer({ min: 8, max: 400 }), (all, lengths, maxBytes) => {
        const keeper = createOutputKeeper(maxBytes);
        for (const piece of cut(bytes(all), lengths)) keeper.push(piece);
        const { text: kept, totalBytes, omittedBytes } = keeper.finish();
        expect(totalBytes).toBe(Buffer.byteLength(all));
        if (totalBytes <= maxBytes) {
          expect(kept).toBe(all);
          return;
        }
        const [head, end] = kept.split(/\n\[… .* …\]\n/);
        expect(omittedBytes).toBeGreaterThan(0);
        expect(all.startsWith(head as string)).toBe(true);
        expect(all.endsWith(end as string)).toBe(true);
        expect(Buffer.byteLength(head as string) + Buffer.byteLength(end as string)).toBe(totalBytes - omittedBytes);
        expect(totalBytes - omittedBytes).toBeLessThanOrEqual(maxBytes);
      }),
      { numRuns: rounds(83, 2_500) },
    );
  });

  it('is read as text even where the bytes are none', () => {
    verifies('L1');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), LENGTHS, fc.integer({ min: 8, max: 400 }), (all, lengths, max) => {
        const keeper = createOutputKeeper(max);
        for (const piece of cut(all, lengths)) keeper.push(piece);
        const { text, totalBytes } = keeper.finish();
        expect(totalBytes).toBe(all.length);
        if (all.length <= max) expect(text).toBe(Buffer.from(all).toString('utf8'));
        expect(text.isWellFormed()).toBe(true);
      }),
    );
  });
});

it('two streams are put together without breaking a character of either', () => {
  verifies('L1');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), LENGTHS, (made, lengths) => {
      const all = made.toWellFormed();
      let text = '';
      const gate = createCharacterGate((piece) => {
        text += Buffer.from(piece).toString('utf8');
      });
      for (const piece of cut(bytes(all), lengths)) gate.push(piece);
      gate.end();
      expect(text).toBe(all);
    }),
    { numRuns: rounds(83, 2_500) },
  );
});
