import { expect, it } from 'vitest';
import { columns } from './table.ts';

it('aligns what takes two columns on the screen', () => {
  const [first = '', second = ''] = columns([
    ['日本語の題', '1 message', 'x'],
    ['a title', '12 messages', 'y'],
  ]).split('\n');
  // Five wide characters take ten columns.
  expect(first).toBe('日本語の題  1 message    x');
  expect(second).toBe('a title     12 messages  y');
});
