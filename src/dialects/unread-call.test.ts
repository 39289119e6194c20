import { expect, test } from 'vitest';
import { findUnreadCall } from './index.ts';

test.each([
  ['edison', '{"tool": "x", "args": {}}', { name: 'x', arguments: {} }],
  ['edison', '{"tool": "x"}', { name: 'x', arguments: {} }],
  ['edison', '\ufeff```json\n{"tool": "x", "args": {"a": 1,}}\n```', { name: 'x', arguments: { a: 1 } }],
  ['edison', '{"tool": "x", "args": [1]}', { problem: 'args must be an object' }],
  ['edison', '{"tool": "x", "args": {}, "b": 1, "c": 2}', { problem: expect.stringContaining('b, c') }],
  ['plain-json', 'So:\n  {"name": "x", "arguments": {"a": 1}}\n', { name: 'x', arguments: { a: 1 } }],
  ['hermes', '{"name": "x", "parameters": {}}', { name: 'x' }],
  ['auto', '{"tool": "x", "args": {}}', { name: 'x' }],
])('in %s %j is meant as a call', (dialect, text, call) => {
  expect(findUnreadCall(text, dialect)).toMatchObject(call);
});

test.each([
  ['native', '{"name": "x", "arguments": {}}'],
  ['edison', '{"answer": "x"}'],
  ['plain-json', '{"name": "Ann", "age": 7}'],
  ['plain-json', 'See {"name": "x", "arguments": {}} above.'],
  ['plain-json', 'So:\n```\n{"name": "x", "arguments": {}}\n```\nand then?'],
  ['auto', 'So:\n{"name": "x", "arguments": {}}'],
  ['edison', '{"tool": 3, "args": {}}'],
  ['edison', ''],
])('in %s %j is an answer', (dialect, text) => {
  expect(findUnreadCall(text, dialect)).toBeUndefined();
});
