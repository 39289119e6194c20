/** One worker: takes orders out of the queue, has them tended, and hands back what it cannot finish. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '../agent/create-agent.ts';
import type { OpenSession } from '../agent/session.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { systemClock } from '../io/clock.ts';
import { openDesk } from './job-queue.ts';
import { executorName, isToRun, laterOrderId, type Order, QUEUE, WORKFLOW } from './jobs.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { createSpeaker } from './passing-words.ts';
import { APPLICATION, FORM, loadSdk, quietLogger, SCHEMA, type Sdk, sdkFailure } from './sdk.ts';
import { createLookAround } from './team.ts';
import { tellUnusable } from './tell-unusable.ts';
import { type Begun, say, type TendPorts, tend } from './tend.ts';

export type WorkerOptions = {
  /** Put together with the database that holds the sessions. */
  halter: Agent;
  /** The address of that database. */
  url: string;
  /** Conversations at a time. It holds for all workers of the database; the one that was started last says it. */
  concurrency: number;
  /** Who goes on with what, for whoever looks on. */
  onProgress?(what: 'began' | 'ended' | 'recovered', about: string): void;
  onWarning(message: string): void;
  load?: () => Promise<Sdk>;
};

export type Worker = {
  /** Conversations that run here now. */
  running(): number;
  /** Takes nothing more, lets what runs finish its step, and hands the rest back. */
  close(): Promise<void>;
};

export const startWorker = async (options: WorkerOptions): Promise<Outcome<Worker>> => {
  const { halter, url } = options;
  const { members } = halter.storage;
  if (members === undefined) return failure('validation_failed', 'A worker shares a database, and none was named.');
  const sdk = await loadSdk(options.load);
  if (!sdk.ok) return sdk;
  const { DBOS } = sdk.value;
  const self = await members.self();
  if (!self.ok) return self;
  const opened = await openDesk(sdk.value, url);
  if (!opened.ok) return opened;
  const { desk, pool } = opened.value;
  const inHand = new Map<string, OpenSession>();
  const speaker = createSpeaker(members.publish);
  let ending = false;
  let unfinished = 0;

  const work = async (order: Order): Promise<void> => {
    const id = DBOS.workflowID ?? '';
    // Never resolves: it stays in work in the records, and a worker that stays takes it up.
    if (ending) return handBack();
    options.onProgress?.('began', order.session);
    let begun: Promise<Begun> | undefined;
    const ports: TendPorts = {
      openSession: halter.openSession,
      limits: halter.limits,
      once(find) {
        begun ??= DBOS.runStep<Begun>(find, { name: 'begin' });
        return begun;
      },
      async later(delayS) {
        // The same name however often it comes to this, so that it is put off once.
        let put = await desk.order(order, { id: laterOrderId(id), delayS });
        // It was acknowledged, so it is not given up while this worker lives.
        while (!put.ok && !ending) {
          await sleep(CLUSTER_LIMITS.workerRetryMs);
          put = await desk.order(order, { id: laterOrderId(id), delayS });
        }
        if (!put.ok) return handBack();
      },
      wake: () => desk.wake(order.session),
      tellUnusable: (error) =>
        tellUnusable({ sessions: halter.sessions, limits: halter.limits, clock: systemClock }, order, error),
      running(session) {
        inHand.set(session.id, session);
        return () => inHand.delete(session.id);
      },
      publish: speaker.publish,
    };
    let tended = await tend(order, ports);
    for (let tries = 1; tended === 'lost' && !ending && tries < CLUSTER_LIMITS.workerRetries; tries += 1) {
      await sleep(CLUSTER_LIMITS.workerRetryMs);
      tended = await tend(order, ports);
    }
    if (tended !== 'done') return ending ? handBack() : Promise.reject(new Error(NOT_FINISHED));
    options.onProgress?.('ended', order.session);
  };
  const handBack = (): Promise<never> => {
    unfinished += 1;
    return new Promise(() => {});
  };

  const workOrSay = async (order: Order): Promise<void> => {
    try {
      await work(order);
    } catch (error) {
      options.onWarning(`${order.session}: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
  };

  DBOS.registerWorkflow(workOrSay, { name: WORKFLOW, maxRecoveryAttempts: CLUSTER_LIMITS.workerRecoveries });
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: SCHEMA,
    executorID: executorName(self.value),
    applicationVersion: FORM,
    listenQueues: [QUEUE],
    useListenNotify: false,
    logger: quietLogger(options.onWarning),
  });
  try {
    await DBOS.launch();
    await DBOS.registerQueue(QUEUE, {
      partitionConcurrency: 1,
      workerConcurrency: options.concurrency,
      minPollingIntervalMs: CLUSTER_LIMITS.workerPollMs,
      onConflict: 'always_update',
    });
  } catch (error) {
    await desk.close();
    return sdkFailure('The worker cannot be started', error);
  }

  const lookAround = createLookAround({
    self: executorName(self.value),
    now: () => performance.now(),
    busy: desk.busy,
    gone: members.gone,
    async recover(executor) {
      const found = await sdk.value.DBOSExecutor.globalInstance?.recoverPendingWorkflows([executor]);
      for (const { workflowID } of found ?? []) options.onProgress?.('recovered', workflowID);
    },
  });
  const sweep = every(CLUSTER_LIMITS.workerSweepMs, lookAround, options.onWarning);
  const tidy = every(
    CLUSTER_LIMITS.workerTidyMs,
    () => desk.tidy(Date.now() - CLUSTER_LIMITS.workerKeptMs),
    options.onWarning,
  );
  // What cannot be looked up now comes up in the queue.
  const stopListening = members.subscribe((words) => void hear(words).catch(() => {}));
  /** Something was said to a run: whoever has it in hand does not wait for its turn in the queue. */
  const hear = async (words: string): Promise<void> => {
    const [, session, id] = /^to ([\w.-]{1,128}) (\S{1,200})$/.exec(words) ?? [];
    const face = session === undefined ? undefined : inHand.get(session);
    if (face === undefined || id === undefined) return;
    // Anybody who may connect may notify; what is said is looked up, and only what can be said twice is.
    const order = await desk.find(id);
    if (order && order.session === session && isToRun(order.command)) await say(order.command, face, speaker.publish);
  };

  return succeed({
    running: () => inHand.size,
    async close() {
      ending = true;
      stopListening();
      await Promise.all([sweep.stop(), tidy.stop()]);
      await Promise.race([
        Promise.all([...inHand.values()].map((session) => session.leave())),
        new Promise((resolve) => setTimeout(resolve, CLUSTER_LIMITS.workerLeaveMs).unref()),
      ]);
      speaker.close();
      await DBOS.shutdown(unfinished > 0 ? {} : { workflowCompletionTimeoutMS: CLUSTER_LIMITS.workerRetryMs });
      await desk.close();
    },
  });
};

const NOT_FINISHED = 'The run could not be finished; the next message goes on with it.';

/** One after the other, and again after a while; what goes wrong is tried again the next time. */
const every = (ms: number, work: () => Promise<void>, onWarning: (message: string) => void) => {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  const next = (): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = work()
        .catch((error: unknown) => onWarning(error instanceof Error ? error.message : String(error)))
        .then(next);
    }, ms);
  };
  next();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};
