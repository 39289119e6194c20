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
    const later = [...counts.keys()].filter((at) => at > place);
    later.sort((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0) || other - one);
    return firstOf(later, changes);
  };

  /** It speaks of what was said just before, unless it shares a word with something in between. */
  const inOtherWords = (place: number, { message }: Sentence): number[] => {
    const isNear = ({ message: other }: Sentence): boolean => other <= message + NEAR_MESSAGES;
    const near = sentences.slice(place + 1, place + 1 + LOOKED_AT).filter(isNear);
    const isOfOther = (at: number): boolean =>
      sentences[at]?.told.some((word) => index.holding(word).some((other) => other > place && other < at)) === true;
    return firstOf(
      near.map((_, at) => place + 1 + at),
      (at) => isTakingThatBack(sentences[at]?.said ?? '') && !isOfOther(at),
    );
  };

  return (place) => {
    const sentence = sentences[place];
    if (sentence === undefined) return [];
    return [...inSameWords(place, sentence), ...inOtherWords(place, sentence)];
  };
};
/** Of a long paste many lines share a word. */
const firstOf = (places: readonly number[], is: (place: number) => boolean): number[] => {
  const found: number[] = [];
  for (const place of places.slice(0, LOOKED_AT)) {
    if (is(place)) found.push(place);
    if (found.length === MOST) break;
  }
  return found;
};
const LOOKED_AT = 200;
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
