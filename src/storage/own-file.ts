/** Reads a file of halter's own that decides what is allowed. */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat as statOf } from 'node:fs/promises';
import { dirname } from 'node:path';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { diskFailure, errorCode } from '../disk/disk-failure.ts';

/**
 * Undefined where there is none. A link could lead to a file that the model may write, so it is not followed; a FIFO is not
 * waited for. `consequence` ends the sentence for the person: "nothing is allowed by it".
 */
export const readOwnFile = async (
  path: string,
  maxBytes: number,
  consequence: string,
  /** The file grants something: nobody else may be able to write it, or to put another one in its place. */
  { grants = false } = {},
): Promise<Outcome<Uint8Array | undefined>> => {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile()) return failure('io_error', `${path} is no ordinary file; ${consequence}`);
    const problem = grants ? await othersProblem(path, stat) : undefined;
    if (problem !== undefined) return failure('io_error', `${problem}, so ${consequence}`, 'not_ours');
    if (stat.size > maxBytes) return failure('io_error', `${path} is larger than ${maxBytes} bytes; ${consequence}`);
    return succeed(await file.readFile());
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return succeed(undefined);
    if (errorCode(error) === 'ELOOP') return failure('io_error', `${path} is a symlink, not followed; ${consequence}`);
    return diskFailure(`${path} cannot be read, so ${consequence}`, error);
  } finally {
    await file?.close();
  }
};

const GROUP_OR_OTHERS = 0o022;
const OTHERS = 0o002;
/** In a folder with this mode only the owner of a file can replace it. */
const STICKY = 0o1000;

/** What lets other users change what is there, and how to end it. Windows has no such modes. */
export const writableByOthers = (path: string, { mode, uid, gid }: Stats): string | undefined => {
  if (process.platform === 'win32') return undefined;
  // Many systems give each person a group with the person's own number, which may write what they make.
  const others = gid === uid && uid !== 0 ? OTHERS : GROUP_OR_OTHERS;
  if ((mode & others) === 0) return undefined;
  const shown = (mode & 0o7777).toString(8).padStart(4, '0');
  return `${path} is writable by others (mode ${shown}; \`chmod go-w ${path}\` ends that)`;
};

const othersProblem = async (path: string, file: Stats): Promise<string | undefined> => {
  const folder = await statOf(dirname(path));
  return (
    writableByOthers(path, file) ?? ((folder.mode & STICKY) === 0 ? writableByOthers(dirname(path), folder) : undefined)
  );
};
