/** Takes away a file that halter made, and the folders that it made for it. Only undo comes here; no tool removes files. */
import { lstat, rmdir, unlink } from 'node:fs/promises';
import nodePath from 'node:path';
import { LIMITS } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { systemFailure } from './faults.ts';
import { checkWritable } from './protected.ts';
import { readRegularFile } from './read.ts';
import { syncFolder, type WriteContext } from './write-target.ts';

/** The file must still be the one with `expectedHash`. */
export const removeRegularFile = async (
  { opener, roots, protectedPaths }: WriteContext,
  absolute: string,
  name: string,
  expectedHash: string,
): Promise<Outcome<void>> => {
  const read = await readRegularFile(opener, absolute, name, { maxBytes: LIMITS.readFileBytes });
  if (!read.ok) return read;
  if (read.value.file.hash !== expectedHash) {
    return failure('validation_failed', `${name} changed since, so it was not removed`, 'changed_since_read');
  }
  const { realPath } = read.value;
  const writable = checkWritable(roots, protectedPaths, realPath, name);
  if (!writable.ok) return writable;
  const folder = await opener.folder(nodePath.dirname(realPath), name);
  if (!folder.ok) return folder;
  try {
    const entry = folder.value.at(nodePath.basename(realPath));
    const now = await lstat(entry);
    if (!now.isFile() || Math.floor(now.mtimeMs) !== read.value.file.stat.modified_ms) {
      return failure('validation_failed', `${name} changed just now, so it was not removed`, 'changed_since_read');
    }
    await unlink(entry);
    await syncFolder(folder.value);
    return succeed(undefined);
  } catch (error) {
    return { ok: false, error: systemFailure(error, 'remove', name) };
  } finally {
    await folder.value.close();
  }
};

/** False where something is in it, or it is no folder, or not one that may be written to. */
export const removeEmptyFolder = async (
  { opener, roots, protectedPaths }: WriteContext,
  absolute: string,
  name: string,
): Promise<boolean> => {
  if (!checkWritable(roots, protectedPaths, absolute, name).ok) return false;
  const parent = await opener.folder(nodePath.dirname(absolute), name);
  if (!parent.ok) return false;
  try {
    // By its name in the parent, so a link is not followed: rmdir refuses it.
    await rmdir(parent.value.at(nodePath.basename(absolute)));
    return true;
  } catch {
    return false;
  } finally {
    await parent.value.close();
  }
};
