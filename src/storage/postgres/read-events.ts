/** Rows → events, with a word about each that cannot be read. Changes nothing. */

import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { formProblem } from '../../core/copy-events.ts';
import type { Event } from '../../core/events.ts';
import { counted } from '../../core/number-text.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { Database, Rows } from './database.ts';

/** `lastSeq`: how far it was read, also where the last ones were left out. */
export type ReadEvents = { events: Event[]; warnings: string[]; lastSeq: number };

type Row = { seq: string; body: string | null; next: string | null };

/** As many as are read at a time, in number and in bytes; at least one. What is larger than an event may be stays there. */
const READ = `
  SELECT seq, CASE WHEN bytes <= $4 THEN body::text END AS body, next
  FROM (
    SELECT seq, body, bytes, lead(seq) OVER part_in_order AS next,
      sum(least(bytes, $4)) OVER part_in_order - least(bytes, $4) AS bytes_before
    FROM (
      SELECT seq, body, octet_length(body::text) AS bytes
      FROM halter.events WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3
    ) AS part WINDOW part_in_order AS (ORDER BY seq)
  ) AS counted WHERE bytes_before < $5 ORDER BY seq`;

/** What comes after a `seq`, in order. */
export type EventReader = (session: { id: string; number: string }, after?: number) => Promise<Outcome<ReadEvents>>;

export const createEventReader =
  (database: Database, maxBytes: number = STORAGE_LIMITS.sessionLineBytes): EventReader =>
  async (session, after = 0) => {
    const events: Event[] = [];
    const warnings: string[] = [];
    let leftOut = 0;
    let lastSeq = after;
    const part = (from: number): Promise<Outcome<Rows<Row>>> =>
      database.query<Row>({
        name: 'halter_read',
        text: READ,
        values: [session.number, from, STORAGE_LIMITS.databaseReadEvents, maxBytes, STORAGE_LIMITS.databaseReadBytes],
      });
    let coming: ReturnType<typeof part> | undefined = part(after);
    while (coming) {
      const read: Outcome<Rows<Row>> = await coming;
      if (!read.ok) return read;
      const { rows }: Rows<Row> = read.value;
      const last = rows.at(-1);
      if (last === undefined) break;
      lastSeq = Number(last.seq);
      // The database reads the next part while this one is looked at; what is asked leaves with the turn of the event loop.
      coming = last.next === null && rows.length < STORAGE_LIMITS.databaseReadEvents ? undefined : part(lastSeq);
      await eventLoopTurn();
      for (const row of rows) {
        const event = eventOf(row);
        if (typeof event !== 'string') {
          events.push(event);
          continue;
        }
        leftOut += 1;
        if (leftOut > STORAGE_LIMITS.sessionWarnings) continue;
        warnings.push(`${session.id}: event ${row.seq} was left out, because ${event}; it stays in the database`);
      }
    }
    if (leftOut > STORAGE_LIMITS.sessionWarnings)
      warnings.push(`${session.id}: ${counted(leftOut, 'event')} were left out in all`);
    return succeed({ events, warnings, lastSeq });
  };

/** The event, or what is wrong with it: the database knows only that it is JSON. */
const eventOf = ({ seq, body }: Omit<Row, 'next'>): Event | string => {
  if (body === null) return 'it is too long';
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return 'it is not JSON';
  }
  const problem = formProblem(value);
  if (problem !== undefined) return problem;
  return (value as Event).seq === Number(seq) ? (value as Event) : 'its number is another one';
};
