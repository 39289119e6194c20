/** Reading JSON of other programs without trusting its shape. */
import { isObject, type JsonObject } from '../core/json.ts';
import { DIALECT_LIMITS } from '../core/limits/dialect-limits.ts';
import { isDeepValue, isNestedDeeper, parseNested, TOO_DEEP } from '../core/nested-json.ts';
import { thrownText } from '../core/thrown-text.ts';

export type Fields = Record<string, unknown>;

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
/** Of a list that some servers write as its one entry. */
export const oneOrMore = (value: unknown): unknown[] => (isObject(value) ? [value] : listOf(value));
export const objectOf = (value: unknown): Fields => (isObject(value) ? value : {});
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
/** A count, never negative. Readers of counts take nothing but whole numbers. */
export const countOf = (value: unknown): number | undefined => {
  const count = typeof value === 'number' ? Math.floor(value) : -1;
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
};
/** A window's size: zero means that the server does not know it. */
export const windowOf = (value: unknown): number | undefined => {
  const count = countOf(value);
  return count === 0 ? undefined : count;
};

export type ReadJson = { ok: true; value: unknown } | { ok: false; problem: string };

/** `read`: what reads it instead of `parseNested`, and throws as that does. */
export const parseJson = (text: string, read: (text: string) => unknown = parseNested): ReadJson => {
  try {
    return { ok: true, value: read(text) };
  } catch (error) {
    return { ok: false, problem: thrownText(error) };
  }
};

/** JSON of a server's events. The arguments of a call that are nested too deeply stand in it as text, so that the call is known. */
export const parseEvent = (text: string): ReadJson => parseJson(text, shallowEvent);
const ARGUMENTS = 'arguments';
const shallowEvent = (text: string): unknown => {
  if (!isNestedDeeper(text)) return JSON.parse(text);
  const value: unknown = JSON.parse(text);
  const open: [value: unknown, depth: number][] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [outer, depth] = next;
    if (typeof outer !== 'object' || outer === null) continue;
    if (depth > DIALECT_LIMITS.depth) throw new SyntaxError(TOO_DEEP);
    for (const [key, inner] of Object.entries(outer)) {
      if (key !== ARGUMENTS) open.push([inner, depth + 1]);
      else if (isDeepValue(inner)) Object.assign(outer, { [key]: JSON.stringify(cutBelow(inner)) });
    }
  }
  return value;
};
/** One level more than is read, so that its text is too deep as well. */
const cutBelow = (value: unknown, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DIALECT_LIMITS.depth) return Array.isArray(value) ? [] : {};
  if (Array.isArray(value)) return value.map((inner) => cutBelow(inner, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutBelow(inner, depth + 1)]));
};

/** What JSON.parse gave is JSON. */
export const asJsonObject = (value: Fields): JsonObject => value as JsonObject;
