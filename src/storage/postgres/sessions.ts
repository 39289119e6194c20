/**
 * Sessions in PostgreSQL. A session is open in one process at a time: the one whose number stands on its row, as long as
 * the connection of that process holds its lock (see pub-sub.ts) and its lease of progress is renewed (see lease.ts). The
 * lock goes with the process, however it ends, and a frozen process loses its lease; the session can then be taken over.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Event, SESSION_VERSION } from '../../core/events.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { SessionStore, SessionSummary } from '../../core/storage-port.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import { checkSessionId, checkVersion } from '../session-format.ts';
import type { Ask, Database } from './database.ts';
import type { GoneSince } from './gone-since.ts';
import { isGone, type Lease } from './lease.ts';
import type { PubSub } from './pub-sub.ts';
import type { EventReader } from './read-events.ts';
import { createPostgresLog } from './session-log.ts';
import { createSummary, type SummaryColumns } from './summary.ts';

export type PostgresSessionsOptions = {
  database: Database;
  pubSub: PubSub;
  lease: Lease;
  goneSince: GoneSince;
  read: EventReader;
  /** Milliseconds since 1970. */
  now(): number;
};

type Taken = { number: string; fence: string; copied_to: string };
type OpenerRow = { version: number; opener: number | null; gone: boolean | null };
type SessionRow = Record<'id' | 'title' | 'workspace' | 'model' | 'created_at' | 'updated_at', string> & {
  message_count: number;
};

export class PostgresSessions implements SessionStore {
  readonly #options: PostgresSessionsOptions;
  readonly #database: Database;
  /** Open in this very process. */
  readonly #mine = new Set<string>();

  constructor(options: PostgresSessionsOptions) {
    this.#options = options;
    this.#database = options.database;
  }

