/** Replaces a file whole or not at all, whatever happens in between. For halter's own files, so for nobody else's eyes. */

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Outcome, succeed } from '../core/outcome.ts';
import { writeFailure } from '../disk/disk-failure.ts';
import { makeFolder } from '../disk/make-folder.ts';
import { STORAGE_LIMITS } from './limits.ts';

/** Temporary, fsync, rename, fsync of the folder; mode 0600. Stale temporaries of the same file are taken away. */
export const writeFileAtomically = async (path: string, content: string | Uint8Array): Promise<Outcome<void>> => {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`);
  let file: FileHandle | undefined;
  try {
    makeFolder(folder);
    await removeStaleTemporaries(path);
    file = await open(temporary, 'wx', 0o600);
    await file.writeFile(content);
    await file.sync();
    await file.close();
    file = undefined;
    await rename(temporary, path);
    await flushFolder(folder);
    return succeed(undefined);
  } catch (error) {
    await file?.close().catch(() => {});
    await rm(temporary, { force: true }).catch(() => {});
    return writeFailure(`${path} cannot be written`, error);
  }
};

/** After a rename or the first write of a new file the folder must reach the disk as well. */
export const flushFolder = async (folder: string): Promise<void> => {
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const TEMPORARY = /^\.(.+)\.(\d+)-[0-9a-f]{8}\.tmp$/s;

/** A killed writer leaves its temporary behind. One whose process is gone, or that is old, is nobody's any more. */
export const removeStaleTemporaries = async (path: string): Promise<void> => {
  const folder = dirname(path);
  for (const name of await readdir(folder).catch(() => []))
    if (TEMPORARY.exec(name)?.[1] === basename(path)) await removeStaleTemporary(folder, name);
};

/** `name`: of any file; one that is no temporary stays. */
export const removeStaleTemporary = async (folder: string, name: string): Promise<void> => {
  const [, , pid] = TEMPORARY.exec(name) ?? [];
  const temporary = join(folder, name);
  if (pid === undefined || (isProcessAlive(Number(pid)) && !(await isOld(temporary)))) return;
  await rm(temporary, { force: true }).catch(() => {});
};

/** A process of somebody else is alive too. */
export const isProcessAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
const isOld = async (path: string): Promise<boolean> => {
  try {
    return Date.now() - (await stat(path)).mtimeMs > STORAGE_LIMITS.ownTemporaryMs;
  } catch {
    return false;
  }
};
