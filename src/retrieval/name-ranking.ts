/** How much of a definition's name a question says: `estimateTokens` by "how many tokens a text has, estimated". */
import { plainWords, stem } from '../core/words.ts';
import type { Candidate } from './candidates.ts';
import type { Ranking } from './fuse.ts';
import type { QueryWords } from './query-words.ts';

/** The thing's own name counts; what it stands in helps to tell two of one name apart. */
const OUTER = 0.35;
/** A name that was written out counts as much as the whole of a long one. */
const WRITTEN = 4;

export const rankByNames = (pool: ReadonlyMap<number, Candidate>, asked: QueryWords): Ranking => {
  const rare = new Set(asked.rare.map(stem));
  const all = new Set(asked.words.map(stem));
  const written = new Set(asked.names);
  const weight = (word: string): number => (rare.has(word) ? 1 : all.has(word) ? 0.4 : 0);
  const scoreOf = ({ symbol }: Candidate): number => {
    if (symbol === '') return 0;
    const parts = symbol.split('.');
    const own = parts.pop() ?? '';
    const words = plainWords(own).map(stem);
    if (words.length === 0) return 0;
    const said = words.reduce((sum, word) => sum + weight(word), 0);
    // All of a short name is less of a sign than all of a long one.
    const share = (said / words.length) * Math.sqrt(said);
    const around = plainWords(parts.join(' '))
      .map(stem)
      .reduce((sum, word) => sum + weight(word), 0);
    return share + OUTER * Math.min(around, 2) * Math.min(share, 1) + (written.has(own) ? WRITTEN : 0);
  };
  return [...pool.values()]
    .map((candidate) => ({ id: candidate.id, score: scoreOf(candidate) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.id - b.id);
};
