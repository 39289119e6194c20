/** Reading JSON of other programs without trusting its shape. */
import { isObject, type JsonObject } from '../core/json.ts';
import { parseNested } from '../core/nested-json.ts';
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

/** What JSON.parse gave is JSON. */
export const asJsonObject = (value: Fields): JsonObject => value as JsonObject;
