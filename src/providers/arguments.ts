/** From what a server sent as a call's arguments to a call that can be checked, or to one that is marked as broken. */
import { isObject } from '../core/json.ts';
import type { Repair } from '../core/message.ts';
import type { ProviderCall } from '../core/model-port.ts';
import { repeatedKey, repeatedKeyText } from '../core/repeated-key.ts';
import { parseWritten } from '../core/written-numbers.ts';
import { isClosed } from '../dialects/unclosed-json.ts';
import { asJsonObject, parseJson, type ReadJson } from './json-values.ts';
import type { RepairArguments } from './provider-options.ts';

/** The model's own text, unlike a value that a server sends: that one has been through the server's numbers. */
const parseArguments = (text: string): ReadJson => parseJson(text, (json) => parseWritten(json));
/** Well-formed, and still nobody knows what is meant. */
const ambiguous = (text: string): string | undefined => {
  const key = repeatedKey(text);
  return key === undefined ? undefined : repeatedKeyText(key);
};

/** JSON as it is: what a provider does where nobody handed in something better. */
export const parseArgumentsOnly: RepairArguments = (text) => {
  const parsed = parseArguments(text);
  if (!parsed.ok) return { ok: false, problem: parsed.problem };
  if (!isObject(parsed.value)) return { ok: false, problem: 'the arguments are not a JSON object' };
  return { ok: true, value: asJsonObject(parsed.value), repairs: [] };
};

/**
 * Follows brackets and strings, text after text, and remembers where each value at the top ended. Nothing is ever
 * looked at twice.
 */
export type JsonEnds = {
  scan(text: string): void;
  /** Offsets just past each closed value at the top. */
  readonly ends: readonly number[];
  /** Something stands after the last closed value. */
  readonly open: boolean;
};

export const createJsonEnds = (): JsonEnds => {
  const ends: number[] = [];
  let offset = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let open = false;
  const step = (character: number): void => {
    if (escaped) escaped = false;
    else if (inString) {
      if (character === 0x5c) escaped = true;
      else if (character === 0x22) inString = false;
    } else if (character === 0x22) {
      inString = true;
      open = true;
    } else if (character === 0x7b || character === 0x5b) {
      depth += 1;
      open = true;
    } else if (character === 0x7d || character === 0x5d) {
      depth -= 1;
      if (depth <= 0) {
        depth = 0;
        open = false;
        ends.push(offset + 1);
      }
    } else if (character > 0x20 && depth === 0) open = true;
  };
  return {
    scan: (text) => {
      for (let index = 0; index < text.length; index += 1) {
        step(text.charCodeAt(index));
        offset += 1;
      }
    },
    ends,
    get open() {
      return open;
    },
  };
};

export type RawCall = {
  id?: string;
  name: string;
  /** Text as it was sent, or a value where the server sent JSON in place of text. */
  arguments: string | unknown;
  repairs: Repair[];
};

type Settings = {
  repairArguments: RepairArguments;
  /** What cut the answer, in words; undefined where nothing did. */
  cutBy: string | undefined;
};

const malformed = (call: RawCall, text: string, problem: string, cut?: true): ProviderCall => ({
  ...(call.id === undefined ? {} : { id: call.id }),
  name: call.name,
  arguments: {},
  source: 'native',
  repairs: call.repairs,
  malformed: cut ? { text, problem, cut } : { text, problem },
});

const complete = (call: RawCall, value: Record<string, unknown>, repairs: readonly Repair[] = []): ProviderCall => ({
  ...(call.id === undefined ? {} : { id: call.id }),
  name: call.name,
  arguments: asJsonObject(value),
  source: 'native',
  repairs: [...call.repairs, ...repairs],
});

const cutWords = (by: string): string =>
  `the answer was cut off by ${by} in the middle of the arguments, so nothing was run; send it again in smaller parts`;

/** Two objects in one text: a server that put two calls under one index, or an empty object as a place holder. */
const splitGlued = (call: RawCall, text: string, settings: Settings): ProviderCall[] | undefined => {
  const scanner = createJsonEnds();
  scanner.scan(text);
  const texts: string[] = [];
  let start = 0;
  for (const end of scanner.ends) {
    texts.push(text.slice(start, end).trim());
    start = end;
  }
  const rest = text.slice(start).trim();
  if (rest !== '') texts.push(rest);
  if (texts.length < 2 || !texts.every((part) => part.startsWith('{'))) return undefined;
  if (texts.length === 2 && parseJsonIsEmptyObject(texts[0] ?? '')) {
    const repair = { kind: 'empty_placeholder', detail: 'An empty object stood before the arguments.' };
    return finishCall({ ...call, arguments: texts[1], repairs: [...call.repairs, repair] }, settings);
  }
  return texts.flatMap((part, index) => {
    const repair = {
      kind: 'index_split',
      detail: `The server joined ${texts.length} calls into one; this is number ${index + 1}.`,
    };
    const { id, ...withoutId } = call;
    const one = index === 0 && id !== undefined ? { ...withoutId, id } : withoutId;
    return finishCall({ ...one, arguments: part, repairs: [...call.repairs, repair] }, settings);
  });
};

