/** What a note or a message names: numbers, files, addresses, options and names. */
import { UNSPACED_SCRIPTS } from '../../unspaced-scripts.ts';
import { withoutEnd } from '../../without-end.ts';

/** Letters of one form, and numbers without the signs that part their thousands. */
export const normalized = (text: string): string => joined(text.normalize('NFKC').toLowerCase());
/** "1,250" as "1250". */
export const joined = (text: string): string =>
  text.replaceAll(/(?<=\p{N})[,.'’_\u00a0\u202f ](?=\p{N}{3}(?!\p{N}))/gu, '');

/** A time, an amount, a date, a version: numbers with signs between them. */
export const WHOLE = /(?<!\p{N})\p{N}+(?:[.,:/-]\p{N}+)+/gu;
/** "7 Uhr 15" as "7:15". */
export const withTimes = (text: string): string => text.replaceAll(SPOKEN, '$1:$2');
const SPOKEN = /(?<!\p{N})(\p{N}{1,2}) ?(?:uhr|h|点|點|時|시) ?(\p{N}{2})(?!\p{N})/gu;

/** In scripts without blanks, and where endings stand close, a number stands in the middle of words. */
export const withoutSigns = (text: string): string => text.replaceAll(SIGNS, ' ');
const SIGNS = new RegExp(`[${UNSPACED_SCRIPTS}\\p{sc=Hangul}]+`, 'gu');

/** Each by itself: every word with a number in it that is no time, date or amount of several parts, what names a place, and what is written as a name. */
export const claimsIn = (note: string): string[] => [
  ...(withoutSigns(withTimes(normalized(note)).replaceAll(WHOLE, ' ')).match(NUMBERED) ?? []),
  ...placesIn(note),
  ...(note.match(OPTION) ?? []).map(normalized),
  ...namesIn(note).map(normalized),
];

export const placesIn = (text: string): string[] =>
  (text.match(PLACE) ?? []).map((place) => normalized(withoutEnd(place, /[.,:;]/)));
/** "printer.js" is "src/printer.js". */
export const isSamePlace = (one: string, other: string): boolean =>
  one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);

/** Times and versions in one piece; what stands within the name of a file is none. */
export const valuesIn = (text: string): string[] => withTimes(normalized(withoutPlaces(text))).match(VALUES) ?? [];
export const withoutPlaces = (text: string, instead = ' '): string => text.replaceAll(PLACE, instead);
const VALUES = /(?<![\p{L}\p{N}_])[\p{L}\p{N}_]*\p{N}[\p{L}\p{N}_]*(?:[.,:-]\p{N}+)*/gu;

/** Of a command, or a variable. */
const OPTION = /(?<![\p{L}\p{N}])(?:-{1,2}\p{L}[\p{L}\p{N}-]*|\$\p{L}[\p{L}\p{N}_]*|~)/gu;
const NUMBERED = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]*\p{N}[\p{L}\p{M}\p{N}]*/gu;
const PLACE =
  /(?<![\p{L}\p{N}_.:~@-])[\p{L}\p{N}_.:~@-]*(?:\/|@)[\p{L}\p{N}_./:@?=&%#-]+|(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]+\.\p{Ll}[\p{L}\p{N}]*/gu;

/** A capital in the middle of a sentence, or within a word; the first word of a note has one anyway. */
export const namesIn = (note: string): string[] => note.match(NAME) ?? [];
const NAME = /(?<=[\p{L}\p{N},;)"'“”„«»] ["'“„«(]?)\p{Lu}[\p{L}\p{M}]+|(?<!\p{Ll})\p{Ll}+\p{Lu}[\p{L}]*/gu;
