/**
 * halter is ended in order, by SIGTERM, a closed terminal or a program that closes its session, while a run goes on. What
 * is in flight then is told like after a crash: what it was, and whether it took effect.
 */
import type { EventBody } from '../../core/events.ts';

/** The reason of the abort: a tool then has a moment to end by itself, so that what it did is known. */
export const HALTER_ENDED = Symbol('halter was ended');

export const INTERRUPTED: EventBody = {
  type: 'run_stopped',
  reason: 'error',
  name: 'Interrupted',
  message: 'halter was ended in the middle of this run.',
};
