import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { createSessionLooks } from './session-look.ts';

const world = () => {
  const folder = scratchFolder();
  const pathOf = (id: string): string => path.join(folder, id);
  let reads = 0;
  const look = createSessionLooks({
    pathOf,
    async ids() {
      reads += 1;
      return fs.readdirSync(folder);
    },
  });
  return { look, pathOf, reads: () => reads };
};

it('looks once for what is asked for together, and again for what is asked for later', async () => {
  const { look, pathOf, reads } = world();
  fs.writeFileSync(pathOf('one'), 'x');
  const [first, second] = await Promise.all([look(), look()]);
  expect(second).toBe(first);
  expect(reads()).toBe(1);
  fs.writeFileSync(pathOf('two'), 'xy');
  const third = await look();
  expect(reads()).toBe(2);
  expect(third.ids).toEqual(['one', 'two']);
  expect(third.states().get('two')?.size).toBe(2);
});

it('shows a request that comes while it looks what was there when that was made', async () => {
  const { look, pathOf } = world();
  const early = look();
  await Promise.resolve();
  await Promise.resolve();
  fs.writeFileSync(pathOf('late'), 'x');
  expect((await look()).ids).toEqual(['late']);
  await early;
});

it('leaves out of the states what is gone since', async () => {
  const { look, pathOf } = world();
  fs.writeFileSync(pathOf('one'), 'x');
  const { ids, states } = await look();
  fs.rmSync(pathOf('one'));
  expect(ids).toEqual(['one']);
  expect(states().size).toBe(0);
});
