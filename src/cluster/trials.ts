/**
 * The last tries of suspects in one worker (see poison.ts): one after the other, so that a message that kills takes none
 * along that happened to run beside it. A death counts for the sessions that were open, and those that wait are not.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeferred } from '../core/deferred.ts';
import { CLUSTER_LIMITS } from './limits.ts';

export class Trials {
  readonly #pause: (ms: number) => Promise<unknown>;
  #last: Promise<void> = Promise.resolve();

  constructor(pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false })) {
    this.#pause = pause;
  }

  /** Resolves when the trial may begin, with what ends it. It also ends by itself after a while: many may wait, all innocent. */
  async next(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = createDeferred<void>();
    this.#last = promise;
    await before;
    void this.#pause(CLUSTER_LIMITS.jobTrialMs).then(() => resolve());
    return resolve;
  }
}
