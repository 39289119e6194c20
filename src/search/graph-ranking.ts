/**
 * What the best candidates use: a function that several of them call, from the very lines that speak of the question, is
 * an answer too, even where its own words are others.
 */
import type { Candidate, IndexTables, SymbolRow } from '../core/index-port.ts';
import { plainWords, stem } from '../core/words.ts';
import type { Ranking } from './fuse.ts';
import { REFERENCE_KINDS } from './outline.ts';
import type { QueryWords } from './query-words.ts';
import { createResolver, each, type Resolver } from './resolve.ts';

export type GraphRanking = {
  rank(
    ranking: Ranking,
    pool: ReadonlyMap<number, Candidate>,
    asked: QueryWords,
    /** How many candidates are followed, and how many references of each. */
    most: { sources: number; references: number },
  ): Promise<Ranking>;
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

/** A name in the lines of a good candidate, and what it means. */
type Use = { at: number; near: string; kind: number; symbols: readonly SymbolRow[] };

export const createGraphRanking = (tables: IndexTables): GraphRanking => {
  const chunksOf = async (followed: readonly Followed[]): Promise<Ranking> => {
    const scores = new Map<number, number>();
    const targets = followed.slice(0, GRAPH.targets);
    const parts = await each(targets, ({ symbol }) => tables.partAt(symbol.file, symbol.line_start));
    for (const [index, { from, score }] of targets.entries()) {
      const part = parts[index];
      if (part !== undefined && part !== from) scores.set(part, (scores.get(part) ?? 0) + score);
    }
    return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score || a.id - b.id);
  };

  /** The names that a candidate's lines use, with what they mean. */
  const usesIn = async (source: Candidate, resolver: Resolver, most: number, at: number): Promise<Use[]> => {
    const [file, rows] = await Promise.all([
      resolver.fileOf(source.file),
      tables.referencesBetween(source.file, source.lineStart, source.lineEnd, most),
    ]);
    if (file === undefined) return [];
    const lines = source.text.split('\n');
    return each(rows, async ({ name, kind, line }) => {
      const { symbols } = await resolver.resolve(name, file, kind === MEMBER);
      const near = lines.slice(Math.max(0, line - source.lineStart - 1), line - source.lineStart + 2).join(' ');
      return { at, near, kind, symbols };
    });
  };

  return {
    async rank(ranking, pool, asked, most) {
      const resolver = createResolver(tables, GRAPH.definitions);
      const wanted = new Set(asked.words.map(({ stem: word }) => word));
      const scores = new Map<number, Followed>();
      const best = ranking.slice(0, most.sources);
      const uses = await each([...best.entries()], async ([at, { id }]) => {
        const source = pool.get(id);
        return source === undefined ? [] : usesIn(source, resolver, most.references, at);
      });
      for (const { at, near, kind, symbols } of uses.flat()) {
        if (symbols.length === 0 || symbols.length > GRAPH.meanings) continue;
        // The first says a little more than the next ones.
        const sure = GRAPH.smoothing / (GRAPH.smoothing + at);
        const said = new Set(
          plainWords(near)
            .map(stem)
            .filter((word) => wanted.has(word)),
        ).size;
        const share = GRAPH.base + said / Math.max(1, wanted.size);
        const weight = (sure * share * (kind === USE ? GRAPH.use : 1)) / symbols.length;
        for (const symbol of symbols) {
          const entry = scores.get(symbol.id);
          if (entry !== undefined) entry.score += weight;
          else scores.set(symbol.id, { symbol, from: (best[at] as { id: number }).id, score: weight });
        }
      }
      return chunksOf([...scores.values()].sort((a, b) => b.score - a.score || a.symbol.id - b.symbol.id));
    },
  };
};
