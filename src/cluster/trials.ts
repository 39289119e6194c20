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
  /** Where those before it that are bounded as well may take longer, there is none. */
  waitMs: number;
};

/** Says of each update of a session on trial whether it came past what it is suspected of. */
export const createWitness = (hasTool: boolean): ((update: SessionUpdate) => boolean) => {
  const started = new Set<string>();
  return (update) => {
    // Nor are the words that a killing answer brings before it kills.
    if (update.seq === undefined || update.type === 'answer_streamed') return false;
    if (!hasTool) return true;
    if (update.type === 'tool_started') started.add(update.tool_call_id);
    // A call that was running when the worker died is only told of.
    return update.type === 'tool_finished' && (update.result.success || started.has(update.tool_call_id));
  };
};

type Begun = Trial & { isOverdue: boolean; isAwaited: boolean };

export class Trials {
  readonly #pause: (ms: number) => Promise<unknown>;
  #last: Begun = { end() {}, ended: Promise.resolve(), isOverdue: false, isAwaited: false };
  /** The time of those that run and wait, of suspects that would not wait for ever. */
  #aheadMs = 0;
  /** The last one of a suspect that waits however long: it died here before, so what comes of it counts. */
  #counting: Begun | undefined;

  constructor(pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false })) {
    this.#pause = pause;
  }

  /** Resolves when the trial may begin, with what ends it; undefined: it may begin without one. */
  async next({ trialMs, waitMs }: TrialTimes): Promise<Trial | undefined> {
    while (this.#aheadMs > waitMs) {
      if (this.#counting === undefined) return undefined;
      // Where it killed beside a trial that counts, its death would be held against the other one.
      await endOf(this.#counting);
    }
    const before = this.#last;
    const trial = this.#begin(trialMs, waitMs !== Number.POSITIVE_INFINITY);
    await endOf(before);
    const over = this.#pause(trialMs).then(() => {
      trial.isOverdue = true;
      if (trial.isAwaited) trial.end();
    });
    void Promise.race([over, trial.ended]).then(() => {
      if (waitMs !== Number.POSITIVE_INFINITY) this.#aheadMs -= trialMs;
    });
    return trial;
  }

  #begin(trialMs: number, isBounded: boolean): Begun {
    const { promise, resolve } = createDeferred<void>();
    const trial = { end: resolve, ended: promise, isOverdue: false, isAwaited: false };
    this.#last = trial;
    if (isBounded) {
      this.#aheadMs += trialMs;
      return trial;
    }
    this.#counting = trial;
    void promise.then(() => {
      if (this.#counting === trial) this.#counting = undefined;
    });
    return trial;
  }
}

const endOf = (trial: Begun): Promise<void> => {
  trial.isAwaited = true;
  if (trial.isOverdue) trial.end();
  return trial.ended;
};
