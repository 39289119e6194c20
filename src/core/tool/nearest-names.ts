/** What a mistyped word may have meant: commands, flags, tools, files. */
import { LIMITS } from '../limits.ts';

/** How many letters have to be changed, added, left out or swapped with a neighbour to come from one word to another. */
export const editDistance = (first: string, second: string): number => {
  const from = first.slice(0, LIMITS.comparedCharacters);
  const to = second.slice(0, LIMITS.comparedCharacters);
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    const above = rows[row - 1] as number[];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1] ? 0 : 1;
      let best = Math.min(
        (above[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (above[column - 1] as number) + same,
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        best = Math.min(best, (rows[row - 2]?.[column - 2] as number) + 1);
      }
      current.push(best);
    }
    rows.push(current);
  }
  return rows[from.length]?.[to.length] as number;
};

const distanceTo = (name: string, word: string): number =>
  name.toLowerCase().startsWith(word) && word.length > 1 ? 1 : editDistance(word, name.toLowerCase());

const lettersBeside = (name: string, word: string): number =>
  name.toLowerCase().startsWith(word.toLowerCase()) ? 0 : Math.abs(name.length - word.length);

/** The names that a mistyped word may have meant, best first; none where nothing is near, and none beside a far nearer one. */
export const nearest = (word: string, names: readonly string[]): string[] => {
  const near = names
    .map((name) => ({ name, away: distanceTo(name, word.toLowerCase()) }))
    .filter(({ name, away }) => away <= Math.max(1, Math.floor(Math.max(name.length, word.length) / 3)))
    .sort(
      (one, other) =>
        one.away - other.away ||
        // Letters are swapped more often than left out, but for those that were not written yet.
        lettersBeside(one.name, word) - lettersBeside(other.name, word) ||
        one.name.localeCompare(other.name),
    );
  return near
    .filter(({ away }) => away <= (near[0]?.away ?? 0) + FURTHER)
    .slice(0, LIMITS.nearestNames)
    .map(({ name }) => name);
};
/** Letters. */
const FURTHER = 2;

/** ` Did you mean a, b?`, or nothing. */
export const didYouMean = (word: string, names: readonly string[]): string => {
  const found = nearest(word, names);
  return found.length === 0 ? '' : ` Did you mean ${found.join(' or ')}?`;
};
