/**
 * A text that is meant as a call and that no grammar reads as one: to a tool that nobody offered, with a key too many, or
 * with arguments that are no object. Such a text is never an answer; whoever runs the conversation decides what becomes of it.
 */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { readLeniently } from './engine/lenient.ts';

export type UnreadCall = {
  name: string;
  arguments: JsonObject;
  /** What is wrong with it, where not only the tool is unknown. */
  problem?: string;
  /** The part of the text that is the call. */
  text: string;
};

/** The keys of a call. `alone`: the name makes it a call, whatever else there is. */
type Keys = { name: string; arguments: readonly string[]; dialect?: string };
const KEYS: readonly Keys[] = [
  { name: 'tool', arguments: ['args'], dialect: 'edison' },
  { name: 'name', arguments: ['arguments', 'parameters'] },
];
const FENCED = /^```\w*\s*\n([\s\S]*?)\n?```$/;

const asCall = (value: JsonValue, text: string, dialect: string): UnreadCall | undefined => {
  if (!isObject(value)) return undefined;
  for (const keys of KEYS) {
    const name = value[keys.name];
    if (typeof name !== 'string' || name.trim() === '') continue;
    const isOwn = keys.dialect === dialect;
    const key = keys.arguments.find((one) => Object.hasOwn(value, one));
    if (key === undefined && !isOwn) continue;
    const args = key === undefined ? {} : (value[key] ?? {});
    const extra = isOwn ? Object.keys(value).filter((one) => one !== keys.name && one !== key) : [];
    const problem = !isObject(args)
      ? `${key} must be an object`
      : extra.length > 0
        ? `${extra.join(', ')} is no key of a call: it has ${keys.name} and ${keys.arguments[0]} alone`
        : undefined;
    return { name: name.trim(), arguments: isObject(args) ? args : {}, problem, text };
  }
  return undefined;
};

const readCall = (text: string, dialect: string): UnreadCall | undefined => {
  const read = text.startsWith('{') ? readLeniently(text) : undefined;
  return read && asCall(read.value, text, dialect);
};

/**
 * The call that a text is, or that stands in it on a line of its own; undefined where it is an answer. With `auto`, where
 * prose may hold JSON on purpose, only a text that is nothing else counts. `native` leaves calls to the server.
 */
export const findUnreadCall = (text: string, dialect: string): UnreadCall | undefined => {
  if (dialect === 'native') return undefined;
  const whole = text.trim().replace(/^\ufeff/, '');
  const call = readCall(FENCED.exec(whole)?.[1]?.trim() ?? whole, dialect);
  if (call !== undefined || dialect === 'auto') return call;
  let isQuoted = false;
  for (const line of whole.split('\n')) {
    if (line.startsWith('```')) isQuoted = !isQuoted;
    const found = isQuoted ? undefined : readCall(line.trim(), dialect);
    if (found !== undefined) return found;
  }
  return undefined;
};
