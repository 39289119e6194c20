/**
 * Structured results and arguments stay as they were written: the protocol's own reader and writer make 1 of 1.0, 100 of 1e2,
 * another number of one with many digits, and one entry of two with the same key.
 */
import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { isNestedDeeper } from '../core/nested-json.ts';
import { endOfString, JSON_NUMBER, parseWritten, writtenNumber } from '../core/written-numbers.ts';

/** Nobody else can write it: the key beside a structured result that holds its text, and the mark before a number. */
const OWN = `halter-${randomUUID()}`;
/** What holds none of it is left alone. The key may be spelt with escapes. */
const MAY_BE_STRUCTURED = /structuredContent|\\u/;
const SPACE = /\s/;
/** Deeper than this no schema is followed either. */
const DEPTH_MAX = 64;

const texts = new WeakMap<object, string>();

/** How the structured content of a result was written, without blanks between its parts; undefined where that is not known. */
export const structuredText = (result: JsonObject): string | undefined => texts.get(result);

/** A message as text, or a list of messages, before it is read. What is no JSON comes back as it is. */
export const withStructuredText = (message: string): string => {
  if (!MAY_BE_STRUCTURED.test(message) || !isJson(message)) return message;
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of structuredSpans(message)) {
    const text = compactJson(message.slice(start, end));
    parts.push(message.slice(from, end), `,${JSON.stringify(OWN)}:${JSON.stringify(text)}`);
    from = end;
  }
  return parts.length === 0 ? message : [...parts, message.slice(from)].join('');
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** A result that was read, with its numbers as they were written. */
export const restoreDigits = (result: JsonObject): JsonObject => {
  const { [OWN]: text, ...rest } = result;
  if (typeof text !== 'string') return result;
  if (isNestedDeeper(text)) return rest;
  const restored = { ...rest, structuredContent: parseWritten(text) };
  texts.set(restored, text);
  return restored;
};

type Span = { start: number; end: number };

/** Where the structured content stands in the result of a message, or of each message of a list. */
const structuredSpans = (json: string): Span[] => {
  const start = skipSpace(json, 0);
  const messages = json[start] === '[' ? entries(json, start) : [{ start, end: json.length }];
  return messages.flatMap((message) => {
    const result = lastOf(json, message, 'result');
    const content = result && lastOf(json, result, 'structuredContent');
    return content === undefined ? [] : [content];
  });
};

/** Of a key that stands twice the last one counts, as it does for whoever reads the message. */
const lastOf = (json: string, { start }: Span, key: string): Span | undefined =>
  json[start] === '{'
    ? entries(json, start).findLast((entry) => JSON.parse(json.slice(entry.keyStart, entry.keyEnd)) === key)
    : undefined;

/** The values of an object or a list, and where the keys stand; of a list they are empty. */
const entries = (json: string, open: number): (Span & { keyStart: number; keyEnd: number })[] => {
  const isList = json[open] === '[';
  const found: (Span & { keyStart: number; keyEnd: number })[] = [];
  let at = skipSpace(json, open + 1);
  while (at < json.length && json[at] !== '}' && json[at] !== ']') {
    const keyEnd = isList ? at : endOfString(json, at) + 1;
    const start = isList ? at : skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = endOfValue(json, start);
    found.push({ keyStart: at, keyEnd, start, end });
    at = skipSpace(json, end);
    if (json[at] === ',') at = skipSpace(json, at + 1);
  }
  return found;
};

const skipSpace = (json: string, from: number): number => {
  let at = from;
  while (at < json.length && SPACE.test(json[at] as string)) at += 1;
  return at;
};

const endOfValue = (json: string, start: number): number => {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const character = json[at] as string;
    if (character === '"') at = endOfString(json, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (depth === 0 && (character === ',' || character === '}' || SPACE.test(character))) return at;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth === 0 && (character === '"' || character === '}' || character === ']')) return at + 1;
  }
  return json.length;
};

/** The same JSON without blanks, its texts in one spelling, and everything else as it is. */
const compactJson = (json: string): string => {
  const parts: string[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at] as string;
    if (SPACE.test(character)) continue;
    const end = character === '"' ? endOfString(json, at) : at;
    parts.push(end === at ? character : JSON.stringify(JSON.parse(json.slice(at, end + 1))));
    at = end;
  }
  return parts.join('');
};

/** A body of HTTP: JSON, or a stream of events whose data are messages. */
export const markedBody = (isStream: boolean): TransformStream<string, string> => {
  let held: string[] = [];
  const marked = (line: string): string =>
    line.startsWith('data:') ? `data:${withStructuredText(line.slice(5))}` : line;
  return new TransformStream<string, string>({
    transform(text, controller) {
      const end = isStream ? text.lastIndexOf('\n') + 1 : 0;
      if (end > 0) controller.enqueue([...held, text.slice(0, end)].join('').split('\n').map(marked).join('\n'));
      if (end > 0) held = [];
      held.push(text.slice(end));
    },
    flush(controller) {
      const rest = held.join('');
      controller.enqueue(isStream ? marked(rest) : withStructuredText(rest));
    },
  });
};

/** Arguments whose numbers the protocol's writer leaves as they were written, once `unmarked` has seen them. */
export const markedArguments = (args: JsonObject): JsonObject => marked(args, 0) as JsonObject;

const marked = (value: JsonValue, depth: number): JsonValue => {
  if (depth > DEPTH_MAX || !(Array.isArray(value) || isObject(value))) return value;
  const each = ([key, entry]: [string, JsonValue]): [string, JsonValue] => {
    const digits = typeof entry === 'number' ? writtenNumber(value, key) : undefined;
    const isOther = digits !== undefined && JSON_NUMBER.test(digits) && digits !== JSON.stringify(entry);
    return [key, isOther ? `${OWN}:${digits}` : marked(entry, depth + 1)];
  };
  const entries = Object.entries(value).map(each);
  return Array.isArray(value) ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
};

const MARKED = new RegExp(`"${OWN}:([-+.\\deE]+)"`, 'g');
/** What goes out, with the numbers in the places of their marks. */
export const unmarked = (message: string): string => (message.includes(OWN) ? message.replace(MARKED, '$1') : message);

/** A header has no quotation marks. */
export const unmarkedHeader = (value: string): string => value.replaceAll(`${OWN}:`, '');
