/**
 * What says anew, however much later, what was said before: "Beat sews the cover" behind "Noemi sews the cover". Ordinary
 * words ("now", "only", "new") stand in much small talk, so only what also speaks of the same thing, and is short, counts.
 */
import { isTelling } from './checked-notes/same-words.ts';
import { isQuestion, isStanding, UNSPACED } from './distinctive.ts';
import type { Sentence } from './judged-sentences.ts';
import { saysAnew } from './renewing-words.ts';

type Renewed = { old: Sentence; newer: readonly Sentence[] };

/** Of the old sentences that stand, each with the newest that clearly says it anew; never a rule or the first message. */
export const renewedIn = (
  sentences: readonly (readonly Sentence[])[],
  isTaken: (sentence: Sentence) => boolean,
): readonly Renewed[] => {
  const olds = new Map<string, Old[]>();
  const found = new Map<Sentence, Renewed>();
  for (const own of sentences) {
    const stems = stemsOf(own);
    if (renews(own))
      for (const old of new Set([...stems].flatMap((stem) => olds.get(stem) ?? [])))
        if (isSameThing(old.stems, stems)) found.set(old.sentence, { old: old.sentence, newer: own });
    for (const sentence of own) if (mayGiveWay(sentence) && isTaken(sentence)) remember(olds, sentence);
  }
  return [...found.values()];
};

type Old = { sentence: Sentence; stems: ReadonlySet<string> };
const mayGiveWay = ({ message, said, isPasted }: Sentence): boolean =>
  message > 0 && !isPasted && !isQuestion(said) && !isStanding(said);
const remember = (olds: Map<string, Old[]>, sentence: Sentence): void => {
  const stems = stemsOf([sentence]);
  for (const stem of stems) {
    const before = olds.get(stem);
    if (before === undefined) olds.set(stem, [{ sentence, stems }]);
    else if (before.length < MENTIONS_MAX) before.push({ sentence, stems });
  }
};
/** What more sentences than this speak of is no one thing. */
const MENTIONS_MAX = 8;

/** All of a short message says it: "Noemi has no time. Beat sews the cover." */
const renews = (own: readonly Sentence[]): boolean =>
  own.reduce((sum, { said }) => sum + said.length, 0) <= SHORT_CHARACTERS &&
  own.every(({ said, isPasted, isReply }) => !isPasted && !isReply && !isQuestion(said)) &&
  own.some(({ said }) => saysAnew(said));
const SHORT_CHARACTERS = 110;

const isSameThing = (old: ReadonlySet<string>, newer: ReadonlySet<string>): boolean => {
  const shared = [...newer].filter((stem) => old.has(stem)).length;
  const others = [...newer].filter((stem) => !old.has(stem));
  if (others.length === 0) return false;
  if (shared >= SHARED_LEAST) return shared >= Math.min(old.size, newer.size) * SHARED_SHARE;
  // "The jet is now 120." behind "The carburettor jet is 115.": nothing but another number.
  return shared === 1 && others.every(isNumber) && [...old].some((stem) => isNumber(stem) && !newer.has(stem));
};
const SHARED_LEAST = 2;
const SHARED_SHARE = 1 / 2;
const isNumber = (stem: string): boolean => /\p{N}/u.test(stem);

const stemsOf = (unit: readonly Sentence[]): ReadonlySet<string> =>
  new Set(unit.flatMap(({ keys }) => keys.filter((key) => isTelling(key) || isNumber(key)).map(stemOf)));
/** With other endings too. */
const stemOf = (key: string): string => (UNSPACED.test(key) || isNumber(key) ? key : key.slice(0, STEM_CHARACTERS));
const STEM_CHARACTERS = 4;
