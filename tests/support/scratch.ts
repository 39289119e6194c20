/** Folders for tests: made fresh, gone afterwards, never the real home. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const temporary = (inMemory: boolean): string => {
  if (inMemory && fs.existsSync('/dev/shm')) return '/dev/shm';
  return fs.realpathSync(os.tmpdir());
};

/**
 * An empty folder that is removed when the test that asked for it has finished. Its path is real (no links in it).
 * `inMemory`: for a hundred thousand entries, which a busy disk takes minutes to make and remove.
 */
export const scratchFolder = (inMemory = false): string => {
  const folder = fs.mkdtempSync(path.join(temporary(inMemory), 'halter-test-'));
  onTestFinished(() => {
    fs.rmSync(folder, { recursive: true, force: true });
    const removed = process.env['HALTER_TEST_REMOVED'];
    if (removed !== undefined) fs.appendFileSync(removed, `${path.basename(folder)}\n`);
  });
  return folder;
};

/** Writes files by path; a value of null makes a folder. */
export const putFiles = (folder: string, files: Record<string, string | Uint8Array | null>): void => {
  for (const [name, content] of Object.entries(files)) {
    const target = path.join(folder, name);
    fs.mkdirSync(content === null ? target : path.dirname(target), { recursive: true });
    if (content !== null) fs.writeFileSync(target, content);
  }
};
