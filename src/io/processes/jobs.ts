/** Commands that go on in the background of one session, each at a terminal of its own where the system has them. */
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Job, JobOutput, Jobs, OpenProcess, Processes } from '../../core/ports.ts';
import { nearest } from '../../core/tool/nearest-names.ts';
import { IO_LIMITS } from '../limits.ts';
import { createUnreadText, type UnreadText } from './unread-text.ts';

export type SessionJobs = Jobs & { close(): Promise<void> };

type Entry = { job: Job; process: OpenProcess; unread: UnreadText; wake: Set<() => void> };

/** `onChange`: a job began or ended; `withHalter`: it was ended by `close`. `mayWrite`: whether what they write counts now. */
export const createJobs = (
  processes: Processes,
  onChange: (job: Job, withHalter: boolean) => void = () => {},
  mayWrite?: () => Promise<boolean>,
): SessionJobs => new RunningJobs(processes, onChange, mayWrite);

class RunningJobs implements SessionJobs {
  readonly #processes: Processes;
  readonly #onChange: (job: Job, withHalter: boolean) => void;
  readonly #mayWrite: (() => Promise<boolean>) | undefined;
  readonly #entries = new Map<string, Entry>();
  #isClosing = false;
  #counter = 0;

  constructor(
    processes: Processes,
    onChange: (job: Job, withHalter: boolean) => void,
    mayWrite: (() => Promise<boolean>) | undefined,
  ) {
    this.#processes = processes;
    this.#onChange = onChange;
    this.#mayWrite = mayWrite;
  }

  async start(command: string): Promise<Outcome<Job>> {
    this.#forgetEnded();
    if (this.#entries.size >= IO_LIMITS.jobs) {
      return failure('validation_failed', `${IO_LIMITS.jobs} jobs are running; stop one first`, 'too_many_jobs');
    }
    if (this.#processes.open === undefined) return failure('io_error', 'Background jobs are not possible here');
    const unread = createUnreadText(IO_LIMITS.jobOutputCharacters);
    let entry: Entry | undefined;
    const opened = await this.#processes.open({
      command: ['/bin/bash', '-c', '--', command],
      confined: true,
      ...(this.#mayWrite ? { mayWrite: this.#mayWrite } : {}),
      terminal: { columns: IO_LIMITS.jobColumns, rows: IO_LIMITS.jobRows },
      onOutput: (text) => (entry === undefined ? unread.push(text) : receive(entry, text)),
    });
    if (!opened.ok) return opened;
    entry = this.#enter(command, opened.value, unread);
    return succeed({ ...entry.job });
  }

  #enter(command: string, process: OpenProcess, unread: UnreadText): Entry {
    this.#counter += 1;
    const job: Job = { id: `job_${this.#counter}`, command, state: 'running', terminal: process.terminal };
    if (process.own_loopback === true) job.own_loopback = true;
    const entry: Entry = { job, process, unread, wake: new Set() };
    this.#entries.set(job.id, entry);
    void process.ended.then(({ exitCode, signal }) => {
      job.state = 'ended';
      if (exitCode !== null) job.exit_code = exitCode;
      if (signal !== null) job.signal = signal;
      wakeAll(entry);
      this.#onChange({ ...job }, this.#isClosing);
    });
    this.#onChange({ ...job }, false);
    return entry;
  }

  list(): Job[] {
    return [...this.#entries.values()].map(({ job }) => ({ ...job }));
  }

  async read(...[id, { waitMs, signal, mayKeep }]: Parameters<Jobs['read']>): Promise<Outcome<JobOutput>> {
    const found = this.#find(id);
    if (!found.ok) return found;
    const entry = found.value;
    if (entry.unread.isEmpty() && entry.job.state === 'running' && waitMs > 0) await news(entry, waitMs, signal);
    if (mayKeep !== undefined) await entry.process.review?.(mayKeep);
    return succeed(take(entry));
  }

  write(id: string, text: string): Outcome<Job> {
    const found = this.#find(id);
    if (!found.ok) return found;
    const { job, process } = found.value;
    return process.write(text)
      ? succeed({ ...job })
      : failure('validation_failed', `${id} takes no input: it has ended`, 'job_ended');
  }

  async stop(...[id, mayKeep]: Parameters<Jobs['stop']>): Promise<Outcome<JobOutput>> {
    const found = this.#find(id);
    if (!found.ok) return found;
    const { job, process } = found.value;
    if (job.state === 'running') {
      job.stopped = true;
      await process.stop();
    }
    if (mayKeep !== undefined) await process.review?.(mayKeep);
    return succeed(take(found.value));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    const running = [...this.#entries.values()].filter(({ job }) => job.state === 'running');
    await Promise.all(running.map(({ process }) => process.stop()));
  }

  #find(id: string): Outcome<Entry> {
    const entry = this.#entries.get(id);
    if (entry !== undefined) return succeed(entry);
    const near = nearest(id, [...this.#entries.keys()]);
    const known = [...this.#entries.values()].map(({ job }) => `${job.id} (${job.state})`).join(', ') || 'none';
    const guess = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
    return failure('not_found', `There is no job ${id}.${guess} The jobs of this session: ${known}.`);
  }

  #forgetEnded(): void {
    for (const [id, { job }] of this.#entries) {
      if (this.#entries.size < IO_LIMITS.jobs) return;
      if (job.state === 'ended') this.#entries.delete(id);
    }
  }
}

const wakeAll = (entry: Entry): void => {
  for (const wake of entry.wake) wake();
  entry.wake.clear();
};
const receive = (entry: Entry, text: string): void => {
  entry.unread.push(text);
  wakeAll(entry);
};
const take = (entry: Entry): JobOutput => ({ job: { ...entry.job }, ...entry.unread.take() });

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
