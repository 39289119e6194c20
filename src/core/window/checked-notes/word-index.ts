/** Which of many texts hold a word, whatever its ending: found by how it begins, and not by looking at each. */
import { isSameWord } from './same-words.ts';

export type WordIndex = {
  add(at: number, words: readonly string[]): void;
  /** Those that hold it, in the order in which they were added. */
  holding(word: string): readonly number[];
  /** How many of the words each of them holds, of those that hold one. */
  counts(words: readonly string[]): ReadonlyMap<number, number>;
};

export const createWordIndex = (): WordIndex => {
  const places = new Map<string, number[]>();
  /** Words that are the same begin with the same signs. */
  const alike = new Map<string, string[]>();
  const found = new Map<string, readonly number[]>();
  const holding = (word: string): readonly number[] => {
    const before = found.get(word);
    if (before) return before;
    const same = (alike.get(beginningOf(word)) ?? []).filter((other) => isSameWord(word, other));
    const [first = [], ...more] = same.map((other) => places.get(other) ?? []);
    const all = more.length === 0 ? first : [...new Set([...first, ...more.flat()])].sort((one, other) => one - other);
    found.set(word, all);
    return all;
  };
  return {
    add: (at, words) => {
      found.clear();
      for (const word of words) {
        const known = places.get(word);
        if (known) known.push(at);
        else {
          places.set(word, [at]);
          const others = alike.get(beginningOf(word));
          if (others) others.push(word);
          else alike.set(beginningOf(word), [word]);
        }
      }
    },
    holding,
    counts: (words) => {
      const counts = new Map<number, number>();
      for (const word of words) for (const at of holding(word)) counts.set(at, (counts.get(at) ?? 0) + 1);
      return counts;
    },
  };
};

const beginningOf = (word: string): string => word.slice(0, BEGINNING_CHARACTERS);
const BEGINNING_CHARACTERS = 3;
