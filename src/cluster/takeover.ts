/** The workers watch over one another: the jobs of a worker that is gone go back into the queue. */
import type { Outcome } from '../core/outcome.ts';
import { executorNumber } from './jobs.ts';

export type TakeoverPorts = {
  self: string;
  /** Processes that have jobs in work. */
  executors(): Promise<string[]>;
  gone(numbers: readonly number[]): Promise<Outcome<number[]>>;
  /** What this one had in work can be taken up by anybody. */
  recover(executor: string): Promise<void>;
};

export class Takeover {
  readonly #ports: TakeoverPorts;

  constructor(ports: TakeoverPorts) {
    this.#ports = ports;
  }

  /** Looks once at everybody who has jobs in work. */
  async look(): Promise<void> {
    const { self, executors, gone, recover } = this.#ports;
    const others = (await executors()).filter((name) => name !== self);
    const numbers = new Map(others.flatMap((name) => [[executorNumber(name) ?? -1, name] as const]));
    numbers.delete(-1);
    if (numbers.size === 0) return;
    const found = await gone([...numbers.keys()]);
    if (!found.ok) return;
    for (const number of found.value) {
      const name = numbers.get(number);
      if (name !== undefined) await recover(name);
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
