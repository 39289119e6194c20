/** Whole texts through the value scanner. */
import type { JsonValue } from '../../core/json.ts';
import type { Repair } from '../../core/message.ts';
import { parseWritten } from '../../core/written-numbers.ts';
import { isSpace } from './scanner.ts';
import { ValueScanner } from './value-scanner.ts';
import type { ValueOptions, ValueSink } from './value-sink.ts';

/** Writes a value's strict JSON text. */
export const jsonSink = (write: ValueSink['write'], repaired: ValueSink['repaired']): ValueSink => ({
  open: (bracket) => write(bracket),
  close: (bracket) => write(bracket),
  write,
  repaired,
  property: (key, first) => write(`${first ? '' : ','}${JSON.stringify(key)}:`),
  item: (first) => {
    if (!first) write(',');
  },
  ended: () => {},
});

export type JsonText = ValueSink & {
  json: string;
  /** What stands in the text for the number at an offset of `json`, where JSON writes it otherwise. */
  readonly words: Map<number, string>;
  readonly repairs: Repair[];
};

/** Collects a value's strict JSON text. */
export const jsonText = (): JsonText => {
  const repairs: Repair[] = [];
  const words = new Map<number, string>();
  const write: ValueSink['write'] = (json, word) => {
    if (word !== undefined) words.set(text.json.length, word);
    text.json += json;
  };
  const text: JsonText = {
    ...jsonSink(write, (kind, about) => noteRepair(repairs, kind, about)),
    json: '',
    words,
    repairs,
  };
  return text;
};

/**
 * Each kind of repair is worth one note a call, which is returned. Its words say what was repaired; `about` adds what
 * only this call can say.
 */
export const noteRepair = (repairs: Repair[], kind: string, about?: string): Repair | undefined => {
  if (repairs.some((repair) => repair.kind === kind)) return undefined;
  const words = kind.replaceAll('_', ' ');
  const repair = { kind, detail: about === undefined ? words : `${words}: ${about}` };
  repairs.push(repair);
  return repair;
};

export const parseStrictly = (json: string, words?: ReadonlyMap<number, string>): { value: JsonValue } | undefined => {
  try {
    return { value: parseWritten(json, words) };
  } catch {
    return undefined;
  }
};

/** The value of a whole text that holds nothing else, or undefined. Nothing is closed that the text leaves open. */
export const readLeniently = (
  text: string,
  options: ValueOptions = {},
): { value: JsonValue; json: string; repairs: Repair[] } | undefined => {
  const strict = parseStrictly(text);
  if (strict !== undefined) return { value: strict.value, json: text, repairs: [] };
  const sink = jsonText();
  const scanner = new ValueScanner(sink, options);
  let at = scanner.feed(text, 0, text.length);
  scanner.finish();
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  if (scanner.outcome !== 'whole' || at < text.length) return undefined;
  const parsed = parseStrictly(sink.json, sink.words);
  return parsed === undefined ? undefined : { value: parsed.value, json: sink.json, repairs: sink.repairs };
};
