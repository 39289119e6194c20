/**
 * What a tool's function returned, as data for the model. What JSON has no word for is put into the nearest that it has,
 * or refused in words that name the place: a value that turned into `{}` on the way would be a lie to the model.
 */

import type { JsonObject, JsonValue } from '../json.ts';
import { LIMITS } from '../limits.ts';
import { isError, thrownName, thrownText } from '../thrown-text.ts';

/** Thrown where a tool returned what no model can read. The tool's author is told, so the model is told that it failed. */
export class UnreadableValue extends TypeError {
  override readonly name = 'UnreadableValue';
}

/** As JSON; undefined where there is nothing. Throws `UnreadableValue`. */
export const toJson = (value: unknown): JsonValue | undefined => convert(value, 'the value', []);

const convert = (value: unknown, place: string, above: readonly object[]): JsonValue | undefined => {
  switch (typeof value) {
    case 'undefined':
      return undefined;
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // JSON has no word for these, and null would be another value.
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
    case 'symbol':
    case 'function':
      throw refused(place, `a ${typeof value}`);
    default:
      return value === null ? null : convertObject(value as object, place, above);
  }
};

const convertObject = (value: object, place: string, above: readonly object[]): JsonValue | undefined => {
  if (above.includes(value)) throw refused(place, 'an object that holds itself', 'Return the fields that matter.');
  if (above.length >= LIMITS.returnedDepth)
    throw refused(place, `deeper than ${LIMITS.returnedDepth} levels`, 'Return the fields that matter.');
  const inside = [...above, value];
  const each = (entry: unknown, where: string): JsonValue | undefined => convert(entry, `${place}${where}`, inside);
  if (Array.isArray(value)) return value.map((entry, index) => each(entry, `[${index}]`) ?? null);
  if (value instanceof Map) return fromMap(value, each);
  if (value instanceof Set) return [...value].map((entry, index) => each(entry, `[${index}]`) ?? null);
  if (value instanceof Date) return fromDate(value, place);
  if (isError(value)) return { error: `${thrownName(value)}: ${thrownText(value)}` };
  if (value instanceof RegExp) return String(value);
  if (value instanceof ArrayBuffer || (ArrayBuffer.isView(value) && !isNumbers(value)))
    throw refused(place, 'bytes', 'Return text, a picture by itself, or the bytes as base64 text.');
  if (isNumbers(value)) return [...(value as Iterable<unknown>)].map((entry) => convert(entry, place, inside) ?? null);
  if (value instanceof Promise) throw refused(place, 'a promise', 'Await it.');
  return fromFields(value, place, inside);
};

type Numbers =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint16Array
  | Uint32Array
  | BigInt64Array;
const isNumbers = (value: object): value is Numbers =>
  ArrayBuffer.isView(value) &&
  !(value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView);

const fromMap = (
  map: ReadonlyMap<unknown, unknown>,
  each: (entry: unknown, where: string) => JsonValue | undefined,
): JsonValue => {
  const isNamed = [...map.keys()].every((key) => typeof key === 'string' || typeof key === 'number');
  if (!isNamed) return [...map].map((entry, index) => each(entry, `[${index}]`) ?? null);
  return fields([...map].map(([key, entry]) => [String(key), each(entry, `.${String(key)}`)]));
};

const fromDate = (date: Date, place: string): JsonValue => {
  if (Number.isNaN(date.getTime())) throw refused(place, 'an invalid date');
  return date.toISOString();
};

/** Plain objects, and instances that show something: their own fields, or what their `toJSON` gives. */
const fromFields = (value: object, place: string, inside: readonly object[]): JsonValue | undefined => {
  const own = value as { toJSON?: unknown };
  if (typeof own.toJSON === 'function') return convert(own.toJSON(), place, inside);
  const entries = Object.entries(value);
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
  const isPlain = prototype === null || prototype === Object.prototype || prototype.constructor?.name === 'Object';
  if (!isPlain && entries.length === 0) {
    const name = prototype.constructor?.name || 'a class';
    throw refused(place, `an instance of ${name} with no fields of its own`, 'Give it a toJSON(), or return its data.');
  }
  return fields(entries.map(([key, entry]) => [key, convert(entry, `${place}.${key}`, inside)]));
};

/** Fields without a value are left out, as in JSON. */
const fields = (entries: readonly (readonly [string, JsonValue | undefined])[]): JsonObject =>
  Object.fromEntries(entries.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined));

export const refused = (place: string, what: string, instead = 'Return text or JSON.'): UnreadableValue =>
  new UnreadableValue(`${place} that it returned is ${what}, which no model can read. ${instead}`);
