import type { Event, EventBody, SessionUpdate } from '../../core/events.ts';
import type { State } from '../../core/state.ts';
import type { WaitingMessage } from './message-queue.ts';

/** What the effects see of their session. */
export type SessionHandle = {
  readonly id: string;
  /** How many events there were when it was opened: what was allowed in an earlier life counts no more. */
  readonly openedAt: number;
  state(): State;
  log(): readonly Event[];
  /** The events of the log that count: without what a branch left aside. Another array after a branch. */
  path(): readonly Event[];
  /**
   * Appends, steps, publishes and acts; resolves when the event is kept, with false where it can no longer be a fact
   * (the run was ended meanwhile) and was left out.
   */
  dispatch(body: EventBody): Promise<boolean>;
  /**
   * Whether all that was dispatched is kept, but for what is on its way. False: the log cannot be written, or another process
   * has it since this one was taken for dead. What would change files is then not done; it is asked just before that.
   */
  holds(): Promise<boolean>;
  progress(update: SessionUpdate): void;
  /** What was said to the run since its last step, in its order; it is then no longer waiting. */
  takeSteering?(): WaitingMessage[];
  /** Aborts when the present run is ended. */
  signal(): AbortSignal;
};
