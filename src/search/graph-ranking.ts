/**
 * What the best candidates use: a function that several of them call, from the very lines that speak of the question, is
 * an answer too, even where its own words are others.
 */
import type { DatabaseSync } from 'node:sqlite';
import { plainWords, stem } from '../core/words.ts';
import type { Candidate } from './candidates.ts';
import type { Ranking } from './fuse.ts';
import { REFERENCE_KINDS } from './outline.ts';
import type { QueryWords } from './query-words.ts';
import { createResolver, type SymbolRow } from './resolve.ts';

export type GraphRanking = {
  rank(
    ranking: Ranking,
    pool: ReadonlyMap<number, Candidate>,
    asked: QueryWords,
    /** How many candidates are followed, and how many references of each. */
    most: { sources: number; references: number },
  ): Ranking;
};

/** Names that mean more things say nothing; so many targets are weighed. */
const GRAPH = {
  sources: 6,
  smoothing: 20,
  references: 30,
  meanings: 4,
  definitions: 24,
  targets: 24,
  base: 0.15,
  use: 0.5,
};
const MEMBER = REFERENCE_KINDS.indexOf('member');
const USE = REFERENCE_KINDS.indexOf('use');

type Followed = { symbol: SymbolRow; from: number; score: number };

export const createGraphRanking = (database: DatabaseSync): GraphRanking => {
  const references = database.prepare(
    `SELECT names.name AS name, kind, line FROM refs JOIN names ON names.id = refs.name
     WHERE file = ? AND line BETWEEN ? AND ? LIMIT ?`,
  );
  const chunkAt = database.prepare(
    'SELECT id FROM chunks WHERE file = ? AND line_start <= ? AND line_end >= ? LIMIT 1',
  );

  const chunksOf = (followed: readonly Followed[]): Ranking => {
    const scores = new Map<number, number>();
    for (const { symbol, from, score } of followed.slice(0, GRAPH.targets)) {
      const target = chunkAt.get(symbol.file, symbol.line_start, symbol.line_start) as { id: number } | undefined;
      if (target !== undefined && target.id !== from) scores.set(target.id, (scores.get(target.id) ?? 0) + score);
    }
    return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score || a.id - b.id);
  };

  return {
    rank(ranking, pool, asked, most) {
      const resolver = createResolver(database, GRAPH.definitions);
      const wanted = new Set(asked.words.map(({ stem: word }) => word));
      const scores = new Map<number, Followed>();
      for (const [place, { id }] of ranking.slice(0, most.sources).entries()) {
        // The first says a little more than the next ones.
        const sure = GRAPH.smoothing / (GRAPH.smoothing + place);
        const source = pool.get(id);
        const file = source && resolver.fileOf(source.file);
        if (source === undefined || file === undefined) continue;
        const lines = source.text.split('\n');
        const rows = references.all(source.file, source.lineStart, source.lineEnd, most.references) as {
          name: string;
          kind: number;
          line: number;
        }[];
        for (const { name, kind, line } of rows) {
          const { symbols } = resolver.resolve(name, file, kind === MEMBER);
          if (symbols.length === 0 || symbols.length > GRAPH.meanings) continue;
          const near = lines.slice(Math.max(0, line - source.lineStart - 1), line - source.lineStart + 2).join(' ');
          const said = new Set(
            plainWords(near)
              .map(stem)
              .filter((word) => wanted.has(word)),
          ).size;
          const share = GRAPH.base + said / Math.max(1, wanted.size);
          const weight = (sure * share * (kind === USE ? GRAPH.use : 1)) / symbols.length;
          for (const symbol of symbols) {
            const entry = scores.get(symbol.id);
            if (entry === undefined) scores.set(symbol.id, { symbol, from: id, score: weight });
            else entry.score += weight;
          }
        }
      }
      return chunksOf([...scores.values()].sort((a, b) => b.score - a.score || a.symbol.id - b.symbol.id));
    },
  };
};
