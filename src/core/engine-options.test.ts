import { expect, it } from 'vitest';
import { readAdapter, readAdapters } from './engine-options.ts';

it.each([
  ['a.gguf', { file: 'a.gguf', scale: 1 }],
  ['a.gguf:0.5', { file: 'a.gguf', scale: 0.5 }],
  ['/m/a b.gguf:.5', { file: '/m/a b.gguf', scale: 0.5 }],
  ['a.gguf:-1', { file: 'a.gguf', scale: -1 }],
  ['a.gguf:0', { file: 'a.gguf', scale: 0 }],
  ['C:\\m\\a.gguf', { file: 'C:\\m\\a.gguf', scale: 1 }],
  ['C:\\m\\a.gguf:2', { file: 'C:\\m\\a.gguf', scale: 2 }],
  ['a:1:0.25', { file: 'a:1', scale: 0.25 }],
])('an adapter is named as %s', (text, value) => {
  expect(readAdapter(text)).toEqual({ ok: true, value });
});

it.each(['', ' ', ':', ':0.5', 'a.gguf:', 'a.gguf:half', 'a.gguf:1e9', 'a.gguf:NaN', 'a.gguf:Infinity'])(
  'an adapter is not named as %j',
  (text) => {
    const read = readAdapters(['good.gguf', text]);
    expect(read.ok).toBe(false);
    expect(read.ok ? '' : read.error.message).toMatch(/FILE or FILE:SCALE|must be a number such as 0\.5/);
  },
);
