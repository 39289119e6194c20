/** Tries a job again that was given up: its message stands in the log, so the answer to it is asked for anew. */
import { type Outcome, succeed } from '../core/outcome.ts';
import type { FailedJob } from '../core/storage-port.ts';
import type { Sdk } from './sdk.ts';
import { withJobQueue } from './with-job-queue.ts';

export const retryJob = (
  { session, model }: FailedJob,
  /** That the session belongs to. */
  folder: string | undefined,
  url: string,
  load?: () => Promise<Sdk>,
): Promise<Outcome<void>> =>
  withJobQueue(url, load, async (queue) => {
    const added = await queue.add({ session, folder, command: { type: 'regenerate' }, model });
    return added.ok ? succeed(undefined) : added;
  });
