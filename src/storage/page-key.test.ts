import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { readPageKey } from './page-key.ts';

const keyOf = async (folder: string, now: number): Promise<string> => {
  const read = await readPageKey(folder, now);
  if (!read.ok) throw new Error(read.error.message);
  expect(read.value.byteLength).toBe(32);
  return Buffer.from(read.value).toString('hex');
};

it('makes one key for all who ask at once, for nobody else to read, and keeps it for its time', async () => {
  const folder = scratchFolder();
  const [first, ...others] = await Promise.all([keyOf(folder, 1_000), keyOf(folder, 1_000), keyOf(folder, 1_000)]);
  expect(others).toEqual([first, first]);
  const file = join(folder, 'page-key.json');
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(await keyOf(folder, STORAGE_LIMITS.pageKeyMs)).toBe(first);
  expect(await keyOf(folder, 1_000 + STORAGE_LIMITS.pageKeyMs)).not.toBe(first);
});

it('makes another one of what is no key, and leaves a file that is not JSON as it is', async () => {
  const folder = scratchFolder();
  const file = join(folder, 'page-key.json');
  writeFileSync(file, '{"version":1,"key":"short","made_at":0}', { mode: 0o600 });
  await keyOf(folder, 1);
  writeFileSync(file, 'no JSON');
  expect((await readPageKey(folder, 1)).ok).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('no JSON');
});

it('says what follows where it cannot be kept', async () => {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'page-key.lock'));
  const read = await readPageKey(folder, 1);
  expect(read.ok ? undefined : read.error.message).toMatch(/Until then pages are not known again after a restart\.$/);
});
