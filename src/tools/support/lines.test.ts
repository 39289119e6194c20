import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { rounds } from '../../../tests/support/long.ts';
import { contentLines, endingOf, lineAt, lineCount, linesOf, lineText, spliceLines, startOf } from './lines.ts';

const text = fc
  .array(
    fc.tuple(
      fc.string({ maxLength: 4, unit: fc.constantFrom('a', 'b', '\r', '\u2028', 'é') }),
      fc.constantFrom('\n', '\r\n'),
    ),
  )
  .chain((lines) => fc.tuple(fc.constant(lines.map((pair) => pair.join('')).join('')), fc.constantFrom('', 'end')))
  .map((parts) => parts.join(''));
const added = fc.array(fc.string({ maxLength: 3, unit: fc.constantFrom('x', 'y') }), { maxLength: 4 });

it('takes a text apart into lines that make it up again', () => {
  fc.assert(
    fc.property(text, (whole) => {
      const lines = linesOf(whole);
      const numbers = Array.from({ length: lineCount(lines) }, (_, index) => index + 1);
      expect(numbers.map((n) => lineText(lines, n) + endingOf(lines, n)).join('')).toBe(whole);
      for (const n of numbers) expect(lineAt(lines, startOf(lines, n))).toBe(n);
    }),
    { numRuns: rounds(333, 10_000) },
  );
});

it('leaves every line that is not replaced, its ending and the missing final newline as they were', () => {
  verifies('H5', 'H6');
  fc.assert(
    fc.property(text, fc.nat(8), fc.nat(8), added, (whole, first, length, newLines) => {
      const lines = linesOf(whole);
      const count = lineCount(lines);
      const from = 1 + Math.min(first, count);
      const to = Math.min(from - 1 + length, count);
      const result = linesOf(spliceLines(lines, from, to, newLines));
      const expected = [
        ...Array.from({ length: from - 1 }, (_, index) => lineText(lines, index + 1)),
        ...newLines,
        ...Array.from({ length: count - to }, (_, index) => lineText(lines, to + index + 1)),
      ];
      const shown = Array.from({ length: lineCount(result) }, (_, index) => lineText(result, index + 1));
      // An empty last line without an ending cannot be told from no line.
      const closed = whole === '' || whole.endsWith('\n');
      if (!closed && expected.at(-1) === '') expected.pop();
      else if (expected.length > 0) expect(result.text.endsWith('\n')).toBe(closed);
      expect(shown).toEqual(expected);
      const last = lineCount(result);
      for (let back = 0; back < count - to - 1; back += 1) {
        expect(endingOf(result, last - back)).toBe(endingOf(lines, count - back));
      }
    }),
    { numRuns: rounds(833, 25_000) },
  );
});

it('gives new lines the ending of the lines they replace', () => {
  expect(spliceLines(linesOf('a\r\nb\nc\r\n'), 1, 2, ['1', '2', '3'])).toBe('1\r\n2\n3\r\nc\r\n');
  expect(spliceLines(linesOf('a\r\nb'), 3, 2, ['c'])).toBe('a\r\nb\r\nc');
  expect(spliceLines(linesOf(''), 1, 0, ['a'])).toBe('a\n');
});

it('reads content as a model writes it', () => {
  expect(contentLines('a\nb\n')).toEqual(['a', 'b']);
  expect(contentLines('a\r\nb')).toEqual(['a', 'b']);
  expect(contentLines('\n')).toEqual(['']);
  expect(contentLines('')).toEqual([]);
});
