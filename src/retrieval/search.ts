/** Looks for what a question means: by its words, by names, by vectors where there are any, and along the graph. */
import type { DatabaseSync } from 'node:sqlite';
import { LIMITS } from '../core/limits.ts';
import type { SearchHit, SearchOptions } from '../core/retrieval-port.ts';
import { type Candidate, createCandidates } from './candidates.ts';
import { type Fused, fuse, type RankedList, type Ranking } from './fuse.ts';
import { createGraphRanking } from './graph-ranking.ts';
import { rankByNames } from './name-ranking.ts';
import { createReadQuery } from './query-words.ts';

export type SearchInput = SearchOptions & {
  /** The question as a vector, and the chunks nearest to it, where there is an embedder. */
  nearest?: Ranking;
};
export type Searcher = {
  search(query: string, options: SearchInput): SearchHit[];
};

/** How much each way of finding counts against full text; set on this project's own code (evals/retrieval). */
const FUSION = { words: 1, name: 0.4, graph: 0.4, vector: 1 };
/** A piece of code asks for what it uses. */
const GRAPH_FOR_CODE = 1;
const LOOKS_LIKE_CODE = /[(){};=]|->|::/;

/** What is sought is a definition more likely than the lines between, and the thing itself rather than its test. */
const PRIORS = { between: 0.75, test: 0.8 };
const DEFINITIONS: ReadonlySet<string> = new Set([
  'function',
  'method',
  'class',
  'interface',
  'macro',
  'implementation',
]);
const TEST_FILE = /(?:^|[/_.-])(?:tests?|specs?|__tests__|testdata)(?:[/_.-]|$)/i;

export const createSearcher = (database: DatabaseSync): Searcher => {
  const readQuery = createReadQuery(database);
  const candidates = createCandidates(database);
  const graphRanking = createGraphRanking(database);

  const ranked = (query: string, { paths, mode = 'hybrid', nearest = [] }: SearchInput): Fused[] => {
    const asked = readQuery(query);
    if (asked.words.length === 0) return [];
    if (mode === 'words') return fuse([{ by: 'words', weight: 1, ranking: candidates.byText(asked, paths) }]);
    const byWords = candidates.byWords(asked, paths);
    const named = candidates.byName(asked, paths);
    const pool = candidates.load([...byWords, ...named, ...nearest].map(({ id }) => id));
    const first: RankedList[] = [
      { by: 'words', weight: FUSION.words, ranking: byWords },
      { by: 'name', weight: FUSION.name, ranking: rankByNames(pool, asked) },
      { by: 'vector', weight: FUSION.vector, ranking: nearest },
    ];
    const graph = graphRanking.rank(fuse(first), pool, asked);
    const weight = LOOKS_LIKE_CODE.test(query) ? GRAPH_FOR_CODE : FUSION.graph;
    const fused = fuse([...first, { by: 'graph', weight, ranking: graph }]);
    return withPriors(fused, candidates.load(fused.slice(0, LIMITS.searchCandidates).map(({ id }) => id)), query);
  };

  return {
    search(query, options) {
      const fused = ranked(query, options);
      const loaded = candidates.load(fused.slice(0, options.limit * 3 + LIMITS.searchCandidates).map(({ id }) => id));
      // What the graph leads to may lie outside the files that were asked about.
      const allowed = options.paths && new Set(options.paths);
      const hits: SearchHit[] = [];
      for (const { id, score, foundBy } of fused) {
        const candidate = loaded.get(id);
        if (candidate === undefined || allowed?.has(candidate.path) === false) continue;
        if (hits.some((hit) => overlaps(hit, candidate))) continue;
        hits.push(toHit(candidate, candidates.textOf(id), score, foundBy));
        if (hits.length >= Math.min(options.limit, LIMITS.searchLimitMax)) break;
      }
      return hits;
    },
  };
};

const withPriors = (fused: Fused[], pool: ReadonlyMap<number, Candidate>, query: string): Fused[] => {
  const wantsTests = /\b(?:tests?|specs?)\b/i.test(query);
  for (const entry of fused) {
    const candidate = pool.get(entry.id);
    if (candidate === undefined) continue;
    // Prose has no definitions; its parts are what is sought there.
    if (candidate.language !== 'prose' && !DEFINITIONS.has(candidate.kind)) entry.score *= PRIORS.between;
    if (!wantsTests && TEST_FILE.test(candidate.path)) entry.score *= PRIORS.test;
  }
  return fused.sort((a, b) => b.score - a.score || a.id - b.id);
};

const overlaps = (hit: SearchHit, { path, lineStart, lineEnd }: Candidate): boolean =>
  hit.path === path && hit.line_start <= lineEnd && hit.line_end >= lineStart;

const toHit = (candidate: Candidate, text: string, score: number, foundBy: string[]): SearchHit => ({
  path: candidate.path,
  line_start: candidate.lineStart,
  line_end: candidate.lineEnd,
  ...(candidate.symbol === '' ? {} : { symbol: candidate.symbol }),
  score: Math.round(score * 1e4) / 1e4,
  text,
  found_by: foundBy,
});
