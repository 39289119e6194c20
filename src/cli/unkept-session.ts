/** A session that the disk does not take can still be had, if nobody needs it later. */
import type { Failure } from '../core/outcome.ts';
import type { FlagValues } from './flags.ts';

/** What the disk says when it takes nothing; other reasons do not go away without a session. */
const UNKEPT_REASONS = ['disk_full', 'read_only', 'no_permission', 'no_folder', 'not_a_file', 'disk_error'];

/** With the way on, where a new session was to begin. */
export const withUnkept = <F extends Pick<Failure, 'message' | 'reason'>>(
  error: F,
  flags: Pick<FlagValues, 'no-session' | 'session' | 'continue'>,
): F => {
  const isNew = flags['no-session'] === undefined && flags.session === undefined && flags.continue === undefined;
  if (!isNew || !UNKEPT_REASONS.includes(error.reason ?? '')) return error;
  return { ...error, message: `${error.message.replace(/\.$/, '')}. \`--no-session\` goes on and keeps nothing.` };
};
