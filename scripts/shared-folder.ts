/** A folder for what the test files of one run share (tests/support/once-a-run.ts). It is removed at the end of the run. */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Set for the processes of a test run. */
export const SHARED_FOLDER = 'HALTER_TEST_SHARED';

/** Vitest calls it before the first test, for each of its projects; one folder is enough. */
export const setup = (): void => {
  if (process.env[SHARED_FOLDER] !== undefined) return;
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'halter-shared-'));
  // What a test gives to another user can be reached by that user.
  chmodSync(folder, 0o755);
  process.env[SHARED_FOLDER] = folder;
};

export const teardown = (): void => {
  const folder = process.env[SHARED_FOLDER];
  delete process.env[SHARED_FOLDER];
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
};
