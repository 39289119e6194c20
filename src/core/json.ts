/** JSON as values. Everything that leaves the process (log, HTTP, model) is built of these. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = { [key: string]: JsonValue };

/** A byte order mark before a document says how it is encoded and is no part of it. */
export const withoutByteOrderMark = (text: string): string => text.replace(/^\ufeff/, '');

/** Deeper than this nothing is read, so nothing is looked for there either. */
const DEPTH_MAX = 64;

/** A value with keys: neither null, a list, nor a scalar. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A program's value as JSON has it: a key whose value is undefined is not there. Only what has such a key is copied, and
 * an object that holds itself stays as it is.
 */
export const withoutUndefined = <T>(value: T): T => cleaned(value, []) as T;

const cleaned = (value: unknown, around: readonly unknown[]): unknown => {
  if (typeof value !== 'object' || value === null || around.length > DEPTH_MAX || around.includes(value)) return value;
  const inside = [...around, value];
  if (Array.isArray(value)) {
    const items = value.map((item) => cleaned(item, inside));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, cleaned(inner, inside)] as const);
  const isSame = entries.every(([key, inner]) => inner !== undefined && inner === (value as JsonObject)[key]);
  return isSame ? value : Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
};

/** A value of its own: what is changed in one is not changed in the other. */
export const copyOf = <T extends JsonValue>(value: T): T => {
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyOf(inner)])) as T;
};

/** Makes a value unchangeable, with all that is in it. */
export const freeze = (value: JsonValue): void => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
};
