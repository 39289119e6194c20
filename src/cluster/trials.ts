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

export type TrialTimes = {
  /** So long it lasts where another one waits for its end; else it goes on until it is ended. */
  trialMs: number;
  /** Where those before it may take longer, there is none. */
  waitMs: number;
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
  #last: Trial & { isOverdue: boolean } = { end() {}, ended: Promise.resolve(), isOverdue: false };
  /** The time of those that run and wait. */
  #aheadMs = 0;

  constructor(pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false })) {
    this.#pause = pause;
  }

  /** Resolves when the trial may begin, with what ends it. */
  async next({ trialMs, waitMs }: TrialTimes): Promise<Trial | undefined> {
    if (this.#aheadMs > waitMs) return undefined;
    const before = this.#last;
    const { promise, resolve } = createDeferred<void>();
    const trial = { end: resolve, ended: promise, isOverdue: false };
    this.#last = trial;
    this.#aheadMs += trialMs;
    if (before.isOverdue) before.end();
    await before.ended;
    const over = this.#pause(trialMs).then(() => {
      trial.isOverdue = true;
      if (this.#last !== trial) resolve();
    });
    void Promise.race([over, promise]).then(() => {
      this.#aheadMs -= trialMs;
    });
    return trial;
  }
}
