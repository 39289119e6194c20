/**
 * A path that is missing can only be protected by something that stands in its place: an empty folder, over which the
 * sandbox mounts one that nothing can be written to. Each process that needs it there leaves a file of its own in it,
 * so that the last one to go takes the folder away and nobody takes it from under another's sandbox: that would end
 * the mount. Inside the sandbox none of this is seen.
 */
import { mkdirSync, readdirSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const MARK = /^halter-placeholder-([0-9]+)$/;
const OWN = `halter-placeholder-${process.pid}`;

/** Sandboxes of this process that need a folder. */
const users = new Map<string, number>();

/** False where it could not be made, so that there is nothing to mount on. */
export const holdPlace = (folder: string): boolean => {
  const count = users.get(folder) ?? 0;
  if (count === 0) {
    try {
      mkdirSync(folder, { mode: 0o755 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
    try {
      writeFileSync(path.join(folder, OWN), '');
    } catch {
      return false;
    }
  }
  users.set(folder, count + 1);
  return true;
};

export const leavePlace = (folder: string): void => {
  const count = users.get(folder) ?? 0;
  if (count > 1) {
    users.set(folder, count - 1);
    return;
  }
  users.delete(folder);
  try {
    unlinkSync(path.join(folder, OWN));
  } catch {
    // Somebody tidied up before.
  }
  removeAbandoned(folder);
};

/** True for a folder that holds nothing but such files: it stands for one that is missing. */
export const isPlaceholder = (folder: string): boolean => {
  try {
    const names = readdirSync(folder);
    return names.length > 0 && names.every((name) => MARK.test(name));
  } catch {
    return false;
  }
};

/** Takes the folder away if nobody needs it any more; processes that are gone count as nobody. */
const removeAbandoned = (folder: string): void => {
  try {
    for (const name of readdirSync(folder)) {
      const pid = MARK.exec(name)?.[1];
      if (pid !== undefined && !isAlive(Number(pid))) unlinkSync(path.join(folder, name));
    }
    rmdirSync(folder);
  } catch {
    // Somebody else needs it, or has put something there.
  }
};

const isAlive = (pid: number): boolean => {
  if (pid === process.pid) return users.size > 0;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
