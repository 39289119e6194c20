/**
 * One session's log, open for appending by this process alone. `fence` is the fencing token, counted up when the log was
 * opened: an append with an older one changes nothing, so a process that was taken for dead cannot write behind its successor.
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
  /** The fencing token. */
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

/** By two clocks: the one stands still while a machine sleeps, the other can be set. */
type Moment = readonly [steadyMs: number, wallMs: number];
const NEVER: Moment = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
const clocks = (): Moment => [performance.now(), Date.now()];
const isWithin = ([steady, wall]: Moment, ms: number): boolean =>
  performance.now() - steady < ms && Math.abs(Date.now() - wall) < ms;

/** An event on its way into the log. */
type Entry = { seq: number; body: string; after: number; columns: SummaryColumns };

export const createPostgresLog = (database: Database, session: OpenedSession): SessionLog =>
  inTurn(session.id, new PostgresLog(database, session));

class PostgresLog implements SessionLog {
  readonly #database: Database;
  readonly #session: OpenedSession;
  #lastSeq: number;
  /** When it was last asked whether this process has the session, and it had. */
  #heldAt = NEVER;
  /** Kept, and not known to be on the disk: a database that crashed may have lost them, and gets them again. */
  #unflushed: Entry[] = [];

  constructor(database: Database, session: OpenedSession) {
    this.#database = database;
    this.#session = session;
    this.#lastSeq = session.lastSeq;
  }

  async append(event: Event): Promise<Outcome<void>> {
    const { summary, onAppended } = this.#session;
    const body = JSON.stringify(event);
    const bytes = Buffer.byteLength(body);
    if (bytes > STORAGE_LIMITS.sessionLineBytes) {
      return failure('validation_failed', `An event of ${bytes} bytes is too large for a session`, 'too_large');
    }
    if (event.seq <= this.#lastSeq) return this.#isPast(event.seq);
    const entry: Entry = { seq: event.seq, body, after: this.#lastSeq, columns: summary.with(event) };
    const flush = !followsFromFacts(event);
    const askedAt = clocks();
    const sent = await this.#send(entry, flush);
    if (!sent.ok) return sent;
    if (sent.value.rows.length === 0) {
      const kept = await this.#sendAgain(entry);
      if (!kept.ok) return kept;
    }
    this.#heldAt = askedAt;
    summary.add(event);
    this.#lastSeq = event.seq;
    this.#unflushed = flush ? [] : [...this.#unflushed, entry];
    onAppended(event.seq);
    return succeed(undefined);
  }

  /** By the time at which the database was asked, not the one of its answer: between them this process may be frozen. */
  async holds(): Promise<boolean> {
    if (isWithin(this.#heldAt, STORAGE_LIMITS.fenceKnownMs)) return true;
    for (let tries = 0; tries < STORAGE_LIMITS.fenceTries; tries += 1) {
      const askedAt = clocks();
      const asked = await this.#database.query<{ held: boolean }>({
        name: 'halter_holds',
        text: 'SELECT fence = $2 AS held FROM halter.sessions WHERE number = $1',
        values: [this.#session.number, this.#session.fence],
        waitMs: STORAGE_LIMITS.fenceWaitMs,
      });
      if (!asked.ok || asked.value.rows[0]?.held !== true) return false;
      this.#heldAt = askedAt;
      if (isWithin(askedAt, STORAGE_LIMITS.fenceKnownMs)) return true;
    }
    return false;
  }

  close(): Promise<void> {
    return this.#session.release();
  }

  #send({ seq, body, after, columns }: Entry, flush: boolean) {
    const { number, fence } = this.#session;
    const { updatedAt, messageCount, name, firstWords, model, workspace } = columns;
    return this.#database.query<{ seq: string }>({
      name: 'halter_append',
      text: APPEND,
      values: [number, fence, seq, body, after, updatedAt, messageCount, name, firstWords, model, workspace, flush],
    });
  }

  /**
   * The append changed nothing: another process has the session, or an earlier attempt at the same append arrived after
   * all, or the database crashed and lost what was not flushed.
   */
  async #sendAgain(entry: Entry): Promise<Outcome<void>> {
    const { id, number, fence } = this.#session;
    const asked = await this.#database.query<{ fence: string; last_seq: string; body: string | null }>({
      text: `
        SELECT fence, last_seq, (SELECT body::text FROM halter.events WHERE session = $1 AND seq = $2) AS body
        FROM halter.sessions WHERE number = $1`,
      values: [number, entry.seq],
    });
    if (!asked.ok) return asked;
    const [row] = asked.value.rows;
    if (row?.fence !== fence) {
      const what = row ? 'was taken over by another halter' : 'was removed';
      return failure('io_error', `The session ${id} ${what}; nothing more is written here`, 'lost');
    }
    const there = Number(row.last_seq);
    if (there === entry.seq && row.body === entry.body) return succeed(undefined);
    const missing = [...this.#unflushed, entry].filter(({ seq }) => seq > there);
    if (missing[0]?.after !== there) return this.#isPast(entry.seq);
    for (const one of missing) {
      const sent = await this.#send(one, true);
      if (!sent.ok) return sent;
      if (sent.value.rows.length === 0 && !sent.value.repeated) return this.#isPast(one.seq);
    }
    return succeed(undefined);
  }

  #isPast(seq: number): Outcome<never> {
    return failure('validation_failed', `The session ${this.#session.id} is past event ${seq} already`, 'exists');
  }
}
