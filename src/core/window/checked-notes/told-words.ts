/** The words and values of a text that say something, and the files that it names. */
import { UNSPACED, valueKeys } from '../distinctive.ts';
import { joined, placesIn, withoutPlaces } from './claims.ts';
import { withDigits } from './number-words.ts';
import { isTelling } from './same-words.ts';
import { formOf } from './whole-values.ts';

/** What is named by a place, and what is said of it. */
export const toldIn = (text: string): string[] => [...new Set([...wordsIn(text), ...placesIn(text)])];

/** Of scripts without blanks sign by sign. */
export const wordsIn = (text: string): string[] => {
  const plain = withDigits(joined(withoutPlaces(text)));
  const spaced = valueKeys(plain.replaceAll(SIGNS, ' ')).filter((key) => isTelling(key) && !UNSPACED.test(key));
  return [...new Set([...spaced.map(formOf), ...(plain.match(MEANING) ?? [])])];
};
const SIGNS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]+/gu;
/** Without what only joins the words. */
const MEANING = /\p{sc=Han}|[\p{sc=Katakana}ー]+/gu;
