/** Chunks that may be an answer: found by their text or by their names, and what is known of each. */

import type { DatabaseSync } from 'node:sqlite';
import type { Ranking } from './fuse.ts';
import { SEARCH_LIMITS } from './limits.ts';
import type { QueryWords } from './query-words.ts';

export type Candidate = {
  id: number;
  file: number;
  path: string;
  language: string;
  lineStart: number;
  lineEnd: number;
  /** `Parser.push`; empty where it is no definition. */
  symbol: string;
  symbolId: number;
  kind: string;
  /** Where the definition begins that it belongs to; 0 where it is none. */
  symbolStart: number;
  text: string;
  /** When its file was changed; negative where that was so lately that the time is not sure. */
  modifiedMs: number;
};

export type Candidates = {
  /** Plain BM25 over the text alone, to compare with. */
  byText(asked: QueryWords, paths: readonly string[] | undefined): Ranking;
  /** BM25 over text, names and path. */
  byWords(asked: QueryWords, paths: readonly string[] | undefined): Ranking;
  /** Definitions that are named in the question as they are written. */
  byName(asked: QueryWords, paths: readonly string[] | undefined): Ranking;
  /** Every part, where there are few. */
  all(paths: readonly string[] | undefined): Ranking;
  load(ids: readonly number[]): Map<number, Candidate>;
};

/** How much a word in a name or in the path counts against one in the text. */
const WEIGHTS = { body: 0.3, names: 3, path: 0.5 };
const COLUMNS = `chunks.id AS id, chunks.file AS file, files.path AS path, files.language AS language,
  chunks.line_start AS lineStart, chunks.line_end AS lineEnd, coalesce(full_name, '') AS symbol,
  chunks.symbol AS symbolId, coalesce(kind, '') AS kind, coalesce(symbols.line_start, 0) AS symbolStart, chunks.text AS text,
  files.modified_ms AS modifiedMs`;
const NAMED_EXACTLY = 20;

export const createCandidates = (database: DatabaseSync): Candidates => {
  const select = (score: string, filtered: boolean) =>
    database.prepare(
      `SELECT words.rowid AS id, -${score} AS score FROM words ${
        filtered
          ? 'JOIN chunks ON chunks.id = words.rowid JOIN files ON files.id = chunks.file AND files.path IN (SELECT value FROM json_each(?3))'
          : ''
      } WHERE words MATCH ?1 ORDER BY score DESC LIMIT ?2`,
    );
  const both = (score: string) => ({ all: select(score, false), some: select(score, true) });
  const plain = both('bm25(words, 1, 0, 0)');
  const weighed = both(`bm25(words, ${WEIGHTS.body}, ${WEIGHTS.names}, ${WEIGHTS.path})`);
  const every = database.prepare(
    'SELECT chunks.id AS id, files.path AS path FROM chunks JOIN files ON files.id = chunks.file LIMIT ?',
  );
  const exactly = database.prepare(`
    SELECT chunks.id AS id, files.path AS path FROM names
    JOIN symbols ON symbols.name = names.id JOIN files ON files.id = symbols.file
    JOIN chunks ON chunks.file = symbols.file AND chunks.line_start <= symbols.line_start AND chunks.line_end >= symbols.line_start
    WHERE names.name = ? LIMIT ?`);
  const byIds = database.prepare(
    `SELECT ${COLUMNS} FROM chunks JOIN files ON files.id = chunks.file LEFT JOIN symbols ON symbols.id = chunks.symbol
     WHERE chunks.id IN (SELECT value FROM json_each(?))`,
  );
  const texted = database.prepare('SELECT id, text FROM chunks WHERE id IN (SELECT value FROM json_each(?))');

  const run = (statement: typeof plain, match: string, paths: readonly string[] | undefined): Ranking =>
    (paths === undefined
      ? statement.all.all(match, SEARCH_LIMITS.searchCandidates)
      : statement.some.all(match, SEARCH_LIMITS.searchCandidates, JSON.stringify(paths))) as {
      id: number;
      score: number;
    }[];
  const anyOf = ({ rare }: QueryWords): string => rare.map((word) => `"${word}"`).join(' OR ');
  /** What the common words say of those that the rare ones found. */
  const refined = (ranking: Ranking, { common }: QueryWords): Ranking => {
    if (common.length === 0) return ranking;
    const texts = new Map(
      (texted.all(JSON.stringify(ranking.map(({ id }) => id))) as { id: number; text: string }[]).map((row) => [
        row.id,
        row.text.toLowerCase(),
      ]),
    );
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
    byText: (asked, paths) => refined(run(plain, `body : (${anyOf(asked)})`, paths), asked),
    byWords: (asked, paths) => refined(run(weighed, anyOf(asked), paths), asked),
    byName(asked, paths) {
      const allowed = paths && new Set(paths);
      const exact = asked.names.flatMap((name) => exactly.all(name, NAMED_EXACTLY) as { id: number; path: string }[]);
      return exact.filter(({ path }) => allowed?.has(path) ?? true).map(({ id }) => ({ id, score: 1 }));
    },
    all(paths) {
      const rows = every.all(SEARCH_LIMITS.searchSmallIndex + 1) as { id: number; path: string }[];
      if (rows.length > SEARCH_LIMITS.searchSmallIndex) return [];
      const allowed = paths && new Set(paths);
      return rows.filter(({ path }) => allowed?.has(path) ?? true).map(({ id }) => ({ id, score: 0 }));
    },
    load: (ids) =>
      new Map((byIds.all(JSON.stringify(ids)) as Candidate[]).map((candidate) => [candidate.id, candidate])),
  };
};
