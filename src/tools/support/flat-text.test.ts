import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../tests/support/long.ts';
import { createFlatText, findAll, replaceFlat } from './flat-text.ts';

const text = fc.array(fc.constantFrom('a', 'b', '\n', '\r\n', '\r'), { maxLength: 40 }).map((parts) => parts.join(''));

it('finds in the flat text what stands in the original, and replaces nothing else', () => {
  fc.assert(
    fc.property(text, fc.constantFrom('a', 'ab', 'a\nb', '\n', 'b\n'), (original, wanted) => {
      const flat = createFlatText(original);
      const offsets = findAll(flat.text, wanted, true);
      for (const offset of offsets) {
        const found = original.slice(flat.toOriginal(offset), flat.toOriginal(offset + wanted.length));
        expect(found.replaceAll('\r\n', '\n')).toBe(wanted);
      }
      const replaced = replaceFlat(flat, offsets, wanted, 'X');
      expect(replaced.replaceAll('\r\n', '\n')).toBe(flat.text.replaceAll(wanted, 'X'));
      expect(replaceFlat(flat, offsets, wanted, wanted)).toBe(original);
    }),
    { numRuns: rounds(833, 25_000) },
  );
});

it('gives new lines the endings of the place', () => {
  const flat = createFlatText('a\r\nb\r\nc\n');
  expect(replaceFlat(flat, [2], 'b', 'x\ny')).toBe('a\r\nx\r\ny\r\nc\n');
});

it('counts overlapping places when one is to be told from another', () => {
  expect(findAll('aaa', 'aa', false)).toEqual([0, 1]);
  expect(findAll('aaa', 'aa', true)).toEqual([0]);
});
