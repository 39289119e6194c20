import fs from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { systemFailure } from './faults.ts';
import { describeKind } from './kinds.ts';
import { LEADS_OUTSIDE, leadsOutside } from './leads-outside.ts';
import type { Folder, Located, OpenChild, Opener } from './opener.ts';
import { isOpenTo, type Roots } from './paths.ts';

/**
 * Systems without /proc. The real path is found and checked, then opened without following a link at its end (on macOS:
 * anywhere in it, O_NOFOLLOW_ANY, which closes the race), and what was opened must be what stands at that path.
 */
const O_NOFOLLOW_ANY = process.platform === 'darwin' ? 0x20000000 : 0;
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0, O_NOCTTY = 0 } = fs.constants;

const isAt = async (realPath: string, stat: fs.BigIntStats): Promise<boolean> => {
  if ((await realpath(realPath)) !== realPath) return false;
  const found = await lstat(realPath, { bigint: true });
  return found.dev === stat.dev && found.ino === stat.ino && (await realpath(realPath)) === realPath;
};

const locate = async (roots: Roots, absolute: string, name: string): Promise<Outcome<Located>> => {
  let handle: FileHandle | undefined;
  const swapped = failure('validation_failed', `${name} leads outside the workspace through a link`, LEADS_OUTSIDE);
  try {
    const realPath = await realpath(absolute);
    if (!isOpenTo(roots, realPath)) return swapped;
    let stat = await lstat(realPath, { bigint: true });
    if (stat.isFile()) {
      handle = await open(realPath, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOFOLLOW_ANY | O_NOCTTY);
      stat = await handle.stat({ bigint: true });
    }
    if (!(await isAt(realPath, stat))) return swapped;
    const reader = handle;
    handle = undefined;
    return succeed({
      realPath,
      stat,
      openForReading: async () => reader ?? open(realPath, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOFOLLOW_ANY),
      close: async () => reader?.close(),
    });
  } catch (error) {
    const failed = systemFailure(error, 'open', name);
    return leadsOutside(roots, absolute) ? swapped : { ok: false, error: failed };
  } finally {
    await handle?.close();
  }
};

const folder = async (roots: Roots, absolute: string, name: string): Promise<Outcome<Folder>> => {
  const found = await locate(roots, absolute, name);
  if (!found.ok) return found;
  const { realPath, stat } = found.value;
  await found.value.close();
  if (!stat.isDirectory()) return failure('validation_failed', `${name} is ${describeKind(stat)}, not a directory`);
  const separator = realPath.endsWith('/') || realPath.endsWith('\\') ? '' : '/';
  return succeed({
    realPath,
    self: realPath,
    at: (entry) => `${realPath}${separator}${entry}`,
    isInside: () => isAt(realPath, stat),
    close: async () => {},
  });
};

const child = (parentSelf: string, name: string): OpenChild => {
  const self = `${parentSelf}/${name}`;
  const isFolder = (): boolean => fs.lstatSync(self).isDirectory() && fs.realpathSync(parentSelf) === parentSelf;
  if (!isFolder()) throw Object.assign(new Error(`${name} is a link`), { code: 'ELOOP' });
  return { self, isUnmoved: isFolder, close: () => {} };
};

export const openerByPath = (roots: Roots): Opener => ({
  locate: (absolute, name) => locate(roots, absolute, name),
  folder: (absolute, name) => folder(roots, absolute, name),
  child,
});