const parseJsonIsEmptyObject = (text: string): boolean => {
  const parsed = parseArguments(text);
  return parsed.ok && isObject(parsed.value) && Object.keys(parsed.value).length === 0;
};

const finishValue = (call: RawCall, value: unknown, settings: Settings): ProviderCall => {
  if (isObject(value)) return complete(call, value);
  if (value === null) {
    return complete(call, {}, [{ kind: 'null_arguments', detail: 'The arguments were null; taken as none.' }]);
  }
  if (Array.isArray(value) && value.length === 1 && isObject(value[0])) {
    return complete(call, value[0], [
      { kind: 'listed_arguments', detail: 'The arguments were the one entry of a list.' },
    ]);
  }
  if (typeof value === 'string') {
    const inner = settings.repairArguments(value);
    const repair = { kind: 'double_encoded', detail: 'The arguments were JSON text inside a JSON string.' };
    if (inner.ok) return complete(call, inner.value, [repair, ...inner.repairs]);
  }
  return malformed(call, JSON.stringify(value), 'the arguments are not a JSON object');
};

/** Usually one call; more where a server glued several together. */
export const finishCall = (call: RawCall, settings: Settings): ProviderCall[] => {
  if (typeof call.arguments !== 'string') return [finishValue(call, call.arguments ?? {}, settings)];
  const text = call.arguments;
  if (text.trim() === '') {
    return [settings.cutBy ? malformed(call, text, cutWords(settings.cutBy), true) : complete(call, {})];
  }
  const parsed = parseArguments(text);
  const unclear = parsed.ok ? ambiguous(text) : undefined;
  if (unclear !== undefined) return [malformed(call, text, unclear)];
  if (parsed.ok) return [finishValue(call, parsed.value, settings)];
  const split = splitGlued(call, text, settings);
  if (split) return split;
  // Closing what was cut off would run half a call, such as writing half a file.
  if (settings.cutBy && !isClosed(text)) return [malformed(call, text, cutWords(settings.cutBy), true)];
  const repaired = settings.repairArguments(text);
  if (repaired.ok) return [complete(call, repaired.value, repaired.repairs)];
  const alone = withoutWords(text);
  return [alone ? complete(call, alone, [WORDS_AROUND]) : malformed(call, text, repaired.problem)];
};

const WORDS_AROUND: Repair = { kind: 'words_around', detail: 'Words stood before or behind the arguments.' };

/** One whole object among words that hold no other bracket, so that nothing else can be meant. */
const withoutWords = (text: string): Record<string, unknown> | undefined => {
  const begin = text.indexOf('{');
  if (begin < 0) return undefined;
  const scanner = createJsonEnds();
  scanner.scan(text.slice(begin));
  const [end] = scanner.ends;
  if (end === undefined) return undefined;
  const outside = text.slice(0, begin) + text.slice(begin + end);
  if (/[{}[\]]/.test(outside)) return undefined;
  const parsed = parseArguments(text.slice(begin, begin + end));
  return parsed.ok && isObject(parsed.value) ? parsed.value : undefined;
};

const ID_LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
/** Nine letters and digits are an id that every known server and chat template takes. */
const ID_LENGTH = 9;

/** Ids for calls that have none, and a second id for a call that bears one already given. */
export const completeIds = (calls: readonly ProviderCall[], random: () => number): ProviderCall[] => {
  const taken = new Set<string>();
  const fresh = (): string => {
    let id = '';
    for (let index = 0; index < ID_LENGTH; index += 1) {
      id += ID_LETTERS[Math.floor(random() * ID_LETTERS.length)] ?? 'x';
    }
    return taken.has(id) ? `${id.slice(0, 5)}${String(taken.size).padStart(4, '0')}` : id;
  };
  return calls.map((call) => {
    const given = call.id !== undefined && call.id !== '' ? call.id : undefined;
    const repeated = given !== undefined && taken.has(given);
    const id = given === undefined || repeated ? fresh() : given;
    taken.add(id);
    if (!repeated) return { ...call, id };
    const repair = { kind: 'duplicate_id', detail: `Two calls bore the id ${given}; this one got another.` };
    return { ...call, id, repairs: [...call.repairs, repair] };
  });
};
