import { createHash } from 'node:crypto';
import fs, { type BigIntStats } from 'node:fs';
import { access, type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises';
import { LIMITS } from '../../core/limits.ts';
import { grouped } from '../../core/number-text.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { IO_LIMITS } from '../limits.ts';
import { systemCode, systemFailure } from './faults.ts';
import { PERMISSION_BITS } from './kinds.ts';
import { CANCELLED } from './read.ts';
import { removeStaleTemporaries, temporaryName } from './temporary.ts';
import { findWriteTarget, syncFolder, type WriteContext, type WriteTarget } from './write-target.ts';

export type WriteOptions = { expectedHash?: string | null; mode?: number; signal?: AbortSignal };

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;

const changed = (name: string): Outcome<never> =>
  failure('validation_failed', `${name} changed since it was read; read it again first`, 'changed_since_read');

const hashOfEntry = async (target: WriteTarget): Promise<string> => {
  const handle = await open(target.folder.at(target.base), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const digest = createHash('sha256');
    const chunk = Buffer.allocUnsafe(IO_LIMITS.readChunkBytes);
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) return digest.digest('hex');
      digest.update(chunk.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
};

const isAsExpected = async (target: WriteTarget, expectedHash: string | null): Promise<boolean> => {
  if (expectedHash === null || target.existing === undefined) {
    return expectedHash === null && target.existing === undefined;
  }
  // A file larger than any that is read or written cannot be the one that was seen.
  return target.existing.size <= BigInt(LIMITS.readFileBytes) && (await hashOfEntry(target)) === expectedHash;
};

const sameEntry = (a: BigIntStats | undefined, b: BigIntStats | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;

const entryNow = async (target: WriteTarget): Promise<BigIntStats | undefined> => {
  try {
    return await lstat(target.folder.at(target.base), { bigint: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** The new file looks like the old one to everybody else: same owner where we may, same mode. */
const takeAfter = async (handle: FileHandle, existing: BigIntStats): Promise<void> => {
  const mine = await handle.stat({ bigint: true });
  let ownerKept = mine.uid === existing.uid && mine.gid === existing.gid;
  if (!ownerKept) {
    ownerKept = await handle.chown(Number(existing.uid), Number(existing.gid)).then(
      () => true,
      () => false,
    );
  }
  // Rights that come with the owner must not pass to another one.
  await handle.chmod(Number(existing.mode) & (ownerKept ? 0o7777 : 0o777));
};

const writeTemporary = async (
  target: WriteTarget,
  temporary: string,
  bytes: Uint8Array,
  mode: number | undefined,
): Promise<void> => {
  const { existing } = target;
  const created = existing === undefined && mode === undefined ? 0o666 : 0o600;
  const handle = await open(target.folder.at(temporary), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, created);
  try {
    await handle.writeFile(bytes);
    if (existing !== undefined) await takeAfter(handle, existing);
    if (mode !== undefined) await handle.chmod(mode & PERMISSION_BITS);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** A file the person made read-only stays as it is, although a rename over it would be possible. */
const checkMayReplace = async (target: WriteTarget): Promise<void> => {
  if (target.existing === undefined) return;
  await access(target.folder.at(target.base), fs.constants.W_OK).catch((error: unknown) => {
    if (['EACCES', 'EPERM', 'EROFS'].includes(systemCode(error) ?? '')) throw error;
  });
};

const replace = async (
  target: WriteTarget,
  bytes: Uint8Array,
  name: string,
  options: WriteOptions,
): Promise<Outcome<{ size: number; created: boolean }>> => {
  const { folder, base, existing } = target;
  const temporary = temporaryName();
  let left = false;
  try {
    if (options.mode === undefined) await checkMayReplace(target);
    if (options.expectedHash !== undefined && !(await isAsExpected(target, options.expectedHash))) return changed(name);
    await removeStaleTemporaries(folder);
    left = true;
    await writeTemporary(target, temporary, bytes, options.mode);
    if (options.signal?.aborted) return { ok: false, error: CANCELLED };
    if (!(await folder.isInside())) return failure('validation_failed', `${name} was moved out of the workspace`);
    if (options.expectedHash !== undefined && !sameEntry(existing, await entryNow(target))) return changed(name);
    await rename(folder.at(temporary), folder.at(base));
    left = false;
    await syncFolder(folder);
    return succeed({ size: bytes.length, created: existing === undefined });
  } catch (error) {
    return { ok: false, error: systemFailure(error, 'write', name) };
  } finally {
    if (left) await unlink(folder.at(temporary)).catch(() => {});
  }
};

export const writeRegularFile = async (
  context: WriteContext,
  absolute: string,
  name: string,
  bytes: Uint8Array,
  options: WriteOptions,
): Promise<Outcome<{ size: number; created: boolean }>> => {
  if (options.signal?.aborted) return { ok: false, error: CANCELLED };
  if (bytes.length > IO_LIMITS.writeFileBytes) {
    const size = grouped(bytes.length);
    const limit = IO_LIMITS.writeFileBytes / (1024 * 1024);
    return failure(
      'validation_failed',
      `${size} bytes for ${name} are too many; the limit is ${limit} MB`,
      'too_large',
    );
  }
  const target = await findWriteTarget(context, absolute, name);
  if (!target.ok) return target;
  try {
    return await replace(target.value, bytes, name, options);
  } finally {
    await target.value.folder.close();
  }
};
