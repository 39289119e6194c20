/** Writes what is known of files into an index of node:sqlite, and takes it out again. */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type {
  FileEntry,
  FileFacts,
  IndexChange,
  IndexStore,
  KnownFile,
  PendingText,
  VectorRow,
} from '../core/index-port.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { pendingTexts, writeVectors } from './vectors.ts';
import { noteCommonWords } from './vocabulary.ts';

/** Tables whose rows belong to one file, besides the full text. */
const OWNED = ['symbols', 'refs', 'imports', 'file_keys', 'chunks'] as const;

type FileRow = { id: number; path: string; size: number; modified_ms: number; hash: string; note: string };

/** It writes in one thread and waits for nothing but the disk. */
export class SqliteStore implements IndexStore {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #names = new Map<string, number>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async known(): Promise<Map<string, KnownFile>> {
    const rows = this.#database.prepare(`SELECT ${FILE_COLUMNS} FROM files`).all() as FileRow[];
    return new Map(rows.map((row) => [row.path, knownFile(row)]));
  }

  async knownFile(path: string): Promise<KnownFile | undefined> {
    const row = this.#sql(`SELECT ${FILE_COLUMNS} FROM files WHERE path = ?`).get(path) as FileRow | undefined;
    return row && knownFile(row);
  }

  async apply(changes: readonly IndexChange[]): Promise<void> {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const change of changes) this.#make(change);
      this.#database.exec('COMMIT');
    } catch (error) {
      // Where the disk is full, the database has rolled back by itself.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      // They may have been given in what was undone.
      this.#names = new Map();
      throw error;
    }
  }

  async noteChanges(now: number): Promise<void> {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      noteCommonWords(this.#database);
      this.#sql("INSERT OR REPLACE INTO meta(key, value) VALUES ('updated_at', ?)").run(String(now));
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  async pendingTexts(model: string, limit: number): Promise<PendingText[]> {
    return pendingTexts(this.#database, model, limit);
  }

  async writeVectors(model: string, rows: readonly VectorRow[]): Promise<void> {
    writeVectors(this.#database, model, rows);
  }

  #make(change: IndexChange): void {
    if (change.type === 'write') this.#write(change.entry);
    else if (change.type === 'remove') this.#remove(change.id);
    else {
      const { id, size, modifiedMs } = change;
      this.#sql('UPDATE files SET size = ?, modified_ms = ? WHERE id = ?').run(size, modifiedMs, id);
    }
  }

  #write(entry: FileEntry): void {
    const file = this.#writeFacts(entry.facts);
    const symbols = this.#writeGraph(file, entry);
    for (const key of entry.keys) {
      this.#sql('INSERT OR IGNORE INTO file_keys(key, file) VALUES (?, ?)').run(key, file);
    }
    const addChunk = this.#sql('INSERT INTO chunks(file, symbol, line_start, line_end, text) VALUES (?, ?, ?, ?, ?)');
    const addWords = this.#sql('INSERT INTO words(rowid, body, names, path) VALUES (?, ?, ?, ?)');
    for (const { symbol, lineStart, lineEnd, text, body, names } of entry.chunks) {
      const added = addChunk.run(file, symbols[symbol] ?? 0, lineStart, lineEnd, text);
      addWords.run(added.lastInsertRowid, body, names, entry.pathWords);
    }
  }

  #remove(id: number): void {
    this.#removeContents(id);
    this.#sql('DELETE FROM files WHERE id = ?').run(id);
  }

  #sql(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  #nameId(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const added = this.#sql('INSERT OR IGNORE INTO names(name) VALUES (?)').run(name);
    const id =
      added.changes === 1
        ? Number(added.lastInsertRowid)
        : (this.#sql('SELECT id FROM names WHERE name = ?').get(name) as { id: number }).id;
    if (this.#names.size >= SEARCH_LIMITS.indexNames) this.#names = new Map();
    this.#names.set(name, id);
    return id;
  }

  #removeContents(file: number): void {
    const chunks = this.#sql('SELECT id FROM chunks WHERE file = ?').all(file) as { id: number }[];
    for (const { id } of chunks) {
      this.#sql('DELETE FROM words WHERE rowid = ?').run(id);
      this.#sql('DELETE FROM vectors WHERE chunk = ?').run(id);
    }
    for (const table of OWNED) this.#sql(`DELETE FROM ${table} WHERE file = ?`).run(file);
  }

  /** In plain statements: one that may have to undo several rows makes the full text write all it has gathered. */
  #writeFacts({ path, size, modifiedMs, hash, language, note }: FileFacts): number {
    const before = this.#sql('SELECT id FROM files WHERE path = ?').get(path) as { id: number } | undefined;
    if (before === undefined) {
      const add = this.#sql(
        'INSERT INTO files(path, size, modified_ms, hash, language, note) VALUES (?, ?, ?, ?, ?, ?)',
      );
      return Number(add.run(path, size, modifiedMs, hash, language, note).lastInsertRowid);
    }
    const { id } = before;
    this.#removeContents(id);
    const update = this.#sql(
      'UPDATE files SET size = ?, modified_ms = ?, hash = ?, language = ?, note = ? WHERE id = ?',
    );
    update.run(size, modifiedMs, hash, language, note, id);
    return id;
  }

  #writeGraph(file: number, { symbols, references, imports }: FileEntry): number[] {
    const ids: number[] = [];
    const addSymbol = this.#sql(
      'INSERT INTO symbols(file, name, kind, parent, full_name, line_start, line_end) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    for (const { name, kind, parent, fullName, lineStart, lineEnd } of symbols) {
      const above = parent === -1 ? null : (ids[parent] as number);
      const added = addSymbol.run(file, this.#nameId(name), kind, above, fullName, lineStart, lineEnd);
      ids.push(Number(added.lastInsertRowid));
    }
    const addReference = this.#sql('INSERT OR IGNORE INTO refs(name, file, symbol, kind, line) VALUES (?, ?, ?, ?, ?)');
    for (const { name, kind, within, line } of references) {
      addReference.run(this.#nameId(name), file, ids[within] ?? 0, kind, line);
    }
    const addImport = this.#sql('INSERT INTO imports(file, key, module, names, line) VALUES (?, ?, ?, ?, ?)');
    for (const { key, module, names, line } of imports) {
      addImport.run(file, key, module, JSON.stringify(names), line);
    }
    return ids;
  }
}

const FILE_COLUMNS = 'id, path, size, modified_ms, hash, note';
const knownFile = ({ id, size, modified_ms, hash, note }: FileRow): KnownFile => ({
  id,
  size,
  modifiedMs: modified_ms,
  hash,
  note,
});
