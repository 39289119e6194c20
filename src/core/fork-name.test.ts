import { expect, it } from 'vitest';
import { forkName } from './fork-name.ts';

it.each([
  ['Tests', [], 'Tests (fork)'],
  ['Tests', ['Tests'], 'Tests (fork)'],
  ['Tests', ['Tests (fork)'], 'Tests (fork 2)'],
  ['Tests (fork)', ['Tests (fork)', 'Tests (fork 2)'], 'Tests (fork 3)'],
  ['Tests (fork 7)', ['Tests (fork 7)'], 'Tests (fork)'],
  ['A fork (b)', [], 'A fork (b) (fork)'],
  ['a name that is too long', [], 'a name that i (fork)'],
  ['twelve signs👩 more', [], 'twelve signs\uFFFD (fork)'],
])('calls a copy of %j beside %j %j', (original, taken, name) => {
  expect(forkName(original, new Set(taken), 20)).toBe(name);
  expect(name.length).toBeLessThanOrEqual(20);
});
