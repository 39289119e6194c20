import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { earlierFrom, OPENED_ITEMS, openedFrom, settledFrom } from './window.ts';

describe('the part of a conversation that is on the page', () => {
  it('is as large for two thousand messages as for a hundred when it is opened', () => {
    expect(2_000 - settledFrom(0, 2_000, 0, true)).toBe(100 - settledFrom(0, 100, 0, true));
    expect(100 - openedFrom(100)).toBe(OPENED_ITEMS);
  });

  it('keeps its place while the person reads further up, and lets what is far above go at the end', () => {
    expect(settledFrom(0, 500, 499, false)).toBe(0);
    expect(settledFrom(0, 500, 499, true)).toBe(500 - OPENED_ITEMS);
    expect(settledFrom(450, 500, 499, true)).toBe(450);
    // What was asked for stays until something new comes.
    expect(settledFrom(0, 500, 500, true)).toBe(0);
    // Another branch may be shorter than what was shown.
    expect(settledFrom(450, 100, 500, true)).toBe(100 - OPENED_ITEMS);
  });

  it('always holds the newest, and reaches the first in the end', () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(5_000), fc.nat(5_000), fc.boolean(), (first, count, before, atEnd) => {
        const shown = settledFrom(first, count, before, atEnd);
        expect(shown === 0 || shown < count).toBe(true);
        let at = shown;
        for (let step = 0; step < 200 && at > 0; step += 1) at = earlierFrom(at);
        expect(at).toBe(0);
      }),
    );
  });
});
