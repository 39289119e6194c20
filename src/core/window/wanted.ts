/**
 * What speaks of something that the person wants kept: "the walnut allergy" is about "Recipes with walnuts get a warning".
 * Words count the more the fewer texts have them, and with another ending too.
 */
import { UNSPACED, valueKeys } from './distinctive.ts';

/** How much a text is about it, by its words; 0: not at all. */
export type AboutScore = (keys: readonly string[]) => number;

/** `all`: the words of every text, among which the wanted ones are to be found. */
const aboutScore = (wanted: string, all: readonly (readonly string[])[]): AboutScore => {
  const stems = [...new Set(valueKeys(wanted).filter(isWord).map(stemOf))];
  const weighed = stems.map((stem) => ({ stem, having: all.filter((keys) => has(keys, stem)).length }));
  const found = weighed.filter(({ having }) => having > 0);
  const fewest = Math.min(...found.map(({ having }) => having));
  // What much of it has ("the", "and") says nothing, unless there is nothing else.
  const most = Math.max(fewest, all.length * COMMON_SHARE, COMMON_LEAST);
  const weights = found
    .filter(({ having }) => having <= most)
    .map(({ stem, having }) => ({ stem, weight: Math.log(1 + all.length / having) }));
  return (keys) => weights.reduce((sum, { stem, weight }) => sum + (has(keys, stem) ? weight : 0), 0);
};
const COMMON_SHARE = 0.15;
const COMMON_LEAST = 2;

/** In scripts without spaces two signs are a word; elsewhere two letters say little. */
const isWord = (key: string): boolean => UNSPACED.test(key) || key.length > 2;
/** Without what endings change: walnut and walnuts, allergy and allergic. */
const stemOf = (word: string): string => {
  if (UNSPACED.test(word) || word.length < 4 || /\p{N}/u.test(word)) return word;
  return word.slice(0, word.length < 7 ? Math.max(4, word.length - 1) : word.length - 2);
};
/** A short word and a value are themselves alone: "tab" is not in "table". */
const has = (keys: readonly string[], stem: string): boolean =>
  stem.length < 4 || /\p{N}/u.test(stem) ? keys.includes(stem) : keys.some((key) => key.startsWith(stem));

/** Of several wishes, the latest first, which counts most. */
export const aboutScores = (wanted: readonly string[], all: readonly (readonly string[])[]): AboutScore => {
  const scores = wanted.map((one) => aboutScore(one, all));
  return (keys) => Math.max(0, ...scores.map((score, age) => score(keys) / (1 + age)));
};
