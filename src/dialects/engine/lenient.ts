/** Whole texts through the value scanner. */
import type { JsonValue } from '../../core/json.ts';
import type { Repair } from '../../core/message.ts';
import { isSpace } from './scanner.ts';
import { ValueScanner } from './value-scanner.ts';
import type { ValueOptions, ValueSink } from './value-sink.ts';

/** Collects a value's strict JSON text. */
export class JsonText implements ValueSink {
  json = '';
  readonly repairs: Repair[] = [];

  open(bracket: '{' | '['): void {
    this.json += bracket;
  }

  close(bracket: '}' | ']'): void {
    this.json += bracket;
  }

  property(key: string, first: boolean): void {
    this.json += `${first ? '' : ','}${JSON.stringify(key)}:`;
  }

  item(first: boolean): void {
    if (!first) this.json += ',';
  }

  write(json: string): void {
    this.json += json;
  }

  ended(): void {}

  repaired(kind: string, detail: string): void {
    noteRepair(this.repairs, kind, detail);
  }
}

/** Each kind of repair is worth one note a call. */
export const noteRepair = (repairs: Repair[], kind: string, detail: string): boolean => {
  if (repairs.some((repair) => repair.kind === kind)) return false;
  repairs.push({ kind, detail });
  return true;
};

export const parseStrictly = (json: string): { value: JsonValue } | undefined => {
  try {
    return { value: JSON.parse(json) as JsonValue };
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
  const sink = new JsonText();
  const scanner = new ValueScanner(sink, options);
  let at = scanner.feed(text, 0, text.length);
  scanner.finish();
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  if (scanner.outcome !== 'whole' || at < text.length) return undefined;
  const parsed = parseStrictly(sink.json);
  return parsed === undefined ? undefined : { value: parsed.value, json: sink.json, repairs: sink.repairs };
};
