/** What waits in the queue of workers, and for which folders nobody is there to take it. */
import { type Outcome, succeed } from '../core/outcome.ts';
import { plainOrQuoted } from '../core/quoted-name.ts';
import type { Members, QueueDepth, Unserved } from '../core/storage-port.ts';
import type { JobQueue } from './job-queue.ts';
import { type Sdk, sdkFailure } from './sdk.ts';
import { withJobQueue } from './with-job-queue.ts';

/** Throws where the database cannot be asked. */
export const queueDepth = async (
  queue: Pick<JobQueue, 'counts'>,
  members: Pick<Members, 'served'>,
): Promise<QueueDepth> => {
  const [{ byFolder, ...counts }, served] = await Promise.all([queue.counts(), members.served()]);
  if (!served.ok) throw new Error(served.error.message);
  const unserved = [...byFolder].flatMap(([folder, jobs]): Unserved[] =>
    folder === undefined || served.value.has(folder) ? [] : [{ folder, jobs }],
  );
  return { ...counts, unserved };
};

/** For whoever waits for a worker of this folder. */
export const noWorkerText = (folder: string): string =>
  `No worker works for the folder ${plainOrQuoted(folder)} now. What is asked for there waits until one is started: \`halter worker -C ${plainOrQuoted(folder)}\`.`;

/** Opens the queue for one look at it. */
export const readDepth = (
  members: Pick<Members, 'served'>,
  url: string,
  load?: () => Promise<Sdk>,
): Promise<Outcome<QueueDepth>> =>
  withJobQueue(url, load, async (queue) => {
    try {
      return succeed(await queueDepth(queue, members));
    } catch (error) {
      return sdkFailure('What waits for workers cannot be looked up', error);
    }
  });
