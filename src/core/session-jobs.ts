/** What a log says of the commands in the background of its session. */
import type { Event, EventOf } from './events.ts';
import type { Job } from './ports.ts';

/** Those that run as far as the log knows: after a crash nobody noted their end. */
export const runningJobs = (events: readonly Event[]): Job[] => {
  const running = new Map<string, Job>();
  for (const event of events) {
    if (event.type !== 'job_changed') continue;
    if (event.job.state === 'running') running.set(event.job.id, event.job);
    else running.delete(event.job.id);
  }
  return [...running.values()];
};

/** For the person and the model; undefined where it ended by itself. */
export const endedJobText = ({ job, with_halter: withHalter }: EventOf<'job_changed'>): string | undefined =>
  withHalter ? `${job.id} (${job.command}) does not run any more: it was ended with halter.` : undefined;
