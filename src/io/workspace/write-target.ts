import type { BigIntStats } from 'node:fs';
import { lstat, mkdir, open, readlink } from 'node:fs/promises';
import nodePath from 'node:path';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { IO_LIMITS } from '../limits.ts';
import { systemCode, systemFailure } from './faults.ts';
import { describeKind } from './kinds.ts';
import type { Folder, Opener } from './opener.ts';
import { isOpenTo, isWithin, nameOf, type Roots } from './paths.ts';
import { checkWritable } from './protected.ts';

export type WriteContext = { opener: Opener; roots: Roots; protectedPaths: readonly string[] };

/** Where a write lands: an open folder, a name in it, and what stands there now. `close` the folder when done. */
export type WriteTarget = { folder: Folder; base: string; existing: BigIntStats | undefined };

/** A new entry survives a power cut only when its folder has been synced. Some file systems cannot; that is no fault. */
export const syncFolder = async (folder: Folder): Promise<void> => {
  const handle = await open(folder.self, 'r').catch(() => undefined);
  try {
    await handle?.sync().catch(() => {});
  } finally {
    await handle?.close();
  }
};

const makeOne = async (context: WriteContext, parent: Folder, segment: string): Promise<Outcome<Folder>> => {
  const { opener, roots, protectedPaths } = context;
  const realPath = nodePath.join(parent.realPath, segment);
  const name = nameOf(roots, realPath);
  const there = await opener.folder(parent.at(segment), name);
  if (there.ok || there.error.error_type !== 'not_found') return there;
  const writable = checkWritable(roots, protectedPaths, realPath, name);
  if (!writable.ok) return writable;
  try {
    await mkdir(parent.at(segment));
    await syncFolder(parent);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') return { ok: false, error: systemFailure(error, 'make the folder', name) };
  }
  const made = await opener.folder(parent.at(segment), name);
  if (made.ok || made.error.error_type !== 'not_found') return made;
  return failure('validation_failed', `${name} is a link that leads to nothing`);
};

/** Opens a folder, making the missing ones one by one, each inside the one just verified. */
export const openOrMakeFolder = async (context: WriteContext, absolute: string): Promise<Outcome<Folder>> => {
  const { opener, roots } = context;
  const there = await opener.folder(absolute, nameOf(roots, absolute));
  if (there.ok || there.error.error_type !== 'not_found') return there;
  const root = [roots.main, ...roots.additional].find((candidate) => isWithin(candidate, absolute));
  if (root === undefined) return failure('validation_failed', `${absolute} is outside the workspace`);
  let folder = await opener.folder(root, nameOf(roots, root));
  for (const segment of nodePath.relative(root, absolute).split(nodePath.sep)) {
    if (!folder.ok) return folder;
    const parent: Folder = folder.value;
    folder = await makeOne(context, parent, segment);
    await parent.close();
  }
  return folder;
};

const entryAt = async (folder: Folder, base: string): Promise<BigIntStats | undefined> => {
  try {
    return await lstat(folder.at(base), { bigint: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** Where a link leads: the real file where there is one, else the place that the link names. */
const behindLink = async (
  context: WriteContext,
  folder: Folder,
  base: string,
  name: string,
): Promise<Outcome<string>> => {
  const located = await context.opener.locate(folder.at(base), name);
  if (located.ok) {
    await located.value.close();
    return succeed(located.value.realPath);
  }
  if (located.error.error_type !== 'not_found') return located;
  const target = nodePath.resolve(folder.realPath, await readlink(folder.at(base)));
  return isOpenTo(context.roots, target)
    ? succeed(target)
    : failure('validation_failed', `${name} leads outside the workspace through a link`);
};

const checkEntry = (existing: BigIntStats | undefined, name: string): Outcome<void> =>
  existing === undefined || existing.isFile()
    ? succeed(undefined)
    : failure('validation_failed', `${name} is ${describeKind(existing)}, not a regular file`);

/** Finds where a write to `absolute` lands. A link inside the workspace stays a link; its target is written. */
export const findWriteTarget = async (
  context: WriteContext,
  absolute: string,
  name: string,
): Promise<Outcome<WriteTarget>> => {
  const { roots, protectedPaths } = context;
  let place = absolute;
  for (let hop = 0; hop < IO_LIMITS.linkHops; hop += 1) {
    if ([roots.main, ...roots.additional].includes(place)) {
      return failure('validation_failed', `${name} is a directory, not a file`);
    }
    const lexical = checkWritable(roots, protectedPaths, place, name);
    if (!lexical.ok) return lexical;
    const opened = await openOrMakeFolder(context, nodePath.dirname(place));
    if (!opened.ok) return opened;
    const folder = opened.value;
    const base = nodePath.basename(place);
    let kept = false;
    try {
      const real = checkWritable(roots, protectedPaths, nodePath.join(folder.realPath, base), name);
      if (!real.ok) return real;
      const existing = await entryAt(folder, base);
      if (!existing?.isSymbolicLink()) {
        const usable = checkEntry(existing, name);
        if (!usable.ok) return usable;
        kept = true;
        return succeed({ folder, base, existing });
      }
      const behind = await behindLink(context, folder, base, name);
      if (!behind.ok) return behind;
      place = behind.value;
    } catch (error) {
      return { ok: false, error: systemFailure(error, 'write', name) };
    } finally {
      if (!kept) await folder.close();
    }
  }
  return failure('validation_failed', `${name} is a chain of too many links`);
};
