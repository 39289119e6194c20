import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { createOutputKeeper } from './process-output.ts';

it('keeps all of what fits, and of a flood both ends, within the limit, with whole characters', () => {
  verifies('L1');
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 30 }), { maxLength: 40 }),
      fc.integer({ min: 8, max: 400 }),
      (pieces, maxBytes) => {
        const keeper = createOutputKeeper(maxBytes);
        for (const piece of pieces) keeper.push(piece);
        const { text, totalBytes, omittedBytes } = keeper.finish();
        const all = pieces.join('');
        expect(totalBytes).toBe(pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0));
        if (totalBytes <= maxBytes) {
          expect(text).toBe(all);
          return;
        }
        const [head, end] = text.split(/\n\[… .* …\]\n/);
        expect(omittedBytes).toBeGreaterThan(0);
        expect(all.startsWith(head as string)).toBe(true);
        expect(all.endsWith(end as string)).toBe(true);
        expect(Buffer.byteLength(head as string) + Buffer.byteLength(end as string)).toBe(totalBytes - omittedBytes);
        expect(totalBytes - omittedBytes).toBeLessThanOrEqual(maxBytes);
        if (all.isWellFormed()) expect(text.isWellFormed()).toBe(true);
      },
    ),
    { numRuns: 2_000 },
  );
});
