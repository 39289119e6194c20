/** Folders for tests: made fresh, gone afterwards, never the real home. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const MEMORY = '/dev/shm';
/** A container may have a few megabytes of it. */
const LEAST_FREE_BYTES = 512 * 1024 * 1024;
const hasMemory = (): boolean => {
  if (!fs.existsSync(MEMORY)) return false;
  const { bavail, bsize } = fs.statfsSync(MEMORY);
  return bavail * bsize >= LEAST_FREE_BYTES;
};

/** `npm test` names a folder in memory that it removes in the end. */
const temporary = (inMemory: boolean): string =>
  inMemory && hasMemory() ? (process.env['HALTER_TEST_MEMORY'] ?? MEMORY) : fs.realpathSync(os.tmpdir());

/**
 * An empty folder that is removed when the test that asked for it has finished. Its path is real (no links in it).
 * `inMemory`: for many small files, which a busy disk takes long to make and remove.
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
