/**
 * E14: a later call takes an earlier result by reference, `{"$result": "call_1", "pointer": "/0/url"}` in place of any
 * argument value, so that large data need not pass through the model. References are filled before the arguments are
 * validated and shown, so what is checked and what a person sees is what runs.
 */
import type { JsonObject, JsonValue } from '../json.ts';
import type { ToolCall } from '../message.ts';
import { failure, type Outcome, succeed } from '../outcome.ts';
import { keepWritten, noteWritten, parseWritten, writtenNumber } from '../written-numbers.ts';

export type ResultReference = { id: string; pointer?: string };

/** Deeper than this an argument is left as it is; no tool takes such a thing. */
const DEPTH_MAX = 64;
const KEYS_NAMED = 12;

/** Exactly these keys, so that data which merely resembles a reference stays data. */
const readReference = (value: JsonValue): ResultReference | undefined => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { $result: id, pointer, ...rest } = value;
  if (typeof id !== 'string' || Object.keys(rest).length > 0) return undefined;
  if (pointer === undefined) return { id };
  return typeof pointer === 'string' ? { id, pointer } : undefined;
};

/** Where a format carries text alone, a reference arrives as the text of one. */
const readReferenceText = (text: string): ResultReference | undefined => {
  if (!/^\s*\{\s*"\$result"/.test(text)) return undefined;
  try {
    return readReference(JSON.parse(text) as JsonValue);
  } catch {
    return undefined;
  }
};

const referenceAt = (value: JsonValue, fromText: boolean): ResultReference | undefined =>
  typeof value === 'string' ? (fromText ? readReferenceText(value) : undefined) : readReference(value);

/** `digits`: of a number, as they were written. */
type Filled = { value: JsonValue; digits?: string | undefined };
type Fill = (reference: ResultReference, where: string) => Filled;

const walk = (value: JsonValue, fromText: boolean, fill: Fill, where: string, depth: number): Filled => {
  if (depth > DEPTH_MAX) return { value };
  const reference = referenceAt(value, fromText);
  if (reference !== undefined) return fill(reference, where);
  if (typeof value !== 'object' || value === null) return { value };
  const inside = Object.entries(value).map(
    ([key, entry]) => [key, walk(entry, fromText, fill, where === '' ? key : `${where}.${key}`, depth + 1)] as const,
  );
  return { value: rebuilt(value, inside) };
};

const rebuilt = (from: JsonObject | JsonValue[], inside: readonly (readonly [string, Filled])[]): JsonValue => {
  const values = inside.map(([key, { value }]) => [key, value] as const);
  const to = keepWritten(from, Array.isArray(from) ? values.map(([, value]) => value) : Object.fromEntries(values));
  for (const [key, { digits }] of inside) if (digits !== undefined) noteWritten(to, key, digits);
  return to;
};

/** The ids of the results that a call asks for, each once. */
export const referencesIn = (call: Pick<ToolCall, 'arguments' | 'source'>): string[] => {
  const ids = new Set<string>();
  const note: Fill = ({ id }) => {
    ids.add(id);
    return { value: null };
  };
  for (const entry of Object.values(call.arguments)) walk(entry, call.source === 'parsed', note, '', 1);
  return [...ids];
};

/**
 * The arguments with each reference replaced by what it points at. `texts` holds the data of every result that
 * `referencesIn` named, or why there is none.
 */
export const fillReferences = (
  call: Pick<ToolCall, 'arguments' | 'source'>,
  texts: ReadonlyMap<string, Outcome<string>>,
): Outcome<JsonObject> => {
  let problem: string | undefined;
  const fill: Fill = (reference, where) => {
    const text = texts.get(reference.id) ?? failure('not_found', `There is no earlier result ${reference.id}`);
    const found = text.ok ? pointAt(text.value, reference) : text;
    if (found.ok) return found.value;
    problem ??= `${where}: ${found.error.message}`;
    return { value: null };
  };
  const inside = Object.entries(call.arguments).map(
    ([key, entry]) => [key, walk(entry, call.source === 'parsed', fill, key, 1)] as const,
  );
  const filled = rebuilt(call.arguments, inside) as JsonObject;
  return problem === undefined ? succeed(filled) : failure('validation_failed', problem);
};

/** RFC 6901; without a pointer the text as it is. */
const pointAt = (text: string, { id, pointer }: ResultReference): Outcome<Filled> => {
  if (pointer === undefined) return succeed({ value: text });
  const document = parse(text);
  if (document === undefined) {
    return failure('validation_failed', `the result of ${id} is not JSON; leave "pointer" out to take its whole text`);
  }
  if (pointer !== '' && !pointer.startsWith('/')) {
    return failure('validation_failed', `the pointer "${pointer}" must be empty or begin with /`);
  }
  let { value } = document;
  let digits: string | undefined;
  let reached = '';
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const next = child(value, key);
    if (next === undefined) {
      return failure('validation_failed', `the result of ${id} has no "${pointer}": ${inside(value, reached)}`);
    }
    digits = typeof next === 'number' ? writtenNumber(value as object, key) : undefined;
    value = next;
    reached += `/${token}`;
  }
  return succeed({ value, digits });
};

const parse = (text: string): { value: JsonValue } | undefined => {
  try {
    return { value: parseWritten(text) };
  } catch {
    return undefined;
  }
};

const child = (value: JsonValue, key: string): JsonValue | undefined => {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,8})$/.test(key) ? value[Number(key)] : undefined;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? value[key] : undefined;
};

const inside = (value: JsonValue, reached: string): string => {
  const place = reached === '' ? 'it' : `"${reached}"`;
  if (Array.isArray(value)) return `${place} is a list of ${value.length}`;
  if (typeof value !== 'object' || value === null) return `${place} is no object and no list`;
  return `${place} has ${Object.keys(value).slice(0, KEYS_NAMED).join(', ') || 'nothing in it'}`;
};
