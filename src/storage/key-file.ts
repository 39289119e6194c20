/** A key in a file of its own. It counts only where nobody else can read it. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { diskFailure } from '../disk/disk-failure.ts';
import { STORAGE_LIMITS } from './limits.ts';

const OF_OTHERS = 0o077;

export const readKeyFile = async (path: string): Promise<Outcome<string>> => {
  try {
    // A named pipe is refused below, and not waited for.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return failure('validation_failed', `The key file ${path} is no ordinary file.`);
      if (process.platform !== 'win32' && (stat.mode & OF_OTHERS) !== 0) {
        return failure('validation_failed', `Others can read the key file ${path}. \`chmod 600 ${path}\` mends that.`);
      }
      if (stat.size > STORAGE_LIMITS.apiKeyBytes)
        return failure('validation_failed', `${path} is too large to be a key file.`);
      const key = (await file.readFile('utf8')).trim();
      return key === '' ? failure('validation_failed', `The key file ${path} is empty.`) : succeed(key);
    } finally {
      await file.close();
    }
  } catch (error) {
    return diskFailure(`The key file ${path} cannot be read`, error);
  }
};
