/** A time, an amount, a date or a version is one value: its parts are not looked for one by one. */
import { normalized, WHOLE, withoutPlaces, withTimes } from './claims.ts';

/** Each of them in a note, as the forms in which it may stand. */
export const wholesOf = (note: string): { forms: string[]; parts: readonly string[]; isSpan: boolean }[] =>
  wholesIn(withoutPlaces(note)).map((whole) => {
    const parts = whole.split(SIGN);
    return { forms: isTime(whole) ? [`${TIME}${pairOf(parts)}`] : formsOf(whole), parts, isSpan: SPAN.test(whole) };
  });

/** All in a text in each form. What is longer holds its beginning too: a version, a time with its seconds. */
export const wholeForms = (text: string): ReadonlySet<string> => {
  const forms = new Set<string>();
  for (const whole of wholesIn(text)) {
    const parts = whole.split(SIGN);
    for (const form of formsOf(whole)) forms.add(form);
    if (parts.length > 2 && parts.length <= PARTS_MAX)
      for (const [beginning] of whole.matchAll(BEGINNINGS)) for (const form of formsOf(beginning)) forms.add(form);
    if (/^\p{N}+[.:]/u.test(whole)) forms.add(`${TIME}${pairOf(parts.slice(0, 2))}`);
  }
  return forms;
};

/** "9-17" is told as "from 9 to 17" too. */
export const holdsSpan = (text: string, [from = '', to = '']: readonly string[]): boolean =>
  new RegExp(`(?<!\\p{N})${from}[^\\p{N}\\n]{1,${SPAN_CHARACTERS}}${to}(?!\\p{N})`, 'u').test(text);
const SPAN_CHARACTERS = 8;

/** "4.30" is "4,3", and "4:50" is "4.50". */
export const isSameValue = (one: string, other: string): boolean => {
  if (one === other) return true;
  // No other form of it is another value.
  if (!SIGN.test(one) && !SIGN.test(other)) return false;
  const forms = formsOf(other);
  return formsOf(one).some((form) => forms.includes(form));
};
/** One form for all in which a value may be written. */
export const formOf = (value: string): string =>
  /\p{N}[.,:/-]\p{N}/u.test(value) ? (formsOf(value)[0] ?? value) : value;
const isPair = (value: string): boolean => /^\p{N}+[.,:]\p{N}+$/u.test(value);

const wholesIn = (text: string): string[] => withTimes(normalized(text)).match(WHOLE) ?? [];
const BEGINNINGS = /^\p{N}+[.,:/-]\p{N}+(?=[.,:/-])/gu;
const SIGN = /[.,:/-]/u;
const SPAN = /^\p{N}+[/-]\p{N}+$/u;
const PARTS_MAX = 8;
const TIME = 'time ';
const isTime = (whole: string): boolean => /^\p{N}{1,2}:\p{N}{2}$/u.test(whole);

const pairOf = ([first = '', second = '']: readonly string[]): string => {
  const rest = second.replace(/(?<!0)0+$/u, '');
  return `${unpadded(first)}${rest === '' ? '' : `.${rest}`}`;
};
const unpadded = (part: string): string => part.replace(/^0+(?=\p{N})/u, '');

/** Two values are the same where they have one in common. */
export const formsOf = (value: string): string[] => {
  const parts = value.split(SIGN);
  if (isPair(value)) return [pairOf(parts)];
  const [first = '', second = '', third = ''] = parts.map(unpadded);
  if (parts.length === 3 && first.length === YEAR) return [`${first}-${second}-${third}`];
  if (parts.length !== 3 || third.length !== YEAR) return [value];
  const dayFirst = `${third}-${second}-${first}`;
  return value.includes('.') ? [dayFirst] : [dayFirst, `${third}-${first}-${second}`];
};
const YEAR = 4;
