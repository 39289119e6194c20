import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { rounds } from '../../../tests/support/long.ts';
import { createUnreadText } from './unread-text.ts';

it('keeps the end of what a job printed, says how much before it is gone, and forgets what was taken', () => {
  verifies('U1');
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 300 }), (steps, max) => {
      const unread = createUnreadText(max);
      let expected = '';
      for (const text of [...steps, undefined]) {
        if (text !== undefined) {
          unread.push(text);
          expected += text;
          continue;
        }
        expect(unread.isEmpty()).toBe(expected === '');
        const taken = unread.take();
        expect(expected.endsWith(taken.text)).toBe(true);
        expect(taken.omitted).toBe(expected.length - taken.text.length);
        // At most half a character more is left out than the limit asks for.
        expect(taken.text.length).toBeLessThanOrEqual(max);
        expect(taken.text.length).toBeGreaterThanOrEqual(Math.min(max, expected.length) - 1);
        expected = '';
      }
    }),
    { numRuns: rounds(83, 2_500) },
  );
});
