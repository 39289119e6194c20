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
])('says what it can of whatever was thrown (%#)', (thrown, text, name) => {
  expect(thrownText(thrown)).toBe(text);
  expect(thrownName(thrown)).toBe(name);
});
