import { expect, it, onTestFinished, vi } from 'vitest';
import { AGENT_LIMITS } from '../limits.ts';
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

it('goes on behind a part that never closes, and warns of it', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const closed: string[] = [];
  const warnings: string[] = [];
  const closing = createClosing((code, message) => warnings.push(`${code}: ${message}`));
  closing.add('the first part', () => void closed.push('first'));
  closing.add('the stuck part', () => new Promise(() => {}));
  const whole = closing.close();
  await vi.advanceTimersByTimeAsync(AGENT_LIMITS.closePartMs);
  await whole;
  expect(closed).toEqual(['first']);
  expect(warnings).toEqual(['close_failed: the stuck part did not close within 10 s']);
});
