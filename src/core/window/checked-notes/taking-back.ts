/** What takes back or changes a sentence of the person that was said before it: neither is told without the other. */
import { takesBack, takesThatBack } from '../correcting-words.ts';
import { isNegative } from '../negative.ts';
import { fallsAway } from '../renewing-words.ts';
import { isTelling, sharedWords } from './same-words.ts';
import { toldIn } from './told-words.ts';
import type { WordIndex } from './word-index.ts';

type Sentence = { said: string; told: readonly string[]; message: number };

/** The places of the sentences that take back or change the one at a place, those of the same words first. */
export const createTakingBack = (
  sentences: readonly Sentence[],
  index: WordIndex,
): ((place: number) => readonly number[]) => {
  const isChange = remembering((said) => takesBack(said) || fallsAway(said));
  const isTakingThatBack = remembering(takesThatBack);

  const inSameWords = (place: number, { said, told }: Sentence): number[] => {
    // "The tmp thing" is "tmp/".
    const words = [
      ...told,
      ...told.flatMap((word) => (word.includes('/') ? word.split(/[/.]+/u).filter(isTelling) : [])),
    ];
    const counts = index.counts(words);
    const changes = (at: number): boolean => {
      const other = sentences[at] as Sentence;
      const isContrary = (counts.get(at) ?? 0) * 2 >= other.told.length && isNegative(other.said) !== isNegative(said);
      // By the person's own words, and not by those that they answered.
      return (isContrary || isChange(other.said)) && sharedWords(toldIn(other.said), words).length > 0;
    };
    const later = [...counts.keys()].filter((at) => at > place && changes(at));
    return later.sort((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0) || other - one);
  };

  /** It speaks of what was said just before, unless it shares a word with something in between. */
  const inOtherWords = (place: number, { message }: Sentence): number[] => {
    const near: number[] = [];
    for (let at = place + 1; (sentences[at]?.message ?? Number.POSITIVE_INFINITY) <= message + NEAR_MESSAGES; at += 1)
      near.push(at);
    const isOfOther = (at: number): boolean =>
      [...index.counts(sentences[at]?.told ?? []).keys()].some((other) => other > place && other < at);
    return near.filter((at) => isTakingThatBack(sentences[at]?.said ?? '') && !isOfOther(at));
  };

  return (place) => {
    const sentence = sentences[place];
    if (sentence === undefined) return [];
    return [inSameWords(place, sentence), inOtherWords(place, sentence)].flatMap((found) => found.slice(0, MOST));
  };
};
const MOST = 2;
const NEAR_MESSAGES = 4;

const remembering = (is: (said: string) => boolean): ((said: string) => boolean) => {
  const known = new Map<string, boolean>();
  return (said) => {
    const before = known.get(said) ?? is(said);
    known.set(said, before);
    return before;
  };
};
