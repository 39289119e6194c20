/** The words and values of a text that say something, and the files that it names. */
import { wordsIn as pairsIn, valueKeys } from '../distinctive.ts';
import { joined, placesIn, withoutPlaces } from './claims.ts';
import { withDigits } from './number-words.ts';
import { isTelling } from './same-words.ts';
import { formOf } from './whole-values.ts';

/** What is named by a place, and what is said of it. */
export const toldIn = (text: string): string[] => [...new Set([...wordsIn(text), ...placesIn(text)])];

/** Chinese and Japanese sign by sign, and other scripts without blanks by pairs of signs. */
export const wordsIn = (text: string): string[] => {
  const plain = withDigits(joined(withoutPlaces(text)));
  const meaning = plain.match(MEANING) ?? [];
  const signs = meaning.length > 0 ? meaning : (plain.match(HIRAGANA) ?? []).flatMap(pairsIn);
  const spaced = valueKeys(plain.replaceAll(SIGNS, ' '));
  return [...new Set([...spaced.map(formOf), ...signs].filter(isTelling))];
};
const SIGNS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]+/gu;
/** Beside these, hiragana only joins the words. */
const MEANING = /\p{sc=Han}|[\p{sc=Katakana}ー]+/gu;
const HIRAGANA = /\p{sc=Hiragana}+/gu;
