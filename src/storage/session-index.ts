/**
 * An index beside the session files, for people with many sessions: what a list shows of each, and which words stand in
 * it. The files are what counts. A file whose size or time is another one is read again; an index that cannot be read is
 * removed and made from the files.
 */
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { SessionSummary } from '../core/storage-port.ts';
import { STORAGE_LIMITS } from './limits.ts';

export type SessionIndexPorts = {
  /** The database. Its folder is made where it is missing. */
  file: string;
  pathOf(id: string): string;
  /** From the file; undefined where it is no session. */
  summarize(id: string): Promise<SessionSummary | undefined>;
  /** Everything that was said in a session. */
  words(id: string): Promise<string>;
};

type State = { size: number; modifiedMs: number };
type Known = State & { id: string };

const VERSION = 1;
const TABLES = `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY, size INTEGER NOT NULL, modified_ms REAL NOT NULL, is_session INTEGER NOT NULL,
    title TEXT NOT NULL, workspace TEXT NOT NULL, model TEXT NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, message_count INTEGER NOT NULL
  );
  CREATE INDEX sessions_by_time ON sessions (updated_at DESC, id DESC);
  CREATE TABLE worded (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified_ms REAL NOT NULL);
  CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, tokenize='trigram');
  PRAGMA user_version = ${VERSION};
`;

