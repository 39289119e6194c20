import { describe, expect, test } from 'vitest';
import { headAndTail } from './head-and-tail.ts';

const ROOM = { columns: 10, head: 2, tail: 2 };

describe('a long text in little room', () => {
  test.each([
    ['', 'nothing'],
    ['short', 'one row'],
    ['1\n2\n3\n4\n5', 'as many lines as there is room for, and the one that would be left out'],
    ['x'.repeat(50), 'one line of so many rows'],
  ])('%j is whole: %s', (text) => {
    expect(headAndTail(text, ROOM)).toBeUndefined();
  });

  test.each([
    ['1\n2\n3\n4\n5\n6', { head: '1\n2', tail: '5\n6' }],
    ['1\n2\n3\n4\n5\n6\n\n', { head: '1\n2', tail: '5\n6' }],
    [`${'a'.repeat(40)}${'z'.repeat(40)}`, { head: 'a'.repeat(20), tail: 'z'.repeat(20) }],
    [`a\n${'b'.repeat(90)}\nz`, { head: `a\n${'b'.repeat(10)}`, tail: `${'b'.repeat(10)}\nz` }],
  ])('%j is shown with its end', (text, shown) => {
    expect(headAndTail(text, ROOM)).toMatchObject(shown);
  });

  test('says how much is between', () => {
    expect(headAndTail('1\n2\n3\n4\n5\n6', ROOM)).toMatchObject({ between: '\n3\n4\n' });
    expect(headAndTail('x'.repeat(100), ROOM)).toMatchObject({ between: 'x'.repeat(60) });
  });

  test('splits no character of two halves', () => {
    const found = headAndTail(`a${'😀'.repeat(60)}b`, ROOM);
    expect(found?.head.isWellFormed() && found.tail.isWellFormed()).toBe(true);
  });
});
