/**
 * Tells when the database goes away and when it is back: once each, whatever each part of the queue finds out meanwhile. By
 * the errors of the driver, not by what is said of them.
 */
import { CLUSTER_LIMITS } from './limits.ts';

export class Outage {
  readonly #tell: (text: string) => void;
  readonly #now: () => number;
  /** A connection broke, and nothing was answered since. */
  #isShaky = false;
  #awaySince: number | undefined;
  #isTold = false;
  #backAt = Number.NEGATIVE_INFINITY;
  /** Statements that came to no end in time, and when that was known last. */
  readonly #stuck = new Map<string, number>();
  #stuckSince = 0;

  constructor(tell: (text: string) => void, now: () => number = () => performance.now()) {
    this.#tell = tell;
    this.#now = now;
  }

  /** What others say of the database now says nothing new. */
  get isShaky(): boolean {
    return this.#isShaky || this.#stuck.size > 0;
  }

  /** A connection broke. One alone is made anew, and nobody has to know. */
  broke(): void {
    this.#isShaky = true;
  }

  /** None can be made. */
  refused(why: string): void {
    this.#isShaky = true;
    if (this.#awaySince !== undefined) return;
    this.#awaySince = this.#now();
    // One that comes and goes is not told of each time.
    this.#isTold = this.#awaySince - this.#backAt >= CLUSTER_LIMITS.workerSayAgainMs;
    if (this.#isTold) this.#tell(`the database is away (${why}); what needs it waits and is tried again`);
  }

  /** It is there, and this statement came to no end in time. */
  stuck(statement: string, why: string): void {
    const now = this.#now();
    if (this.#stuck.size === 0) {
      this.#stuckSince = now;
      this.#tell(`the database does not answer in time: ${why}; what waits for it is tried again`);
    }
    this.#stuck.set(statement, now);
  }

  /** It answered. */
  worked(statement = ''): void {
    this.#isShaky = false;
    this.#tellWhereFree(statement);
    if (this.#awaySince === undefined) return;
    this.#backAt = this.#now();
    const seconds = Math.max(1, Math.round((this.#backAt - this.#awaySince) / 1000));
    this.#awaySince = undefined;
    if (this.#isTold) this.#tell(`the database is back after ${seconds} s`);
  }

  /** Others work while one is stuck. One that nobody sends again is forgotten after a while. */
  #tellWhereFree(worked: string): void {
    if (this.#stuck.size === 0) return;
    this.#stuck.delete(worked);
    const now = this.#now();
    for (const [statement, at] of this.#stuck) {
      if (now - at > CLUSTER_LIMITS.workerStuckKnownMs) this.#stuck.delete(statement);
    }
    if (this.#stuck.size > 0) return;
    const seconds = Math.max(1, Math.round((now - this.#stuckSince) / 1000));
    this.#tell(`the database answers again after ${seconds} s`);
  }
}