  open(id: string): ReturnType<SessionStore['open']> {
    return this.#holding(id, async () => {
      const made = await this.#database.query({
        text: `
          INSERT INTO halter.sessions (id, version, created_at, updated_at) VALUES ($1, $2, $3, $3)
          ON CONFLICT (id) DO NOTHING`,
        values: [id, SESSION_VERSION, Math.round(this.#options.now())],
      });
      if (!made.ok) return made;
      const taken = await this.#takeWhenFree(id);
      if (!taken.ok) return taken;
      const session = taken.value;
      const read = await this.#options.read({ id, number: session.number });
      if (!read.ok) {
        await this.#release(id, session);
        return read;
      }
      const { events, warnings, lastSeq } = read.value;
      const log = createPostgresLog(this.#database, {
        id,
        number: session.number,
        fence: session.fence,
        lastSeq,
        summary: createSummary(events),
        onAppended: (seq) => this.#options.pubSub.announce(id, seq),
        release: () => this.#release(id, session),
      });
      return succeed({ log, events, warnings, copiedTo: Number(session.copied_to) });
    });
  }

  async create(id: string, events: readonly Event[]): Promise<Outcome<void>> {
    const checked = checkSessionId(id);
    if (!checked.ok) return checked;
    const at = Math.round(this.#options.now());
    const done = await this.#database.transaction((ask, repeated) => insertWhole(ask, { id, events, at, repeated }));
    if (!done.ok) return done;
    if (!done.value) return failure('validation_failed', `There is a session ${id} already`, 'exists');
    this.#options.pubSub.announce(id, events.at(-1)?.seq ?? 0);
    return succeed(undefined);
  }

  async ids(): Promise<Outcome<string[]>> {
    const asked = await this.#database.query<{ id: string }>({
      text: 'SELECT id FROM halter.sessions WHERE last_seq > 0',
    });
    return asked.ok ? succeed(asked.value.rows.map(({ id }) => id)) : asked;
  }

  async read(id: string): Promise<Outcome<{ events: Event[]; warnings: string[] }>> {
    const number = await this.#numberOf(id);
    if (!number.ok) return number;
    const read = await this.#options.read({ id, number: number.value });
    return read.ok ? succeed({ events: read.value.events, warnings: read.value.warnings }) : read;
  }

  async list({
    workspace,
    alias,
    limit,
  }: {
    workspace?: string;
    alias?: string;
    limit?: number;
  } = {}): Promise<Outcome<SessionSummary[]>> {
    const asked = await this.#database.query<SessionRow>({
      text: `
        SELECT id, CASE WHEN name = '' THEN first_words ELSE name END AS title, workspace, model, created_at,
          updated_at, message_count
        FROM halter.sessions WHERE last_seq > 0 AND ($1::text IS NULL OR workspace IN ($1, $3))
        ORDER BY updated_at DESC, id DESC LIMIT $2`,
      values: [workspace ?? null, limit ?? null, alias ?? null],
    });
    return asked.ok ? succeed(asked.value.rows.map(summaryOf)) : asked;
  }

  /** By the beginnings of words: the middle of a word is not found. */
  async holding(words: readonly string[]): Promise<Outcome<ReadonlySet<string> | undefined>> {
    const parts = words.flatMap((word) => word.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []);
    if (parts.length === 0) return succeed(undefined);
    const asked = await this.#database.query<{ id: string }>({
      text: `
        SELECT id FROM halter.sessions JOIN (
          SELECT session FROM halter.events WHERE halter.spoken(body) @@ to_tsquery('simple', $1) GROUP BY session
        ) AS found ON number = session`,
      values: [parts.map((part) => `${part}:*`).join(' & ')],
    });
    return asked.ok ? succeed(new Set(asked.value.rows.map(({ id }) => id))) : asked;
  }

  remove(id: string): Promise<Outcome<void>> {
    return this.#holding(id, async () => {
      const taken = await this.#takeWhenFree(id);
      if (!taken.ok) return taken;
      const { number, fence } = taken.value;
      const removed = await this.#database.query({
        text: `
          WITH gone AS (DELETE FROM halter.sessions WHERE number = $1 AND fence = $2 RETURNING number, id),
            documents AS (DELETE FROM halter.documents WHERE session IN (SELECT id FROM gone)),
            failed_jobs AS (DELETE FROM halter.failed_jobs WHERE session IN (SELECT id FROM gone)),
            deaths AS (DELETE FROM halter.deaths WHERE session IN (SELECT id FROM gone)),
            -- They did not die with nothing in work.
            leases AS (UPDATE halter.leases SET works = false
              WHERE number IN (SELECT process FROM halter.deaths WHERE session IN (SELECT id FROM gone))),
            results AS (DELETE FROM halter.results WHERE session IN (SELECT number FROM gone))
          DELETE FROM halter.events WHERE session IN (SELECT number FROM gone)`,
        values: [number, fence],
      });
      if (!removed.ok) return removed;
      this.#mine.delete(id);
      this.#options.pubSub.announce(id, 0);
      return succeed(undefined);
    });
  }

  /** Runs with the session marked as open here; `work` keeps it or gives it back. */
  async #holding<T>(id: string, work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const checked = checkSessionId(id);
    if (!checked.ok) return checked;
    if (this.#mine.has(id)) return inUse(id);
    this.#mine.add(id);
    const done = await work();
    if (!done.ok) this.#mine.delete(id);
    return done;
  }

  /** A process whose connection just broke gets some time to come back: the database itself may have restarted. */
  async #takeWhenFree(id: string): Promise<Outcome<Taken>> {
    const opener = await this.#options.pubSub.opener();
    if (!opener.ok) return opener;
    await this.#options.lease.begin(opener.value);
    const began = performance.now();
    let dead: number | null = null;
    for (;;) {
      const taken = await this.#take(id, opener.value, dead);
      if (!taken.ok) return taken;
      if (taken.value) return succeed(taken.value);
      const found = await this.#openerOf(id);
      if (!found.ok) return found;
      const row = found.value;
      if (row === undefined) return failure('not_found', `There is no session ${id}`);
      const version = checkVersion({ type: 'halter_session', version: row.version, id, created_at: 0 }, id);
      if (!version.ok) return version;
      const waited = performance.now() - began;
      if (waited >= (row.gone === false ? STORAGE_LIMITS.databaseInUseMs : STORAGE_LIMITS.databaseWaitMs))
        return inUse(id);
      dead = row.opener !== null && this.#options.goneSince.look(row.opener, row.gone) ? row.opener : null;
      if (dead === null) await sleep(STORAGE_LIMITS.databaseTakeoverRetryMs);
    }
  }

  /** The session is this process's from now on. `dead`: an opener that was seen to be gone. */
  async #take(id: string, opener: number, dead: number | null): Promise<Outcome<Taken | undefined>> {
    const taken = await this.#database.query<Taken>({
      text: `
        UPDATE halter.sessions SET opener = $2, fence = fence + 1
        WHERE id = $1 AND version <= $4 AND (opener IS NULL OR opener = $2 OR opener = $3)
        RETURNING number, fence, copied_to`,
      values: [id, opener, dead, SESSION_VERSION],
    });
    return taken.ok ? succeed(taken.value.rows[0]) : taken;
  }

  /** Which process has it open, and whether that one is gone; null where that cannot be known yet. */
  async #openerOf(id: string): Promise<Outcome<OpenerRow | undefined>> {
    const asked = await this.#database.query<OpenerRow>({
      text: `
        SELECT version, opener, CASE WHEN opener IS NULL THEN NULL ELSE ${isGone('opener')} END AS gone
        FROM halter.sessions WHERE id = $1`,
      values: [id],
    });
    return asked.ok ? succeed(asked.value.rows[0]) : asked;
  }

  async #release(id: string, { number, fence }: Pick<Taken, 'number' | 'fence'>): Promise<void> {
    // What was opened and never written is nothing.
    await this.#database.query({
      text: `
        WITH empty AS (DELETE FROM halter.sessions WHERE number = $1 AND fence = $2 AND last_seq = 0)
        UPDATE halter.sessions SET opener = NULL WHERE number = $1 AND fence = $2 AND last_seq > 0`,
      values: [number, fence],
    });
    this.#mine.delete(id);
  }

  async #numberOf(id: string): Promise<Outcome<string>> {
    const checked = checkSessionId(id);
    if (!checked.ok) return checked;
    const asked = await this.#database.query<{ number: string; version: number }>({
      name: 'halter_find',
      text: 'SELECT number, version FROM halter.sessions WHERE id = $1',
      values: [id],
    });
    if (!asked.ok) return asked;
    const [row] = asked.value.rows;
    if (row === undefined) return failure('not_found', `There is no session ${id} in the database`);
    const version = checkVersion({ type: 'halter_session', version: row.version, id, created_at: 0 }, id);
    return version.ok ? succeed(row.number) : version;
  }
}

