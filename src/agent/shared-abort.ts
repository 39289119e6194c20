/** An abort that many parts listen to at once: every call of an answer, every chat of a harness. */
import { setMaxListeners } from 'node:events';

/** Each listener leaves with its part. Node before 24 takes more than ten for a leak, and says so to the host program. */
export const sharedAbort = (): AbortController => {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
};
