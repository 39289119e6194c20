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

const FREE_SPACE = 'Free some space.';

/** Where a folder cannot be made although nothing is in its way. */
const NO_PLACE: [reason: string, words: string] = ['no_folder', 'no folder can be made there'];

export const errorCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';

/** What a person can do about a folder of ours that takes nothing. */
const ELSEWHERE = 'name others with XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_CACHE_HOME';
const WRITABLE = 'Make that folder writable for this user';
export const PLACE_ADVICE = process.platform === 'linux' ? `${WRITABLE}, or ${ELSEWHERE}.` : `${WRITABLE}.`;

/** A folder that cannot be made. Its message says which, why, and what to do; its `code` is the system's. */
export class FolderError extends Error {
  readonly code: string;

  constructor(folder: string, error: unknown) {
    super(undefined, { cause: error });
    this.code = errorCode(error);
    this.message = writeFailure(`The folder ${folder} cannot be made`, this).error.message;
  }
}

const reasonOf = (error: unknown): [reason: string, words: string] => {
  const code = errorCode(error);
  if (error instanceof FolderError && code === 'ENOENT') return NO_PLACE;
  return MEANING[code] ?? ['disk_error', thrownText(error instanceof FolderError ? error.cause : error)];
};

/** Something of halter's own cannot be written. */
export const writeFailure = (what: string, error: unknown): { ok: false; error: Failure } => {
  const failed = diskFailure(what, error);
  const { reason, message } = failed.error;
  if (reason === 'disk_full') return failure('io_error', `${message}. ${FREE_SPACE}`, reason);
  const isPlace = error instanceof FolderError && (reason === 'not_a_file' || reason === 'no_folder');
  if (!isPlace && reason !== 'no_permission' && reason !== 'read_only') return failed;
  return failure('io_error', `${message}. ${PLACE_ADVICE}`, reason);
};

export const diskFailure = (what: string, error: unknown): { ok: false; error: Failure } => {
  const [reason, words] = reasonOf(error);
  return failure('io_error', `${what}: ${words} (${errorCode(error)})`, reason);
};
