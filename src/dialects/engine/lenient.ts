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

  repaired(kind: string, about?: string): void {
    noteRepair(this.repairs, kind, about);
  }
}

/**
 * Each kind of repair is worth one note a call, which is returned. Its words say what was mended; `about` adds what
 * only this call can say.
 */
export const noteRepair = (repairs: Repair[], kind: string, about?: string): Repair | undefined => {
  if (repairs.some((repair) => repair.kind === kind)) return undefined;
  const words = kind.replaceAll('_', ' ');
  const repair = { kind, detail: about === undefined ? words : `${words}: ${about}` };
  repairs.push(repair);
  return repair;
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
