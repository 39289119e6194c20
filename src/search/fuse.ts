/** Several rankings as one, by rank: scores of different kinds cannot be added, places can. */
export type Ranking = readonly { id: number; score: number }[];
export type RankedList = { by: string; weight: number; ranking: Ranking };
export type Fused = { id: number; score: number; foundBy: string[] };

/** How little the very first places count over the next ones (the usual constant is for longer lists). */
const SMOOTHING = 20;

export const fuse = (lists: readonly RankedList[]): Fused[] => {
  const scores = new Map<number, Fused>();
  for (const { by, weight, ranking } of lists) {
    const seen = new Set<number>();
    let place = 0;
    let last = Number.NaN;
    for (const { id, score } of ranking) {
      if (seen.has(id)) continue;
      seen.add(id);
      // Equals share their place.
      if (score !== last) place = seen.size;
      last = score;
      const entry = scores.get(id) ?? { id, score: 0, foundBy: [] };
      entry.score += weight / (SMOOTHING + place);
      entry.foundBy.push(by);
      scores.set(id, entry);
    }
  }
  return [...scores.values()].sort((a, b) => b.score - a.score || a.id - b.id);
};
