/** Chunks that may be an answer: found by their text or by their names, and what is known of each. */
import type { Candidate, IndexTables } from '../core/index-port.ts';
import type { Ranking } from './fuse.ts';
import { SEARCH_LIMITS } from './limits.ts';
import type { QueryWords } from './query-words.ts';

export type { Candidate };

export type Candidates = {
  /** Plain BM25 over the text alone, to compare with. */
  byText(asked: QueryWords, paths: readonly string[] | undefined): Promise<Ranking>;
  /** BM25 over text, names and path. */
  byWords(asked: QueryWords, paths: readonly string[] | undefined): Promise<Ranking>;
  /** Definitions that are named in the question as they are written. */
  byName(asked: QueryWords, paths: readonly string[] | undefined): Promise<Ranking>;
  /** Every part, where there are few. */
  all(paths: readonly string[] | undefined): Promise<Ranking>;
  load(ids: readonly number[]): Promise<Map<number, Candidate>>;
};

const NAMED_EXACTLY = 20;

export const createCandidates = (tables: IndexTables): Candidates => {
  const matching = ({ rare, common }: QueryWords, textOnly: boolean, paths: readonly string[] | undefined) =>
    tables.matching({ anyOf: rare, common, textOnly, paths, limit: SEARCH_LIMITS.searchCandidates });
  return {
    byText: (asked, paths) => matching(asked, true, paths),
    byWords: (asked, paths) => matching(asked, false, paths),
    async byName({ names }, paths) {
      if (names.length === 0) return [];
      const allowed = paths && new Set(paths);
      const exact = await tables.defining(names, NAMED_EXACTLY);
      return exact.filter(({ path }) => allowed?.has(path) ?? true).map(({ id }) => ({ id, score: 1 }));
    },
    async all(paths) {
      const rows = await tables.everyPart(SEARCH_LIMITS.searchSmallIndex + 1);
      if (rows.length > SEARCH_LIMITS.searchSmallIndex) return [];
      const allowed = paths && new Set(paths);
      return rows.filter(({ path }) => allowed?.has(path) ?? true).map(({ id }) => ({ id, score: 0 }));
    },
    load: (ids) => (ids.length === 0 ? Promise.resolve(new Map()) : tables.candidates(ids)),
  };
};
