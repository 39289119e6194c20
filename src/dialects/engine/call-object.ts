/** A JSON object that says which tool is called, in any of the spellings in use. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { Repair } from '../../core/message.ts';
import { repeatedKey } from '../../core/repeated-key.ts';
import type { CallWriter } from './call-writer.ts';
import { jsonSink, jsonText, noteRepair, parseStrictly, readLeniently } from './lenient.ts';
import { withoutTicks } from './tools.ts';
import type { ValueSink } from './value-sink.ts';

const NAMES = ['name', 'tool_name', 'function', 'tool', 'function_name', 'action', 'recipient_name'];
const ARGUMENTS = ['arguments', 'parameters', 'args', 'action_input', 'params', 'tool_input', 'input'];
const IDS = ['id', 'tool_call_id', 'call_id'];
const WRAPPERS = ['tool_calls', 'function_calls', 'calls', 'tool_uses'];
const KNOWN = new Set([
  ...NAMES,
  ...ARGUMENTS,
  ...IDS,
  ...WRAPPERS,
  'type',
  'index',
  'function_call',
  'thought',
  'reason',
]);

export type CallShape = {
  /** An object `{name: arguments}` for each call. */
  keyed?: boolean;
};

export type FoundCall = {
  name: string | undefined;
  id: string | undefined;
  arguments: JsonObject | undefined;
  /** The arguments were there, be it as null. */
  given: boolean;
  repairs: Repair[];
};

const own = (object: JsonObject, keys: readonly string[]): JsonValue | undefined => {
  const key = keys.find((one) => Object.hasOwn(object, one));
  return key === undefined ? undefined : object[key];
};

/** The calls in an object, or none where it is no call. */
export const callsIn = (object: JsonObject, shape: CallShape = {}): FoundCall[] => {
  if (shape.keyed === true && own(object, ['name']) === undefined) {
    return Object.entries(object).map(([name, args]) => found(name, undefined, args, []));
  }
  const wrapped = own(object, WRAPPERS);
  if (Array.isArray(wrapped)) return wrapped.filter(isObject).flatMap((one) => callsIn(one));
  const inner = object['function_call'] ?? object['function'];
  const call = isObject(inner) ? { ...object, ...inner, function: inner['name'] ?? '' } : object;
  const name = own(call, NAMES);
  if (name !== undefined && typeof name !== 'string') return [];
  const id = own(object, IDS);
  const args = own(call, ARGUMENTS);
  if (name === undefined && !isObject(args)) return [];
  // Arguments beside the name: a call without them would be another one than was meant.
  const isFlat = args === undefined && Object.keys(call).some((key) => !KNOWN.has(key));
  return [{ ...found(name, idOf(id), args, []), ...(isFlat ? { arguments: undefined, given: true } : {}) }];
};

const idOf = (id: JsonValue | undefined): string | undefined =>
  typeof id === 'string' && id !== '' ? id : typeof id === 'number' ? String(id) : undefined;

const found = (
  name: string | undefined,
  id: string | undefined,
  args: JsonValue | undefined,
  repairs: Repair[],
): FoundCall => ({
  name: name && withoutTicks(name.trim()),
  id,
  arguments: argumentsOf(args, repairs),
  given: args !== undefined,
  repairs,
});

/** Arguments may be missing, null, or a string that holds the object. */
export const argumentsOf = (args: JsonValue | undefined, repairs: Repair[]): JsonObject | undefined => {
  if (isObject(args)) return args;
  if (args === undefined || args === null) return {};
  if (typeof args !== 'string') return undefined;
  if (args.trim() === '') return {};
  const read = readLeniently(args.trim());
  const value = typeof read?.value === 'string' ? parseStrictly(read.value)?.value : read?.value;
  if (!isObject(value) || repeatedKey(read?.json ?? '') !== undefined) return undefined;
  noteRepair(repairs, 'double_encoded');
  for (const { kind } of read?.repairs ?? []) noteRepair(repairs, kind);
  return value;
};

