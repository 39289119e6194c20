/** What a disk said, in words that tell a person what to do. */
import { type Failure, failure } from '../core/outcome.ts';

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

export const diskFailure = (what: string, error: unknown): { ok: false; error: Failure } => {
  const code = errorCode(error);
  const [reason, words] = MEANING[code] ?? ['disk_error', error instanceof Error ? error.message : String(error)];
  return failure('io_error', `${what}: ${words} (${code})`, reason);
};
