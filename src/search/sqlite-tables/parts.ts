/** The parts of files that a question is answered from. */
import type { DatabaseSync } from 'node:sqlite';
import type { Candidate, IndexTables, IndexTerm, Scored, Sought } from '../../core/index-port.ts';
import { NAME_WEIGHTS } from '../limits.ts';
import { TOKENIZER } from '../schema.ts';
import { countedChunks } from '../vocabulary.ts';
import type { SqliteStatements } from './statements.ts';

const CANDIDATE_COLUMNS = `chunks.id AS id, chunks.file AS file, files.path AS path, files.language AS language,
  chunks.line_start AS lineStart, chunks.line_end AS lineEnd, coalesce(full_name, '') AS symbol,
  chunks.symbol AS symbolId, coalesce(kind, '') AS kind, coalesce(symbols.line_start, 0) AS symbolStart, chunks.text AS text,
  files.modified_ms AS modifiedMs`;
const ALL_WEIGHED = `bm25(words, ${NAME_WEIGHTS.body}, ${NAME_WEIGHTS.names}, ${NAME_WEIGHTS.path})`;
const TEXT_ALONE = 'bm25(words, 1, 0, 0)';

type PartTables = Pick<
  IndexTables,
  'terms' | 'matching' | 'defining' | 'everyPart' | 'candidates' | 'partAt' | 'textOf'
>;

export const partTables = (database: DatabaseSync, statements: SqliteStatements): PartTables => {
  const termsOf = createTerms(database);
  return {
    terms: async (words) => ({ chunks: countedChunks(database), terms: termsOf(words) }),
    matching: async (sought) => refined(statements, matching(statements, sought), sought.common),
    defining: async (names, limit) =>
      names.flatMap((name) =>
        statements.all<{ id: number; path: string }>(
          `SELECT chunks.id AS id, files.path AS path FROM names
           JOIN symbols ON symbols.name = names.id JOIN files ON files.id = symbols.file
           JOIN chunks ON chunks.file = symbols.file AND chunks.line_start <= symbols.line_start AND chunks.line_end >= symbols.line_start
           WHERE names.name = ? LIMIT ?`,
          name,
          limit,
        ),
      ),
    everyPart: async (limit) =>
      statements.all(
        'SELECT chunks.id AS id, files.path AS path FROM chunks JOIN files ON files.id = chunks.file LIMIT ?',
        limit,
      ),
    async candidates(ids) {
      const rows = statements.all<Candidate>(
        `SELECT ${CANDIDATE_COLUMNS} FROM chunks JOIN files ON files.id = chunks.file
         LEFT JOIN symbols ON symbols.id = chunks.symbol WHERE chunks.id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(ids),
      );
      return new Map(rows.map((row) => [row.id, row]));
    },
    partAt: async (file, line) =>
      statements.one<{ id: number }>(
        'SELECT id FROM chunks WHERE file = ? AND line_start <= ? AND line_end >= ? LIMIT 1',
        file,
        line,
        line,
      )?.id,
    textOf: async (path) =>
      statements.all(
        `SELECT line_start AS lineStart, text FROM chunks WHERE file = (SELECT id FROM files WHERE path = ?)
         ORDER BY line_start`,
        path,
      ),
  };
};

const matching = (statements: SqliteStatements, { anyOf, textOnly, paths, limit }: Sought): Scored[] => {
  const words = anyOf.map(({ word }) => `"${word}"`).join(' OR ');
  const only =
    paths === undefined
      ? ''
      : 'JOIN chunks ON chunks.id = words.rowid JOIN files ON files.id = chunks.file AND files.path IN (SELECT value FROM json_each(?3))';
  return statements.all<Scored>(
    `SELECT words.rowid AS id, -${textOnly ? TEXT_ALONE : ALL_WEIGHED} AS score FROM words ${only}
     WHERE words MATCH ?1 ORDER BY score DESC LIMIT ?2`,
    textOnly ? `body : (${words})` : words,
    limit,
    ...(paths === undefined ? [] : [JSON.stringify(paths)]),
  );
};

/** Words that are nearly everywhere only tell apart what the others found. */
const refined = (statements: SqliteStatements, ranking: Scored[], common: Sought['common']): Scored[] => {
  if (common.length === 0) return ranking;
  const rows = statements.all<{ id: number; text: string }>(
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
