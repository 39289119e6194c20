/** The part of a text that a search shows: where most of what was asked for stands. */
import { UNSPACED_SCRIPTS } from './unspaced-scripts.ts';

/** Scripts without blanks between words are compared by two characters at a time. */
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]{2,}`, 'gu');
/** Where a part may begin: a line, or a sentence. */
const BEGIN = /\n|[.!?…]["'”’)\]]*\s+|[。！？]/gu;
const WORDS_MAX = 32;
const BEGINS_MAX = 400;
/** Places of one word that are looked at. */
const PLACES_MAX = 24;

export const snippetOf = (text: string, query: string, most: number): string => {
  if (text.length <= most) return text;
  if (most <= 0) return '';
  const words = wordsOf(query);
  const lower = text.toLowerCase();
  const countFrom = (start: number): number => {
    const part = lower.slice(start, start + most);
    return words.filter((word) => part.includes(word)).length;
  };
  const bestOf = (begins: readonly number[]): { begins: number[]; count: number } => {
    const counts = begins.map(countFrom);
    const count = Math.max(...counts);
    return { begins: begins.filter((_, index) => counts[index] === count), count };
  };
  const ofSentences = bestOf(
    [0, ...[...text.matchAll(BEGIN)].map(({ index, 0: end }) => index + end.length)].slice(0, BEGINS_MAX),
  );
  // A sentence may be longer than what is shown.
  const ofWords = bestOf([0, ...wordBegins(lower, words, most)]);
  const { begins } = ofWords.count > ofSentences.count ? ofWords : ofSentences;
  // What was asked for stands in the middle rather than at the end, which may be cut again.
  const start = begins[Math.floor((begins.length - 1) / 2)] ?? 0;
  const end = start + most;
  return `${start > 0 ? '…' : ''}${text.slice(start, end).toWellFormed()}${end < text.length ? '…' : ''}`;
};

/** A little before each place where one of the words stands, at the beginning of a word. */
const wordBegins = (lower: string, words: readonly string[], most: number): number[] => {
  const lead = Math.floor(most / 4);
  const places = words.flatMap((word) => {
    const found: number[] = [];
    for (let at = lower.indexOf(word); at >= 0 && found.length < PLACES_MAX; at = lower.indexOf(word, at + most))
      found.push(at);
    return found;
  });
  return places
    .sort((one, other) => one - other)
    .map((at) => {
      const from = Math.max(0, at - lead);
      const blank = from === 0 ? -1 : lower.slice(from, at).indexOf(' ');
      return from + blank + 1;
    });
};

const wordsOf = (query: string): string[] => {
  const lower = query.toLowerCase();
  const pairs = [...lower.matchAll(UNSPACED)].flatMap(([run]) =>
    [...run].slice(1).map((second, index) => `${[...run][index]}${second}`),
  );
  const words = lower.replaceAll(UNSPACED, ' ').match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return [...new Set([...words, ...pairs])].slice(0, WORDS_MAX);
};