const inUse = (id: string) =>
  failure(
    'io_error',
    `The session ${id} is open in another halter; close it there, or go on with a copy of it (--fork)`,
    'in_use',
  );

const summaryOf = ({
  id,
  title,
  workspace,
  model,
  created_at,
  updated_at,
  message_count,
}: SessionRow): SessionSummary => ({
  id,
  title,
  workspace,
  model,
  created_at: Number(created_at),
  updated_at: Number(updated_at),
  message_count,
});

type Whole = { id: string; events: readonly Event[]; at: number; repeated: boolean };

/** False where there is one of this id already. */
const insertWhole = async (ask: Ask, { id, events, at, repeated }: Whole): Promise<boolean> => {
  const summary = createSummary();
  const row: SummaryColumns & { firstWords: string; model: string; workspace: string } = {
    updatedAt: at,
    messageCount: 0,
    name: '',
    firstWords: '',
    model: '',
    workspace: '',
  };
  for (const event of events) {
    const columns = summary.add(event);
    Object.assign(row, Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)));
  }
  const lastSeq = events.at(-1)?.seq ?? 0;
  const [made] = await ask<{ number: string }>({
    text: `
      INSERT INTO halter.sessions
        (id, version, created_at, updated_at, last_seq, message_count, name, first_words, model, workspace)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING RETURNING number`,
    values: [
      id,
      SESSION_VERSION,
      at,
      row.updatedAt,
      lastSeq,
      row.messageCount,
      row.name,
      row.firstWords,
      row.model,
      row.workspace,
    ],
  });
  if (made === undefined) {
    // The first try may have come through before its connection broke.
    const [there] = await ask<{ created_at: string; last_seq: string }>({
      text: 'SELECT created_at, last_seq FROM halter.sessions WHERE id = $1',
      values: [id],
    });
    return repeated && Number(there?.created_at) === at && Number(there?.last_seq) === lastSeq;
  }
  for (let from = 0; from < events.length; from += STORAGE_LIMITS.databaseReadEvents) {
    const part = events.slice(from, from + STORAGE_LIMITS.databaseReadEvents);
    await ask({
      text: `
        INSERT INTO halter.events (session, seq, body)
        SELECT $1, seq, body::json FROM unnest($2::bigint[], $3::text[]) AS part (seq, body)`,
      values: [made.number, part.map(({ seq }) => seq), part.map((event) => JSON.stringify(event))],
    });
  }
  return true;
};
