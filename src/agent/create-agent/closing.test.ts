import { expect, it } from 'vitest';
import { createClosing } from './closing.ts';

it('closes every part, the last first, whatever the others do, and warns of what failed', async () => {
  const closed: string[] = [];
  const warnings: string[] = [];
  const closing = createClosing((code, message) => warnings.push(`${code}: ${message}`));
  for (const name of ['a', 'b', 'c', 'd']) {
    closing.add(`part ${name}`, () => {
      closed.push(name);
      if (name === 'c') throw new Error('c is stuck');
      return name === 'b' ? Promise.reject(new Error('b is stuck')) : undefined;
    });
  }
  await closing.close();
  expect(closed).toEqual(['d', 'c', 'b', 'a']);
  expect(warnings).toHaveLength(2);
  expect(warnings.join()).toMatch(/close_failed: .*part c.*c is stuck.*part b.*b is stuck/);
  await closing.close();
  expect(closed).toHaveLength(4);
});
