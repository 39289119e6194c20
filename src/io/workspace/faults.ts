import type { Failure } from '../../core/outcome.ts';

/** The code of an error that the system gave, or undefined where it is a bug of ours. */
export const systemCode = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return error.code;
};

const REASONS: Record<string, string> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EACCES: 'access_denied',
  EPERM: 'access_denied',
  EROFS: 'read_only',
  EMFILE: 'too_many_open_files',
  ENFILE: 'too_many_open_files',
};

const WORDS: Record<string, string> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'the system does not allow it',
  EPERM: 'the system does not allow it',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this machine',
  ENOTEMPTY: 'the folder is not empty',
  EBUSY: 'it is in use',
  EIO: 'the disk reported an error',
  ESTALE: 'the network file system lost it',
  ETIMEDOUT: 'the file system did not answer',
};

/** What the system said, as a value that a model can act on. Anything that is no system error is thrown on. */
export const systemFailure = (error: unknown, doing: string, path: string): Failure => {
  const code = systemCode(error);
  if (code === undefined) throw error;
  switch (code) {
    case 'ENOENT':
      return { error_type: 'not_found', message: `File not found: ${path}` };
    case 'ENOTDIR':
      return { error_type: 'not_found', message: `File not found: ${path} (a part of the path is not a folder)` };
    case 'ELOOP':
      return { error_type: 'validation_failed', message: `${path} is a loop of links, or a link was put in its place` };
    case 'ENAMETOOLONG':
      return { error_type: 'validation_failed', message: 'The path, or one name in it, is too long' };
    case 'EISDIR':
      return { error_type: 'validation_failed', message: `${path} is a directory, not a file` };
    case 'ENXIO':
      return { error_type: 'validation_failed', message: `${path} is not a regular file` };
    case 'ERR_INVALID_ARG_VALUE':
      return { error_type: 'validation_failed', message: 'The path holds characters that no path may hold' };
    default: {
      const reason = REASONS[code];
      const message = `Could not ${doing} ${path}: ${code}: ${WORDS[code] ?? 'the system refused'}`;
      return reason === undefined ? { error_type: 'io_error', message } : { error_type: 'io_error', message, reason };
    }
  }
};
