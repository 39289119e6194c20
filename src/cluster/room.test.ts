import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { type Claiming, limitRoom } from './room.ts';

type Queue = Parameters<Claiming['systemDatabase']['findAndMarkStartablePartitionedWorkflows']>[0];

/** As DBOS does it: jobs are claimed, then begun, and counted by their queue until they are done. */
const engine = (waiting: Record<string, number>) => {
  const running: string[] = [];
  const owned = new Map<string, string>();
  const executor: Claiming = {
    systemDatabase: {
      countRunningWorkflowsForQueue: (queue) => running.filter((one) => one === queue).length,
      async findAndMarkStartablePartitionedWorkflows({ name }, _executor, _version, most = 0) {
        const had = waiting[name] ?? 0;
        await Promise.resolve();
        if (had < 0) throw new Error('the database is away');
        const count = Math.min(most, had);
        waiting[name] = had - count;
        const ids = Array.from({ length: count }, () => crypto.randomUUID());
        for (const id of ids) owned.set(id, name);
        return ids;
      },
    },
    async dispatchDequeuedWorkflows(ids) {
      await Promise.resolve();
      for (const id of ids) running.push(owned.get(id) ?? '');
    },
  };
  /** One look into a queue; `budget` is what DBOS has left by the number of the database. */
  const look = async (name: string, inDatabase: number): Promise<void> => {
    const database = executor.systemDatabase;
    const budget = Math.max(0, inDatabase - database.countRunningWorkflowsForQueue(name));
    if (budget === 0) return;
    const ids = await database.findAndMarkStartablePartitionedWorkflows({ name } as Queue, 'me', 'v', budget, 'owner');
    if (ids.length > 0) await executor.dispatchDequeuedWorkflows(ids, 'owner');
  };
  return { executor, running, look };
};

const ROWS: [what: string, waiting: Record<string, number>, inDatabase: number, most: number, runs: number][] = [
  ['several queues at once', { a: 9, b: 9, c: 9 }, 4, 4, 4],
  ['a database that says less', { a: 9 }, 1, 4, 4],
  ['a database that says more', { a: 9, b: 9 }, 1000, 2, 2],
  ['less work than room', { a: 1, b: 1 }, 4, 4, 2],
  ['a queue that cannot be asked', { a: -1, b: 9 }, 4, 3, 3],
];
test.each(ROWS)('a worker fills its room and no more: %s', async (_, waiting, inDatabase, most, runs) => {
  verifies('B12');
  const { executor, running, look } = engine(waiting);
  limitRoom(executor, Object.keys(waiting), most);
  for (let looks = 0; looks < 3; looks += 1)
    await Promise.allSettled(Object.keys(waiting).map((name) => look(name, inDatabase)));
  expect(running).toHaveLength(runs);
  // What is done makes room for as much.
  running.pop();
  await Promise.allSettled(Object.keys(waiting).map((name) => look(name, inDatabase)));
  expect(running).toHaveLength(Math.min(runs, most === runs ? most : runs - 1));
});

test('queues of DBOS itself are counted as ever', () => {
  verifies('B12');
  const { executor, running } = engine({});
  limitRoom(executor, ['a'], 1);
  running.push('inner');
  expect(executor.systemDatabase.countRunningWorkflowsForQueue('inner')).toBe(1);
});
