/** Everything that is known of what may be an answer, before it is weighed. */

import type { IndexTables } from '../core/index-port.ts';
import { type Candidate, type Candidates, createCandidates } from './candidates.ts';
import { byWeight, compareWithBest, gatherEvidence, isFunction, type Lately, type Weighed } from './features.ts';
import type { Ranking } from './fuse.ts';
import { createGraphRanking } from './graph-ranking.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { createReadQuery, type QueryWords, type ReadQuery } from './query-words.ts';
import type { Features } from './weights.ts';

type GatherOptions = {
  isCode: boolean;
  paths?: readonly string[] | undefined;
  nearest?: Ranking;
  lately?: Lately;
};
/** A piece of code asks for what it uses; what a sentence is about is called by the best answers only now and then. */
const FOLLOWED = { code: { sources: 6, references: 30 }, prose: { sources: 3, references: 12 } };

/** What shares no word with a question must point where it does. */
const NEAR_ENOUGH = 0.3;
export const pointsThere = ({ near }: Features): boolean => near > NEAR_ENOUGH;

const idsOf = (ranking: Ranking): Set<number> => new Set(ranking.map(({ id }) => id));

type Gatherer = {
  readQuery: ReadQuery;
  candidates: Candidates;
  features(asked: QueryWords, options: GatherOptions): Promise<Weighed[]>;
};

export const createGatherer = (tables: IndexTables): Gatherer => {
  const candidates = createCandidates(tables);
  const graph = createGraphRanking(tables);
  return {
    readQuery: createReadQuery(tables),
    candidates,
    async features(asked, { isCode, paths, nearest = [], lately }) {
      const [byWords, named] = await Promise.all([candidates.byWords(asked, paths), candidates.byName(asked, paths)]);
      const others = byWords.length < SEARCH_LIMITS.searchCandidatesSure ? await candidates.all(paths) : [];
      const pool = await candidates.load([...byWords, ...named, ...nearest, ...others].map(({ id }) => id));
      const sure = idsOf([...byWords.slice(0, SEARCH_LIMITS.searchCandidatesSure), ...named, ...nearest]);
      for (const [id, candidate] of pool) if (!sure.has(id) && !isFunction(candidate)) pool.delete(id);
      const spokenOf = idsOf([...byWords, ...named, ...nearest]);
      const weighed: Weighed[] = [];
      for (const entry of gatherEvidence([...pool.values()], asked, lately)) {
        const { candidate, features } = entry;
        if (spokenOf.has(candidate.id) || pointsThere(features)) weighed.push(entry);
        else pool.delete(candidate.id);
      }
      const called = await graph.rank(
        byWeight(weighed, isCode ? 'code' : 'prose'),
        pool,
        asked,
        isCode ? FOLLOWED.code : FOLLOWED.prose,
      );
      const found = await candidates.load(called.flatMap(({ id }) => (pool.has(id) ? [] : [id])));
      const further: Candidate[] = [...found.values()];
      if (further.length > 0) {
        weighed.push(...gatherEvidence(further, asked, lately));
        compareWithBest(weighed);
      }
      const scores = new Map(called.map(({ id, score }) => [id, score]));
      for (const { candidate, features } of weighed) features.called = scores.get(candidate.id) ?? 0;
      return weighed;
    },
  };
};
