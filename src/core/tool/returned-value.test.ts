import { describe, expect, test } from 'vitest';
import { toJson } from './returned-json.ts';
import { outputOf } from './returned-value.ts';

class Shape {
  readonly kind = 'circle';
  readonly radius = 2;
  area(): number {
    return 3 * this.radius;
  }
}
class Hidden {
  readonly #secret = 1;
  reveal(): number {
    return this.#secret;
  }
}
class Money {
  toJSON(): unknown {
    return { amount: 5n };
  }
}
const cyclic: Record<string, unknown> = { name: 'a' };
cyclic['self'] = { again: cyclic };
const shared = { x: 1 };
let deep: unknown = 1;
for (let level = 0; level < 100; level += 1) deep = { deep };

describe('a value that a tool returns', () => {
  test.each<[string, unknown, unknown]>([
    ['a map with names', new Map<string, unknown>([['a', new Set([1, 2])]]), { a: [1, 2] }],
    ['a map without', new Map([[{ id: 1 }, 'x']]), [[{ id: 1 }, 'x']]],
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['a big integer', [7n, 2n ** 70n], [7, '1180591620717411303424']],
    ['numbers without a word in JSON', [Number.NaN, Number.POSITIVE_INFINITY], ['NaN', 'Infinity']],
    ['fields without a value', { a: undefined, b: [undefined] }, { b: [null] }],
    ['an instance with fields', new Shape(), { kind: 'circle', radius: 2 }],
    ['an instance with its own JSON', new Money(), { amount: 5 }],
    ['an address', new URL('https://a.test/x'), 'https://a.test/x'],
    ['an error inside', { last: new TypeError('no') }, { last: { error: 'TypeError: no' } }],
    ['an array of numbers', Float64Array.of(1.5, 2), [1.5, 2]],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['the same object twice', [shared, shared], [{ x: 1 }, { x: 1 }]],
    ['an empty object', {}, {}],
    ['nothing', undefined, undefined],
  ])('becomes JSON: %s', (_what, value, json) => {
    expect(toJson(value)).toEqual(json);
  });

  test.each<[string, unknown, RegExp]>([
    ['a cycle', cyclic, /the value\.self\.again that it returned is an object that holds itself/],
    ['a depth without end', deep, /deeper than 64 levels/],
    ['a function', { run: () => 1 }, /the value\.run that it returned is a function/],
    ['a promise', [Promise.resolve(1)], /the value\[0\] that it returned is a promise.*Await it/],
    ['bytes inside', { file: Uint8Array.of(1, 2) }, /the value\.file that it returned is bytes/],
    ['an instance that shows nothing', new Hidden(), /an instance of Hidden with no fields.*toJSON/],
    ['an iterator', new Map().keys(), /an instance of .* with no fields/],
    ['an invalid date', new Date('x'), /an invalid date/],
  ])('is refused in words: %s', (_what, value, words) => {
    expect(() => toJson(value)).toThrow(words);
  });

  test('is a picture where its bytes are one, and refused where they are not', () => {
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2);
    for (const bytes of [png, Buffer.from(png), png.buffer]) {
      expect(outputOf(bytes)).toMatchObject({
        success: true,
        data: '[a picture, image/png, 10 bytes]',
        for_model: [{ type: 'text' }, { type: 'image', mime_type: 'image/png', data_base64: 'iVBORw0KGgoBAg==' }],
      });
    }
    expect(() => outputOf(Uint8Array.of(1, 2, 3))).toThrow(/3 bytes of no picture/);
  });
});
