/**
 * One session's log, open for appending by this process alone. The number `fence` was counted up when it was opened: an
 * append with an older one changes nothing, so a process that was taken for dead cannot write behind its successor.
 */
import type { Event } from '../../core/events.ts';
import { LIMITS } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { SessionLog } from '../../core/storage-port.ts';
import type { Database } from './database.ts';
import type { Summary } from './summary.ts';

export type OpenedSession = {
  id: string;
  number: string;
  fence: string;
  summary: Summary;
  onAppended(seq: number): void;
  release(): Promise<void>;
};

/** The row and the event in one statement: both or neither, and one way to the database and back. */
const APPEND = `
  WITH held AS (
    UPDATE halter.sessions SET
      last_seq = $3, updated_at = $5, message_count = $6, name = $7,
      first_words = COALESCE($8, first_words), model = COALESCE($9, model), workspace = COALESCE($10, workspace)
    WHERE number = $1 AND fence = $2 AND last_seq < $3
    RETURNING number
  )
  INSERT INTO halter.events (session, seq, body) SELECT number, $3::bigint, $4::json FROM held RETURNING seq`;

export const createPostgresLog = (database: Database, session: OpenedSession): SessionLog => {
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  const append = async (event: Event): Promise<Outcome<void>> => {
    if (closed) return failure('io_error', `The session ${session.id} is closed`, 'closed');
    const body = JSON.stringify(event);
    const bytes = Buffer.byteLength(body);
    if (bytes > LIMITS.sessionLineBytes) {
      return failure('validation_failed', `An event of ${bytes} bytes is too large for a session`, 'too_large');
    }
    const columns = session.summary.with(event);
    const sent = await database.query<{ seq: string }>({
      name: 'halter_append',
      text: APPEND,
      values: [
        session.number,
        session.fence,
        event.seq,
        body,
        columns.updatedAt,
        columns.messageCount,
        columns.name,
        columns.firstWords,
        columns.model,
        columns.workspace,
      ],
    });
    if (!sent.ok) return sent;
    if (sent.value.rows.length === 0) {
      const kept = await whyNot(event.seq, body, sent.value.repeated);
      if (!kept.ok) return kept;
    }
    session.summary.add(event);
    session.onAppended(event.seq);
    return succeed(undefined);
  };
  /** Nothing was changed: somebody else has the session, or an earlier sending of the same arrived after all. */
  const whyNot = async (seq: number, body: string, repeated: boolean): Promise<Outcome<void>> => {
    const asked = await database.query<{ fence: string; body: string | null }>({
      text: `
        SELECT fence, (SELECT body::text FROM halter.events WHERE session = $1 AND seq = $2) AS body
        FROM halter.sessions WHERE number = $1`,
      values: [session.number, seq],
    });
    if (!asked.ok) return asked;
    const [row] = asked.value.rows;
    if (row?.fence !== session.fence) {
      const what = row ? 'was taken over by another halter' : 'was removed';
      return failure('io_error', `The session ${session.id} ${what}; nothing more is written here`, 'lost');
    }
    if (repeated && row.body === body) return succeed(undefined);
    return failure('validation_failed', `The session ${session.id} is past event ${seq} already`, 'exists');
  };

  return {
    append: (event) => {
      const done = last.then(() => append(event));
      last = done;
      return done;
    },
    close: async () => {
      await last;
      if (closed) return;
      closed = true;
      await session.release();
    },
  };
};
