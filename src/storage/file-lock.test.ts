import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { takeLock } from './file-lock.ts';

it('says what the disk has against a lock, where SQLite only says that it cannot open it', async () => {
  verifies('B5');
  const place = join(scratchFolder(), 'a.lock');
  mkdirSync(place);
  const taken = await takeLock(place);
  expect(taken).toMatchObject({ ok: false, error: { error_type: 'io_error', reason: 'not_a_file' } });
  expect(!taken.ok && taken.error.message).toContain('it is a folder (EISDIR)');
});

it.skipIf(process.platform === 'win32')("leaves a file that is the person's alone", async () => {
  verifies('B5');
  const place = join(scratchFolder(), 'a.lock');
  const taken = await takeLock(place);
  if (taken.ok) taken.value.release();
  expect(statSync(place).mode & 0o777).toBe(0o600);
});
