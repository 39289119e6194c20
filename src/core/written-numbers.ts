/**
 * Numbers as they were written. JSON.parse makes 1187654321098765300 of …432 and 1.1 of 1.10, which is another value
 * where a text is wanted. The reviver's source text is not there on all platforms, so the text is looked through once.
 */
import type { JsonObject, JsonValue } from './json.ts';
import { parseNested } from './nested-json.ts';

type Container = { [key: string]: JsonValue } | JsonValue[];
type Key = string | number;

/** Of an object or array that was read here: its numbers that a value alone does not tell, by key. */
const written = new WeakMap<object, Map<string, string>>();

/** Deeper than this no schema is followed either. */
const DEPTH_MAX = 64;

/** `parseNested`, and it is remembered how numbers were written. `words`: what stood in place of the number at an offset. */
export const parseWritten = (json: string, words?: ReadonlyMap<number, string>): JsonValue => {
  const value = parseNested(json);
  if (typeof value === 'object' && value !== null) {
    const texts = numbersAsTexts(json, words);
    if (texts !== undefined) remember(value, JSON.parse(texts) as JsonValue, 0);
  }
  return value;
};

/** The digits of a number in an object or array, as far as they are known. */
export const writtenNumber = (container: object, key: Key): string | undefined => {
  const value = (container as Record<Key, unknown>)[key];
  if (typeof value !== 'number') return undefined;
  return written.get(container)?.get(String(key)) ?? plainInteger(value);
};

/** A number in an object or array, and how it was written where that is known. */
type NumberRule = (value: number, digits: string | undefined) => boolean;

/**
 * Whole numbers that were written with more digits than their value has, however they were written, and numbers too large
 * or too small for one. Of a fraction no more is kept than its type holds.
 */
export const isInexact: NumberRule = (value, digits) =>
  !Number.isFinite(value) || (digits !== undefined && isAnother(value, digits));
const isAnother = (value: number, digits: string): boolean => {
  if (WHOLE.test(digits)) return BigInt(digits) !== BigInt(value);
  if (value === 0) return significant(digits) !== '';
  return Math.abs(value) > Number.MAX_SAFE_INTEGER && losesDigits(digits);
};
/** A whole number that came without its digits, and may have been another one before. */
export const isRounded: NumberRule = (value, digits) =>
  digits === undefined && Number.isInteger(value) && !Number.isSafeInteger(value);
const WHOLE = /^-?\d+$/;

/** The places of the numbers that a rule holds for. */
export const numbersWhere = (rule: NumberRule, container: object, path = '', depth = 0): string[] =>
  depth > DEPTH_MAX
    ? []
    : Object.entries(container).flatMap(([key, entry]: [string, unknown]) => {
        const place = path === '' ? key : `${path}.${key}`;
        if (typeof entry === 'object' && entry !== null) return numbersWhere(rule, entry, place, depth + 1);
        return typeof entry === 'number' && rule(entry, writtenNumber(container, key)) ? [place] : [];
      });

/** Says how the number at a key was written. */
export const noteWritten = (container: object, key: Key, digits: string): void => {
  written.set(container, new Map(written.get(container)).set(String(key), digits));
};

/** A copy with each number that would lose digits as `replace` gives it; the value itself where there is none. */
export const mapInexact = (value: JsonValue, replace: (digits: string) => unknown, depth = 0): JsonValue => {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return value;
  const each = ([key, entry]: [string, JsonValue]): [string, JsonValue] => {
    const digits = typeof entry === 'number' ? writtenNumber(value, key) : undefined;
    const isLost = digits !== undefined && JSON_NUMBER.test(digits) && losesDigits(digits);
    return [key, isLost ? (replace(digits) as JsonValue) : mapInexact(entry, replace, depth + 1)];
  };
  const entries = Object.entries(value).map(each);
  if (entries.every(([key, entry]) => entry === (value as JsonObject)[key])) return value;
  return Array.isArray(value) ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
};

/** What JSON.stringify writes with all digits, on engines that can. */
export const forJson = <T extends JsonValue>(value: T): T => {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
  return rawJSON === undefined ? value : (mapInexact(value, rawJSON) as T);
};

/** The digits that count, without sign, point, exponent, and zeros at the ends. */
const significant = (number: string): string =>
  number
    .replace(/[eE].*$/, '')
    .replaceAll(/[-.]/g, '')
    .replaceAll(/^0+|0+$/g, '');
const losesDigits = (digits: string): boolean => {
  const value = Number(digits);
  return !Number.isFinite(value) || significant(digits) !== significant(String(value));
};

