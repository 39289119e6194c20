/**
 * Which lines of many stand out: those whose words few of the others have, and that hold a value. Facts are mostly said
 * once, and what is said again and again says little.
 */
import { UNSPACED_SCRIPTS } from '../unspaced-scripts.ts';

export type Line = {
  text: string;
  /** The file or the message that it stands in. */
  source: string;
  /** Its words as they are counted; `wordKeys` of the text. */
  keys: readonly string[];
};
export type Scored<T extends Line> = { line: T; score: number };

/** Words as they are counted, each once: names are cut into their parts, and every number is the same word. */
export const wordKeys = (text: string): readonly string[] => {
  const words = text.match(/\p{Lu}?\p{Ll}+|\p{Lu}+|[\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu) ?? [];
  return [...new Set(words.flatMap((word) => (isNumber(word) ? ['0'] : wordsIn(word.toLowerCase()))))].map(shared);
};

/** The same with every value as it stands: of what a person says, another number is another fact. */
export const valueKeys = (text: string): readonly string[] => {
  const values = text.toLowerCase().match(VALUES) ?? [];
  return [...new Set([...wordKeys(text).filter((word) => word !== '0'), ...values])];
};
const VALUES = /(?<![\p{L}\p{N}_])[\p{L}\p{N}_]*\p{N}[\p{L}\p{N}_]*(?:[.,:-]\p{N}+)*/gu;

/** The same words come again in thousands of lines, which are kept: one string for each of them. */
const known = new Map<string, string>();
const shared = (word: string): string => {
  const before = known.get(word);
  if (before !== undefined) return before;
  if (known.size >= SHARED_WORDS_MAX) known.clear();
  known.set(word, word);
  return word;
};
const SHARED_WORDS_MAX = 20_000;

export const UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}]`, 'u');

/** A script without spaces is read by pairs of signs. */
export const wordsIn = (word: string): readonly string[] => {
  if (!UNSPACED.test(word)) return [word];
  const signs = [...word];
  return signs.length < 3 ? [word] : signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
};
const isNumber = (word: string): boolean => word.charCodeAt(0) < 58;

const VALUE = /\d{2,}|["'`][^"'`]{2,}["'`]|https?:|\w@\w/;
/** What people say before something that is to be kept in mind. */
const CUE =
  /\b(?:remember|keep in mind|note that|important|always|never|must|don't|do not|only|prefer|instead|decided?|agreed|deadline|password|merke?|wichtig|immer|niemals?|nie|muss|nicht|importante?|jamais|toujours|rappelle|souviens|nunca|siempre|sempre|recuerda|lembre|ricorda|mai|nigdy|zawsze|asla)\b|記|记住|牢记|不要|必须|必ず|覚えて|決して|忘れ|절대|반드시|기억|запомни|помни|важно|никогда|всегда|нельзя|تذكر|أبدا|याद रख|हमेशा|จำไว้|ห้าม/iu;

/** Of those, what holds from then on: it forbids or demands. */
const STANDING =
  /\b(?:never|always|must|don't|do not|niemals?|nie|immer|muss|nicht|jamais|toujours|nunca|siempre|sempre|mai|nigdy|zawsze|asla)\b|不要|必须|必ず|決して|절대|반드시|никогда|всегда|нельзя|أبدا|हमेशा|ห้าม/iu;
const QUESTION = /[?？؟]["'”’)»」]*$/u;

export const isQuestion = (text: string): boolean => QUESTION.test(text);
/** It holds from then on: it forbids or demands something. */
export const isStanding = (text: string): boolean => STANDING.test(text) && !isQuestion(text);
/** It asks to be kept in mind, decides or forbids something. */
export const hasCue = (text: string): boolean => CUE.test(text);
/** It holds a number, something in quotes, an address, a path, or a name in its middle. */
export const hasValue = (text: string): boolean => VALUE.test(text) || NAME.test(text);
const NAME = /[\p{L}\p{N}_-][/\\.][\p{L}\p{N}_-]|(?<=[\p{Ll},] )\p{Lu}|\p{Ll}\p{Lu}|\p{L}_\p{L}|\p{N}/u;

const VALUE_BONUS = 0.15;
const CUE_BONUS = 0.3;
const STANDING_BONUS = 0.6;
/** A question is over with its answer. */
const QUESTION_MALUS = 0.3;
const OWN_VALUE_BONUS = 0.15;
const LITTLE_MALUS = 0.25;
const LITTLE_WORDS = 8;
const FEWEST_WORDS = 3;

/** Best first, without those below `least`. The score of a line is at most about 2. */
export const byDistinction = <T extends Line>(
  lines: readonly T[],
  { cues, least = 0 }: { cues: boolean; least?: number },
): Scored<T>[] => {
  const rarity = raritiesIn(lines);
  const scoreOf = ({ keys, text }: T): number => {
    if (keys.length < FEWEST_WORDS) return 0;
    let sum = 0;
    for (const key of keys) sum += rarity.get(key) ?? 0;
    const value = VALUE.test(text) ? VALUE_BONUS : 0;
    if (!cues) return sum / keys.length + value;
    const own = hasOwnValue(keys, rarity) ? OWN_VALUE_BONUS : 0;
    return sum / keys.length + value + own + cueOf(text) - (saysLittle(text, keys) ? LITTLE_MALUS : 0);
  };
  // Of tens of thousands of lines few are kept.
  const scored: Scored<T>[] = [];
  for (const line of lines) {
    const score = scoreOf(line);
    if (score >= least) scored.push({ line, score });
  }
  return scored.sort((one, other) => other.score - one.score);
};

/** Few words, however rare, are mostly praise or a greeting. What decides or corrects names something, in any language. */
const saysLittle = (text: string, keys: readonly string[]): boolean => keys.length < LITTLE_WORDS && !hasValue(text);

const cueOf = (text: string): number => {
  if (isQuestion(text)) return -QUESTION_MALUS;
  if (isStanding(text)) return STANDING_BONUS;
  return CUE.test(text) ? CUE_BONUS : 0;
};

/** It holds a value that is found nowhere else. */
const hasOwnValue = (keys: readonly string[], rarity: ReadonlyMap<string, number>): boolean =>
  keys.some((key) => rarity.get(key) === 1 && /\p{N}/u.test(key));

/** For each word, 1 where one line of one source has it, 0 where all have it. */
const raritiesIn = (lines: readonly Line[]): Map<string, number> => {
  const counts = new Map<string, { lines: number; sources: number; last: string }>();
  const sources = new Set<string>();
  for (const { source, keys } of lines) {
    sources.add(source);
    for (const key of keys) {
      const known = counts.get(key);
      if (known === undefined) counts.set(key, { lines: 1, sources: 1, last: source });
      else {
        known.lines += 1;
        // Lines of a source stand together, so the last one tells whether it is new.
        if (known.last !== source) known.sources += 1;
        known.last = source;
      }
    }
  }
  const rarities = new Map<string, number>();
  for (const [key, count] of counts) {
    const ofLines = rareness(count.lines, lines.length);
    const ofSources = rareness(Math.min(count.sources, sources.size), sources.size);
    rarities.set(key, sources.size < 3 ? ofLines : (ofLines + ofSources) / 2);
  }
  return rarities;
};

/** 1 for what is there once, 0 for what is everywhere. */
const rareness = (having: number, all: number): number =>
  all <= 1 ? 0 : Math.max(0, Math.log(all / having) / Math.log(all));
