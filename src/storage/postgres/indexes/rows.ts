/** Files of an index as rows of its tables. */
import type { FileEntry } from '../../../core/index-port.ts';
import { plainText, storable } from './words.ts';

/** A file that is written, with the id that it has in the index. */
export type Written = { id: number; entry: FileEntry };

/** What a file takes at most of the ids that an index gives out: one, and one for each symbol and part. */
export const idsFor = (entries: readonly FileEntry[]): number =>
  entries.reduce((sum, { symbols, chunks }) => sum + 1 + symbols.length + chunks.length, 0);

/** The rows of all tables, with the ids that they have in the index. */
export const rowsOf = (written: readonly Written[], nextId: () => number) => {
  const rows = {
    files: [] as object[],
    symbols: [] as object[],
    references: [] as object[],
    imports: [] as object[],
    file_keys: [] as object[],
    chunks: [] as object[],
  };
  for (const { id: file, entry } of written) {
    const { path, size, modifiedMs, hash, language, note } = entry.facts;
    rows.files.push({
      id: file,
      path: storable(path),
      size,
      modified: modifiedMs,
      hash,
      language,
      note: storable(note),
    });
    for (const key of entry.keys) rows.file_keys.push({ file, key: storable(key) });
    const ids: number[] = [];
    for (const { name, kind, parent, fullName, lineStart, lineEnd } of entry.symbols) {
      const id = nextId();
      const above = parent === -1 ? null : (ids[parent] as number);
      ids.push(id);
      const [plain, full] = [storable(name), storable(fullName)];
      rows.symbols.push({ id, file, name: plain, kind, parent: above, full, start: lineStart, stop: lineEnd });
    }
    const seen = new Set<string>();
    for (const { name, kind, within, line } of entry.references) {
      const reference = `${kind} ${within} ${name}`;
      if (seen.has(reference)) continue;
      seen.add(reference);
      rows.references.push({ file, symbol: ids[within] ?? 0, name: storable(name), kind, line });
    }
    for (const { key, module, names, line } of entry.imports) {
      const brought = names.map(({ name, as }) => ({ name: storable(name), as: storable(as) }));
      rows.imports.push({ file, key: storable(key), module: storable(module), names: brought, line });
    }
    const pathWords = plainText(entry.pathWords);
    for (const { symbol, lineStart, lineEnd, text, body, names } of entry.chunks) {
      rows.chunks.push({
        id: nextId(),
        file,
        symbol: ids[symbol] ?? 0,
        start: lineStart,
        stop: lineEnd,
        text: storable(text),
        body: plainText(body),
        names: plainText(names),
        path: pathWords,
      });
    }
  }
  return rows;
};

/** One statement for each table: `$1` is the index, `$2` the rows, `$3` the lexeme of the index. */
export const INSERTS = {
  files: `
    INSERT INTO halter.index_files (index, id, path, size, modified_ms, hash, language, note)
    SELECT $1, * FROM json_to_recordset($2) AS given (
      id bigint, path text, size bigint, modified double precision, hash text, language text, note text)
    ON CONFLICT (index, id) DO UPDATE SET size = excluded.size, modified_ms = excluded.modified_ms, hash = excluded.hash,
      language = excluded.language, note = excluded.note`,
  symbols: `
    INSERT INTO halter.index_symbols (index, id, file, name, kind, parent, full_name, line_start, line_end)
    SELECT $1, * FROM json_to_recordset($2) AS given (
      id bigint, file bigint, name text, kind text, parent bigint, "full" text, start integer, stop integer)`,
  references: `
    INSERT INTO halter.index_references (index, file, symbol, name, kind, line)
    SELECT $1, * FROM json_to_recordset($2) AS given (file bigint, symbol bigint, name text, kind smallint, line integer)`,
  imports: `
    INSERT INTO halter.index_imports (index, file, key, module, names, line)
    SELECT $1, * FROM json_to_recordset($2) AS given (file bigint, key text, module text, names json, line integer)`,
  file_keys: `
    INSERT INTO halter.index_file_keys (index, file, key)
    SELECT $1, * FROM json_to_recordset($2) AS given (file bigint, key text)`,
  chunks: `
    INSERT INTO halter.index_chunks (index, id, file, symbol, line_start, line_end, text, words)
    SELECT $1, id, file, symbol, start, stop, text,
      setweight(to_tsvector('halter.words', names), 'A') || setweight(to_tsvector('halter.words', path), 'B')
        || to_tsvector('halter.words', body) || array_to_tsvector(ARRAY[$3])
    FROM json_to_recordset($2) AS given (
      id bigint, file bigint, symbol bigint, start integer, stop integer, text text, body text, names text, path text)`,
} as const;