/** Hands the properties of an object on to a call, where the object is nothing but the arguments. */
export const argumentsSink = ({ write, property, endProperty, repaired }: CallWriter): ValueSink => {
  const inner = jsonSink(write, repaired);
  let depth = 0;
  return {
    ...inner,
    open: (bracket) => {
      if (depth++ > 0) write(bracket);
    },
    close: (bracket) => {
      if (--depth > 0) write(bracket);
    },
    property: (key, first) => {
      if (depth === 1) property(key);
      else inner.property(key, first);
    },
    ended: () => {
      if (depth === 1) endProperty();
    },
  };
};

export type CallObjectSink = ValueSink & {
  /** The call, once it has begun. */
  writer(): CallWriter | undefined;
  /** The id, as far as the object has told it. */
  id(): string | undefined;
  /** The key of the arguments, or of the name where that is a word of its own. */
  form(): string | undefined;
  readonly repairs: Repair[];
  /** The key that stands twice in what was not handed on. */
  repeated(): string | undefined;
  /** The calls of the object when it is whole and has not been handed on while it was read. */
  found(): FoundCall[];
};

/**
 * Reads a call object. Where the name comes first, as it nearly always does, the arguments go out while they are read;
 * else the object is looked at when it is complete. `check` hears each name as soon as it is read, and `undefined` for a
 * key that no call has.
 */
export const callObjectSink = (
  begin: (name: string, id: string | undefined, repairs: Repair[]) => CallWriter | undefined,
  shape: CallShape,
  check: (name: string | undefined) => void,
): CallObjectSink => {
  const text = jsonText();
  const { repairs } = text;
  let writer: CallWriter | undefined;
  let id: string | undefined;
  /** Hears what is read: the arguments of the call that has begun, or the text of the object. */
  let target: ValueSink = text;
  let depth = 0;
  /** Where the keys `name` and `arguments` stand: 1, or 2 inside `function`. */
  let callDepth = 1;
  let key = '';
  let valueStart = 0;
  let name: string | undefined;
  let form: string | undefined;

  const enter = (): void => {
    if (depth === 2 && key === 'function') callDepth = 2;
    const isArguments = depth === callDepth + 1 && ARGUMENTS.includes(key);
    if (!isArguments || name === undefined || writer !== undefined) return;
    writer = begin(name, id, repairs);
    if (writer !== undefined) target = argumentsSink(writer);
  };

  return {
    repairs,
    writer: () => writer,
    id: () => id,
    form: () => form,
    repeated: () => repeatedKey(text.json),
    found: () => {
      const value = parseStrictly(text.json, text.words)?.value;
      return isObject(value) ? callsIn(value, shape) : [];
    },
    open: (bracket) => {
      depth++;
      if (target === text && bracket === '{' && shape.keyed !== true) enter();
      target.open(bracket);
    },
    close: (bracket) => {
      depth--;
      target.close(bracket);
      if (target === text || depth > callDepth) return;
      target = text;
      text.write('{}');
    },
    property: (one, first) => {
      target.property(one, first);
      if (target !== text || (depth !== callDepth && depth !== 1)) return;
      key = one;
      if (one === 'tool' || ARGUMENTS.includes(one)) form ??= one;
      valueStart = text.json.length;
      if (depth === 1 && !KNOWN.has(one)) check(undefined);
    },
    item: (first) => target.item(first),
    write: (json, word) => target.write(json, word),
    ended: () => {
      target.ended();
      if (target !== text || depth !== callDepth) return;
      const value = parseStrictly(text.json.slice(valueStart))?.value;
      if (IDS.includes(key)) id = idOf(value);
      else if (NAMES.includes(key) && typeof value === 'string') {
        name ??= value.trim();
        check(name);
      }
    },
    reopen: () => {
      const isDue = ARGUMENTS.includes(key) || (shape.keyed === true && depth === 1);
      const first = text.json.slice(valueStart);
      if (target !== text || depth !== callDepth || !isDue || !/^"[^\\"]*"$/.test(first)) return false;
      text.json = `${text.json.slice(0, valueStart)}{${first}:`;
      depth++;
      return true;
    },
    repaired: (kind, about) => (writer ?? text).repaired(kind, about),
  };
};
