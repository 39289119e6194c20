/** A JSON object that says which tool is called, in any of the spellings in use. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Repair } from '../../core/message.ts';
import type { CallWriter } from './call-writer.ts';
import { JsonText, noteRepair, parseStrictly, readLeniently } from './lenient.ts';
import type { ValueSink } from './value-sink.ts';

const NAMES = ['name', 'tool_name', 'function', 'tool', 'function_name', 'action', 'recipient_name'];
const ARGUMENTS = ['arguments', 'parameters', 'args', 'action_input', 'params', 'tool_input', 'input'];
const IDS = ['id', 'tool_call_id', 'call_id'];
const WRAPPERS = ['tool_calls', 'function_calls', 'calls', 'tool_uses'];
const KNOWN = new Set([...NAMES, ...ARGUMENTS, ...IDS, ...WRAPPERS, 'type', 'index', 'function', 'thought', 'reason']);

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

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
  const inner = object['function'];
  const call = isObject(inner) ? { ...object, ...inner, function: inner['name'] ?? '' } : object;
  const name = own(call, NAMES);
  if (name !== undefined && typeof name !== 'string') return [];
  const id = own(object, IDS);
  const args = own(call, ARGUMENTS);
  if (name === undefined && !isObject(args)) return [];
  return [found(name, idOf(id), args, [])];
};

const idOf = (id: JsonValue | undefined): string | undefined =>
  typeof id === 'string' && id !== '' ? id : typeof id === 'number' ? String(id) : undefined;

const found = (
  name: string | undefined,
  id: string | undefined,
  args: JsonValue | undefined,
  repairs: Repair[],
): FoundCall => ({ name: name?.trim(), id, arguments: argumentsOf(args, repairs), given: args !== undefined, repairs });

/** Arguments may be missing, null, or a string that holds the object. */
export const argumentsOf = (args: JsonValue | undefined, repairs: Repair[]): JsonObject | undefined => {
  if (isObject(args)) return args;
  if (args === undefined || args === null) return {};
  if (typeof args !== 'string') return undefined;
  if (args.trim() === '') return {};
  const read = readLeniently(args.trim());
  const value = typeof read?.value === 'string' ? parseStrictly(read.value)?.value : read?.value;
  if (!isObject(value)) return undefined;
  noteRepair(repairs, 'double_encoded');
  for (const { kind } of read?.repairs ?? []) noteRepair(repairs, kind);
  return value;
};

/** Hands the properties of an object on to a call, where the object is nothing but the arguments. */
export class ArgumentsSink implements ValueSink {
  readonly #writer: CallWriter;
  #depth = 0;

  constructor(writer: CallWriter) {
    this.#writer = writer;
  }

  open(bracket: '{' | '['): void {
    if (this.#depth++ > 0) this.#writer.write(bracket);
  }

  close(bracket: '}' | ']'): void {
    if (--this.#depth > 0) this.#writer.write(bracket);
  }

  property(key: string, first: boolean): void {
    if (this.#depth === 1) this.#writer.property(key);
    else this.#writer.write(`${first ? '' : ','}${JSON.stringify(key)}:`);
  }

  item(first: boolean): void {
    if (!first) this.#writer.write(',');
  }

  write(json: string): void {
    this.#writer.write(json);
  }

  ended(): void {
    if (this.#depth === 1) this.#writer.endProperty();
  }

  repaired(kind: string, about?: string): void {
    this.#writer.repaired(kind, about);
  }
}

/**
 * Reads a call object. Where the name comes first, as it nearly always does, the arguments go out while they are read;
 * else the object is looked at when it is complete.
 */
export class CallObjectSink implements ValueSink {
  /** The call, once it has begun. */
  writer: CallWriter | undefined;
  readonly repairs: Repair[];
  /** The id, as far as the object has told it. */
  id: string | undefined;
  /** Hears each name as soon as it is read, and `undefined` for a key that no call has. */
  check: ((name: string | undefined) => void) | undefined;

  readonly #begin: (name: string, id: string | undefined, repairs: Repair[]) => CallWriter | undefined;
  readonly #shape: CallShape;
  readonly #text = new JsonText();
  #arguments: ArgumentsSink | undefined;
  #depth = 0;
  /** Where the keys `name` and `arguments` stand: 1, or 2 inside `function`. */
  #callDepth = 1;
  #key = '';
  #valueStart = 0;
  #name: string | undefined;

  constructor(
    begin: (name: string, id: string | undefined, repairs: Repair[]) => CallWriter | undefined,
    shape: CallShape,
  ) {
    this.#begin = begin;
    this.#shape = shape;
    this.repairs = this.#text.repairs;
  }

  open(bracket: '{' | '['): void {
    this.#depth++;
    if (this.#arguments === undefined && bracket === '{') this.#enter();
    if (this.#arguments !== undefined) this.#arguments.open(bracket);
    else this.#text.open(bracket);
  }

  #enter(): void {
    if (this.#shape.keyed === true) return;
    if (this.#depth === 2 && this.#key === 'function') this.#callDepth = 2;
    const isArguments = this.#depth === this.#callDepth + 1 && ARGUMENTS.includes(this.#key);
    if (!isArguments || this.#name === undefined || this.writer !== undefined) return;
    this.writer = this.#begin(this.#name, this.id, this.repairs);
    if (this.writer !== undefined) this.#arguments = new ArgumentsSink(this.writer);
  }

  close(bracket: '}' | ']'): void {
    this.#depth--;
    if (this.#arguments === undefined) {
      this.#text.close(bracket);
      return;
    }
    this.#arguments.close(bracket);
    if (this.#depth > this.#callDepth) return;
    this.#arguments = undefined;
    this.#text.json += '{}';
  }

  property(key: string, first: boolean): void {
    if (this.#arguments !== undefined) {
      this.#arguments.property(key, first);
      return;
    }
    this.#text.property(key, first);
    if (this.#depth !== this.#callDepth && this.#depth !== 1) return;
    this.#key = key;
    this.#valueStart = this.#text.json.length;
    if (this.#depth === 1 && !KNOWN.has(key)) this.check?.(undefined);
  }

  item(first: boolean): void {
    (this.#arguments ?? this.#text).item(first);
  }

  write(json: string): void {
    (this.#arguments ?? this.#text).write(json);
  }

  ended(): void {
    if (this.#arguments !== undefined) {
      this.#arguments.ended();
      return;
    }
    if (this.#depth !== this.#callDepth) return;
    const value = parseStrictly(this.#text.json.slice(this.#valueStart))?.value;
    if (IDS.includes(this.#key)) this.id = idOf(value);
    else if (NAMES.includes(this.#key) && typeof value === 'string') {
      this.#name ??= value.trim();
      this.check?.(this.#name);
    }
  }

  repaired(kind: string, about?: string): void {
    if (this.writer !== undefined) this.writer.repaired(kind, about);
    else this.#text.repaired(kind, about);
  }

  /** The calls of the object when it is whole and has not been handed on while it was read. */
  found(): FoundCall[] {
    const value = parseStrictly(this.#text.json)?.value;
    return isObject(value) ? callsIn(value, this.#shape) : [];
  }
}
