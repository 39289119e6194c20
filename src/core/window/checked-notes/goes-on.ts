/**
 * A clause that has no subject of its own goes on from the one before: "The oven is a Miwe, bought in 2019". A note that
 * puts both together, in their order, says what was said.
 */

import { UNSPACED } from '../distinctive.ts';
import type { Passage } from './passages.ts';
import { isSameWord } from './same-words.ts';

/** `words`: those of the note that the person said, in its order. `at`: the later clause. */
export const goesOn = (words: readonly string[], at: number, passages: readonly Passage[]): boolean => {
  const told = words.filter((word) => !LIGHT.test(word));
  const later = passages[at];
  if (later === undefined || later.isDenied || later.needs.length > 0) return false;
  const own = later.words.filter((word) => !LIGHT.test(word));
  const begins = own.find((word) => !OFTEN.test(word));
  if (begins === undefined || !told.some((word) => isSameWord(word, begins))) return false;
  for (let before = at - 1; before >= Math.max(0, at - CLAUSES_BEFORE); before -= 1) {
    const first = passages[before] as Passage;
    if (!isBeside(first, later)) return false;
    if (!first.isDenied && first.needs.length === 0 && isJoined(told, first.words, own)) return true;
  }
  return false;
};

/** Scripts without blanks leave the subject out in a sentence behind it too. */
const isBeside = (first: Passage, later: Passage): boolean =>
  first.sentence === later.sentence ||
  (first.at === later.at && first.sentence === later.sentence - 1 && later.words.every((word) => !SPACED.test(word)));

/** The note names what the first tells alone, then what the later one tells. */
const isJoined = (told: readonly string[], first: readonly string[], later: readonly string[]): boolean => {
  // A number or a word of another script is the value, and stands anywhere.
  const isSigns = told.some((word) => UNSPACED.test(word));
  const values = isSigns ? told.filter((word) => !UNSPACED.test(word)) : [];
  if (!values.every((word) => placeOf(word, later) >= 0)) return false;
  const ordered = told.filter((word) => !values.includes(word));
  const places = ordered.map((word) => ({ first: placeOf(word, first), later: placeOf(word, later) }));
  if (places.some((one) => one.first < 0 && one.later < 0)) return false;
  const subject = places.findLastIndex((one) => one.later < 0);
  const rest = places.findIndex((one) => one.first < 0);
  if (subject < 0 || (rest < 0 ? values.length === 0 : subject > rest)) return false;
  const end = rest < 0 ? places.length : rest;
  return (
    isInOrder(places.slice(0, subject + 1).map((one) => one.first)) &&
    isInOrder(places.slice(end).map((one) => one.later))
  );
};
const placeOf = (word: string, words: readonly string[]): number => words.findIndex((one) => isSameWord(one, word));
const isInOrder = (places: readonly number[]): boolean =>
  places.every((place, at) => place < 0 || at === 0 || place > (places[at - 1] as number));

/** Of a sentence with very many clauses. */
const CLAUSES_BEFORE = 8;

/** Signs that join the words of a clause. */
const LIGHT = /^[是的了在着也都还就和有一小]$/u;
/** "Every day" is no subject. */
const OFTEN = /^[每毎天日]$/u;
const SPACED = /^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}]/u;

/** "Lea is Anna's daughter", where Anna said who she is, and "my daughter Lea". */
export const isOfPerson = (
  { text, words }: Pick<Passage, 'text' | 'words'>,
  passage: Passage,
  names: readonly string[],
): boolean => {
  const name = names.find((one) => text.includes(one));
  if (name === undefined || passage.isDenied) return false;
  const [, spaced, signs] = OWN.exec(passage.text) ?? [];
  const kin = spaced ?? signs;
  if (kin === undefined) return false;
  const behind = new RegExp(
    `${name}(?:['’]?s)?[的の]?\\s*${kin}|${kin}\\p{L}*\\s+(?:of|von|d['’]|de|di)\\s*${name}`,
    'iu',
  );
  if (!behind.test(text)) return false;
  const rest = words.filter(
    (word) => !LIGHT.test(word) && !isSameWord(word, name.toLowerCase()) && !name.includes(word),
  );
  return rest.every((word) => placeOf(word, passage.words) >= 0);
};
const OWN =
  /(?<!\p{L})(?:my|our|meine?[nmrs]?|unsere?[nmrs]?|mon|ma|mes|notre|mi|nuestr[oa]|mia|mio|minha|meu)\s+(\p{L}{3,})|(?<!\p{L})我(?:们)?的?(\p{sc=Han}{2})/iu;

/** Who the person said that they are. */
export const namesOfPerson = (said: readonly string[]): string[] =>
  said.flatMap((text) =>
    [...text.slice(0, NAMED_CHARACTERS).matchAll(SELF)].map(([, name, other]) => name ?? other ?? ''),
  );
const NAMED_CHARACTERS = 1_000;
const SELF =
  /(?<!\p{L})(?:I am|I['’]m|[Mm]y name is|[Ii]ch bin|[Ii]ch heiße|[Mm]ein Name ist|[Jj]e suis|[Jj]e m['’]appelle|[Ss]oy|[Mm]e llamo|[Mm]i chiamo|[Ss]ono)\s+(\p{Lu}\p{L}+)|我(?:叫|是)(\p{sc=Han}{2,3})(?=[，,。！!\s]|$)/gu;

/** "Mend it" of one thing, and "now the same for the registration form". */
export const isTheSame = (
  { words, isRequest }: Pick<Passage, 'words' | 'isRequest'>,
  at: number,
  passages: readonly Passage[],
): boolean => {
  const later = passages[at];
  if (!isRequest || later === undefined || later.isDenied || !SAME.test(later.text)) return false;
  const missing = words.filter((word) => placeOf(word, later.words) < 0);
  const before = passages
    .slice(Math.max(0, at - PASSAGES_BEFORE), at)
    .findLast((one) => one.at >= later.at - MESSAGES_BEFORE && missing.some((word) => placeOf(word, one.words) >= 0));
  return before?.isDenied === false && missing.every((word) => placeOf(word, before.words) >= 0);
};
const MESSAGES_BEFORE = 4;
const PASSAGES_BEFORE = 40;
const SAME =
  /(?<!\p{L})(?:the same|likewise|das ?(?:selbe|gleiche)|dasselbe|genauso|ebenso|la même chose|pareil|de même|lo mismo|igual|o mesmo|lo stesso|то же)(?!\p{L})|同样|一样|同じ/iu;
