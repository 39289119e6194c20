/** Tries a job again that was given up: its message stands in the log, so the answer to it is asked for anew. */
import { type Outcome, succeed } from '../core/outcome.ts';
import type { FailedJob } from '../core/storage-port.ts';
import { openJobQueue } from './job-queue.ts';
import { loadSdk, type Sdk } from './sdk.ts';

export const retryJob = async (
  { session, model }: FailedJob,
  /** That the session belongs to. */
  folder: string | undefined,
  url: string,
  load?: () => Promise<Sdk>,
): Promise<Outcome<void>> => {
  const sdk = await loadSdk(load);
  if (!sdk.ok) return sdk;
  const opened = await openJobQueue(sdk.value, url);
  if (!opened.ok) return opened;
  const { queue } = opened.value;
  try {
    const added = await queue.add({ session, folder, command: { type: 'regenerate' }, model });
    return added.ok ? succeed(undefined) : added;
  } finally {
    await queue.close();
  }
};
