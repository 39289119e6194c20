/** A value in the message about it. */
import { isObject, type JsonObject } from './json.ts';

/** Of a wrong value, in the message about it. */
const SHOWN_CHARACTERS = 200;

/** What has entries or a time of its own has no fields. */
export const isPlain = (value: unknown): value is JsonObject =>
  isObject(value) && Object.prototype.toString.call(value) === '[object Object]';

/** How a value is shown in the message about it: never the inside of one, which may hold a key. */
export const shown = (value: unknown): string => {
  try {
    return readable(value);
  } catch {
    return 'a value that fails when it is read';
  }
};

const readable = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return isPlain(value) ? 'an object' : `a ${Object.prototype.toString.call(value).slice(8, -1)}`;
  if (typeof value === 'function') return 'a function';
  if (value === '') return 'an empty text';
  return typeof value === 'string'
    ? JSON.stringify(cut(value))
    : `${String(value)}${typeof value === 'bigint' ? 'n' : ''}`;
};

const cut = (text: string): string => (text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
