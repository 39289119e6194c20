/** JSON as values. Everything that leaves the process (log, HTTP, model) is built of these. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = { [key: string]: JsonValue };

/** A byte order mark before a document says how it is encoded and is no part of it. */
export const withoutByteOrderMark = (text: string): string => text.replace(/^\ufeff/, '');

/** A value with keys: neither null, a list, nor a scalar. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Makes a value unchangeable, with all that is in it. */
export const freeze = (value: JsonValue): void => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
};
