/** One call while it is being read: its arguments leave as strict JSON text, each as soon as it is certain. */
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts';
import type { Repair } from '../../core/message.ts';
import { repeatedKey, repeatedKeyText } from '../../core/repeated-key.ts';
import { entryText, writtenJson, writtenNumber } from '../../core/written-numbers.ts';
import { coerce, convertRaw, entrySchema, isPlainString, mayBeString } from './conversion.ts';
import { noteRepair, parseStrictly } from './lenient.ts';
import type { Output } from './output.ts';
import type { Offered } from './tools.ts';
import { escapeJson } from './value-sink.ts';

export type CallHead = { id: string; name: string; offered: Offered | undefined; repairs: Repair[] };

export type CallWriter = {
  readonly name: string;
  /** The tool was offered. */
  readonly isKnown: boolean;
  /** The schema of a parameter, where the tool is known. */
  parameter(key: string): JsonSchema | undefined;
  /** An argument of this name was read. */
  has(key: string): boolean;
  repaired(kind: string, about?: string): void;

  // Arguments that come as JSON.
  property(key: string): void;
  write(json: string, word?: string): void;
  endProperty(): void;
  /** All arguments at once. */
  object(value: JsonObject): void;
  /** An argument as finished JSON text. */
  json(key: string, json: string): void;

  // Arguments that come as raw text.
  /** `schema` overrides the tool's where the dialect itself names the type. */
  rawProperty(key: string, schema?: JsonSchema): void;
  raw(text: string): void;
  endRaw(): void;

  /** `lateId`: the model's own id, where it came behind the arguments. */
  finish(lateId?: string): void;
  breakOff(problem: 'truncated' | 'malformed', text: string): void;
  /** Why the call must not be made, though it was read to its end. */
  fault(): string | undefined;
  /** Its object has this key twice. */
  repeats(key: string): void;
};

export const callWriter = (out: Output, head: CallHead): CallWriter => {
  const { name, repairs, offered } = head;
  const index = out.begun++;
  const parts: string[] = [];
  const keys = new Set<string>();
  /** The property being read, its schema, and what is kept of it until it is complete. */
  let key = '';
  let schema: JsonSchema | undefined;
  let pending = '';
  const words = new Map<number, string>();
  let repeated: string | undefined;
  /** Whether it is handed on at once; undefined while that is open. */
  let streams: boolean | undefined;

  /** Of a parameter without a name of its own too. */
  const schemaOf = (property: string): JsonSchema | undefined =>
    writer.parameter(property) ?? entrySchema(offered?.parameters, property);
  const emitRepair = (repair: Repair): void => out.emit({ type: 'repair', index, ...repair });
  const emit = (delta: string): void => {
    parts.push(delta);
    out.emit({ type: 'call_arguments', index, delta });
  };
  const emitKey = (): void => {
    keys.add(key);
    emit(`${parts.length === 1 ? '' : ','}${JSON.stringify(key)}:`);
  };
  const begin = (property: string, of: JsonSchema | undefined): void => {
    key = property;
    schema = of;
    pending = '';
    words.clear();
    streams = undefined;
  };

  /** What is pending, in brackets: a number is known by what it stands in. */
  const coerced = (): string => {
    const list = schema && parseStrictly(`[${pending}]`, words)?.value;
    return Array.isArray(list) && list.length === 1
      ? fitting(list[0] as JsonValue, pending, writtenNumber(list, 0))
      : pending;
  };
  const fitting = (given: JsonValue, json: string, digits: string | undefined): string => {
    const value = coerce(given, schema, digits);
    if (value === given) return json;
    writer.repaired('type_coercion');
    return writtenJson(value);
  };

  const writer: CallWriter = {
    name,
    isKnown: offered !== undefined,
    parameter: (property) => offered?.properties.get(property),
    has: (property) => keys.has(property),
    repaired: (kind, about) => {
      const repair = noteRepair(repairs, kind, about);
      if (repair !== undefined) emitRepair(repair);
    },

    property: (property) => begin(property, schemaOf(property)),
    write: (json, word) => {
      if (streams === undefined) {
        streams = json.startsWith('"') && mayBeString(schema);
        if (streams) emitKey();
      }
      if (streams) emit(json);
      else {
        if (word !== undefined) words.set(pending.length + 1, word);
        pending += json;
      }
    },
    endProperty: () => {
      if (streams !== false) return;
      emitKey();
      emit(coerced());
    },
    object: (value) => {
      for (const [property, inner] of Object.entries(value)) {
        writer.property(property);
        emitKey();
        emit(fitting(inner, entryText(value, property, writtenJson), writtenNumber(value, property)));
      }
    },
    json: (property, json) => {
      key = property;
      emitKey();
      emit(json);
    },

    rawProperty: (property, given) => {
      begin(property, given ?? schemaOf(property));
      streams = isPlainString(schema);
      if (!streams) return;
      emitKey();
      emit('"');
    },
    raw: (text) => {
      if (streams === true) emit(escapeJson(text));
      else pending += text;
    },
    endRaw: () => {
      if (streams === true) {
        emit('"');
        return;
      }
      emitKey();
      // A type that the call itself names is not the tool's.
      pending = convertRaw(pending, schema);
      schema = schemaOf(key);
      emit(coerced());
    },

    finish: (lateId) => {
      emit('}');
      const argumentsText = parts.join('');
      const args = parseStrictly(argumentsText)?.value;
      if (!isObject(args)) {
        writer.breakOff('malformed', argumentsText);
        return;
      }
      const call = { id: lateId ?? head.id, name, arguments: args, argumentsText, repairs };
      out.emit({ type: 'call_end', index, call });
    },
    fault: () => {
      repeated ??= repeatedKey(`${parts.join('')}}`);
      return repeated === undefined ? undefined : repeatedKeyText(repeated);
    },
    repeats: (one) => {
      repeated ??= one;
    },
    breakOff: (problem, text) => {
      const reason = problem === 'malformed' ? writer.fault() : undefined;
      out.emit({ type: 'call_end', index, call: undefined, problem });
      out.breakOff({ name, text, problem, ...(reason === undefined ? {} : { reason }) });
    },
  };

  out.emit({ type: 'call_start', index, id: head.id, name });
  for (const repair of repairs) emitRepair(repair);
  emit('{');
  return writer;
};
