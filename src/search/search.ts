/** Looks for what a question means: by its words, by names, by vectors where there are any, and along the graph. */

import type { Candidate, IndexTables } from '../core/index-port.ts';
import type { SearchHit, SearchOptions } from '../core/retrieval-port.ts';
import { byWeight, functionOf } from './features.ts';
import { fuse, type Ranking } from './fuse.ts';
import { createGatherer, pointsThere } from './gather.ts';
import { SEARCH_LIMITS } from './limits.ts';
import type { Features } from './weights.ts';
import { looksLikeCode } from './words.ts';

export type SearchInput = SearchOptions & {
  /** The question as a vector, and the chunks nearest to it, where there is an embedder. */
  nearest?: Ranking;
};
export type Searcher = {
  search(query: string, options: SearchInput): Promise<SearchHit[]>;
};

/** How much nearness of vectors counts against all other features. */
const VECTORS = 1;

export const createSearcher = (tables: IndexTables): Searcher => {
  const gather = createGatherer(tables);
  const { readQuery, candidates } = gather;

  const ranked = async (query: string, options: SearchInput): Promise<Found[]> => {
    const asked = await readQuery(query);
    if (asked.words.length === 0) return [];
    const { paths, mode = 'hybrid', nearest = [], recent = [], now } = options;
    if (mode === 'words') {
      const byText = await candidates.byText(asked, paths);
      const loaded = await candidates.load(byText.map(({ id }) => id));
      return byText.flatMap(({ id, score }) => {
        const candidate = loaded.get(id);
        return candidate === undefined ? [] : [{ candidate, score, foundBy: ['words'] }];
      });
    }
    const isCode = looksLikeCode(query);
    const lately = { recent, now };
    const weighed = await gather.features(asked, { isCode, paths, nearest, lately });
    const known = new Map(weighed.map((entry) => [entry.candidate.id, entry]));
    const near = new Set(nearest.map(({ id }) => id));
    // Of what only vectors found, the other features have nothing to say.
    const speaking = weighed.filter(
      ({ candidate: { id }, features }) => !near.has(id) || waysOf(features).length > 0 || pointsThere(features),
    );
    const ranking = byWeight(speaking, isCode ? 'code' : 'prose');
    const fused: Ranking =
      near.size === 0
        ? ranking
        : fuse([
            { by: 'features', weight: 1, ranking },
            { by: 'vector', weight: VECTORS, ranking: nearest },
          ]);
    return fused.flatMap(({ id, score }) => {
      const entry = known.get(id);
      if (entry === undefined) return [];
      return [
        {
          candidate: entry.candidate,
          score,
          foundBy: foundBy(entry.features, near.has(id)),
        },
      ];
    });
  };

  return {
    async search(query, options) {
      // What the graph leads to may lie outside the files that were asked about.
      const allowed = options.paths && new Set(options.paths);
      const hits: SearchHit[] = [];
      const functions = new Set<string | number>();
      for (const { candidate, score, foundBy } of await ranked(query, options)) {
        if (allowed?.has(candidate.path) === false) continue;
        if (hits.some((hit) => overlaps(hit, candidate)) || functions.has(functionOf(candidate))) continue;
        functions.add(functionOf(candidate));
        hits.push(toHit(candidate, score, foundBy));
        if (hits.length >= Math.min(options.limit, SEARCH_LIMITS.searchLimitMax)) break;
      }
      return hits;
    },
  };
};

type Found = { candidate: Candidate; score: number; foundBy: string[] };

const waysOf = ({ words, alike, written, called }: Features): string[] => [
  ...(words > 0 ? ['words'] : []),
  ...(alike > 0 || written > 0 ? ['name'] : []),
  ...(called > 0 ? ['graph'] : []),
];

const foundBy = (features: Features, isNearest: boolean): string[] => {
  const ways = [...waysOf(features), ...(isNearest ? ['vector'] : [])];
  // The index knows more forms of a word than the features do.
  return ways.length > 0 ? ways : [pointsThere(features) ? 'meaning' : 'words'];
};

/** Two pieces of one long line have nothing in common but its number. */
const overlaps = (hit: SearchHit, { path, lineStart, lineEnd, text }: Candidate): boolean => {
  if (hit.path !== path || hit.line_start > lineEnd || hit.line_end < lineStart) return false;
  return hit.text === text || hit.line_start !== lineStart || hit.line_end !== lineEnd || lineStart !== lineEnd;
};

const toHit = (candidate: Candidate, score: number, foundBy: string[]): SearchHit => ({
  path: candidate.path,
  line_start: candidate.lineStart,
  line_end: candidate.lineEnd,
  ...(candidate.symbol === '' ? {} : { symbol: candidate.symbol }),
  score: Math.round(score * 1e4) / 1e4,
  text: candidate.text,
  found_by: foundBy,
});
