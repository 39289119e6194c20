/** Chunks that may be an answer: found by their text or by their names, and what is known of each. */
import type { DatabaseSync } from 'node:sqlite';
import { LIMITS } from '../core/limits.ts';
import type { Ranking } from './fuse.ts';
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
};

export type Candidates = {
  /** Plain BM25 over the text alone, to compare with. */
  byText(asked: QueryWords, paths: readonly string[] | undefined): Ranking;
  /** BM25 over text, names and path. */
  byWords(asked: QueryWords, paths: readonly string[] | undefined): Ranking;
  /** Definitions whose names hold words of the question, or are named in it. */
  byName(asked: QueryWords, paths: readonly string[] | undefined): Ranking;
  load(ids: readonly number[]): Map<number, Candidate>;
  textOf(id: number): string;
};

/** How much a word in a name or in the path counts against one in the text. */
const WEIGHTS = { body: 1, names: 1, path: 0.5 };
const COLUMNS = `chunks.id AS id, chunks.file AS file, files.path AS path, files.language AS language,
  chunks.line_start AS lineStart, chunks.line_end AS lineEnd, coalesce(full_name, '') AS symbol,
  chunks.symbol AS symbolId, coalesce(kind, '') AS kind`;
const NAMED_EXACTLY = 20;
/** Names are looked for by the rarest words only. */
const NAME_WORDS = 8;

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
  const named = both('bm25(words, 0, 1, 0)');
  const exactly = database.prepare(`
    SELECT chunks.id AS id, files.path AS path FROM names
    JOIN symbols ON symbols.name = names.id JOIN files ON files.id = symbols.file
    JOIN chunks ON chunks.file = symbols.file AND chunks.line_start <= symbols.line_start AND chunks.line_end >= symbols.line_start
    WHERE names.name = ? LIMIT ?`);
  const byIds = database.prepare(
    `SELECT ${COLUMNS} FROM chunks JOIN files ON files.id = chunks.file LEFT JOIN symbols ON symbols.id = chunks.symbol
     WHERE chunks.id IN (SELECT value FROM json_each(?))`,
  );
  const text = database.prepare('SELECT text FROM chunks WHERE id = ?');
  const texted = database.prepare('SELECT id, text FROM chunks WHERE id IN (SELECT value FROM json_each(?))');

  const run = (statement: typeof plain, match: string, paths: readonly string[] | undefined): Ranking =>
    (paths === undefined
      ? statement.all.all(match, LIMITS.searchCandidates)
      : statement.some.all(match, LIMITS.searchCandidates, JSON.stringify(paths))) as { id: number; score: number }[];
  const anyOf = ({ rare }: QueryWords, most = rare.length): string =>
    rare
      .slice(0, most)
      .map((word) => `"${word}"`)
      .join(' OR ');
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
      return [
        ...exact.filter(({ path }) => allowed?.has(path) ?? true).map(({ id }) => ({ id, score: 1 })),
        ...run(named, `names : (${anyOf(asked, NAME_WORDS)})`, paths),
      ];
    },
    load: (ids) =>
      new Map((byIds.all(JSON.stringify(ids)) as Candidate[]).map((candidate) => [candidate.id, candidate])),
    textOf: (id) => (text.get(id) as { text: string } | undefined)?.text ?? '',
  };
};
