/** In a word or two, what a call ended in, for people. Programs read `error_type` and `reason`. */
import type { ToolResult } from './tool-result.ts';

type CallResult = Pick<ToolResult, 'success' | 'error_type' | 'metadata'>;

export const failureWord = ({ error_type, metadata }: Omit<CallResult, 'success'>): string => {
  if (metadata.exit_code !== undefined && metadata.exit_code !== 0) return `exit ${metadata.exit_code}`;
  return WORDS[metadata.reason ?? ''] ?? error_type.replaceAll('_', ' ');
};

/** What was going on when halter ended a call, and no fault of the call. */
const SET_ASIDE: ReadonlySet<string> = new Set(['cancelled', 'interrupted', 'branched']);

export type CallEnd = 'done' | 'failed' | 'denied' | 'not_run';

/** How a call ended, for people. One that was never begun did not fail where only its time was over. */
export const callEnd = ({ success, error_type, metadata }: CallResult, hasStarted: boolean): CallEnd => {
  if (success) return 'done';
  if (error_type === 'permission_denied') return 'denied';
  return !hasStarted && SET_ASIDE.has(metadata.reason ?? '') ? 'not_run' : 'failed';
};

/** Why a call was refused: the person knows what they said, and reads what a rule, a mode or an absence says. */
export const refusedBecause = (
  result: Pick<ToolResult, 'error_message' | 'metadata'> | undefined,
  said: string | undefined,
): string | undefined => {
  if (said) return said;
  return result === undefined || result.metadata.reason === 'person' ? undefined : (result.error_message ?? undefined);
};

const NOT_RUN = 'not run';
/** What the model wrote was no call that could be begun. */
const NO_CALL: ReadonlySet<string> = new Set(['validation_failed', 'parse_error']);

/** Whether it did anything at all: undefined where that is not in question. */
export const notRunWord = (result: CallResult | undefined, hasStarted: boolean): typeof NOT_RUN | undefined => {
  if (result === undefined || hasStarted) return undefined;
  return callEnd(result, hasStarted) === 'not_run' || NO_CALL.has(result.error_type) ? NOT_RUN : undefined;
};

const WORDS: Readonly<Record<string, string>> = {
  cancelled: 'cancelled',
  interrupted: 'broken off',
  timeout: 'took too long',
  signal: 'ended by a signal',
  changed_outside: 'changed outside',
  not_written: 'not written',
};
