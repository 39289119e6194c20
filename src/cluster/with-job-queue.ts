/** The queue for one piece of work, by whoever keeps none open. */
import type { Outcome } from '../core/outcome.ts';
import { type JobQueue, openJobQueue } from './job-queue.ts';
import { loadSdk, type Sdk } from './sdk.ts';

export const withJobQueue = async <T>(
  url: string,
  load: (() => Promise<Sdk>) | undefined,
  work: (queue: JobQueue) => Promise<Outcome<T>>,
): Promise<Outcome<T>> => {
  const sdk = await loadSdk(load);
  if (!sdk.ok) return sdk;
  const opened = await openJobQueue(sdk.value, url);
  if (!opened.ok) return opened;
  const { queue } = opened.value;
  try {
    return await work(queue);
  } finally {
    await queue.close();
  }
};
