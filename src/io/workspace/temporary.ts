import { randomBytes } from 'node:crypto';
import { lstat, readdir, unlink } from 'node:fs/promises';
import { IO_LIMITS } from '../limits.ts';
import type { Folder } from './opener.ts';

const PATTERN = /^\.halter-(\d+)-[0-9a-f]{16}\.tmp$/;

export const temporaryName = (): string => `.halter-${process.pid}-${randomBytes(8).toString('hex')}.tmp`;
export const isTemporaryName = (name: string): boolean => PATTERN.test(name);

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Removes what a killed process left behind. A live process's file, or a young one, is left alone. */
export const removeStaleTemporaries = async (folder: Folder): Promise<void> => {
  const names = await readdir(folder.self).catch(() => []);
  for (const name of names) {
    const pid = Number(PATTERN.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || pid === process.pid || isRunning(pid)) continue;
    const stat = await lstat(folder.at(name)).catch(() => undefined);
    if (!stat?.isFile() || Date.now() - stat.mtimeMs < IO_LIMITS.staleTemporaryMs) continue;
    await unlink(folder.at(name)).catch(() => {});
  }
};
