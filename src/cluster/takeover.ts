/**
 * The workers watch over one another: the jobs of a worker that is gone go back into the queue. A worker is gone when it
 * holds no lock, or did not renew its lease, for a while; a database that restarts takes everybody's lock for a moment.
 */
import type { Outcome } from '../core/outcome.ts';
import { STORAGE_LIMITS } from '../storage/limits.ts';
import { executorNumber } from './jobs.ts';

export type TakeoverPorts = {
  self: string;
  /** Milliseconds, of a clock that only goes forward. */
  now(): number;
  /** Processes that have jobs in work. */
  executors(): Promise<string[]>;
  gone(numbers: readonly number[]): Promise<Outcome<number[]>>;
  /** What this one had in work can be taken up by anybody. */
  recover(executor: string): Promise<void>;
};

export class Takeover {
  readonly #ports: TakeoverPorts;
  readonly #goneSince = new Map<string, number>();

  constructor(ports: TakeoverPorts) {
    this.#ports = ports;
  }

  /** Looks once at everybody who has jobs in work. */
  async look(): Promise<void> {
    const { self, now, executors, gone, recover } = this.#ports;
    const others = (await executors()).filter((name) => name !== self);
    for (const name of this.#goneSince.keys()) if (!others.includes(name)) this.#goneSince.delete(name);
    const numbers = new Map(others.flatMap((name) => [[executorNumber(name) ?? -1, name] as const]));
    numbers.delete(-1);
    if (numbers.size === 0) return;
    const found = await gone([...numbers.keys()]);
    if (!found.ok) return;
    for (const [number, name] of numbers) {
      if (!found.value.includes(number)) {
        this.#goneSince.delete(name);
        continue;
      }
      const since = this.#goneSince.get(name) ?? now();
      this.#goneSince.set(name, since);
      if (now() - since >= STORAGE_LIMITS.databaseTakeoverMs) await recover(name);
    }
  }
}

export type StrayPorts = {
  /** Jobs that the records say this process has in work. */
  recorded(): Promise<readonly string[]>;
  /** Whether it runs here. */
  runs(job: string): boolean;
  requeue(jobs: readonly string[]): Promise<void>;
};

/**
 * A job can stand in the records as taken by a process that does not know: the database went away between the two. It goes
 * back into the queue once it was found twice; at the first time it may be on its way.
 */
export class Strays {
  readonly #ports: StrayPorts;
  #found: ReadonlySet<string> = new Set();

  constructor(ports: StrayPorts) {
    this.#ports = ports;
  }

  async look(): Promise<void> {
    const { recorded, runs, requeue } = this.#ports;
    const strays = (await recorded()).filter((job) => !runs(job));
    const again = strays.filter((job) => this.#found.has(job));
    this.#found = new Set(strays);
    if (again.length > 0) await requeue(again);
  }
}
