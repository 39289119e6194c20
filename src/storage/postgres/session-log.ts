/**
 * One session's log, open for appending by this process alone. The number `fence` was counted up when it was opened: an
 * append with an older one changes nothing, so a process that was taken for dead cannot write behind its successor.
 */

import type { Event } from '../../core/events.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { SessionLog } from '../../core/storage-port.ts';
import { inTurn } from '../in-turn.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import { followsFromFacts } from '../session-format.ts';
import type { Database } from './database.ts';
import type { Summary, SummaryColumns } from './summary.ts';

export type OpenedSession = {
  id: string;
  number: string;
  fence: string;
  /** Where the log ends. */
  lastSeq: number;
  summary: Summary;
  onAppended(seq: number): void;
  release(): Promise<void>;
};

/**
 * The row and the event in one statement: both or neither, and one way to the database and back. It wants the log to end
 * where this process left it. What follows from the facts before it waits for no disk; the next fact's flush is its own.
 */
const APPEND = `
  WITH held AS (
    UPDATE halter.sessions SET
      last_seq = $3, updated_at = $6, message_count = $7, name = $8,
      first_words = COALESCE($9, first_words), model = COALESCE($10, model), workspace = COALESCE($11, workspace)
    WHERE number = $1 AND fence = $2 AND last_seq = $5
    RETURNING number
  ), waits AS (
    SELECT set_config(
      'synchronous_commit', CASE WHEN $12 THEN current_setting('synchronous_commit') ELSE 'off' END, true)
  )
  INSERT INTO halter.events (session, seq, body) SELECT number, $3::bigint, $4::json FROM held, waits RETURNING seq`;

/** An event on its way into the log. */
type Entry = { seq: number; body: string; after: number; columns: SummaryColumns };

export const createPostgresLog = (database: Database, session: OpenedSession): SessionLog => {
  let { lastSeq } = session;
  /** Kept, and not known to be on the disk: a database that crashed may have lost them, and gets them again. */
  let unflushed: Entry[] = [];

  const send = (entry: Entry, flush: boolean) =>
    database.query<{ seq: string }>({
      name: 'halter_append',
      text: APPEND,
      values: [
        session.number,
        session.fence,
        entry.seq,
        entry.body,
        entry.after,
        entry.columns.updatedAt,
        entry.columns.messageCount,
        entry.columns.name,
        entry.columns.firstWords,
        entry.columns.model,
        entry.columns.workspace,
        flush,
      ],
    });
  const append = async (event: Event): Promise<Outcome<void>> => {
    const body = JSON.stringify(event);
    const bytes = Buffer.byteLength(body);
    if (bytes > STORAGE_LIMITS.sessionLineBytes) {
      return failure('validation_failed', `An event of ${bytes} bytes is too large for a session`, 'too_large');
    }
    if (event.seq <= lastSeq) return past(event.seq);
    const entry: Entry = { seq: event.seq, body, after: lastSeq, columns: session.summary.with(event) };
    const flush = !followsFromFacts(event);
    const sent = await send(entry, flush);
    if (!sent.ok) return sent;
    if (sent.value.rows.length === 0) {
      const kept = await sendAgain(entry);
      if (!kept.ok) return kept;
    }
    session.summary.add(event);
    lastSeq = event.seq;
    unflushed = flush ? [] : [...unflushed, entry];
    session.onAppended(event.seq);
    return succeed(undefined);
  };
  /**
   * Nothing was changed: somebody else has the session, or an earlier sending of the same arrived after all, or the
   * database crashed and lost what waited for no disk.
   */
  const sendAgain = async (entry: Entry): Promise<Outcome<void>> => {
    const asked = await database.query<{ fence: string; last_seq: string; body: string | null }>({
      text: `
        SELECT fence, last_seq, (SELECT body::text FROM halter.events WHERE session = $1 AND seq = $2) AS body
        FROM halter.sessions WHERE number = $1`,
      values: [session.number, entry.seq],
    });
    if (!asked.ok) return asked;
    const [row] = asked.value.rows;
    if (row?.fence !== session.fence) {
      const what = row ? 'was taken over by another halter' : 'was removed';
      return failure('io_error', `The session ${session.id} ${what}; nothing more is written here`, 'lost');
    }
    const there = Number(row.last_seq);
    if (there === entry.seq && row.body === entry.body) return succeed(undefined);
    const missing = [...unflushed, entry].filter(({ seq }) => seq > there);
    if (missing[0]?.after !== there) return past(entry.seq);
    for (const one of missing) {
      const sent = await send(one, true);
      if (!sent.ok) return sent;
      if (sent.value.rows.length === 0 && !sent.value.repeated) return past(one.seq);
    }
    return succeed(undefined);
  };
  const past = (seq: number) =>
    failure('validation_failed', `The session ${session.id} is past event ${seq} already`, 'exists');

  return inTurn(session.id, { append, close: () => session.release() });
};
