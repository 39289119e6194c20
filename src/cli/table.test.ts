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

it('keeps joined what people wrote, and shows every character of what programs read', () => {
  const family = '👩\u200d👩\u200d👧 می\u200cخواهم';
  expect(columns([['id', family]], { isProse: 'last' })).toBe(`id  ${family}\n`);
  expect(columns([['id', 'two\nlines\u001b[31m']], { isProse: 'last' })).toBe('id  two lines\\u{1B}[31m\n');
  expect(columns([['id', family]])).toContain('\\u{200D}');
});
