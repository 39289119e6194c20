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
  const stemsIn = createFinder(stems);
  const counts = stems.map(() => 0);
  for (const keys of all) for (const at of stemsIn(keys)) counts[at] = (counts[at] as number) + 1;
  const fewest = counts.reduce((least, having) => (having > 0 ? Math.min(least, having) : least), all.length);
  // What much of it has ("the", "and") says nothing, unless there is nothing else.
  const most = Math.max(fewest, all.length * COMMON_SHARE, COMMON_LEAST);
  const weights = counts.map((having) => (having > 0 && having <= most ? Math.log(1 + all.length / having) : 0));
  return (keys) => stemsIn(keys).reduce((sum, at) => sum + (weights[at] as number), 0);
};
const COMMON_SHARE = 0.15;
const COMMON_LEAST = 2;

/** In scripts without spaces two signs are a word; elsewhere two letters say little. */
const isWord = (key: string): boolean => UNSPACED.test(key) || key.length > 2;
/** Without what endings change: walnut and walnuts, allergy and allergic. */
const stemOf = (word: string): string => {
  if (isValue(word)) return word;
  if (UNSPACED.test(word) || word.length < 4) return word.slice(0, STEM_CHARACTERS);
  return word.slice(0, Math.min(STEM_CHARACTERS, word.length < 7 ? Math.max(4, word.length - 1) : word.length - 2));
};
/** No word of a language is longer without its ending. */
const STEM_CHARACTERS = 32;
/** A short word and a value are themselves alone: "tab" is not in "table". */
const isAlone = (stem: string): boolean => stem.length < 4 || isValue(stem);
const isValue = (word: string): boolean => /\p{N}/u.test(word);

/** Which of the stems a text has, in their order: each word is looked up by itself and by its beginnings, however many stems there are. */
const createFinder = (stems: readonly string[]): ((keys: readonly string[]) => number[]) => {
  const alone = new Map<string, number>();
  const beginnings = new Map<string, number>();
  for (const [at, stem] of stems.entries()) (isAlone(stem) ? alone : beginnings).set(stem, at);
  const lengths = [...new Set([...beginnings.keys()].map(({ length }) => length))];
  return (keys) => {
    const found = new Set<number>();
    const add = (at: number | undefined): void => void (at === undefined || found.add(at));
    for (const key of keys) {
      add(alone.get(key));
      for (const length of lengths) if (length <= key.length) add(beginnings.get(key.slice(0, length)));
    }
    return [...found].sort((one, other) => one - other);
  };
};

/** Of several wishes, the latest first, which counts most. */
export const aboutScores = (wanted: readonly string[], all: readonly (readonly string[])[]): AboutScore => {
  const scores = wanted.map((one) => aboutScore(one, all));
  return (keys) => Math.max(0, ...scores.map((score, age) => score(keys) / (1 + age)));
};
