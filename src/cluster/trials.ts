/**
 * The trials of suspects in one worker (see poison.ts): one after the other, so that a message that kills takes no other
 * suspect along. A death in a trial is one of the job that was tried, and of none that waited or was done with.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeferred } from '../core/deferred.ts';
import type { SessionUpdate } from '../core/events.ts';

export type Trial = {
  end(): void;
  /** Resolves at its end, whoever ended it. */
  readonly ended: Promise<void>;
};

/** Says of each update of a session on trial whether it came past what it is suspected of. */
export const createWitness = (hasTool: boolean): ((update: SessionUpdate) => boolean) => {
  const started = new Set<string>();
  return (update) => {
    if (update.seq === undefined) return false;
    if (!hasTool) return true;
    if (update.type === 'tool_started') started.add(update.tool_call_id);
    // A call that was running when the worker died is only told of.
    return update.type === 'tool_finished' && (update.result.success || started.has(update.tool_call_id));
  };
};

export class Trials {
  readonly #pause: (ms: number) => Promise<unknown>;
  #last: Promise<void> = Promise.resolve();

  constructor(pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false })) {
    this.#pause = pause;
  }

  /** Resolves when the trial may begin, with what ends it. It also ends by itself after `ms`. */
  async next(ms: number): Promise<Trial> {
    const before = this.#last;
    const { promise, resolve } = createDeferred<void>();
    this.#last = promise;
    await before;
    void this.#pause(ms).then(() => resolve());
    return { end: resolve, ended: promise };
  }
}
