/** A server's halter: as it is, or one whose conversations are run by workers, where the person chose so. */

import type { Agent } from '../agent/create-agent.ts';
import { type Outcome, succeed } from '../core/outcome.ts';
import type { FlagValues } from './flags.ts';
import { type Io, UsageError } from './io.ts';
import { databaseOf } from './session-access.ts';
import { readConfig } from './settings.ts';

/** Closes the one that was given where it fails. */
export const withWorkers = async (halter: Agent, flags: FlagValues, io: Io): Promise<Outcome<Agent>> => {
  const config = await readConfig(io);
  if (!config.ok) return config;
  if (!(flags.workers ?? config.value.workers)) return succeed(halter);
  const url = databaseOf(flags, config.value, io);
  if (url === undefined) {
    await halter.close();
    throw new UsageError('--workers needs the database that the workers share: add `--database URL`.', 'serve');
  }
  // What the makers of the queue's driver say to one another.
  process.noDeprecation = true;
  const { handToWorkers } = await import('../cluster/index.ts');
  const shared = await handToWorkers({ halter, url });
  if (!shared.ok) await halter.close();
  return shared;
};
