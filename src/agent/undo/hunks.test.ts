import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hunksOf, withoutHunks } from './hunks.ts';

const all = (count: number): ReadonlySet<number> => new Set(Array.from({ length: count }, (_, index) => index));
const line = fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n', 'd\n');
const text = fc
  .tuple(fc.array(line, { maxLength: 60 }), fc.constantFrom('', 'end', 'a'))
  .map(([lines, end]) => lines.join('') + end);

describe('the places in which two texts differ', () => {
  it('put back together give the older text, and none of them the newer one', () => {
    fc.assert(
      fc.property(text, text, (before, now) => {
        const hunks = hunksOf(before, now) ?? [];
        expect(withoutHunks(before, now, hunks, all(hunks.length))).toBe(before);
        expect(withoutHunks(before, now, hunks, new Set())).toBe(now);
      }),
    );
  });

  it('put back one after the other, in any order, give the same', () => {
    fc.assert(
      fc.property(text, text, fc.nat(), (before, now, chosen) => {
        let left = now;
        for (let rounds = 0; rounds < 200; rounds += 1) {
          const hunks = hunksOf(before, left) ?? [];
          if (hunks.length === 0) break;
          left = withoutHunks(before, left, hunks, new Set([(chosen + rounds) % hunks.length]));
        }
        expect(left).toBe(before);
      }),
    );
  });

  it('are put back alone, with what was changed elsewhere left', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}\n`);
    const changed = lines.with(2, 'two\n').with(25, 'twenty-five');
    const hunks = hunksOf(lines.join(''), changed.join('')) ?? [];
    expect(hunks).toHaveLength(2);
    expect(withoutHunks(lines.join(''), changed.join(''), hunks, new Set([0]))).toBe(
      lines.with(25, 'twenty-five').join(''),
    );
  });
});
