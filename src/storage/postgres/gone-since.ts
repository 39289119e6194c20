/**
 * Processes that were found to show no life, and since when. One that is found so again after a while is gone: a connection
 * that just broke may be on its way back. All that look share it, so what one of them found the next need not wait for.
 */
import { STORAGE_LIMITS } from '../limits.ts';

type Found = { first: number; last: number };

export class GoneSince {
  readonly #now: () => number;
  readonly #found = new Map<number, Found>();

  /** `now`: milliseconds, of a clock that only goes forward. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Notes what a look found (null: nothing that can be known), and says whether the process is gone. */
  look(process: number, isGone: boolean | null): boolean {
    const now = this.#now();
    for (const [other, { last }] of this.#found) {
      if (now - last > STORAGE_LIMITS.databaseGoneKnownMs) this.#found.delete(other);
    }
    if (isGone === false) this.#found.delete(process);
    if (isGone !== true) return false;
    const first = this.#found.get(process)?.first ?? now;
    this.#found.set(process, { first, last: now });
    return now - first >= STORAGE_LIMITS.databaseTakeoverMs;
  }
}
