import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../tests/support/long.ts';
import { decodeText, encodeText } from './text-file.ts';

it('writes back the bytes it read, whatever the encoding', () => {
  const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed() && !value.includes('\0'));
  const encoding = fc.constantFrom('utf-8' as const, 'utf-16le' as const, 'utf-16be' as const);
  fc.assert(
    fc.property(text, encoding, fc.boolean(), (value, chosen, mark) => {
      const hasByteOrderMark = mark || chosen !== 'utf-8';
      // Without a mark a leading U+FEFF would be one.
      fc.pre(hasByteOrderMark || !value.startsWith('\uFEFF'));
      const bytes = encodeText({ text: value, encoding: chosen, hasByteOrderMark });
      const decoded = decodeText(bytes, 'a.txt');
      expect(decoded).toEqual({ ok: true, value: { text: value, encoding: chosen, hasByteOrderMark } });
      if (decoded.ok) expect(Buffer.compare(encodeText(decoded.value), bytes)).toBe(0);
    }),
    { numRuns: rounds(500, 15_000) },
  );
});

it.each([
  ['a NUL', '610062'],
  ['Latin-1', '636166e90a'],
  ['half a UTF-16 character', 'fffe6100ff'],
  ['a lone surrogate in UTF-16', 'fffe00d86100'],
  ['a PNG', '89504e470d0a1a0a0000000d'],
])('refuses %s as text', (_, hex) => {
  expect(decodeText(Buffer.from(hex, 'hex'), 'a')).toMatchObject({ ok: false, error: { error_type: 'parse_error' } });
});
