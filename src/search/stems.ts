/** Texts as stems, fast: the same few thousand words come again and again, so each is cut and stemmed once. */
import { plainWords, stem } from '../core/words.ts';
import { indexedText } from './words.ts';

const KNOWN_MAX = 50_000;
const NOT_ASCII = /[^\x00-\x7f]/;
/** The words of `plainWords`, for text that is plain. */
const ASCII_WORD = /[A-Z]?[a-z]+[0-9]*[a-z]*|[A-Z]+(?![a-z])[0-9]*|[0-9]+[a-z]*/g;

const known = new Map<string, string>();
const stemOf = (word: string): string => {
  let found = known.get(word);
  if (found === undefined) {
    if (known.size >= KNOWN_MAX) known.clear();
    found = stem(word.toLowerCase());
    known.set(word, found);
  }
  return found;
};

export const stemsOf = (text: string): string[] => {
  const words = NOT_ASCII.test(text) ? plainWords(indexedText(text)) : (text.match(ASCII_WORD) ?? []);
  return words.map(stemOf);
};
