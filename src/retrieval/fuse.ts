/** Several rankings as one, by rank: scores of different kinds cannot be added, places can. */
export type Ranking = readonly { id: number; score: number }[];

/** The usual constant of reciprocal rank fusion: how little the very first places count over the next. */
const SMOOTHING = 60;

export const fuse = (
  lists: readonly { by: string; weight: number; ranking: Ranking }[],
): { id: number; score: number; foundBy: string[] }[] => {
  const scores = new Map<number, { id: number; score: number; foundBy: string[] }>();
  for (const { by, weight, ranking } of lists) {
    const seen = new Set<number>();
    for (const { id } of ranking) {
      if (seen.has(id)) continue;
      seen.add(id);
      const entry = scores.get(id) ?? { id, score: 0, foundBy: [] };
      entry.score += weight / (SMOOTHING + seen.size);
      entry.foundBy.push(by);
      scores.set(id, entry);
    }
  }
  return [...scores.values()].sort((a, b) => b.score - a.score || a.id - b.id);
};
