/** What a note or a message names: files and addresses, and numbers in one form. */
import { withoutEnd } from '../../without-end.ts';

/** Letters of one form, and numbers without the signs that part their thousands. */
const normalized = (text: string): string => joined(text.normalize('NFKC').toLowerCase());
/** "1,250" as "1250". */
export const joined = (text: string): string =>
  text.replaceAll(/(?<=\p{N})[,.'’_\u00a0\u202f ](?=\p{N}{3}(?!\p{N}))/gu, '');

export const placesIn = (text: string): string[] =>
  (text.match(PLACE) ?? []).map((place) => normalized(withoutEnd(place, /[.,:;]/)));
/** "printer.js" is "src/printer.js". */
export const isSamePlace = (one: string, other: string): boolean =>
  one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);

export const withoutPlaces = (text: string): string => text.replaceAll(PLACE, ' ');
const PLACE =
  /(?<![\p{L}\p{N}_.:~@-])[\p{L}\p{N}_.:~@-]*(?:\/|@)[\p{L}\p{N}_./:@?=&%#-]+|(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]+\.\p{Ll}[\p{L}\p{N}]*/gu;
