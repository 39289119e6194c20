/**
 * An entry of a folder itself: no link is followed, neither at the end of its path nor on the way. Only taking back comes
 * here; tools follow links within the workspace.
 */
import fs, { type BigIntStats } from 'node:fs';
import { chmod, lstat, mkdir, open, readlink, rmdir, symlink, unlink } from 'node:fs/promises';
import nodePath from 'node:path';
import { type Failure, failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { FolderEntry, PlainEntry } from '../../core/ports.ts';
import { systemCode, systemFailure } from './faults.ts';
import { describeKind, kindOf, modeOf, PERMISSION_BITS } from './kinds.ts';
import type { Folder } from './opener.ts';
import { O_PATH } from './opener-by-descriptor.ts';
import { isOpenTo, nameOf } from './paths.ts';
import { checkWritable } from './protected.ts';
import { openOrMakeFolder, syncFolder, type WriteContext } from './write-target.ts';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;

export const LINK_ON_THE_WAY = 'link_on_the_way';

/** Whoever has it closes the folder. `stat`: undefined where nothing stands there. */
export type OpenEntry = { folder: Folder; base: string; stat: BigIntStats | undefined };

export const openEntry = async (
  { opener, roots, protectedPaths }: WriteContext,
  absolute: string,
  name: string,
): Promise<Outcome<OpenEntry>> => {
  const writable = checkWritable(roots, protectedPaths, absolute, name);
  if (!writable.ok) return writable;
  const parent = nodePath.dirname(absolute);
  const opened = await opener.folder(parent, name);
  if (!opened.ok) return opened;
  const folder = opened.value;
  const base = nodePath.basename(absolute);
  try {
    if (folder.realPath === parent) return succeed({ folder, base, stat: await entryNow(folder, base) });
    await folder.close();
    return failure('validation_failed', `A link was put in the way to ${name}`, LINK_ON_THE_WAY);
  } catch (error) {
    await folder.close();
    return { ok: false, error: systemFailure(error, 'look at', name) };
  }
};

const entryNow = async (folder: Folder, base: string): Promise<BigIntStats | undefined> => {
  try {
    return await lstat(folder.at(base), { bigint: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

export const readEntry = async (
  context: WriteContext,
  absolute: string,
  name: string,
): Promise<Outcome<FolderEntry>> => {
  const entry = await openEntry(context, absolute, name);
  if (!entry.ok) return whereNoFolderIs(context, absolute, entry.error);
  const { folder, base, stat } = entry.value;
  try {
    if (stat === undefined) return succeed({ kind: 'absent' });
    const target = stat.isSymbolicLink() ? await readlink(folder.at(base)) : undefined;
    return succeed({ kind: kindOf(stat), mode: modeOf(stat), ...(target === undefined ? {} : { target }) });
  } catch (error) {
    return { ok: false, error: systemFailure(error, 'look at', name) };
  } finally {
    await folder.close();
  }
};

/** Nothing stands below what is missing, or is no folder; wherever a link leads, it is not followed. */
const whereNoFolderIs = async (
  context: WriteContext,
  absolute: string,
  error: Failure,
): Promise<Outcome<FolderEntry>> => {
  if (error.error_type === 'not_found') return succeed({ kind: 'absent' });
  const parent = nodePath.dirname(absolute);
  if (!isOpenTo(context.roots, nodePath.dirname(parent))) return { ok: false, error };
  const above = await readEntry(context, parent, nameOf(context.roots, parent));
  if (!above.ok) return above.error.reason === LINK_ON_THE_WAY ? above : { ok: false, error };
  if (above.value.kind === 'link') return { ok: false, error: { ...error, reason: LINK_ON_THE_WAY } };
  return above.value.kind === 'directory' ? { ok: false, error } : succeed({ kind: 'absent' });
};

export const changedSince = (name: string, rest: string): Outcome<never> =>
  failure('validation_failed', `${name} changed since, so ${rest}`, 'changed_since_read');

export const setFileMode = async (
  context: WriteContext,
  absolute: string,
  name: string,
  { from, to }: { from: number; to: number },
): Promise<Outcome<void>> => {
  const entry = await openEntry(context, absolute, name);
  if (!entry.ok) return entry;
  const { folder, base } = entry.value;
  // Without rights to read it, a file is opened as a name only.
  const isNameOnly = folder.self.startsWith('/proc/self/fd/');
  try {
    const handle = await open(folder.at(base), (isNameOnly ? O_PATH : O_RDONLY | O_NONBLOCK) | O_NOFOLLOW);
    try {
      const stat = await handle.stat({ bigint: true });
      if (!stat.isFile()) return failure('validation_failed', `${name} is ${describeKind(stat)}, not a regular file`);
      if (modeOf(stat) !== from) return changedSince(name, 'its permissions stay');
      // Another name of it may lie elsewhere.
      if (stat.nlink > 1n) return failure('validation_failed', `${name} has other names, so its permissions stay`);
      const mode = to & PERMISSION_BITS;
      await (isNameOnly ? chmod(`/proc/self/fd/${handle.fd}`, mode) : handle.chmod(mode));
      return succeed(undefined);
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { ok: false, error: systemFailure(error, 'change the permissions of', name) };
  } finally {
    await folder.close();
  }
};

export const placeEntry = async (
  context: WriteContext,
  absolute: string,
  name: string,
  wanted: PlainEntry,
): Promise<Outcome<void>> => {
  const above = await readEntry(context, absolute, name);
  if (!above.ok) return above;
  if (above.value.kind !== 'absent') return changedSince(name, 'nothing was put there');
  const parent = await openOrMakeFolder(context, nodePath.dirname(absolute));
  if (!parent.ok) return parent;
  await parent.value.close();
  const entry = await openEntry(context, absolute, name);
  if (!entry.ok) return entry;
  const { folder, base } = entry.value;
  try {
    // Neither of them takes the place of anything.
    await (wanted.kind === 'link' ? symlink(wanted.target, folder.at(base)) : mkdir(folder.at(base)));
    await syncFolder(folder);
    return succeed(undefined);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return changedSince(name, 'nothing was put there');
    return { ok: false, error: systemFailure(error, 'make', name) };
  } finally {
    await folder.close();
  }
};

export const removeEntry = async (
  context: WriteContext,
  absolute: string,
  name: string,
  expected: PlainEntry,
): Promise<Outcome<void>> => {
  const entry = await openEntry(context, absolute, name);
  if (!entry.ok) return entry;
  const { folder, base, stat } = entry.value;
  try {
    if (expected.kind === 'directory') await rmdir(folder.at(base));
    else if (!stat?.isSymbolicLink() || (await readlink(folder.at(base))) !== expected.target)
      return changedSince(name, 'it was not removed');
    else await unlink(folder.at(base));
    await syncFolder(folder);
    return succeed(undefined);
  } catch (error) {
    const isFull = systemCode(error) === 'ENOTEMPTY';
    const failed = systemFailure(error, 'remove', name);
    return { ok: false, error: isFull ? { ...failed, reason: 'not_empty' } : failed };
  } finally {
    await folder.close();
  }
};