export class SessionIndex {
  readonly #ports: SessionIndexPorts;
  #database: DatabaseSync | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(ports: SessionIndexPorts) {
    this.#ports = ports;
  }

  /** Newest first. Undefined where no index can be had; the caller reads the files then. */
  list(
    ids: readonly string[],
    { workspace, limit }: { workspace?: string; limit?: number },
  ): Promise<SessionSummary[] | undefined> {
    return this.#inTurn(async (database) => {
      await this.#summarizeChanged(database, ids);
      return database
        .prepare(
          `SELECT id, title, workspace, model, created_at, updated_at, message_count FROM sessions
           WHERE is_session AND (?1 IS NULL OR workspace = ?1) ORDER BY updated_at DESC, id DESC LIMIT ?2`,
        )
        .all(workspace ?? null, limit ?? -1)
        .map((row) => ({ ...row }) as SessionSummary);
    });
  }

  /** Sessions that may hold all of these words, in small letters; none that does is left out. */
  holding(ids: readonly string[], words: readonly string[]): Promise<Set<string> | undefined> {
    return this.#inTurn(async (database) => {
      await this.#wordChanged(database, ids);
      // Shorter words than the index knows narrow nothing down.
      const known = words.filter((word) => [...word].length >= TRIGRAM);
      if (known.length === 0) return new Set(ids);
      const query = known.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ');
      const found = database
        .prepare('SELECT id FROM words JOIN worded ON number = words.rowid WHERE words MATCH ?')
        .all(query) as { id: string }[];
      return new Set(found.map(({ id }) => id));
    });
  }

  async #summarizeChanged(database: DatabaseSync, ids: readonly string[]): Promise<void> {
    const known = database.prepare('SELECT id, size, modified_ms AS modifiedMs FROM sessions').all() as Known[];
    const put = database.prepare('INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    const remove = database.prepare('DELETE FROM sessions WHERE id = ?');
    await this.#forChanged(database, ids, known, {
      read: (id) => this.#ports.summarize(id),
      put: (id, { size, modifiedMs }, summary) => {
        const { title, workspace, model, created_at, updated_at, message_count } = summary ?? NOTHING;
        const isSession = summary === undefined ? 0 : 1;
        put.run(id, size, modifiedMs, isSession, title, workspace, model, created_at, updated_at, message_count);
      },
      remove: (id) => remove.run(id),
    });
  }

  async #wordChanged(database: DatabaseSync, ids: readonly string[]): Promise<void> {
    const known = database.prepare('SELECT id, size, modified_ms AS modifiedMs FROM worded').all() as Known[];
    const removeWords = database.prepare('DELETE FROM words WHERE rowid = (SELECT number FROM worded WHERE id = ?)');
    const remove = (id: string): void => {
      removeWords.run(id);
      database.prepare('DELETE FROM worded WHERE id = ?').run(id);
    };
    await this.#forChanged(database, ids, known, {
      read: (id) => this.#ports.words(id),
      put: (id, { size, modifiedMs }, text) => {
        remove(id);
        const added = database
          .prepare('INSERT INTO worded (id, size, modified_ms) VALUES (?, ?, ?)')
          .run(id, size, modifiedMs);
        database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)').run(added.lastInsertRowid, text);
      },
      remove,
    });
  }

  /** Reads files that changed, some at once, and writes what came of them in one transaction. */
  async #forChanged<T>(
    database: DatabaseSync,
    ids: readonly string[],
    known: readonly Known[],
    work: { read(id: string): Promise<T>; put(id: string, state: State, read: T): void; remove(id: string): void },
  ): Promise<void> {
    const before = new Map(known.map((row) => [row.id, row]));
    const changed: { id: string; state: State }[] = [];
    for (const id of ids) {
      const state = this.#stateOf(id);
      const row = before.get(id);
      if (state === undefined) continue;
      before.delete(id);
      if (row?.size !== state.size || row.modifiedMs !== state.modifiedMs) changed.push({ id, state });
    }
    if (changed.length === 0 && before.size === 0) return;
    for (let from = 0; from < changed.length || from === 0; from += STORAGE_LIMITS.sessionIndexBatch) {
      const part = changed.slice(from, from + STORAGE_LIMITS.sessionIndexBatch);
      const read = await Promise.all(part.map(({ id }) => work.read(id)));
      database.exec('BEGIN IMMEDIATE');
      try {
        if (from === 0) for (const id of before.keys()) work.remove(id);
        for (const [at, { id, state }] of part.entries()) work.put(id, state, read[at] as T);
        database.exec('COMMIT');
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    }
  }

  #stateOf(id: string): State | undefined {
    // Asynchronous calls for thousands of files cost many times this.
    const stat = statSync(this.#ports.pathOf(id), { throwIfNoEntry: false });
    return stat && { size: stat.size, modifiedMs: stat.mtimeMs };
  }

  #inTurn<T>(work: (database: DatabaseSync) => Promise<T>): Promise<T | undefined> {
    const mine = this.#queue.then(async () => {
      try {
        return await work(await this.#open());
      } catch (error) {
        this.#forget(isBusy(error));
        return undefined;
      }
    });
    this.#queue = mine;
    return mine;
  }

  async #open(): Promise<DatabaseSync> {
    if (this.#database) return this.#database;
    const { DatabaseSync: Database } = await import('node:sqlite');
    mkdirSync(dirname(this.#ports.file), { recursive: true, mode: 0o700 });
    const database = new Database(this.#ports.file, { timeout: STORAGE_LIMITS.sessionIndexBusyMs });
    this.#database = database;
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version === 0) database.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT`);
    else if (version !== VERSION) throw new Error('the index is of another version');
    return database;
  }

  /** Another process may be writing it; anything else is a reason to make a new one the next time. */
  #forget(keep: boolean): void {
    const { file } = this.#ports;
    try {
      this.#database?.close();
    } catch {
      // It is as good as closed.
    }
    this.#database = undefined;
    if (keep) return;
    try {
      for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path, { recursive: true, force: true });
    } catch {
      // A read-only disk: lists go on without an index.
    }
  }
}

const TRIGRAM = 3;
const NOTHING: Omit<SessionSummary, 'id'> = {
  title: '',
  workspace: '',
  model: '',
  created_at: 0,
  updated_at: 0,
  message_count: 0,
};
const SQLITE_BUSY = 5;
const isBusy = (error: unknown): boolean => (error as { errcode?: unknown }).errcode === SQLITE_BUSY;
