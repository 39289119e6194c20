// A folder of a test run in memory. A run that is killed cannot remove its own, so the next one removes it when it is old.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const PREFIX = 'halter-test-';
/** No run takes this long, wherever it is: another container may use the same memory. */
const OLD_MS = 24 * 60 * 60 * 1_000;

const orNothing = <T>(what: () => T): T | undefined => {
  try {
    return what();
  } catch {
    return undefined;
  }
};

/** Undefined where there is no such place, or it cannot be written. */
export const folderInMemory = (now = Date.now(), memory = '/dev/shm'): string | undefined => {
  for (const name of orNothing(() => readdirSync(memory)) ?? []) {
    const left = join(memory, name);
    const changedAt = name.startsWith(PREFIX) ? orNothing(() => statSync(left).mtimeMs) : undefined;
    // What is another user's stays.
    if (changedAt !== undefined && now - changedAt > OLD_MS)
      orNothing(() => rmSync(left, { recursive: true, force: true }));
  }
  return orNothing(() => mkdtempSync(join(memory, PREFIX)));
};
