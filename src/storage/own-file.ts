/** Reads a file of halter's own that decides what is allowed. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { diskFailure, errorCode } from './disk-failure.ts';

/**
 * Undefined where there is none. A link could lead to a file that the model may write, so it is not followed; a FIFO is not
 * waited for. `consequence` ends the sentence for the person: "nothing is allowed by it".
 */
export const readOwnFile = async (
  path: string,
  maxBytes: number,
  consequence: string,
): Promise<Outcome<Uint8Array | undefined>> => {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile()) return failure('io_error', `${path} is no ordinary file; ${consequence}`);
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
