/** Commands that go on in the background of one session, each at a terminal of its own where the system has them. */
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Job, JobOutput, Jobs, OpenProcess, Processes } from '../../core/ports.ts';
import { nearest } from '../../core/tool/nearest-names.ts';
import { IO_LIMITS } from '../limits.ts';
import { createUnreadText, type UnreadText } from './unread-text.ts';

export type SessionJobs = Jobs & { close(): Promise<void> };

type Entry = { job: Job; process: OpenProcess; unread: UnreadText; wake: Set<() => void> };

/** `onChange`: a job began or ended; `withHalter`: it was ended by `close`. */
export const createJobs = (
  processes: Processes,
  onChange: (job: Job, withHalter: boolean) => void = () => {},
): SessionJobs => {
  let isClosing = false;
  const entries = new Map<string, Entry>();
  let counter = 0;

  const find = (id: string): Outcome<Entry> => {
    const entry = entries.get(id);
    if (entry !== undefined) return succeed(entry);
    const near = nearest(id, [...entries.keys()]);
    const known = [...entries.values()].map(({ job }) => `${job.id} (${job.state})`).join(', ') || 'none';
    const guess = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
    return failure('not_found', `There is no job ${id}.${guess} The jobs of this session: ${known}.`);
  };
  const wakeAll = (entry: Entry): void => {
    for (const wake of entry.wake) wake();
    entry.wake.clear();
  };
  const receive = (entry: Entry, text: string): void => {
    entry.unread.push(text);
    wakeAll(entry);
  };
  const take = (entry: Entry): JobOutput => ({ job: { ...entry.job }, ...entry.unread.take() });
  const forgetEnded = (): void => {
    for (const [id, { job }] of entries) {
      if (entries.size < IO_LIMITS.jobs) return;
      if (job.state === 'ended') entries.delete(id);
    }
  };

  return {
    async start(command) {
      forgetEnded();
      if (entries.size >= IO_LIMITS.jobs) {
        return failure('validation_failed', `${IO_LIMITS.jobs} jobs are running; stop one first`, 'too_many_jobs');
      }
      if (processes.open === undefined) return failure('io_error', 'Background jobs are not possible here');
      const unread = createUnreadText(IO_LIMITS.jobOutputCharacters);
      let entry: Entry | undefined;
      const opened = await processes.open({
        command: ['/bin/bash', '-c', '--', command],
        confined: true,
        terminal: { columns: IO_LIMITS.jobColumns, rows: IO_LIMITS.jobRows },
        onOutput: (text) => (entry === undefined ? unread.push(text) : receive(entry, text)),
      });
      if (!opened.ok) return opened;
      counter += 1;
      const process = opened.value;
      const job: Job = { id: `job_${counter}`, command, state: 'running', terminal: process.terminal };
      if (process.own_loopback === true) job.own_loopback = true;
      const made: Entry = { job, process, unread, wake: new Set() };
      entry = made;
      entries.set(job.id, made);
      void process.ended.then(({ exitCode, signal }) => {
        job.state = 'ended';
        if (exitCode !== null) job.exit_code = exitCode;
        if (signal !== null) job.signal = signal;
        wakeAll(made);
        onChange({ ...job }, isClosing);
      });
      onChange({ ...job }, false);
      return succeed({ ...job });
    },
    list: () => [...entries.values()].map(({ job }) => ({ ...job })),
    async read(id, { waitMs, signal, mayKeep }) {
      const found = find(id);
      if (!found.ok) return found;
      const entry = found.value;
      if (entry.unread.isEmpty() && entry.job.state === 'running' && waitMs > 0) await news(entry, waitMs, signal);
      if (mayKeep !== undefined) await entry.process.review?.(mayKeep);
      return succeed(take(entry));
    },
    write(id, text) {
      const found = find(id);
      if (!found.ok) return found;
      const { job, process } = found.value;
      return process.write(text)
        ? succeed({ ...job })
        : failure('validation_failed', `${id} takes no input: it has ended`, 'job_ended');
    },
    async stop(id, mayKeep) {
      const found = find(id);
      if (!found.ok) return found;
      if (found.value.job.state === 'running') {
        found.value.job.stopped = true;
        await found.value.process.stop();
      }
      if (mayKeep !== undefined) await found.value.process.review?.(mayKeep);
      return succeed(take(found.value));
    },
    async close() {
      isClosing = true;
      const running = [...entries.values()].filter(({ job }) => job.state === 'running');
      await Promise.all(running.map(({ process }) => process.stop()));
    },
  };
};

const news = (entry: Entry, waitMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      entry.wake.delete(done);
      resolve();
    };
    const timer = setTimeout(done, waitMs);
    signal.addEventListener('abort', done, { once: true });
    entry.wake.add(done);
    if (signal.aborted) done();
  });
