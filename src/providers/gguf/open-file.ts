/** Opens a file that a person names as a model. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** A named pipe that nobody writes to would hold the process until its end, deaf to signals. */
export const openModelFile = (file: string): Promise<FileHandle> =>
  open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
