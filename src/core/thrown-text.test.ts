import vm from 'node:vm';
import { expect, test } from 'vitest';
import { thrownName, thrownText } from './thrown-text.ts';

const hostile = new Proxy(
  {},
  {
    getPrototypeOf() {
      throw new Error('no');
    },
  },
);
const elsewhere = vm.runInNewContext('new RangeError("far away")') as unknown;
const silent = (error: Error, more: object = {}): Error => Object.assign(error, { message: '' }, more);
const nameless = Object.assign(new Error('m'), { name: Object.create(null) });

test.each([
  [new TypeError('why'), 'why', 'TypeError'],
  ['a text', 'a text', 'Error'],
  [undefined, 'undefined', 'Error'],
  [Symbol('s'), 'Symbol(s)', 'Error'],
  [Object.create(null), 'it threw a value without words', 'Error'],
  [{ toString: () => ({}) }, 'it threw a value without words', 'Error'],
  [hostile, 'it threw a value without words', 'Error'],
  [Object.assign(new Error('m'), { message: Object.create(null) }), 'it threw a value without words', 'Error'],
  [nameless, 'm', 'Error'],
  [elsewhere, 'far away', 'RangeError'],
  [silent(new TypeError()), 'TypeError', 'TypeError'],
  [silent(new Error(), { code: 'ECONNREFUSED' }), 'ECONNREFUSED', 'Error'],
  [new AggregateError([new Error('first'), 'second'], ''), 'first; second', 'AggregateError'],
  [new Error('', { cause: new Error('the cause') }), 'the cause', 'Error'],
  [{ message: 'in a field' }, 'in a field', 'Error'],
  [{ code: 42, why: 'none' }, '{"code":42,"why":"none"}', 'Error'],
  [[1, 2], '1,2', 'Error'],
  [{ deep: 'x'.repeat(9_000) }, `{"deep":"${'x'.repeat(491)}…`, 'Error'],
  ['', 'it threw a value without words', 'Error'],
])('says what it can of whatever was thrown (%#)', (thrown, text, name) => {
  expect(thrownText(thrown)).toBe(text);
  expect(thrownName(thrown)).toBe(name);
});
