import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { Trials } from './trials.ts';

test('suspects are tried one after the other, each until it came forward or its time is over', async () => {
  verifies('B12');
  const overs: (() => void)[] = [];
  const trials = new Trials(() => new Promise((resolve) => overs.push(() => resolve(undefined))));
  const begun: string[] = [];
  const begin = async (name: string): Promise<() => void> => {
    const end = await trials.next();
    begun.push(name);
    return end;
  };
  const all = ['first', 'second', 'third'].map(begin);
  const endFirst = await all[0];
  expect(begun).toEqual(['first']);
  endFirst?.();
  await all[1];
  expect(begun).toEqual(['first', 'second']);
  // It never comes forward.
  overs[1]?.();
  await all[2];
  expect(begun).toEqual(['first', 'second', 'third']);
});
