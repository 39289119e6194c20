/**
 * The queue of jobs, as servers and workers use it; it runs nothing. A job that was added is in the database before anybody
 * is told so.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { type Outcome, succeed } from '../core/outcome.ts';
import type { QueueDepth } from '../core/storage-port.ts';
import { STORAGE_LIMITS } from '../storage/limits.ts';
import { MIGRATION_LIMITS, type StatementLimits } from '../storage/postgres/connections.ts';
import { isAway } from '../storage/postgres/database.ts';
import { isSamePlace, MAY_ASK, placeOf } from '../storage/postgres/identity.ts';
import { LOCK_CLASS, QUEUE_MIGRATION_LOCK } from '../storage/postgres/locks.ts';
import {
  folderOfQueue,
  type Job,
  jobPrefix,
  keyOf,
  mayBeDoneTwice,
  newJobId,
  queueOf,
  restoredJobId,
  WORKFLOW,
} from './jobs.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import type { Outage } from './outage.ts';
import { forAWhile, openPool, type QueuePool } from './queue-pool.ts';
import { APPLICATION, JOB_FORMAT, quietLogger, SCHEMA, type Sdk, sdkFailure } from './sdk.ts';

/** `byFolder`: jobs that nobody has begun, by the folder that they say; one that says none is under `undefined`. */
export type JobCounts = Omit<QueueDepth, 'unserved'> & { byFolder: ReadonlyMap<string | undefined, number> };
type Client = Awaited<ReturnType<Sdk['DBOSClient']['create']>>;

/** `isToRun`: by those that hand jobs out or run them. */
export type OpenQueueOptions = { outage?: Outage; isToRun?: true; limits?: StatementLimits };

/** Connects, and makes the tables of the queue where there are none. */
export const openJobQueue = async (
  sdk: Sdk,
  url: string,
  { outage, isToRun, limits }: OpenQueueOptions = {},
): Promise<Outcome<{ queue: JobQueue; pool: QueuePool }>> => {
  const pool = await openPool(url, outage, limits);
  const logger = quietLogger();
  try {
    await whileAway(() => migrateQueue(sdk, url, outage));
    const client = await whileAway(() =>
      sdk.DBOSClient.create({
        systemDatabaseUrl: url,
        systemDatabasePool: pool,
        systemDatabaseSchemaName: SCHEMA,
        applicationName: APPLICATION,
        logger,
      }),
    );
    const queue = new JobQueue(client, pool);
    if (isToRun) await whileAway(() => noteRestored(pool, queue));
    return succeed({ queue, pool });
  } catch (error) {
    await pool.end().catch(() => {});
    return sdkFailure('The queue of the conversations cannot be opened', error);
  }
};

/** Again and again while the database is away, but no longer than anything else waits for it. */
export const whileAway = async <T>(work: () => Promise<T>): Promise<T> => {
  const end = performance.now() + STORAGE_LIMITS.databaseWaitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isAway(error) || performance.now() > end) throw error;
    }
    await sleep(STORAGE_LIMITS.databaseRetryMaxMs);
  }
};

/**
 * Under a lock: processes that start at the same time on an empty database would make the same tables at once, and all but
 * one of them would fail. The lock is asked for again and again: a statement that waits for it would be waited for by
 * the queue's own `CREATE INDEX CONCURRENTLY`.
 */
const underLock = async (pool: QueuePool, work: (client: PoolClient) => Promise<void>): Promise<void> => {
  const lock = [LOCK_CLASS, QUEUE_MIGRATION_LOCK];
  const client = await pool.connect();
  let isBroken = true;
  // It may end between two statements; the next one fails then.
  const ignore = (): void => {};
  client.on('error', ignore);
  try {
    const end = performance.now() + CLUSTER_LIMITS.migrationWaitMs;
    while (!(await client.query('SELECT pg_try_advisory_lock($1, $2) AS got', lock)).rows[0].got) {
      if (performance.now() > end) throw new Error('another process makes the tables of the queue and does not end');
      await sleep(CLUSTER_LIMITS.migrationRetryMs);
    }
    await work(client);
    await client.query('SELECT pg_advisory_unlock($1, $2)', lock);
    isBroken = false;
  } finally {
    client.removeListener('error', ignore);
    // The lock ends with its connection.
    client.release(isBroken);
  }
};

