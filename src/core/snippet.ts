/** The part of a text that a search shows: where most of what was asked for stands. */
import { UNSPACED_SCRIPTS } from './unspaced-scripts.ts';

/** Scripts without blanks between words are compared by two characters at a time. */
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]{2,}`, 'gu');
/** Where a part may begin: a line, or a sentence. */
const BEGIN = /\n|[.!?…]["'”’)\]]*\s+|[。！？]/gu;
const WORDS_MAX = 32;
const BEGINS_MAX = 400;

export const snippetOf = (text: string, query: string, most: number): string => {
  if (text.length <= most) return text;
  const words = wordsOf(query);
  const lower = text.toLowerCase();
  const begins = [0, ...[...text.matchAll(BEGIN)].map(({ index, 0: end }) => index + end.length)].slice(0, BEGINS_MAX);
  const foundFrom = (start: number): number => {
    const part = lower.slice(start, start + most);
    return words.filter((word) => part.includes(word)).length;
  };
  const counts = begins.map(foundFrom);
  const best = Math.max(...counts);
  const good = begins.filter((_, index) => counts[index] === best);
  // What was asked for stands in the middle rather than at the end, which may be cut again.
  const start = good[Math.floor((good.length - 1) / 2)] ?? 0;
  const end = start + most;
  return `${start > 0 ? '…' : ''}${text.slice(start, end).toWellFormed()}${end < text.length ? '…' : ''}`;
};

const wordsOf = (query: string): string[] => {
  const lower = query.toLowerCase();
  const pairs = [...lower.matchAll(UNSPACED)].flatMap(([run]) =>
    [...run].slice(1).map((second, index) => `${[...run][index]}${second}`),
  );
  const words = lower.replaceAll(UNSPACED, ' ').match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return [...new Set([...words, ...pairs])].slice(0, WORDS_MAX);
};
