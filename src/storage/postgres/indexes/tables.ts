/** An index in PostgreSQL as it is asked. What is asked in one moment goes to the database in one statement. */
import type {
  Candidate,
  FileRow,
  ImportRow,
  IndexCounts,
  IndexedFile,
  IndexTables,
  ReferenceRow,
  Scored,
  SymbolRow,
} from '../../../core/index-port.ts';
import type { Database } from '../database.ts';
import type { QueryResultRow } from '../driver.ts';
import { got } from './ask.ts';
import { matching } from './matching.ts';
import { together } from './together.ts';
import { findVectorExtension, nearestByExtension, nearestInProcess, normalized } from './vectors.ts';
import { markOf, plainText, storable } from './words.ts';

const FILES_OF_A_KEY = 500;

const CANDIDATE_COLUMNS = `chunks.id::float8 AS id, chunks.file::float8 AS file, files.path, files.language,
  chunks.line_start AS "lineStart", chunks.line_end AS "lineEnd", coalesce(full_name, '') AS symbol,
  chunks.symbol::float8 AS "symbolId", coalesce(kind, '') AS kind, coalesce(symbols.line_start, 0) AS "symbolStart",
  chunks.text, files.modified_ms AS "modifiedMs"`;
const FROM_CHUNKS = `FROM halter.index_chunks AS chunks
  JOIN halter.index_files AS files ON files.index = chunks.index AND files.id = chunks.file`;
const SYMBOL_COLUMNS = `symbols.id::float8 AS id, symbols.file::float8 AS file, path, language, name, full_name, kind,
  parent::float8 AS parent, line_start, line_end`;
const FROM_SYMBOLS = `FROM halter.index_symbols AS symbols
  JOIN halter.index_files AS files ON files.index = symbols.index AND files.id = symbols.file`;
const REFERENCES = `SELECT name, file::float8 AS file, symbol::float8 AS symbol, kind, line
  FROM halter.index_references WHERE index = $1`;

