import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { oneAtATime } from './one-at-a-time.ts';

it('asks once more for all who wished it meanwhile, and never twice at the same time', async () => {
  verifies('L8');
  const ends: (() => void)[] = [];
  const refresh = oneAtATime(() => new Promise((resolve) => ends.push(resolve)));
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  for (let wish = 0; wish < 10; wish += 1) refresh();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await settle();
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await settle();
  expect(ends).toHaveLength(2);
  refresh();
  await settle();
  expect(ends).toHaveLength(3);
});