/** On connections of its own: an index of a large table takes longer than any other statement may. */
const migrateQueue = async (sdk: Sdk, url: string, outage: Outage | undefined): Promise<void> => {
  const pool = await openPool(url, outage, MIGRATION_LIMITS);
  try {
    await underLock(pool, async () => {
      const global = new sdk.GlobalLogger(undefined, { logger: quietLogger() });
      await sdk.ensureSystemDatabase(url, global, pool, SCHEMA, false);
    });
  } finally {
    await pool.end();
  }
};

const IDENTITY = `${SCHEMA}.halter_identity`;

/** Jobs that came with a backup are marked before anybody takes them: the fleet of before may have done them since. */
const noteRestored = (pool: QueuePool, queue: JobQueue): Promise<void> =>
  underLock(pool, async (client) => {
    // Whoever did not make the tables may have rights on them alone.
    const [found] = (await client.query(`SELECT to_regclass('${IDENTITY}') IS NOT NULL AS there`)).rows;
    if (!found?.there) await client.query(`CREATE TABLE ${IDENTITY} (place text NOT NULL)`);
    const may = Boolean((await client.query(MAY_ASK)).rows[0]?.may);
    const here = placeOf(`${SCHEMA}.workflow_status`, may);
    const { rows } = await client.query(`SELECT ${here} AS place, (SELECT place FROM ${IDENTITY}) AS known`);
    const { place, known } = rows[0] as { place: string; known: string | null };
    const isSame = known !== null && isSamePlace(place, known);
    // One that may ask for the server's own number knows more.
    if (isSame && known.length >= place.length) return;
    if (known !== null && !isSame) await queue.markRestored();
    await client.query(`DELETE FROM ${IDENTITY}`);
    await client.query(`INSERT INTO ${IDENTITY} (place) VALUES ($1)`, [place]);
  });

export class JobQueue {
  readonly #client: Client;
  readonly #pool: QueuePool;

  constructor(client: Client, pool: QueuePool) {
    this.#client = client;
    this.#pool = pool;
  }

  /** Adding the same id again changes nothing. */
  async add(
    job: Job,
    { id = newJobId(job.session, keyOf(job.command)), delayS }: { id?: string; delayS?: number } = {},
  ): Promise<Outcome<string>> {
    const where = {
      queueName: queueOf(job.folder),
      workflowName: WORKFLOW,
      workflowID: id,
      queuePartitionKey: job.session,
      appVersion: JOB_FORMAT,
      delaySeconds: delayS,
    };
    try {
      // Under its own id it is added once, however often it is sent.
      await forAWhile(() => whileAway(() => this.#client.enqueue(where, job)));
      return succeed(id);
    } catch (error) {
      return sdkFailure(NOT_ADDED, error);
    }
  }

  /** Jobs that nobody runs, whatever the records say, can be taken up by anybody. */
  async requeue(ids: readonly string[]): Promise<void> {
    const byQueue = new Map<string, string[]>();
    for (const id of ids) {
      const queue = queueOf((await this.find(id))?.folder);
      byQueue.set(queue, [...(byQueue.get(queue) ?? []), id]);
    }
    for (const [queueName, those] of byQueue) await this.#client.resumeWorkflows(those, { queueName });
  }

  /** Each is there again with its mark, and no more without. Done in the middle, it is done again. */
  async markRestored(): Promise<void> {
    const found = await this.#client.listWorkflows({
      workflowName: WORKFLOW,
      status: ['ENQUEUED', 'DELAYED', 'PENDING'],
      loadInput: true,
      loadOutput: false,
    });
    for (const { workflowID, input } of found) {
      const job = jobIn(input);
      if (job === undefined || job.restored || mayBeDoneTwice(job.command)) continue;
      const added = await this.add({ ...job, restored: true }, { id: restoredJobId(workflowID) });
      if (!added.ok) throw new Error(added.error.message);
      await this.#client.cancelWorkflows([workflowID]);
    }
  }

