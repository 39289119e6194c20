/**
 * Where orders are handed in and looked up. Servers and workers alike use it; it runs nothing. An order that was handed
 * in is in the database before anybody is told so.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Outcome, succeed } from '../core/outcome.ts';
import { STORAGE_LIMITS } from '../storage/limits.ts';
import { isAway } from '../storage/postgres/database.ts';
import { newOrderId, type Order, orderPrefix, QUEUE, WORKFLOW } from './jobs.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { APPLICATION, FORM, openPool, quietLogger, SCHEMA, type Sdk, sdkFailure } from './sdk.ts';

export type Desk = {
  /** Handing in the same id again changes nothing. */
  order(order: Order, options?: { id?: string; delayS?: number }): Promise<Outcome<string>>;
  /** Takes back orders of a session that nobody has begun, and says how many. */
  dropWaiting(session: string, isMeant: (order: Order) => boolean): Promise<Outcome<number>>;
  /** Those that were put off come again at once. */
  wake(session: string): Promise<void>;
  find(id: string): Promise<Order | undefined>;
  /** Processes that have orders in work. */
  busy(): Promise<string[]>;
  /** Removes records of what was done long ago. */
  tidy(before: number): Promise<void>;
  close(): Promise<void>;
};

export type DeskParts = { desk: Desk; pool: Awaited<ReturnType<typeof openPool>> };

/** Connects, and makes the tables of the queue where there are none. */
export const openDesk = async (sdk: Sdk, url: string): Promise<Outcome<DeskParts>> => {
  const pool = await openPool(url);
  const logger = quietLogger();
  try {
    const global = new sdk.GlobalLogger(undefined, { logger });
    await sdk.ensureSystemDatabase(url, global, pool, SCHEMA, false);
    const client = await sdk.DBOSClient.create({
      systemDatabaseUrl: url,
      systemDatabasePool: pool,
      systemDatabaseSchemaName: SCHEMA,
      applicationName: APPLICATION,
      logger,
    });
    return succeed({ desk: createDesk(client, () => pool.end()), pool });
  } catch (error) {
    await pool.end().catch(() => {});
    return sdkFailure('The queue of the conversations cannot be opened', error);
  }
};

type Client = Awaited<ReturnType<Sdk['DBOSClient']['create']>>;

const createDesk = (client: Client, end: () => Promise<void>): Desk => {
  const list = (session: string, status: ('ENQUEUED' | 'DELAYED')[]) =>
    client.listWorkflows({
      queueName: QUEUE,
      workflow_id_prefix: orderPrefix(session),
      status,
      loadInput: true,
      loadOutput: false,
    });
  return {
    async order(order, { id = newOrderId(order.session), delayS } = {}) {
      const where = {
        queueName: QUEUE,
        workflowName: WORKFLOW,
        workflowID: id,
        queuePartitionKey: order.session,
        appVersion: FORM,
        ...(delayS === undefined ? {} : { delaySeconds: delayS }),
      };
      const end = performance.now() + STORAGE_LIMITS.databaseWaitMs;
      for (;;) {
        try {
          await client.enqueue(where, order);
          return succeed(id);
        } catch (error) {
          // Under its own name it is handed in once, however often it is sent.
          if (!isAway(error) || performance.now() > end) return sdkFailure(NOT_HANDED_IN, error);
        }
        await sleep(STORAGE_LIMITS.databaseRetryMaxMs);
      }
    },
    async dropWaiting(session, isMeant) {
      try {
        const found = await list(session, ['ENQUEUED', 'DELAYED']);
        const ids = found.flatMap(({ workflowID, input }) => {
          const order = orderIn(input);
          return order && isMeant(order) ? [workflowID] : [];
        });
        if (ids.length > 0) await client.cancelWorkflows(ids);
        return succeed(ids.length);
      } catch (error) {
        return sdkFailure('What waits in the conversation cannot be looked up', error);
      }
    },
    async wake(session) {
      for (const { workflowID } of await list(session, ['DELAYED'])) {
        await client.setWorkflowDelay(workflowID, { delayUntilEpochMS: 1 });
      }
    },
    async find(id) {
      return orderIn((await client.getWorkflow(id))?.input);
    },
    async busy() {
      const found = await client.listWorkflows({
        queueName: QUEUE,
        status: 'PENDING',
        loadInput: false,
        loadOutput: false,
      });
      return [...new Set(found.flatMap(({ executorId }) => executorId ?? []))];
    },
    async tidy(before) {
      const done = await client.listWorkflows({
        workflowName: WORKFLOW,
        status: ['SUCCESS', 'ERROR', 'CANCELLED'],
        completedBefore: new Date(before).toISOString(),
        limit: CLUSTER_LIMITS.workerTidied,
        loadInput: false,
        loadOutput: false,
      });
      if (done.length > 0) await client.deleteWorkflows(done.map(({ workflowID }) => workflowID));
    },
    async close() {
      await client.destroy();
      await end();
    },
  };
};

const NOT_HANDED_IN = 'The conversation could not be handed to a worker';

const orderIn = (input: readonly unknown[] | undefined): Order | undefined => input?.[0] as Order | undefined;
