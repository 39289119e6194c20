/** What a tool makes with ok(…) and fail(…), without a compiler too: nothing becomes an empty success in silence. */
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { fail, ok, type Returnable } from './tool-result.ts';

test.each<[string, Returnable, string]>([
  ['a map', new Map([['a', 1]]), '{"a":1}'],
  ['a set', new Set([1, 2]), '[1,2]'],
  ['a big integer', 1n, '1'],
  ['a larger one', 2n ** 64n, '18446744073709551616'],
  ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['a map within', { rows: new Map([['a', 1n]]) }, '{"rows":{"a":1}}'],
  ['an error within', { a: new Error('x') }, '{"a":{"error":"Error: x"}}'],
  ['nothing', undefined, ''],
  [
    'an instance',
    new (class Row {
      id = 7;
    })(),
    '{"id":7}',
  ],
])('ok(%s) is told', (_name, value, data) => {
  verifies('E5');
  expect(ok(value)).toMatchObject({ success: true, data });
});

test.each<[string, unknown, RegExp]>([
  ['an error', new RangeError('too far'), /^too far$/],
  ['a function', () => 1, /is a function, which no model can read/],
  ['a promise', Promise.resolve(1), /is a promise.*Await it/],
  ['an instance without fields', new (class Empty {})(), /an instance of Empty/],
])('ok(%s) is refused', (_name, value, words) => {
  expect(() => ok(value as Returnable)).toThrow(words);
});

test('fail(…) of a word that there is not is refused by name', () => {
  const wrong = fail as (type: string, message?: string) => unknown;
  expect(() => wrong('weird', 'x')).toThrow(
    /^error_type of fail\(\) must be one of: not_found, .*internal_error, not "weird"\.$/,
  );
  expect(() => wrong('none', 'x')).toThrow(/not "none"\.$/);
});

test('fail(…) without words is a failure all the same', () => {
  expect((fail as (type: string) => unknown)('not_found')).toEqual({
    success: false,
    error_type: 'not_found',
    error_message: 'not found',
  });
});
