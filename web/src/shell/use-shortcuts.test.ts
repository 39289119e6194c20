import { expect, it } from 'vitest';
import { nameOf } from './use-shortcuts.ts';

const none = { ctrlKey: false, metaKey: false, shiftKey: false };
const control = { ...none, ctrlKey: true };
const command = { ...none, metaKey: true };

it.each([
  ['Control+k', { ...control, key: 'k' }],
  ['Control+k', { ...control, key: 'K' }],
  ['Control+b', { ...control, key: 'B' }],
  ['Control+k', { ...command, key: 'K' }],
  ['Control+Shift+O', { ...control, shiftKey: true, key: 'O' }],
  ['Control+Shift+O', { ...control, shiftKey: true, key: 'o' }],
  ['Control+Shift+O', { ...command, shiftKey: true, key: 'o' }],
  ['Control+/', { ...control, key: '/' }],
  ['Shift+?', { ...none, shiftKey: true, key: '?' }],
  ['Escape', { ...none, key: 'Escape' }],
  ['Escape', { ...none, shiftKey: true, key: 'Escape' }],
])('%s is meant by %j, with Caps Lock or without', (name, pressed) => {
  expect(nameOf(pressed)).toBe(name);
});
