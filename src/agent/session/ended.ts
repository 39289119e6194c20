/**
 * A run that ends without the person's doing: halter is ended by SIGTERM, a closed terminal or a program that closes its
 * session, the log cannot be written, a part of halter fails. What is in flight then is told like after a crash: what
 * happened, and whether it took effect.
 */
import type { EventBody, EventOf } from '../../core/events.ts';

/** The reason of the abort: a tool then has a moment to end by itself, so that what it did is known. */
export class RunEnded {
  /** The beginning of a sentence that goes on with "while this ran" or "before this ran". */
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
}

export const HALTER_ENDED = new RunEnded('halter was ended');
const OUT_OF_TIME = new RunEnded('The time limit was reached');
/** Another process goes on with the run, and no longer knows why the one before does not. */
export const WORKER_GONE = new RunEnded('The worker was ended or cut off');

/** Of what was open in the logs when the backup was made. */
export const RESTORED = new RunEnded('The database was restored from a backup that was made');

/** Undefined: a person, or a program in their name, stopped the run. */
export const endedBy = (event: EventBody): RunEnded | undefined =>
  event.type === 'run_stopped' ? new RunEnded(whatStopped(event)) : undefined;

const whatStopped = ({ name, reason, message }: EventOf<'run_stopped'>): string => {
  if (name === NOT_WRITTEN) return 'The conversation could not be saved any more, so the run was stopped';
  if (name === INTERRUPTED.name) return HALTER_ENDED.what;
  if (name === TIME_IS_UP.name) return OUT_OF_TIME.what;
  return reason === 'error' ? `The run was ended by a defect (${message})` : 'The run was stopped';
};

export const NOT_WRITTEN = 'SessionNotWritten';

/** As long as nothing can be saved, and where it was saved before this was. */
export const stoppedUnwritten = (problem = 'not known why') =>
  [
    `The session cannot be saved (${problem}), so nothing more was started. Send the message again once that is mended: what was said meanwhile is saved then.`,
    `The session could not be saved for a while (${problem}), so nothing more was started. What was said is saved by now; send the message again.`,
  ].map(
    (message) => ({ type: 'run_stopped', reason: 'error', name: NOT_WRITTEN, message }) as const satisfies EventBody,
  );

export const INTERRUPTED = {
  type: 'run_stopped',
  reason: 'error',
  name: 'Interrupted',
  message: 'halter was ended in the middle of this run.',
} as const satisfies EventBody;

/** A limit is no failure: whoever set the time knows that it ends. */
export const TIME_IS_UP = {
  type: 'run_stopped',
  reason: 'limit',
  name: 'max_time',
  message: 'The time limit was reached in the middle of this run.',
} as const satisfies EventBody;
