/**
 * The processes that share a database: their numbers, who of them is gone, and what they tell each other in passing. A
 * process is there as long as its connection holds its lock (see pub-sub.ts); the lock goes with it, however it ends.
 */
import { succeed } from '../../core/outcome.ts';
import type { Members } from '../../core/storage-port.ts';
import type { Database } from './database.ts';
import type { GoneSince } from './gone-since.ts';
import { DATABASE_IS_NEW, isGone, type Lease, leaseExpired, showsLife } from './lease.ts';
import type { PubSub } from './pub-sub.ts';

export type MembersParts = { database: Database; pubSub: PubSub; lease: Lease; goneSince: GoneSince };

export const createMembers = ({ database, pubSub, lease, goneSince }: MembersParts): Members => ({
  async self(folders) {
    const number = await pubSub.opener();
    if (number.ok) await lease.begin(number.value, { folders });
    return number;
  },
  async served() {
    const asked = await database.query<{ folder: string }>({
      name: 'halter_served',
      // A worker that was killed takes nothing from that moment on; just after a start of the database nobody is back yet.
      text: `SELECT DISTINCT unnest(folders) AS folder FROM halter.leases AS found
        WHERE works AND (${showsLife('found.number')} OR (${DATABASE_IS_NEW} AND NOT ${leaseExpired('found.number')}))`,
    });
    return asked.ok ? succeed(new Set(asked.value.rows.map(({ folder }) => folder))) : asked;
  },
  async gone(numbers) {
    const asked = await database.query<{ number: number; gone: boolean | null }>({
      name: 'halter_gone',
      text: `SELECT asked.process AS number, ${isGone('asked.process')} AS gone FROM unnest($1::integer[]) AS asked (process)`,
      values: [numbers],
    });
    if (!asked.ok) return asked;
    return succeed(asked.value.rows.flatMap(({ number, gone }) => (goneSince.look(number, gone) ? [number] : [])));
  },
  publish: (message) => pubSub.publish(message),
  subscribe: (listener) => pubSub.subscribe(listener),
});
