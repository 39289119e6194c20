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

export type Store = {
  known(): Map<string, KnownFile>;
  knownFile(path: string): KnownFile | undefined;
  write(facts: FileFacts, contents: FileContents): void;
  /** The same bytes with another time. */
  touch(id: number, size: number, modifiedMs: number): void;
  remove(id: number): void;
  begin(): void;
  commit(): void;
  rollback(): void;
};

/** Tables whose rows belong to one file, besides the full text. */
const OWNED = ['symbols', 'refs', 'imports', 'file_keys', 'chunks'] as const;

export const createStore = (database: DatabaseSync): Store => {
  const prepared = new Map<string, StatementSync>();
  const sql = (text: string): StatementSync => {
    let statement = prepared.get(text);
    if (statement === undefined) {
      statement = database.prepare(text);
      prepared.set(text, statement);
    }
    return statement;
  };

  let names = new Map<string, number>();
  const nameId = (name: string): number => {
    const known = names.get(name);
    if (known !== undefined) return known;
    const added = sql('INSERT OR IGNORE INTO names(name) VALUES (?)').run(name);
    const id =
      added.changes === 1
        ? Number(added.lastInsertRowid)
        : (sql('SELECT id FROM names WHERE name = ?').get(name) as { id: number }).id;
    if (names.size >= SEARCH_LIMITS.indexNames) names = new Map();
    names.set(name, id);
    return id;
  };

  const removeContents = (file: number): void => {
    const chunks = sql('SELECT id FROM chunks WHERE file = ?').all(file) as { id: number }[];
    for (const { id } of chunks) {
      sql('DELETE FROM words WHERE rowid = ?').run(id);
      sql('DELETE FROM vectors WHERE chunk = ?').run(id);
    }
    for (const table of OWNED) sql(`DELETE FROM ${table} WHERE file = ?`).run(file);
  };

  const writeGraph = (file: number, facts: FileFacts, outline: Outline): number[] => {
    const ids: number[] = [];
    const { definitions } = outline;
    const addSymbol = sql(
      'INSERT INTO symbols(file, name, kind, parent, full_name, line_start, line_end) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    for (const [index, { name, kind, parent, lineStart, lineEnd }] of definitions.entries()) {
      const full = qualifiedName(definitions, index);
      const above = parent === -1 ? null : (ids[parent] as number);
      ids.push(Number(addSymbol.run(file, nameId(name), kind, above, full, lineStart, lineEnd).lastInsertRowid));
    }
    const addReference = sql('INSERT OR IGNORE INTO refs(name, file, symbol, kind, line) VALUES (?, ?, ?, ?, ?)');
    for (const { name, kind, within, line } of outline.references) {
      addReference.run(nameId(name), file, ids[within] ?? 0, REFERENCE_KINDS.indexOf(kind), line);
    }
    const addImport = sql('INSERT INTO imports(file, key, module, names, line) VALUES (?, ?, ?, ?, ?)');
    for (const { module, names: brought, line } of outline.imports) {
      const key = moduleKey(facts.language as LanguageName, module);
      addImport.run(file, key, module, JSON.stringify(brought), line);
    }
    return ids;
  };

  /** In plain statements: one that may have to undo several rows makes the full text write all it has gathered. */
  const writeFacts = ({ path, size, modifiedMs, hash, language, note }: FileFacts): number => {
    const before = sql('SELECT id FROM files WHERE path = ?').get(path) as { id: number } | undefined;
    if (before === undefined) {
      const add = sql('INSERT INTO files(path, size, modified_ms, hash, language, note) VALUES (?, ?, ?, ?, ?, ?)');
      return Number(add.run(path, size, modifiedMs, hash, language, note).lastInsertRowid);
    }
    removeContents(before.id);
    sql('UPDATE files SET size = ?, modified_ms = ?, hash = ?, language = ?, note = ? WHERE id = ?').run(
      size,
      modifiedMs,
      hash,
      language,
      note,
      before.id,
    );
    return before.id;
  };

  return {
    known: () =>
      new Map(
        (
          database.prepare('SELECT id, path, size, modified_ms, hash, note FROM files').all() as {
            id: number;
            path: string;
            size: number;
            modified_ms: number;
            hash: string;
            note: string;
          }[]
        ).map(({ id, path, size, modified_ms, hash, note }) => [
          path,
          { id, size, modifiedMs: modified_ms, hash, note },
        ]),
      ),
    knownFile(path) {
      const row = sql('SELECT id, size, modified_ms, hash, note FROM files WHERE path = ?').get(path) as
        | { id: number; size: number; modified_ms: number; hash: string; note: string }
        | undefined;
      return row && { id: row.id, size: row.size, modifiedMs: row.modified_ms, hash: row.hash, note: row.note };
    },
    write(facts, { lines, chunks, outline }) {
      const file = writeFacts(facts);
      const symbols = outline === undefined ? [] : writeGraph(file, facts, outline);
      for (const key of fileKeys(facts.path))
        sql('INSERT OR IGNORE INTO file_keys(key, file) VALUES (?, ?)').run(key, file);
      const addChunk = sql('INSERT INTO chunks(file, symbol, line_start, line_end, text) VALUES (?, ?, ?, ?, ?)');
      const addWords = sql('INSERT INTO words(rowid, body, names, path) VALUES (?, ?, ?, ?)');
      const pathWords = splitHumps(facts.path);
      for (const chunk of chunks) {
        const text = lines.slice(chunk.lineStart - 1, chunk.lineEnd).join('\n');
        const added = addChunk.run(file, symbols[chunk.definition] ?? 0, chunk.lineStart, chunk.lineEnd, text);
        addWords.run(added.lastInsertRowid, splitHumps(text), splitHumps(chunk.names.join(' ')), pathWords);
      }
    },
    touch: (id, size, modifiedMs) =>
      void sql('UPDATE files SET size = ?, modified_ms = ? WHERE id = ?').run(size, modifiedMs, id),
    remove(id) {
      removeContents(id);
      sql('DELETE FROM files WHERE id = ?').run(id);
    },
    begin: () => database.exec('BEGIN IMMEDIATE'),
    commit: () => database.exec('COMMIT'),
    rollback() {
      // Where the disk is full, the database has gone back by itself.
      if (database.isTransaction) database.exec('ROLLBACK');
    },
  };
};