  /** Cancels jobs of a session that nobody has begun, and says how many. */
  async cancelWaiting(session: string, isMeant: (job: Job) => boolean): Promise<Outcome<number>> {
    try {
      const found = await forAWhile(() => this.#list(session, ['ENQUEUED', 'DELAYED']));
      const ids = found.flatMap(({ workflowID, input }) => {
        const job = jobIn(input);
        return job && isMeant(job) ? [workflowID] : [];
      });
      if (ids.length > 0) await forAWhile(() => this.#client.cancelWorkflows(ids));
      return succeed(ids.length);
    } catch (error) {
      return sdkFailure('What waits in the conversation cannot be looked up', error);
    }
  }

  /** Messages of a session that nobody has begun, whichever server added them. */
  async messagesWaiting(session: string): Promise<Outcome<number>> {
    try {
      const counted = await forAWhile(() => whileAway(() => this.#pool.query(COUNT_MESSAGES, [jobPrefix(session)])));
      return succeed(Number(counted.rows[0]?.count ?? 0));
    } catch (error) {
      return sdkFailure('What waits in the conversation cannot be looked up', error);
    }
  }

  /** Jobs of the session that were put off come again at once. */
  async wake(session: string): Promise<void> {
    for (const { workflowID } of await this.#list(session, ['DELAYED'])) {
      await this.#client.setWorkflowDelay(workflowID, { delayUntilEpochMS: 1 });
    }
  }

  async find(id: string): Promise<Job | undefined> {
    return jobIn((await this.#client.getWorkflow(id))?.input);
  }

  /** Processes that have jobs in work. */
  async executors(): Promise<string[]> {
    const found = await this.#client.listWorkflows({
      workflowName: WORKFLOW,
      status: 'PENDING',
      loadInput: false,
      loadOutput: false,
    });
    return [...new Set(found.flatMap(({ executorId }) => executorId ?? []))];
  }

  /** The jobs that this process has in work. */
  async jobsOf(executor: string): Promise<{ id: string; session: string }[]> {
    const found = await this.#client.listWorkflows({
      workflowName: WORKFLOW,
      status: 'PENDING',
      executorId: executor,
      loadInput: true,
      loadOutput: false,
    });
    return found.flatMap(({ workflowID, input }) => {
      const session = jobIn(input)?.session;
      return session === undefined ? [] : [{ id: workflowID, session }];
    });
  }

  async counts(): Promise<JobCounts> {
    const found = await forAWhile(() =>
      this.#client.listWorkflows({
        workflowName: WORKFLOW,
        status: ['ENQUEUED', 'DELAYED', 'PENDING'],
        limit: CLUSTER_LIMITS.queueCounted,
        loadInput: false,
        loadOutput: false,
      }),
    );
    const waiting = found.filter(({ status }) => status === 'ENQUEUED');
    const byFolder = new Map<string | undefined, number>();
    for (const { queueName = '', status } of found) {
      if (status === 'PENDING') continue;
      const folder = folderOfQueue(queueName);
      byFolder.set(folder, (byFolder.get(folder) ?? 0) + 1);
    }
    const oldest = Math.min(...waiting.map(({ createdAt }) => Number(createdAt)));
    return {
      waiting: waiting.length,
      running: found.filter(({ status }) => status === 'PENDING').length,
      oldestWaitingMs: waiting.length === 0 ? 0 : Math.max(0, Date.now() - oldest),
      byFolder,
    };
  }

  /** Removes records of what was done long ago. */
  async removeOld(before: number): Promise<void> {
    const done = await this.#client.listWorkflows({
      workflowName: WORKFLOW,
      status: ['SUCCESS', 'ERROR', 'CANCELLED'],
      completedBefore: new Date(before).toISOString(),
      limit: CLUSTER_LIMITS.workerTidied,
      loadInput: false,
      loadOutput: false,
    });
    if (done.length > 0) await this.#client.deleteWorkflows(done.map(({ workflowID }) => workflowID));
  }

  async close(): Promise<void> {
    await this.#client.destroy();
    await this.#pool.end();
  }

  async #list(session: string, status: ('ENQUEUED' | 'DELAYED')[]) {
    const prefix = jobPrefix(session);
    const found = await this.#client.listWorkflows({
      workflowName: WORKFLOW,
      workflow_id_prefix: prefix,
      status,
      loadInput: true,
      loadOutput: false,
    });
    // It is looked for as a pattern, in which a_b means axb as well.
    return found.filter(({ workflowID }) => workflowID.startsWith(prefix));
  }
}

/** Counted where they are: up to 20 of them may hold long texts and pictures. A quote within a text is written otherwise. */
const COUNT_MESSAGES = `SELECT count(*) AS count FROM (
    SELECT COALESCE(given.inputs, job.inputs) AS text
    FROM ${SCHEMA}.workflow_status AS job LEFT JOIN ${SCHEMA}.workflow_input AS given USING (workflow_uuid)
    WHERE starts_with(job.workflow_uuid, $1) AND job.status IN ('ENQUEUED', 'DELAYED')) AS waiting
  WHERE position('"type":"send_message"' IN text) > 0 OR position('"type":"steer"' IN text) > 0`;

const NOT_ADDED = 'The conversation could not be handed to a worker';

const jobIn = (input: readonly unknown[] | undefined): Job | undefined => input?.[0] as Job | undefined;
