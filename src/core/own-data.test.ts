import { expect, it } from 'vitest';
import { ownData } from './own-data.ts';

it('copies what stands in several places once, also where it stands in itself', () => {
  const node: { left?: unknown; right?: unknown } = {};
  node.left = node;
  node.right = node;
  const copy = ownData(node);
  expect(copy).not.toBe(node);
  expect([copy.left, copy.right]).toEqual([copy, copy]);
});

it('keeps every name', () => {
  const given = JSON.parse('{"__proto__": {"a": 1}, "b": [1, null]}') as object;
  expect(JSON.stringify(ownData(given))).toBe('{"__proto__":{"a":1},"b":[1,null]}');
});