/** A copy with other values in it: what is still the same number was written the same. */
export const keepWritten = <T extends object>(from: object, to: T): T => {
  const known = written.get(from);
  if (known !== undefined) written.set(to, known);
  return to;
};

/** Says of a copy of a value how its numbers were written. */
export const keepAllWritten = <T extends JsonValue>(from: JsonValue, to: T, depth = 0): T => {
  if (typeof from !== 'object' || from === null || typeof to !== 'object' || to === null || depth > DEPTH_MAX)
    return to;
  keepWritten(from, to);
  for (const [key, entry] of Object.entries(from)) keepAllWritten(entry, (to as JsonObject)[key] ?? null, depth + 1);
  return to;
};

/** JSON text with the numbers as they were written. `gap` stands behind every comma and colon. */
export const writtenJson = (value: JsonValue, gap: '' | ' ' = ''): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const write = (entry: JsonValue): string => writtenJson(entry, gap);
  const comma = `,${gap}`;
  if (Array.isArray(value)) return `[${value.map((_, index) => entryText(value, index, write)).join(comma)}]`;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  const texts = keys.map((key) => `${JSON.stringify(key)}:${gap}${entryText(value, key, write)}`);
  return `{${texts.join(comma)}}`;
};

/** The same in lines, indented by one blank a level. */
export const writtenJsonLines = (value: JsonValue, indent = ''): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const write = (entry: JsonValue): string => writtenJsonLines(entry, `${indent} `);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const name = (key: string): string => (Array.isArray(value) ? '' : `${JSON.stringify(key)}: `);
  const lines = Object.keys(value).map((key) => `${indent} ${name(key)}${entryText(value, key, write)}`);
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(',\n')}\n${indent}${close}`;
};

/** As JSON writes numbers. */
export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** An entry of an object or array as `write` makes it, a number with its own digits. */
export const entryText = (container: Container, key: Key, write: (entry: JsonValue) => string): string => {
  const entry = (container as Record<Key, JsonValue>)[key] as JsonValue;
  const digits = typeof entry === 'number' ? writtenNumber(container, key) : undefined;
  return digits !== undefined && JSON_NUMBER.test(digits) ? digits : write(entry);
};

/** Such a number has one spelling that anyone uses. */
const plainInteger = (value: number): string | undefined =>
  Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : undefined;

const QUOTE = 34;
const BACKSLASH = 92;
const isNumeral = (code: number): boolean =>
  (code >= 48 && code <= 57) || code === 43 || code === 45 || code === 46 || code === 69 || code === 101;

/** The same JSON with a text in place of each number that its value does not tell; undefined where there is none. */
const numbersAsTexts = (json: string, words: ReadonlyMap<number, string> | undefined): string | undefined =>
  replaceNumbers(json, (number, at) => {
    const digits = words?.get(at) ?? number;
    return digits === plainInteger(Number(number)) ? undefined : digits;
  });

/** The same JSON with a text in place of each number that `replace` gives one for; undefined where it gives none. */
const replaceNumbers = (
  json: string,
  replace: (number: string, at: number) => string | undefined,
): string | undefined => {
  let texts = '';
  let from = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === 45 || (code >= 48 && code <= 57)) {
      let end = at + 1;
      while (isNumeral(json.charCodeAt(end))) end++;
      const text = replace(json.slice(at, end), at);
      if (text !== undefined) {
        texts += json.slice(from, at) + JSON.stringify(text);
        from = end;
      }
      at = end - 1;
    }
  }
  return from === 0 ? undefined : texts + json.slice(from);
};

/** The offset of the closing quote. */
export const endOfString = (json: string, open: number): number => {
  let end = json.indexOf('"', open + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
};

const isEscaped = (json: string, at: number): boolean => {
  let before = at;
  while (json.charCodeAt(before - 1) === BACKSLASH) before--;
  return (at - before) % 2 === 1;
};

/** Both have the same shape; where one has a text and the other a number, the text is how it was written. */
const remember = (value: Container, texts: JsonValue, depth: number): void => {
  if (depth > DEPTH_MAX) return;
  for (const [key, entry] of Object.entries(value)) {
    const text = (texts as Record<string, JsonValue>)[key] as JsonValue;
    if (typeof entry === 'number' && typeof text === 'string') {
      const known = written.get(value) ?? new Map<string, string>();
      written.set(value, known.set(key, text));
    } else if (typeof entry === 'object' && entry !== null) remember(entry, text, depth + 1);
  }
};
