/**
 * What files held before halter changed them, by the hash of the content, so that equal contents are kept once. A content
 * is whole or not there; what is read back is checked against its name.
 */

import { createHash } from 'node:crypto';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../core/limits.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { writeFailure } from '../disk/disk-failure.ts';
import { makeFolder } from '../disk/make-folder.ts';
import { removeStaleTemporary, writeFileAtomically } from './atomic-file.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { readOwnFile } from './own-file.ts';

export type UndoFiles = {
  /** Durable when it resolves. */
  keep(hash: string, bytes: Uint8Array): Promise<Outcome<void>>;
  /** `not_found` where it was never kept, or had to make room for newer ones. */
  read(hash: string): Promise<Outcome<Uint8Array>>;
};

export type UndoFilesOptions = {
  /** Absent: in memory, for as long as this process runs. */
  folder?: string;
  maxBytes?: number;
  maxFiles?: number;
};

const HASH = /^[0-9a-f]{64}$/;
export const isContentHash = (hash: string): boolean => HASH.test(hash);
export const noLongerKept = (hash: string) =>
  failure('not_found', `The old content (${hash.slice(0, 12)}) is not kept any more`);

export const createUndoFiles = (options: UndoFilesOptions = {}): UndoFiles => {
  const { folder, maxBytes = STORAGE_LIMITS.undoBytes, maxFiles = STORAGE_LIMITS.undoFiles } = options;
  return folder === undefined ? inMemory(maxBytes) : onDisk(folder, maxBytes, maxFiles);
};

const inMemory = (maxBytes: number): UndoFiles => {
  const contents = new Map<string, Uint8Array>();
  let size = 0;
  return {
    async keep(hash, bytes) {
      if (contents.has(hash)) return succeed(undefined);
      contents.set(hash, bytes.slice());
      size += bytes.length;
      for (const [oldest, content] of contents) {
        if (size <= maxBytes || oldest === hash) break;
        contents.delete(oldest);
        size -= content.length;
      }
      return succeed(undefined);
    },
    async read(hash) {
      const content = contents.get(hash);
      return content ? succeed(content) : noLongerKept(hash);
    },
  };
};

type Kept = { path: string; size: number; usedAt: number };

const onDisk = (folder: string, maxBytes: number, maxFiles: number): UndoFiles => {
  // A folder for each of 256 beginnings, so that none grows large.
  const pathOf = (hash: string): string => join(folder, hash.slice(0, 2), hash);
  /** What is kept in all; counted when the first one is written, by this process alone from then on. */
  let total: { bytes: number; files: number } | undefined;

  const makeRoom = async (): Promise<void> => {
    if (total !== undefined && total.bytes <= maxBytes && total.files <= maxFiles) return;
    const kept = await listKept(folder);
    let bytes = kept.reduce((sum, { size }) => sum + size, 0);
    let files = kept.length;
    if (bytes > maxBytes || files > maxFiles) {
      // Some room more than is needed, so that this is not done again at the next change.
      for (const { path, size } of kept.sort((one, other) => one.usedAt - other.usedAt)) {
        if (bytes <= maxBytes * STORAGE_LIMITS.undoRoomShare && files <= maxFiles * STORAGE_LIMITS.undoRoomShare) break;
        await rm(path, { force: true }).catch(() => {});
        bytes -= size;
        files -= 1;
      }
    }
    total = { bytes, files };
  };

  return {
    async keep(hash, bytes) {
      if (!isContentHash(hash)) return failure('validation_failed', `${hash} is no hash of a content`);
      const path = pathOf(hash);
      const known = await stat(path).catch(() => undefined);
      if (known?.isFile() && known.size === bytes.length) {
        // Used again, so it is not among the oldest.
        await utimes(path, new Date(), new Date()).catch(() => {});
        return succeed(undefined);
      }
      try {
        makeFolder(join(folder, hash.slice(0, 2)));
      } catch (error) {
        return writeFailure(`${folder} cannot be made`, error);
      }
      await makeRoom();
      const written = await writeFileAtomically(path, bytes);
      if (written.ok && total) total = { bytes: total.bytes + bytes.length, files: total.files + 1 };
      return written;
    },
    async read(hash) {
      if (!isContentHash(hash)) return noLongerKept(hash);
      const read = await readOwnFile(pathOf(hash), LIMITS.readFileBytes, 'the change is not taken back');
      if (!read.ok) return read;
      if (read.value === undefined) return noLongerKept(hash);
      return createHash('sha256').update(read.value).digest('hex') === hash
        ? succeed(read.value)
        : failure('io_error', `The old content (${hash.slice(0, 12)}) is damaged, so it is not put back`, 'damaged');
    },
  };
};

/** Takes away what killed processes left: their contents may never be kept again. */
const listKept = async (folder: string): Promise<Kept[]> => {
  const kept: Kept[] = [];
  for (const part of await readdir(folder).catch(() => [])) {
    for (const name of await readdir(join(folder, part)).catch(() => [])) {
      if (!isContentHash(name)) {
        await removeStaleTemporary(join(folder, part), name);
        continue;
      }
      const path = join(folder, part, name);
      const found = await stat(path).catch(() => undefined);
      if (found) kept.push({ path, size: found.size, usedAt: found.mtimeMs });
    }
  }
  return kept;
};
