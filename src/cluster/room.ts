/**
 * How many conversations one worker runs at a time, over all the queues that it takes jobs from. DBOS counts queue by queue,
 * against a number in the database that the worker which was started last wrote for all of them.
 */
import type { Sdk } from './sdk.ts';

type Executor = InstanceType<Sdk['DBOSExecutor']>;
/** What is used of DBOS here; `sdk-contract.test.ts` says that it is there. */
export type Claiming = Pick<Executor, 'dispatchDequeuedWorkflows'> & {
  systemDatabase: Pick<
    Executor['systemDatabase'],
    'countRunningWorkflowsForQueue' | 'findAndMarkStartablePartitionedWorkflows'
  >;
};

/** Before the first look into the queues. */
export const limitRoom = (executor: Claiming, queues: readonly string[], most: number): void => {
  const database = executor.systemDatabase;
  const count = database.countRunningWorkflowsForQueue.bind(database);
  const claim = database.findAndMarkStartablePartitionedWorkflows.bind(database);
  const dispatch = executor.dispatchDequeuedWorkflows.bind(executor);
  /** Claimed, and not counted as running yet. */
  let onTheWay = 0;
  let last: Promise<unknown> = Promise.resolve();
  const room = (): number => most - onTheWay - queues.reduce((sum, queue) => sum + count(queue), 0);

  // The number of the database is for processes of before: nobody is held back by it here.
  database.countRunningWorkflowsForQueue = (queue) =>
    queues.includes(queue) ? Number.NEGATIVE_INFINITY : count(queue);
  database.findAndMarkStartablePartitionedWorkflows = (queue, executorId, version, _most, owner) => {
    // One after the other, as the queues are looked into at the same time.
    const claimed = last.then(async () => {
      const free = room();
      if (free <= 0) return [];
      const ids = await claim(queue, executorId, version, free, owner);
      onTheWay += ids.length;
      return ids;
    });
    last = claimed.catch(() => {});
    return claimed;
  };
  executor.dispatchDequeuedWorkflows = async (ids, owner) => {
    try {
      await dispatch(ids, owner);
    } finally {
      onTheWay -= ids.length;
    }
  };
};
