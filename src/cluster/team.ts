/**
 * The workers look after one another: what a worker had in work that is gone goes back into the queue. Gone is who holds
 * no lock for a while; a database that restarts takes everybody's lock for a moment.
 */

import type { Outcome } from '../core/outcome.ts';
import { STORAGE_LIMITS } from '../storage/limits.ts';
import { executorNumber } from './jobs.ts';

export type TeamPorts = {
  self: string;
  now(): number;
  /** Processes that have orders in work. */
  busy(): Promise<string[]>;
  gone(numbers: readonly number[]): Promise<Outcome<number[]>>;
  /** What this one had in work can be taken up by anybody. */
  recover(executor: string): Promise<void>;
};

/** Looks around once; what it saw before is remembered in between. */
export const createLookAround = (ports: TeamPorts): (() => Promise<void>) => {
  const goneSince = new Map<string, number>();
  return async () => {
    const others = (await ports.busy()).filter((name) => name !== ports.self);
    for (const name of goneSince.keys()) if (!others.includes(name)) goneSince.delete(name);
    const numbers = new Map(others.flatMap((name) => [[executorNumber(name) ?? -1, name] as const]));
    numbers.delete(-1);
    if (numbers.size === 0) return;
    const gone = await ports.gone([...numbers.keys()]);
    if (!gone.ok) return;
    for (const [number, name] of numbers) {
      if (!gone.value.includes(number)) {
        goneSince.delete(name);
        continue;
      }
      const since = goneSince.get(name) ?? ports.now();
      goneSince.set(name, since);
      if (ports.now() - since >= STORAGE_LIMITS.databaseTakeoverMs) await ports.recover(name);
    }
  };
};
