/** Looks for what a question means: by its words, by names, by vectors where there are any, and along the graph. */
import type { DatabaseSync } from 'node:sqlite';
import { LIMITS } from '../core/limits.ts';
import type { SearchHit, SearchOptions } from '../core/retrieval-port.ts';
import { fuse, type Ranking } from './fuse.ts';
import { createReadQuery } from './query-words.ts';

export type Searcher = {
  search(query: string, options: SearchOptions): SearchHit[];
};

type ChunkRow = {
  id: number;
  path: string;
  line_start: number;
  line_end: number;
  text: string;
  symbol: string | null;
};

const WEIGHTS = { body: 1, names: 3, path: 1.5 };

export const createSearcher = (database: DatabaseSync): Searcher => {
  const readQuery = createReadQuery(database);
  const inWords = (filter: string) => `
    SELECT words.rowid AS id, bm25(words, ${WEIGHTS.body}, ${WEIGHTS.names}, ${WEIGHTS.path}) AS score
    FROM words ${filter} WHERE words MATCH ? ORDER BY score LIMIT ?`;
  const byWords = database.prepare(inWords(''));
  const byWordsIn = database.prepare(
    inWords(
      'JOIN chunks ON chunks.id = words.rowid JOIN files ON files.id = chunks.file AND files.path IN (SELECT value FROM json_each(?1))',
    )
      .replace('MATCH ?', 'MATCH ?2')
      .replace('LIMIT ?', 'LIMIT ?3'),
  );
  const byName = database.prepare(`
    SELECT chunks.id AS id, files.path AS path FROM names
    JOIN symbols ON symbols.name = names.id JOIN files ON files.id = symbols.file
    JOIN chunks ON chunks.file = symbols.file AND chunks.line_start <= symbols.line_start AND chunks.line_end >= symbols.line_start
    WHERE names.name = ? LIMIT ?`);
  const chunk = database.prepare(`
    SELECT chunks.id AS id, path, chunks.line_start AS line_start, chunks.line_end AS line_end, text, full_name AS symbol
    FROM chunks JOIN files ON files.id = chunks.file LEFT JOIN symbols ON symbols.id = chunks.symbol WHERE chunks.id = ?`);

  const ranked = (match: string, paths: readonly string[] | undefined): Ranking => {
    const rows =
      paths === undefined
        ? byWords.all(match, LIMITS.searchCandidates)
        : byWordsIn.all(JSON.stringify(paths), match, LIMITS.searchCandidates);
    return (rows as { id: number; score: number }[]).map(({ id, score }) => ({ id, score: -score }));
  };

  return {
    search(query, { limit, paths, mode = 'hybrid' }) {
      const { words, rare, names } = readQuery(query);
      const wanted = rare.length > 0 ? rare : words;
      if (wanted.length === 0) return [];
      const match = wanted.map((word) => `"${word}"`).join(' OR ');
      const lists: { by: string; weight: number; ranking: Ranking }[] = [
        { by: 'words', weight: 1, ranking: ranked(match, paths) },
      ];
      if (mode === 'hybrid') {
        const allowed = paths && new Set(paths);
        const named = names.flatMap(
          (name) => byName.all(name, LIMITS.searchCandidates) as { id: number; path: string }[],
        );
        lists.push({
          by: 'name',
          weight: 1,
          ranking: named.filter(({ path }) => allowed?.has(path) ?? true).map(({ id }) => ({ id, score: 1 })),
        });
      }
      const hits: SearchHit[] = [];
      for (const { id, score, foundBy } of fuse(lists)) {
        const row = chunk.get(id) as ChunkRow | undefined;
        if (row === undefined) continue;
        hits.push({
          path: row.path,
          line_start: row.line_start,
          line_end: row.line_end,
          ...(row.symbol === null ? {} : { symbol: row.symbol }),
          score: Math.round(score * 1e4) / 1e4,
          text: row.text,
          found_by: foundBy,
        });
        if (hits.length >= limit) break;
      }
      return hits;
    },
  };
};
