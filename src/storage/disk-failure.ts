/** What a disk said, in words that tell a person what to do. */
import { type Failure, failure } from '../core/outcome.ts';
import { thrownText } from '../core/thrown-text.ts';

const MEANING: Readonly<Record<string, [reason: string, words: string]>> = {
  ENOSPC: ['disk_full', 'the disk is full'],
  EDQUOT: ['disk_full', 'your disk quota is used up'],
  EROFS: ['read_only', 'the file system is read-only'],
  EACCES: ['no_permission', 'you have no permission'],
  EPERM: ['no_permission', 'you have no permission'],
  EMFILE: ['too_many_files', 'too many files are open'],
  EISDIR: ['not_a_file', 'it is a folder'],
  ENOTDIR: ['not_a_file', 'a part of the path is a file'],
  EIO: ['disk_error', 'the disk reports an error'],
};

export const errorCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';

/** What a person can do about a folder of ours that takes nothing. */
const WRITABLE =
  process.platform === 'linux'
    ? 'Make that folder writable for this user, or name others with XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_CACHE_HOME.'
    : 'Make that folder writable for this user.';

/** Something of halter's own cannot be written. */
export const writeFailure = (what: string, error: unknown): { ok: false; error: Failure } => {
  const failed = diskFailure(what, error);
  const { reason, message } = failed.error;
  if (reason !== 'no_permission' && reason !== 'read_only') return failed;
  return failure('io_error', `${message}. ${WRITABLE}`, reason);
};

export const diskFailure = (what: string, error: unknown): { ok: false; error: Failure } => {
  const code = errorCode(error);
  const [reason, words] = MEANING[code] ?? ['disk_error', thrownText(error)];
  return failure('io_error', `${what}: ${words} (${code})`, reason);
};
