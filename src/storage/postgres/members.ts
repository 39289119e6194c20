/**
 * The processes that share a database: their numbers, who of them is gone, and what they tell each other in passing. A
 * process is there as long as its connection holds its lock (see pub-sub.ts); the lock goes with it, however it ends.
 */
import { succeed } from '../../core/outcome.ts';
import type { Members } from '../../core/storage-port.ts';
import type { Database } from './database.ts';
import { DATABASE_IS_NEW, type Lease, leaseExpired, leaseIsFresh } from './lease.ts';
import { LOCK_CLASS } from './locks.ts';
import type { PubSub } from './pub-sub.ts';

export const createMembers = (database: Database, pubSub: PubSub, lease: Lease): Members => ({
  async self() {
    const number = await pubSub.opener();
    if (number.ok) await lease.begin(number.value);
    return number;
  },
  async gone(numbers) {
    const asked = await database.query<{ number: number }>({
      name: 'halter_gone',
      text: `
        SELECT asked.process AS number FROM unnest($1::integer[]) AS asked (process)
        WHERE (NOT ${leaseIsFresh('asked.process')} AND NOT ${DATABASE_IS_NEW} AND NOT EXISTS (
          SELECT FROM pg_locks
          WHERE locktype = 'advisory' AND classid::bigint = $2 AND objid::bigint = asked.process AND objsubid = 2 AND granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())))
          OR ${leaseExpired('asked.process')}`,
      values: [numbers, LOCK_CLASS],
    });
    return asked.ok ? succeed(asked.value.rows.map(({ number }) => number)) : asked;
  },
  publish: (message) => pubSub.publish(message),
  subscribe: (listener) => pubSub.subscribe(listener),
});
