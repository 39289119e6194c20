import { expect, it } from 'vitest';
import { repeatedKey } from './repeated-key.ts';

it.each([
  "{'tool':'ls','args':{}}",
  "{'a':1,'b':2}",
  '{tool: "ls", args: {}}',
  '{`a`: 1, `b`: 2}',
  '{1: "a", 2: "b"}',
  '{"a":1, b:2, c:3}',
  '{“a”: 1, “b”: 2}',
  '{: 1, : 2}',
  '{"a": 1, : 2}',
])('speaks of no key where what stands before the colon is no text of JSON: %s', (text) => {
  expect(repeatedKey(text)).toBeUndefined();
});

it.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"":1,"":2}', ''],
  ['{"a":{"b":1},"a":{"b":2}}', 'a'],
  ['[{"a":1},{"a":2}]', undefined],
  ['{"a":1,"a":1}', undefined],
  ['{"a":1,"a":2,b:3}', 'a'],
])('%s', (text, key) => {
  expect(repeatedKey(text)).toBe(key);
});
