/** Writes what is known of one file into the index, and takes it out again. A file is written whole or not at all. */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Chunk } from './chunks.ts';
import { fileKeys, moduleKey } from './imports.ts';
import type { LanguageName } from './languages.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { type Outline, qualifiedName, REFERENCE_KINDS } from './outline.ts';
import { splitHumps } from './words.ts';

export type FileFacts = {
  path: string;
  size: number;
  modifiedMs: number;
  hash: string;
  /** A programming language, `prose`, `pdf` …; empty where nothing of it is kept, and `note` says why. */
  language: string;
  note: string;
};
export type FileContents = { lines: readonly string[]; chunks: readonly Chunk[]; outline?: Outline };
export type KnownFile = { id: number; size: number; modifiedMs: number; hash: string; note: string };

/** Tables whose rows belong to one file, besides the full text. */
const OWNED = ['symbols', 'refs', 'imports', 'file_keys', 'chunks'] as const;

type FileRow = { id: number; path: string; size: number; modified_ms: number; hash: string; note: string };

export class Store {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #names = new Map<string, number>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Every file that the index knows, by its path. */
  known(): Map<string, KnownFile> {
    const rows = this.#database.prepare(`SELECT ${FILE_COLUMNS} FROM files`).all() as FileRow[];
    return new Map(rows.map((row) => [row.path, knownFile(row)]));
  }

  knownFile(path: string): KnownFile | undefined {
    const row = this.#sql(`SELECT ${FILE_COLUMNS} FROM files WHERE path = ?`).get(path) as FileRow | undefined;
    return row && knownFile(row);
  }

  write(facts: FileFacts, { lines, chunks, outline }: FileContents): void {
    const file = this.#writeFacts(facts);
    const symbols = outline === undefined ? [] : this.#writeGraph(file, facts, outline);
    for (const key of fileKeys(facts.path)) {
      this.#sql('INSERT OR IGNORE INTO file_keys(key, file) VALUES (?, ?)').run(key, file);
    }
    const addChunk = this.#sql('INSERT INTO chunks(file, symbol, line_start, line_end, text) VALUES (?, ?, ?, ?, ?)');
    const addWords = this.#sql('INSERT INTO words(rowid, body, names, path) VALUES (?, ?, ?, ?)');
    const pathWords = splitHumps(facts.path);
    for (const chunk of chunks) {
      const text = lines.slice(chunk.lineStart - 1, chunk.lineEnd).join('\n');
      const added = addChunk.run(file, symbols[chunk.definition] ?? 0, chunk.lineStart, chunk.lineEnd, text);
      addWords.run(added.lastInsertRowid, splitHumps(text), splitHumps(chunk.names.join(' ')), pathWords);
    }
  }

  /** The same bytes with another time. */
  touch(id: number, size: number, modifiedMs: number): void {
    this.#sql('UPDATE files SET size = ?, modified_ms = ? WHERE id = ?').run(size, modifiedMs, id);
  }

  remove(id: number): void {
    this.#removeContents(id);
    this.#sql('DELETE FROM files WHERE id = ?').run(id);
  }

  begin(): void {
    this.#database.exec('BEGIN IMMEDIATE');
  }

  commit(): void {
    this.#database.exec('COMMIT');
  }

  rollback(): void {
    // Where the disk is full, the database has rolled back by itself.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
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

  #writeGraph(file: number, facts: FileFacts, { definitions, references, imports }: Outline): number[] {
    const ids: number[] = [];
    const addSymbol = this.#sql(
      'INSERT INTO symbols(file, name, kind, parent, full_name, line_start, line_end) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    for (const [index, { name, kind, parent, lineStart, lineEnd }] of definitions.entries()) {
      const full = qualifiedName(definitions, index);
      const above = parent === -1 ? null : (ids[parent] as number);
      ids.push(Number(addSymbol.run(file, this.#nameId(name), kind, above, full, lineStart, lineEnd).lastInsertRowid));
    }
    const addReference = this.#sql('INSERT OR IGNORE INTO refs(name, file, symbol, kind, line) VALUES (?, ?, ?, ?, ?)');
    for (const { name, kind, within, line } of references) {
      addReference.run(this.#nameId(name), file, ids[within] ?? 0, REFERENCE_KINDS.indexOf(kind), line);
    }
    const addImport = this.#sql('INSERT INTO imports(file, key, module, names, line) VALUES (?, ?, ?, ?, ?)');
    for (const { module, names: brought, line } of imports) {
      const key = moduleKey(facts.language as LanguageName, module);
      addImport.run(file, key, module, JSON.stringify(brought), line);
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
