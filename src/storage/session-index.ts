/**
 * An index beside the session files, for people with many sessions: what a list shows of each, and which words stand in
 * it. The files are what counts. A file whose size or time is another one is read again; an index that cannot be read is
 * removed and made from the files.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { OnReading, SessionSummary } from '../core/storage-port.ts';
import { makeFolder } from '../disk/make-folder.ts';
import { STORAGE_LIMITS } from './limits.ts';
import type { FileState, SessionLook } from './session-look.ts';

export type SessionIndexPorts = {
  /** The database. Its folder is made where it is missing. */
  file: string;
  /** From the file; undefined where it is no session. */
  summarize(id: string): Promise<SessionSummary | undefined>;
  /** Everything that was said in a session. */
  words(id: string): Promise<string>;
};

/** Of a file that is no session there is no summary. */
type Known = FileState & { summary: SessionSummary | undefined };
type Worded = FileState & { number: number };

type ChangedWork<T> = {
  onReading: OnReading | undefined;
  read(id: string): Promise<T>;
  put(id: string, state: FileState, read: T): void;
  remove(id: string): void;
};

/** What the database holds, in memory for as long as nobody else writes there. */
type Held = {
  /** As SQLite counts what other connections wrote. */
  version: number;
  known?: Map<string, Known>;
  worded?: Map<string, Worded>;
  /** Newest first. */
  listed?: SessionSummary[];
};

