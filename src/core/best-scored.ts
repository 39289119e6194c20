/** The best of many, without sorting all of them. */
import type { Scored } from './index-port.ts';

export type BestScored = {
  add(id: number, score: number): void;
  /** The best first; among equals the lowest id. */
  list(): Scored[];
};

const byScore = (a: Scored, b: Scored): number => b.score - a.score || a.id - b.id;

export const createBestScored = (limit: number): BestScored => {
  const found: Scored[] = [];
  /** What is no better than the last of so many that are known to be there is none of them. */
  let least = Number.NEGATIVE_INFINITY;
  return {
    add(id, score) {
      if (score < least) return;
      found.push({ id, score });
      if (found.length < limit * 2) return;
      found.sort(byScore).splice(limit);
      least = found.at(-1)?.score ?? least;
    },
    list: () => found.sort(byScore).slice(0, limit),
  };
};
