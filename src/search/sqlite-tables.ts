/** An index of node:sqlite as it is asked. Every answer is there when the statement returns. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type {
  Candidate,
  FileRow,
  ImportRow,
  IndexCounts,
  IndexedFile,
  IndexTables,
  IndexTerm,
  ReferenceRow,
  Scored,
  Sought,
  SymbolRow,
} from '../core/index-port.ts';
import { NAME_WEIGHTS } from './limits.ts';
import { TOKENIZER } from './schema.ts';
import { createVectorScan } from './vectors.ts';
import { countedChunks } from './vocabulary.ts';

const CANDIDATE_COLUMNS = `chunks.id AS id, chunks.file AS file, files.path AS path, files.language AS language,
  chunks.line_start AS lineStart, chunks.line_end AS lineEnd, coalesce(full_name, '') AS symbol,
  chunks.symbol AS symbolId, coalesce(kind, '') AS kind, coalesce(symbols.line_start, 0) AS symbolStart, chunks.text AS text,
  files.modified_ms AS modifiedMs`;
const SYMBOL_COLUMNS = `symbols.id AS id, symbols.file AS file, files.path AS path, files.language AS language,
  names.name AS name, full_name, kind, parent, line_start, line_end`;
const FROM_SYMBOLS = 'FROM symbols JOIN files ON files.id = symbols.file JOIN names ON names.id = symbols.name';
const REFERENCES = 'SELECT names.name AS name, file, symbol, kind, line FROM refs JOIN names ON names.id = refs.name';
const ALL_WEIGHED = `bm25(words, ${NAME_WEIGHTS.body}, ${NAME_WEIGHTS.names}, ${NAME_WEIGHTS.path})`;
const TEXT_ALONE = 'bm25(words, 1, 0, 0)';

const ofKinds = (kinds: readonly number[] | undefined): string =>
  kinds === undefined ? '' : `AND kind IN (${kinds.join(', ')})`;

/** May be kept as long as the database is open. */
export const createSqliteTables = (database: DatabaseSync): IndexTables => {
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const all = <Row>(sql: string, ...values: SQLInputValue[]): Row[] => prepared(sql).all(...values) as Row[];
  const one = <Row>(sql: string, ...values: SQLInputValue[]): Row | undefined =>
    prepared(sql).get(...values) as Row | undefined;
  const symbols = (rest: string, ...values: SQLInputValue[]): SymbolRow[] =>
    all<SymbolRow>(`SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS} ${rest}`, ...values);
  const scan = createVectorScan(database);
  const termsOf = createTerms(database);

  const matching = ({ anyOf, textOnly, paths, limit }: Sought): Scored[] => {
    const words = anyOf.map(({ word }) => `"${word}"`).join(' OR ');
    const only =
      paths === undefined
        ? ''
        : 'JOIN chunks ON chunks.id = words.rowid JOIN files ON files.id = chunks.file AND files.path IN (SELECT value FROM json_each(?3))';
    return all<Scored>(
      `SELECT words.rowid AS id, -${textOnly ? TEXT_ALONE : ALL_WEIGHED} AS score FROM words ${only}
       WHERE words MATCH ?1 ORDER BY score DESC LIMIT ?2`,
      textOnly ? `body : (${words})` : words,
      limit,
      ...(paths === undefined ? [] : [JSON.stringify(paths)]),
    );
  };
  const refined = (ranking: Scored[], common: Sought['common']): Scored[] => {
    if (common.length === 0) return ranking;
    const rows = all<{ id: number; text: string }>(
      'SELECT id, text FROM chunks WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ranking.map(({ id }) => id)),
    );
    const texts = new Map(rows.map(({ id, text }) => [id, text.toLowerCase()]));
    return ranking
      .map(({ id, score }) => {
        const text = texts.get(id) ?? '';
        return {
          id,
          score: common.reduce((sum, { stem, weight }) => (text.includes(stem) ? sum + weight : sum), score),
        };
      })
      .sort((a, b) => b.score - a.score || a.id - b.id);
  };

  return {
    terms: async (words) => ({ chunks: countedChunks(database), terms: termsOf(words) }),
    matching: async (sought) => refined(matching(sought), sought.common),
    defining: async (names, limit) =>
      names.flatMap((name) =>
        all<{ id: number; path: string }>(
          `SELECT chunks.id AS id, files.path AS path FROM names
           JOIN symbols ON symbols.name = names.id JOIN files ON files.id = symbols.file
           JOIN chunks ON chunks.file = symbols.file AND chunks.line_start <= symbols.line_start AND chunks.line_end >= symbols.line_start
           WHERE names.name = ? LIMIT ?`,
          name,
          limit,
        ),
      ),
    everyPart: async (limit) =>
      all('SELECT chunks.id AS id, files.path AS path FROM chunks JOIN files ON files.id = chunks.file LIMIT ?', limit),
    async candidates(ids) {
      const rows = all<Candidate>(
        `SELECT ${CANDIDATE_COLUMNS} FROM chunks JOIN files ON files.id = chunks.file
         LEFT JOIN symbols ON symbols.id = chunks.symbol WHERE chunks.id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(ids),
      );
      return new Map(rows.map((row) => [row.id, row]));
    },
    nearest: async (vector, model, limit) => scan.nearest(vector, model, limit),

    fileById: async (id) => one<FileRow>('SELECT id, path, language FROM files WHERE id = ?', id),
    fileAt: async (path) => one<FileRow>('SELECT id, path, language FROM files WHERE path = ?', path),
    importsOf: async (file) =>
      all<Omit<ImportRow, 'names'> & { names: string }>(
        'SELECT file, module, names, line FROM imports WHERE file = ?',
        file,
      ).map((row) => ({ ...row, names: JSON.parse(row.names) as ImportRow['names'] })),
    filesByKey: async (key) =>
      all<FileRow>(
        'SELECT id, path, language FROM file_keys JOIN files ON files.id = file_keys.file WHERE key = ? LIMIT 500',
        key,
      ),
    importersOf: async (key, limit) =>
      all<{ file: number }>('SELECT DISTINCT file FROM imports WHERE key = ? LIMIT ?', key, limit).map(
        ({ file }) => file,
      ),
    symbolsNamed: async (name, limit) => symbols('WHERE names.name = ? LIMIT ?', name, limit),
    symbolsOf: async (file) => symbols('WHERE symbols.file = ? ORDER BY symbols.id', file),
    symbolById: async (id) => symbols('WHERE symbols.id = ?', id)[0],
    withInside: async ({ file, line_start, line_end, id }) =>
      all<{ id: number }>(
        'SELECT id FROM symbols WHERE file = ? AND line_start >= ? AND line_end <= ? AND id >= ?',
        file,
        line_start,
        line_end,
        id,
      ).map((row) => row.id),
    contentsOf: async ({ id, name }, limit) =>
      symbols(
        `WHERE parent = ? OR (parent IS NULL AND full_name = ? || '.' || names.name)
         ORDER BY files.path, line_start LIMIT ?`,
        id,
        name,
        limit,
      ),
    referencesNamed: async (name, kinds, limit) =>
      all<ReferenceRow>(`${REFERENCES} WHERE names.name = ? ${ofKinds(kinds)} LIMIT ?`, name, limit),
    referencesIn: async (file, within, kinds, limit) =>
      all<ReferenceRow>(
        `${REFERENCES} WHERE file = ? AND symbol IN (SELECT value FROM json_each(?)) ${ofKinds(kinds)}
         ORDER BY line LIMIT ?`,
        file,
        JSON.stringify(within),
        limit,
      ),
    referencesBetween: async (file, from, to, limit) =>
      all<ReferenceRow>(`${REFERENCES} WHERE file = ? AND line BETWEEN ? AND ? LIMIT ?`, file, from, to, limit),
    partAt: async (file, line) =>
      one<{ id: number }>(
        'SELECT id FROM chunks WHERE file = ? AND line_start <= ? AND line_end >= ? LIMIT 1',
        file,
        line,
        line,
      )?.id,

    paths: async () => all<{ path: string }>('SELECT path FROM files').map(({ path }) => path),
    sizeAndTime: async (path) => one('SELECT size, modified_ms AS modifiedMs FROM files WHERE path = ?', path),
    contents: async () =>
      all<IndexedFile>(
        `SELECT files.path, files.note, count(chunks.id) AS chunks, coalesce(max(chunks.line_end), 0) AS lines
         FROM files LEFT JOIN chunks ON chunks.file = files.id GROUP BY files.id`,
      ),
    textOf: async (path) =>
      all(
        `SELECT line_start AS lineStart, text FROM chunks WHERE file = (SELECT id FROM files WHERE path = ?)
         ORDER BY line_start`,
        path,
      ),
    async counts() {
      const [{ files, chunks, symbols: definitions, vectors } = NOTHING, notes] = [
        one<typeof NOTHING>(
          `SELECT (SELECT count(*) FROM files) AS files, (SELECT count(*) FROM chunks) AS chunks,
             (SELECT count(*) FROM symbols) AS symbols, (SELECT count(*) FROM vectors) AS vectors`,
        ),
        new Map(all<{ key: string; value: string }>('SELECT key, value FROM meta').map((row) => [row.key, row.value])),
      ];
      return {
        files,
        chunks,
        symbols: definitions,
        vectors,
        updatedAt: Number(notes.get('updated_at') ?? 0),
        vectorModel: notes.get('vector_model'),
      } satisfies IndexCounts;
    },
  };
};

const NOTHING = { files: 0, chunks: 0, symbols: 0, vectors: 0 };

/** The tokenizer itself says what a word becomes, in a table of the connection's own. */
const createTerms = (database: DatabaseSync): ((words: readonly string[]) => IndexTerm[]) => {
  database.exec(`
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked USING fts5(word, tokenize='${TOKENIZER}');
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked_words USING fts5vocab('temp', 'asked', 'instance');
  `);
  const clear = database.prepare('DELETE FROM temp.asked');
  const put = database.prepare('INSERT INTO temp.asked(rowid, word) VALUES (?, ?)');
  const terms = database.prepare(
    `SELECT doc - 1 AS at, term, coalesce((SELECT chunks FROM common_words WHERE word = term),
       (SELECT vocabulary.doc FROM vocabulary WHERE vocabulary.term = asked_words.term), 0) AS parts
     FROM temp.asked_words`,
  );
  return (words) => {
    clear.run();
    for (const [index, word] of words.entries()) put.run(index + 1, word);
    return terms.all() as IndexTerm[];
  };
};
