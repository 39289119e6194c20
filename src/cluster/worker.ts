/** One worker: takes jobs out of the queue, runs them, and hands back what it cannot finish. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '../agent/create-agent.ts';
import type { OpenSession } from '../agent/session.ts';
import type { SessionUpdate } from '../core/events.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { folderOf } from '../core/session-folder.ts';
import type { JobRecords, Members, QueueDepth } from '../core/storage-port.ts';
import { thrownText } from '../core/thrown-text.ts';
import { systemClock } from '../io/clock.ts';
import type { EndRunParts } from './end-run.ts';
import { type JobQueue, openJobQueue, whileAway } from './job-queue.ts';
import { executorName, executorNumber, firstJobId, isToRun, type Job, laterJobId, queueOf, WORKFLOW } from './jobs.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { Outage } from './outage.ts';
import { type Standing, standingOf } from './poison.ts';
import { ProgressPublisher, readMessage } from './progress-messages.ts';
import { queueDepth } from './queue-depth.ts';
import type { QueuePool } from './queue-pool.ts';
import { tellRestored } from './restored-job.ts';
import { limitRoom } from './room.ts';
import { type Begun, type JobOutcome, type RunJobPorts, runJob, sendCommand } from './run-job.ts';
import { APPLICATION, JOB_FORMAT, loadSdk, quietLogger, SCHEMA, type Sdk, sdkFailure } from './sdk.ts';
import { Strays, Takeover } from './takeover.ts';
import { tellUnusable } from './tell-unusable.ts';
import { createWitness, type Trial, Trials } from './trials.ts';

export type WorkerProgress = 'began' | 'ended' | 'took_over' | 'recovered' | 'failed';

export type WorkerOptions = {
  /** Put together with the database that holds the sessions. */
  halter: Agent;
  /** The address of that database. */
  url: string;
  /** Conversations at a time, over all the names of its folder. */
  concurrency: number;
  /** `about`: a session, the job that is taken up again, or the worker that is taken over from. */
  onProgress?(what: WorkerProgress, about: string): void;
  onWarning(message: string): void;
  /** The database is away, or back: told once each. */
  onOutage?(message: string): void;
  load?: () => Promise<Sdk>;
};

export type Worker = {
  /** Conversations that run here now. */
  running(): number;
  depth(): Promise<QueueDepth>;
  /** Takes nothing more, lets what runs finish its step, and hands the rest back. */
  close(): Promise<void>;
};

export const startWorker = async (options: WorkerOptions): Promise<Outcome<Worker>> => {
  const { members, jobs } = options.halter.storage;
  if (members === undefined || jobs === undefined) {
    return failure('validation_failed', 'A worker shares a database, and none was named.');
  }
  const sdk = await loadSdk(options.load);
  if (!sdk.ok) return sdk;
  const folders = [...new Set(options.halter.folder)];
  const self = await members.self(folders);
  if (!self.ok) return self;
  const outage = new Outage((message) => options.onOutage?.(message));
  const opened = await openJobQueue(sdk.value, options.url, { outage, isToRun: true });
  if (!opened.ok) return opened;
  const worker = new QueueWorker({
    ...options,
    ...opened.value,
    sdk: sdk.value,
    members,
    records: jobs,
    folders,
    outage,
    executor: executorName(self.value),
  });
  try {
    await worker.start();
  } catch (error) {
    await opened.value.queue.close();
    return sdkFailure('The worker cannot be started', error);
  }
  return succeed(worker);
};

type WorkerParts = WorkerOptions & {
  sdk: Sdk;
  queue: JobQueue;
  pool: QueuePool;
  members: Members;
  records: JobRecords;
  /** The names of the folder that it works for. */
  folders: readonly string[];
  outage: Outage;
  executor: string;
};

