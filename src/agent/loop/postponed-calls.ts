/** Calls behind a question that is answered when the run is over. */
import type { SessionHandle } from '../session/session-handle.ts';

/** One that changes something does not run before a call that it may depend on. */
export const isBehindQuestion = (session: SessionHandle): boolean => {
  const path = session.path();
  const from = path.findLastIndex(({ type }) => type === 'assistant_message_added');
  return path.slice(from).some((event) => event.type === 'permission_resolved' && event.unanswered === true);
};

export const BEHIND_QUESTION = {
  error_type: 'io_error',
  reason: 'cancelled',
  message:
    'Not run: an earlier call of this answer waits for the person. Call it again when that one is done, if it is still needed.',
} as const;