/** 2: the words of ways that were set aside stand in it. */
const VERSION = 2;
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
  #held: Held = { version: 0 };

  constructor(ports: SessionIndexPorts) {
    this.#ports = ports;
  }

  /** Newest first. Undefined where no index can be had; the caller reads the files then. */
  list(
    look: SessionLook,
    {
      workspace,
      alias,
      limit,
      onReading,
    }: { workspace?: string; alias?: string; limit?: number; onReading?: OnReading },
  ): Promise<SessionSummary[] | undefined> {
    return this.#inTurn(async (database) => {
      const known = await this.#summarizeChanged(database, look.states(), onReading);
      this.#held.listed ??= [...known.values()].flatMap(({ summary }) => summary ?? []).sort(newestFirst);
      const { listed } = this.#held;
      const own =
        workspace === undefined ? listed : listed.filter((summary) => [workspace, alias].includes(summary.workspace));
      // The caller may change what it gets.
      return own.slice(0, limit).map((summary) => ({ ...summary }));
    });
  }

  /** Sessions that may hold all of these words, in small letters; none that does is left out. */
  holding(look: SessionLook, words: readonly string[], onReading?: OnReading): Promise<Set<string> | undefined> {
    return this.#inTurn(async (database) => {
      const worded = await this.#wordChanged(database, look.states(), onReading);
      // Shorter words than the index knows narrow nothing down.
      const known = words.filter((word) => [...word].length >= TRIGRAM);
      if (known.length === 0) return new Set(look.ids);
      const query = known.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ');
      const found = database.prepare('SELECT rowid FROM words WHERE words MATCH ?').all(query) as { rowid: number }[];
      const numbers = new Set(found.map(({ rowid }) => rowid));
      return new Set([...worded].filter(([, { number }]) => numbers.has(number)).map(([id]) => id));
    });
  }

  async #summarizeChanged(
    database: DatabaseSync,
    states: ReadonlyMap<string, FileState>,
    onReading: OnReading | undefined,
  ): Promise<ReadonlyMap<string, Known>> {
    this.#held.known ??= readKnown(database);
    const { known } = this.#held;
    const put = database.prepare('INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    const remove = database.prepare('DELETE FROM sessions WHERE id = ?');
    await this.#forChanged(database, states, known, {
      onReading,
      read: (id) => this.#ports.summarize(id),
      put: (id, { size, modifiedMs }, summary) => {
        const { title, workspace, model, created_at, updated_at, message_count } = summary ?? NOTHING;
        const isSession = summary === undefined ? 0 : 1;
        put.run(id, size, modifiedMs, isSession, title, workspace, model, created_at, updated_at, message_count);
        known.set(id, { size, modifiedMs, summary });
        this.#held.listed = undefined;
      },
      remove: (id) => {
        remove.run(id);
        known.delete(id);
        this.#held.listed = undefined;
      },
    });
    return known;
  }

  async #wordChanged(
    database: DatabaseSync,
    states: ReadonlyMap<string, FileState>,
    onReading: OnReading | undefined,
  ): Promise<ReadonlyMap<string, Worded>> {
    this.#held.worded ??= readWorded(database);
    const { worded } = this.#held;
    const removeWords = database.prepare('DELETE FROM words WHERE rowid = (SELECT number FROM worded WHERE id = ?)');
    const removeWorded = database.prepare('DELETE FROM worded WHERE id = ?');
    const add = database.prepare('INSERT INTO worded (id, size, modified_ms) VALUES (?, ?, ?)');
    const addWords = database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
    const remove = (id: string): void => {
      removeWords.run(id);
      removeWorded.run(id);
      worded.delete(id);
    };
    await this.#forChanged(database, states, worded, {
      onReading,
      read: (id) => this.#ports.words(id),
      put: (id, { size, modifiedMs }, text) => {
        remove(id);
        const { lastInsertRowid } = add.run(id, size, modifiedMs);
        addWords.run(lastInsertRowid, text);
        worded.set(id, { number: Number(lastInsertRowid), size, modifiedMs });
      },
      remove,
    });
    return worded;
  }

  /** Reads files that changed, some at once, and writes what came of them in one transaction. */
  async #forChanged<T>(
    database: DatabaseSync,
    states: ReadonlyMap<string, FileState>,
    known: ReadonlyMap<string, FileState>,
    work: ChangedWork<T>,
  ): Promise<void> {
    const gone = [...known.keys()].filter((id) => !states.has(id));
    const changed: { id: string; state: FileState }[] = [];
    for (const [id, state] of states) {
      const before = known.get(id);
      if (before?.size !== state.size || before.modifiedMs !== state.modifiedMs) changed.push({ id, state });
    }
    if (changed.length === 0 && gone.length === 0) return;
    for (let from = 0; from < changed.length || from === 0; from += STORAGE_LIMITS.sessionIndexBatch) {
      const part = changed.slice(from, from + STORAGE_LIMITS.sessionIndexBatch);
      if (changed.length >= STORAGE_LIMITS.sessionIndexToldFrom) work.onReading?.(from, changed.length);
      const read = await Promise.all(part.map(({ id }) => work.read(id)));
      database.exec('BEGIN IMMEDIATE');
      try {
        if (from === 0) for (const id of gone) work.remove(id);
        for (const [at, { id, state }] of part.entries()) work.put(id, state, read[at] as T);
        database.exec('COMMIT');
      } catch (error) {
        this.#held = { version: this.#held.version };
        database.exec('ROLLBACK');
        throw error;
      }
    }
  }

  #inTurn<T>(work: (database: DatabaseSync) => Promise<T>): Promise<T | undefined> {
    const mine = this.#queue.then(async () => {
      try {
        const database = await this.#open();
        const { data_version: version } = database.prepare('PRAGMA data_version').get() as { data_version: number };
        if (version !== this.#held.version) this.#held = { version };
        return await work(database);
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
    makeFolder(dirname(this.#ports.file));
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
    this.#held = { version: 0 };
    if (keep) return;
    try {
      for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path, { recursive: true, force: true });
    } catch {
      // A read-only disk: lists go on without an index.
    }
  }
}

/** As lists show them; of the same moment, the later id. */
export const newestFirst = (one: SessionSummary, other: SessionSummary): number =>
  other.updated_at - one.updated_at || (one.id < other.id ? 1 : -1);

/** Rows as arrays: as objects, ten thousand take five times as long. */
const rowsOf = (database: DatabaseSync, query: string): unknown[][] => {
  const statement = database.prepare(query);
  statement.setReturnArrays(true);
  return statement.all() as unknown as unknown[][];
};

type SessionRow = [string, number, number, number, string, string, string, number, number, number];

const readKnown = (database: DatabaseSync): Map<string, Known> => {
  const rows = rowsOf(
    database,
    `SELECT id, size, modified_ms, is_session, title, workspace, model, created_at, updated_at, message_count
     FROM sessions ORDER BY updated_at DESC, id DESC`,
  ) as SessionRow[];
  return new Map(
    rows.map(([id, size, modifiedMs, isSession, title, workspace, model, created_at, updated_at, message_count]) => {
      const summary = { id, title, workspace, model, created_at, updated_at, message_count };
      return [id, { size, modifiedMs, summary: isSession ? summary : undefined }];
    }),
  );
};

const readWorded = (database: DatabaseSync): Map<string, Worded> => {
  const rows = rowsOf(database, 'SELECT number, id, size, modified_ms FROM worded') as [
    number,
    string,
    number,
    number,
  ][];
  return new Map(rows.map(([number, id, size, modifiedMs]) => [id, { number, size, modifiedMs }]));
};

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
