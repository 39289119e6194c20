/** The sessions that were put in front of the others, for every machine that works on this database. */

import { succeed } from '../../core/outcome.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { PinStore } from '../pins.ts';
import type { Database } from './database.ts';
import { LOCK_CLASS, PINS_LOCK } from './locks.ts';

export const PINS_TABLE = `
  CREATE TABLE halter.pins (
    session text COLLATE "C" PRIMARY KEY,
    position bigint GENERATED ALWAYS AS IDENTITY
  )`;

export const createPostgresPins = (database: Database): PinStore => ({
  async read() {
    const asked = await database.query<{ session: string }>({ text: 'SELECT session FROM halter.pins' });
    return asked.ok ? succeed(new Set(asked.value.rows.map(({ session }) => session))) : asked;
  },
  set: (session, pinned) =>
    database.transaction(async (ask) => {
      await ask({ text: 'SELECT pg_advisory_xact_lock($1, $2)', values: [LOCK_CLASS, PINS_LOCK] });
      if (!pinned) {
        await ask({ text: 'DELETE FROM halter.pins WHERE session = $1', values: [session] });
        return;
      }
      await ask({ text: 'INSERT INTO halter.pins (session) VALUES ($1) ON CONFLICT DO NOTHING', values: [session] });
      // The oldest give way, and their sessions stay.
      await ask({
        text: 'DELETE FROM halter.pins WHERE session IN (SELECT session FROM halter.pins ORDER BY position DESC OFFSET $1)',
        values: [STORAGE_LIMITS.pinnedSessions],
      });
    }),
});