class QueueWorker implements Worker {
  readonly #parts: WorkerParts;
  readonly #open = new Map<string, OpenSession>();
  /** The ids of jobs that run here or were left to others at the end. */
  readonly #jobs = new Set<string>();
  readonly #trials = new Trials();
  readonly #publisher: ProgressPublisher;
  readonly #loops: Loop[] = [];
  #stopListening: (() => void) | undefined;
  #ending = false;
  #unfinished = 0;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#publisher = new ProgressPublisher((message) => parts.members.publish(message));
  }

  running(): number {
    return this.#open.size;
  }

  depth(): Promise<QueueDepth> {
    const { queue, members } = this.#parts;
    return queueDepth(queue, members);
  }

  async start(): Promise<void> {
    const { sdk, url, pool, executor, onWarning, concurrency, queue, records, members, folders, outage } = this.#parts;
    const { DBOS } = sdk;
    // What does not say its folder comes from servers of before, and is sorted here.
    const queues = [undefined, ...folders].map(queueOf);
    DBOS.registerWorkflow((job: Job) => this.#work(job), {
      name: WORKFLOW,
      maxRecoveryAttempts: CLUSTER_LIMITS.queueRecoveries,
    });
    DBOS.setConfig({
      name: APPLICATION,
      systemDatabaseUrl: url,
      systemDatabasePool: pool,
      systemDatabaseSchemaName: SCHEMA,
      executorID: executor,
      applicationVersion: JOB_FORMAT,
      listenQueues: queues,
      useListenNotify: false,
      // The tables were made under our lock.
      runMigrations: false,
      // While the database is away each of its parts says so at each try.
      logger: quietLogger((text) => (outage.isShaky ? undefined : onWarning(text))),
    });
    await this.#launch(queues);
    for (const name of queues) {
      await whileAway(() =>
        DBOS.registerQueue(name, {
          partitionConcurrency: 1,
          // Workers of before go by the number of the one that was started last; this one goes by its own.
          workerConcurrency: concurrency,
          minPollingIntervalMs: CLUSTER_LIMITS.workerPollMs,
          onConflict: 'always_update',
        }),
      );
    }
    const takeover = new Takeover({
      self: executor,
      executors: () => queue.executors(),
      gone: (numbers) => members.gone(numbers),
      recover: (gone) => this.#recover(gone),
    });
    const strays = new Strays({
      recorded: async () => (await queue.jobsOf(executor)).map(({ id }) => id),
      runs: (id) => this.#jobs.has(id),
      requeue: (ids) => queue.requeue(ids),
    });
    const removeOld = async (): Promise<void> => {
      const before = Date.now() - CLUSTER_LIMITS.workerKeptMs;
      await queue.removeOld(before);
      await records.forget(before);
    };
    this.#loops.push(
      new Loop(CLUSTER_LIMITS.workerSweepMs, () => takeover.look(), onWarning),
      new Loop(CLUSTER_LIMITS.workerStrayMs, () => strays.look(), onWarning),
      new Loop(CLUSTER_LIMITS.workerTidyMs, removeOld, onWarning),
    );
    // A job that cannot be looked up now comes up in the queue.
    this.#stopListening = members.subscribe((message) => void this.#hear(message).catch(() => {}));
  }

  /** It is put together before anything is waited for, and looks into the queues after that. */
  async #launch(queues: readonly string[]): Promise<void> {
    const { sdk, concurrency } = this.#parts;
    const launched = sdk.DBOS.launch();
    const executor = sdk.DBOSExecutor.globalInstance;
    if (executor !== undefined) limitRoom(executor, queues, concurrency);
    await launched;
    if (executor === undefined) throw new Error('This version of DBOS starts in another way.');
  }

  async close(): Promise<void> {
    const { sdk, queue } = this.#parts;
    this.#ending = true;
    this.#stopListening?.();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await Promise.race([
      Promise.all([...this.#open.values()].map((session) => session.leave())),
      new Promise((resolve) => setTimeout(resolve, CLUSTER_LIMITS.workerLeaveMs).unref()),
    ]);
    this.#publisher.close();
    await sdk.DBOS.shutdown(this.#unfinished > 0 ? {} : { workflowCompletionTimeoutMS: CLUSTER_LIMITS.workerRetryMs });
    await queue.close();
  }

  async #work(job: Job): Promise<void> {
    const id = this.#parts.sdk.DBOS.workflowID ?? '';
    this.#jobs.add(id);
    try {
      await this.#run(job, id);
    } catch (error) {
      this.#parts.onWarning(`${job.session}: ${thrownText(error)}`);
      throw error;
    } finally {
      this.#jobs.delete(id);
    }
  }

  async #run(job: Job, id: string): Promise<void> {
    const { onProgress } = this.#parts;
    // Never resolves: it stays in work in the records, and a worker that stays takes it up.
    if (this.#ending) return this.#handBack();
    const standing = await this.#standing(id, job);
    // It cannot be told now, as while another worker has the session open.
    if (standing === undefined) return this.#putOff(job, laterJobId(id), CLUSTER_LIMITS.workerRetryMs / 1000);
    if (standing.kind === 'given_up') {
      onProgress?.('failed', job.session);
      return;
    }
    const trial = standing.kind === 'suspect' ? await this.#trials.next(standing) : undefined;
    if (standing.kind === 'fine' || trial === undefined) return this.#runTaken(job, id);
    try {
      if (this.#ending) return this.#handBack();
      await this.#try(job, id, trial, standing.hasTool);
    } finally {
      trial.end();
    }
  }

  /** A death until the trial ends is held against the job. */
  async #try(job: Job, id: string, trial: Trial, hasTool: boolean): Promise<void> {
    const { records, executor } = this.#parts;
    const process = executorNumber(executor) ?? 0;
    const begun = await records.beginTrial(firstJobId(id), process);
    if (!begun.ok) return this.#putOff(job, laterJobId(id), CLUSTER_LIMITS.workerRetryMs / 1000);
    const over = trial.ended.then(() => this.#until(() => records.endTrial(firstJobId(id), process)));
    const isPast = createWitness(hasTool);
    await this.#runTaken(job, id, (update) => (isPast(update) ? trial.end() : undefined));
    trial.end();
    await over;
  }

  /** `witness`: hears all that happens to the session. */
  async #runTaken(job: Job, id: string, witness?: (update: SessionUpdate) => void): Promise<void> {
    const { onProgress } = this.#parts;
    onProgress?.('began', job.session);
    const ports = this.#portsFor(job, id, witness);
    let outcome: JobOutcome = await runJob(job, ports);
    for (let tries = 1; outcome === 'lost' && !this.#ending && tries < CLUSTER_LIMITS.workerRetries; tries += 1) {
      await sleep(CLUSTER_LIMITS.workerRetryMs);
      outcome = await runJob(job, ports);
    }
    if (outcome !== 'done') return this.#ending ? this.#handBack() : Promise.reject(new Error(NOT_FINISHED));
    onProgress?.('ended', job.session);
  }

  async #standing(id: string, job: Job): Promise<Standing | undefined> {
    const standing = await standingOf(this.#parts.records, this.#endParts(), id, job);
    return standing.ok ? standing.value : undefined;
  }

  #endParts(): EndRunParts {
    const { sessions, limits, verdict } = this.#parts.halter;
    return { sessions, limits, clock: systemClock, verdict };
  }

  #portsFor(job: Job, id: string, witness: ((update: SessionUpdate) => void) | undefined): RunJobPorts {
    const { halter, sdk, queue, onWarning } = this.#parts;
    let begun: Promise<Begun> | undefined;
    return {
      openSession: halter.openSession,
      limits: halter.limits,
      once(find) {
        begun ??= sdk.DBOS.runStep<Begun>(find, { name: 'begin' });
        return begun;
      },
      elsewhere: () => this.#leaveTo(job, id),
      later: (delayS) => this.#putOff(job, laterJobId(id), delayS),
      wake: () => queue.wake(job.session),
      tellUnusable: (error) =>
        tellUnusable({ sessions: halter.sessions, limits: halter.limits, clock: systemClock }, job, error),
      tellRestored: () => tellRestored(this.#endParts(), job),
      warn: onWarning,
      running: (session) => {
        this.#open.set(session.id, session);
        if (witness !== undefined) session.subscribe(witness);
        return () => this.#open.delete(session.id);
      },
      publish: (...progress) => this.#publisher.add(...progress),
    };
  }

  /** To the workers of the folder that the log of the session names. */
  async #leaveTo(job: Job, id: string): Promise<void> {
    const { halter, queue, onWarning } = this.#parts;
    const read = await this.#until(() => halter.sessions.read(job.session));
    if (!read.ok) return this.#handBack();
    const folder = folderOf(read.value.events);
    onWarning(`${job.session}: left to a worker of ${folder}, the folder that it belongs to`);
    const left = await this.#until(() => queue.add({ ...job, folder }, { id: laterJobId(id) }));
    if (!left.ok) return this.#handBack();
  }

  /** Under the same id however often it comes to this, so that it is put off once. */
  async #putOff(job: Job, id: string, delayS: number): Promise<void> {
    // It was acknowledged, so it is not given up while this worker lives.
    const put = await this.#until(() => this.#parts.queue.add(job, { id, delayS }));
    if (!put.ok) return this.#handBack();
  }

  /** Tries until it is done, or this worker ends. */
  async #until<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    let done = await work();
    while (!done.ok && !this.#ending) {
      await sleep(CLUSTER_LIMITS.workerRetryMs);
      done = await work();
    }
    return done;
  }

  #handBack(): Promise<never> {
    this.#unfinished += 1;
    return new Promise(() => {});
  }

  /** The jobs of a process that is gone go back into the queue. Its death is noted before that. */
  async #recover(executor: string): Promise<void> {
    const { sdk, queue, records, onProgress } = this.#parts;
    const process = executorNumber(executor);
    if (process === undefined) return;
    const jobs = await queue.jobsOf(executor);
    const noted = await records.noteDeaths(jobs.map(({ id, session }) => ({ job: firstJobId(id), session, process })));
    if (!noted.ok) return;
    const found = await sdk.DBOSExecutor.globalInstance?.recoverPendingWorkflows([executor]);
    if (found !== undefined && found.length > 0) onProgress?.('took_over', executor);
    for (const { workflowID } of found ?? []) onProgress?.('recovered', workflowID);
  }

  /** A command for a run that goes on here does not wait for its turn in the queue. */
  async #hear(text: string): Promise<void> {
    const message = readMessage(text);
    if (message?.type !== 'job_added') return;
    const session = this.#open.get(message.session);
    if (session === undefined) return;
    // Anybody who may connect may notify. So the job is looked up, and only what may be taken twice is.
    const job = await this.#parts.queue.find(message.job);
    if (job?.session !== message.session || !isToRun(job.command)) return;
    await sendCommand(job.command, session, (...progress) => this.#publisher.add(...progress));
  }
}

const NOT_FINISHED = 'The run could not be finished; the next message goes on with it.';

/** Does something again and again, one after the other; what fails is tried again the next time. */
class Loop {
  readonly #ms: number;
  readonly #work: () => Promise<void>;
  readonly #onWarning: (message: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(ms: number, work: () => Promise<void>, onWarning: (message: string) => void) {
    this.#ms = ms;
    this.#work = work;
    this.#onWarning = onWarning;
    this.#next();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #next(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#work()
        .catch((error: unknown) => this.#onWarning(thrownText(error)))
        .then(() => this.#next());
    }, this.#ms);
  }
}
