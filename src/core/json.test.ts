import { describe, expect, it } from 'vitest';
import { withoutUndefined } from './json.ts';

describe('a value of a program', () => {
  it('is read as JSON has it', () => {
    const at = new Date(0);
    expect(withoutUndefined({ a: undefined, b: { c: undefined, d: [{ e: undefined }, null] }, at })).toStrictEqual({
      b: { d: [{}, null] },
      at,
    });
    expect(withoutUndefined(undefined)).toBe(undefined);
  });

  it('is no copy where nothing is undefined, and may hold itself', () => {
    const whole = { a: [1, { b: 'x' }] };
    expect(withoutUndefined(whole)).toBe(whole);
    const circle: { self?: unknown; gone: undefined } = { gone: undefined };
    circle.self = circle;
    expect(withoutUndefined(circle)).toEqual({ self: circle });
  });
});