export const createPostgresTables = (database: Database, index: number): IndexTables => {
  const all = async <Row extends QueryResultRow>(text: string, ...values: readonly unknown[]): Promise<Row[]> =>
    got(await database.query<Row>({ text, values: [index, ...values] })).rows;

  /** Rows for each key; `at` is the key's place among those that were asked together. */
  const listed = <Key, Row extends QueryResultRow>(text: string, valuesOf: (keys: readonly Key[]) => unknown[]) =>
    together(async (keys: readonly Key[]) => {
      const lists: Row[][] = keys.map(() => []);
      for (const { at, ...row } of await all<Row & { at: number }>(text, ...valuesOf(keys))) {
        lists[at - 1]?.push(row as unknown as Row);
      }
      return lists;
    });
  const ofEach = (type: string, columns: string, rest: string): string =>
    `SELECT asked.at::int AS at, found.* FROM unnest($2::${type}[]) WITH ORDINALITY AS asked (sought, at),
       LATERAL (SELECT ${columns} ${rest}) AS found ORDER BY asked.at`;

  const filesById = listed<number, FileRow>(
    ofEach('bigint', 'id::float8 AS id, path, language', 'FROM halter.index_files WHERE index = $1 AND id = sought'),
    (keys) => [keys],
  );
  const filesAt = listed<string, FileRow & { size: number; modifiedMs: number }>(
    ofEach(
      'text',
      'id::float8 AS id, path, language, size::float8 AS size, modified_ms AS "modifiedMs"',
      'FROM halter.index_files WHERE index = $1 AND path = sought',
    ),
    (keys) => [keys.map(storable)],
  );
  const importsOf = listed<number, ImportRow>(
    ofEach(
      'bigint',
      'file::float8 AS file, module, names, line',
      'FROM halter.index_imports WHERE index = $1 AND file = sought ORDER BY line, module',
    ),
    (keys) => [keys],
  );
  const filesByKey = listed<string, FileRow>(
    ofEach(
      'text',
      'id::float8 AS id, path, language',
      `FROM halter.index_file_keys AS keys JOIN halter.index_files AS files ON files.index = $1 AND files.id = keys.file
       WHERE keys.index = $1 AND md5(keys.key) = md5(sought) AND keys.key = sought
       ORDER BY id LIMIT ${FILES_OF_A_KEY}`,
    ),
    (keys) => [keys.map(storable)],
  );
  const importersOf = listed<[key: string, limit: number], { file: number }>(
    ofEach(
      'text',
      'DISTINCT file::float8 AS file',
      `FROM halter.index_imports AS imports
       WHERE index = $1 AND md5(imports.key) = md5(sought) AND imports.key = sought ORDER BY file LIMIT $3`,
    ),
    (keys) => [keys.map(([key]) => storable(key)), Math.max(...keys.map(([, limit]) => limit))],
  );
  const symbolsNamed = listed<[name: string, limit: number], SymbolRow>(
    ofEach(
      'text',
      SYMBOL_COLUMNS,
      `${FROM_SYMBOLS} WHERE symbols.index = $1 AND md5(name) = md5(sought) AND name = sought ORDER BY symbols.id LIMIT $3`,
    ),
    (keys) => [keys.map(([name]) => storable(name)), Math.max(...keys.map(([, limit]) => limit))],
  );
  const symbolsById = listed<number, SymbolRow>(
    ofEach('bigint', SYMBOL_COLUMNS, `${FROM_SYMBOLS} WHERE symbols.index = $1 AND symbols.id = sought`),
    (keys) => [keys],
  );
  type Lines = { file: number; from: number; to: number; limit: number };
  const referencesBetween = listed<Lines, ReferenceRow>(
    `SELECT asked.at::int AS at, found.*
     FROM unnest($2::bigint[], $3::int[], $4::int[], $5::int[]) WITH ORDINALITY AS asked (file, first, last, most, at),
       LATERAL (${REFERENCES} AND index_references.file = asked.file AND line BETWEEN first AND last
         ORDER BY name, symbol, kind LIMIT most) AS found ORDER BY asked.at`,
    (keys) => [
      keys.map(({ file }) => file),
      keys.map(({ from }) => from),
      keys.map(({ to }) => to),
      keys.map(({ limit }) => limit),
    ],
  );
  const partAt = listed<{ file: number; line: number }, { id: number }>(
    `SELECT asked.at::int AS at, found.id FROM unnest($2::bigint[], $3::int[]) WITH ORDINALITY AS asked (file, line, at),
       LATERAL (SELECT id::float8 AS id FROM halter.index_chunks AS chunks WHERE index = $1 AND chunks.file = asked.file
         AND line_start <= asked.line AND line_end >= asked.line ORDER BY chunks.id LIMIT 1) AS found`,
    (keys) => [keys.map(({ file }) => file), keys.map(({ line }) => line)],
  );

  let extension: Promise<string | undefined> | undefined;
  const inProcess = nearestInProcess(database, index);
  const nearest = async (vector: Float32Array, limit: number): Promise<Scored[]> => {
    extension ??= findVectorExtension(database);
    const schema = await extension;
    if (schema === undefined) return inProcess(vector, limit);
    try {
      return await nearestByExtension(database, index, schema)(vector, limit);
    } catch {
      // It was removed meanwhile, or does not take such vectors.
      extension = undefined;
      return inProcess(vector, limit);
    }
  };
  const counts = async (): Promise<IndexCounts> => {
    const [row] = await all<IndexCounts & { model: string | null }>(
      `SELECT (SELECT count(*)::int FROM halter.index_files WHERE index = $1) AS files,
         (SELECT count(*)::int FROM halter.index_chunks WHERE index = $1) AS chunks,
         (SELECT count(*)::int FROM halter.index_symbols WHERE index = $1) AS symbols,
         (SELECT count(*)::int FROM halter.index_vectors WHERE index = $1 AND data IS NOT NULL) AS vectors,
         updated_at::float8 AS "updatedAt", vector_model AS model
       FROM halter.indexes WHERE number = $1`,
    );
    const { model, ...rest } = row ?? { files: 0, chunks: 0, symbols: 0, vectors: 0, updatedAt: 0, model: null };
    return { ...rest, vectorModel: model ?? undefined };
  };

  return {
    async terms(words) {
      const rows = await all<{ at: number; term: string | null; parts: number; chunks: number }>(
        `SELECT counted_chunks AS chunks, found.* FROM halter.indexes LEFT JOIN (
           SELECT (asked.at - 1)::int AS at, term, coalesce(
             (SELECT chunks FROM halter.index_common_words WHERE index = $1 AND index_common_words.word = term),
             (SELECT count(*)::int FROM halter.index_chunks
               WHERE words @@ (quote_literal($3) || ' & ' || quote_literal(term))::tsquery)) AS parts
           FROM unnest($2::text[]) WITH ORDINALITY AS asked (word, at),
             unnest(tsvector_to_array(to_tsvector('halter.words', asked.word))) AS term
         ) AS found ON true WHERE number = $1`,
        words.map(plainText),
        markOf(index),
      );
      return {
        chunks: rows[0]?.chunks ?? 0,
        terms: rows.flatMap(({ at, term, parts }) => (term === null ? [] : [{ at, term, parts }])),
      };
    },
    matching: (sought) => matching(all, sought, index),
    defining: (names, limit) =>
      all(
        `SELECT found.* FROM unnest($2::text[]) WITH ORDINALITY AS asked (sought, at), LATERAL (
           SELECT chunks.id::float8 AS id, files.path FROM halter.index_symbols AS symbols
           JOIN halter.index_files AS files ON files.index = $1 AND files.id = symbols.file
           JOIN halter.index_chunks AS chunks ON chunks.index = $1 AND chunks.file = symbols.file
             AND chunks.line_start <= symbols.line_start AND chunks.line_end >= symbols.line_start
           WHERE symbols.index = $1 AND md5(name) = md5(sought) AND name = sought ORDER BY symbols.id, chunks.id LIMIT $3
         ) AS found ORDER BY at`,
        names.map(storable),
        limit,
      ),
    everyPart: (limit) =>
      all(
        `SELECT chunks.id::float8 AS id, path ${FROM_CHUNKS} WHERE chunks.index = $1 ORDER BY chunks.id LIMIT $2`,
        limit,
      ),
    async candidates(ids) {
      const rows = await all<Candidate>(
        `SELECT ${CANDIDATE_COLUMNS} ${FROM_CHUNKS}
         LEFT JOIN halter.index_symbols AS symbols ON symbols.index = chunks.index AND symbols.id = chunks.symbol
         WHERE chunks.index = $1 AND chunks.id = ANY ($2::bigint[]) ORDER BY chunks.id`,
        ids,
      );
      return new Map(rows.map((row) => [row.id, row]));
    },
    async nearest(vector, model, limit) {
      if (vector.length === 0) return [];
      const [kept] = await all<{ model: string | null }>(
        'SELECT vector_model AS model FROM halter.indexes WHERE number = $1',
      );
      return kept?.model === model ? nearest(normalized(vector), limit) : [];
    },

    fileById: async (id) => (await filesById(id))[0],
    async fileAt(path) {
      const [file] = await filesAt(path);
      return file && { id: file.id, path: file.path, language: file.language };
    },
    importsOf,
    filesByKey,
    importersOf: async (key, limit) => (await importersOf([key, limit])).map(({ file }) => file),
    symbolsNamed: async (name, limit) => (await symbolsNamed([name, limit])).slice(0, limit),
    symbolsOf: (file) =>
      all(
        `SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS} WHERE symbols.index = $1 AND symbols.file = $2 ORDER BY symbols.id`,
        file,
      ),
    symbolById: async (id) => (await symbolsById(id))[0],
    withInside: async ({ file, line_start, line_end, id }) =>
      (
        await all<{ id: number }>(
          `SELECT id::float8 AS id FROM halter.index_symbols
           WHERE index = $1 AND file = $2 AND line_start >= $3 AND line_end <= $4 AND id >= $5 ORDER BY id`,
          file,
          line_start,
          line_end,
          id,
        )
      ).map((row) => row.id),
    contentsOf: ({ id, name }, limit) =>
      all(
        `SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS}
         WHERE symbols.index = $1 AND (parent = $2 OR (parent IS NULL AND full_name = $3 || '.' || name))
         ORDER BY path, line_start LIMIT $4`,
        id,
        name,
        limit,
      ),
    referencesNamed: (name, kinds, limit) =>
      all(
        `${REFERENCES} AND md5(name) = md5($2) AND name = $2 AND ($3::int[] IS NULL OR kind = ANY ($3))
         ORDER BY file, symbol, kind LIMIT $4`,
        storable(name),
        kinds ?? null,
        limit,
      ),
    referencesIn: (file, within, kinds, limit) =>
      all(
        `${REFERENCES} AND file = $2 AND symbol = ANY ($3::bigint[]) AND ($4::int[] IS NULL OR kind = ANY ($4))
         ORDER BY line, symbol, name, kind LIMIT $5`,
        file,
        within,
        kinds ?? null,
        limit,
      ),
    referencesBetween: (file, from, to, limit) => referencesBetween({ file, from, to, limit }),
    partAt: async (file, line) => (await partAt({ file, line }))[0]?.id,

    paths: async () =>
      (await all<{ path: string }>('SELECT path FROM halter.index_files WHERE index = $1')).map(({ path }) => path),
    async sizeAndTime(path) {
      const [file] = await filesAt(path);
      return file && { size: file.size, modifiedMs: file.modifiedMs };
    },
    contents: () =>
      all<IndexedFile>(
        `SELECT path, note, count(chunks.id)::int AS chunks, coalesce(max(line_end), 0)::int AS lines
         FROM halter.index_files AS files LEFT JOIN halter.index_chunks AS chunks
           ON chunks.index = files.index AND chunks.file = files.id
         WHERE files.index = $1 GROUP BY files.id, path, note ORDER BY files.id`,
      ),
    textOf: (path) =>
      all(
        `SELECT line_start AS "lineStart", text ${FROM_CHUNKS} WHERE chunks.index = $1 AND path = $2
         ORDER BY line_start, chunks.id`,
        storable(path),
      ),
    counts,
  };
};
