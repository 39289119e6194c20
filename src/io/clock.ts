import type { Clock } from '../core/ports.ts';

/** The one place where the program reads the time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
