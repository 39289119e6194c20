/** One call while it is being read: its arguments leave as strict JSON text, each as soon as it is certain. */
import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts';
import type { Repair } from '../../core/message.ts';
import { coerce, convertRaw, isPlainString, mayBeString } from './conversion.ts';
import { noteRepair, parseStrictly } from './lenient.ts';
import type { Output } from './output.ts';
import type { Offered } from './tools.ts';
import { escapeJson } from './value-sink.ts';

export type CallHead = { id: string; name: string; offered: Offered | undefined; repairs: Repair[] };

/** How the property being read is handed on: at once, or whole when it is complete. */
type Mode = 'undecided' | 'stream' | 'whole' | 'raw_stream' | 'raw_whole';

export class CallWriter {
  readonly #out: Output;
  readonly #head: CallHead;
  readonly #index: number;
  readonly #parts: string[] = [];
  readonly #keys = new Set<string>();
  #mode: Mode = 'undecided';
  #key = '';
  #schema: JsonSchema | undefined;
  #pending = '';

  constructor(out: Output, head: CallHead) {
    this.#out = out;
    this.#head = head;
    this.#index = out.begun++;
    out.emit({ type: 'call_start', index: this.#index, id: head.id, name: head.name });
    for (const repair of head.repairs) this.#emitRepair(repair);
    this.#emit('{');
  }

  get name(): string {
    return this.#head.name;
  }

  /** The schema of a parameter, where the tool is known. */
  parameter(key: string): JsonSchema | undefined {
    return this.#head.offered?.properties.get(key);
  }

  repaired(kind: string, about?: string): void {
    const repair = noteRepair(this.#head.repairs, kind, about);
    if (repair !== undefined) this.#emitRepair(repair);
  }

  #emitRepair(repair: Repair): void {
    this.#out.emit({ type: 'repair', index: this.#index, ...repair });
  }

  #emit(delta: string): void {
    this.#parts.push(delta);
    this.#out.emit({ type: 'call_arguments', index: this.#index, delta });
  }

  /** An argument of this name was read. */
  has(key: string): boolean {
    return this.#keys.has(key);
  }

  #emitKey(): void {
    this.#keys.add(this.#key);
    this.#emit(`${this.#parts.length === 1 ? '' : ','}${JSON.stringify(this.#key)}:`);
  }

  // Arguments that come as JSON.

  property(key: string): void {
    this.#key = key;
    this.#schema = this.parameter(key);
    this.#mode = 'undecided';
    this.#pending = '';
  }

  write(json: string): void {
    if (this.#mode === 'undecided') {
      const streams = json.startsWith('"') && mayBeString(this.#schema);
      this.#mode = streams ? 'stream' : 'whole';
      if (streams) this.#emitKey();
    }
    if (this.#mode === 'stream') this.#emit(json);
    else this.#pending += json;
  }

  endProperty(): void {
    if (this.#mode !== 'whole') return;
    this.#emitKey();
    this.#emit(this.#schema === undefined ? this.#pending : this.#coerced(this.#pending, this.#schema));
  }

  #coerced(json: string, schema: JsonSchema): string {
    const parsed = parseStrictly(json);
    if (parsed === undefined) return json;
    const value = coerce(parsed.value, schema);
    if (value === parsed.value) return json;
    this.repaired('type_coercion');
    return JSON.stringify(value);
  }

  /** All arguments at once. */
  object(value: JsonObject): void {
    for (const [key, inner] of Object.entries(value)) {
      this.property(key);
      this.write(JSON.stringify(inner));
      this.endProperty();
    }
  }

  // Arguments that come as raw text.

  /** `schema` overrides the tool's where the format itself names the type. */
  rawProperty(key: string, schema?: JsonSchema): void {
    this.#key = key;
    this.#schema = schema ?? this.parameter(key);
    this.#pending = '';
    this.#mode = isPlainString(this.#schema) ? 'raw_stream' : 'raw_whole';
    if (this.#mode === 'raw_whole') return;
    this.#emitKey();
    this.#emit('"');
  }

  raw(text: string): void {
    if (this.#mode === 'raw_whole') {
      this.#pending += text;
      return;
    }
    this.#emit(escapeJson(text));
  }

  endRaw(): void {
    if (this.#mode === 'raw_stream') {
      this.#emit('"');
      return;
    }
    this.#emitKey();
    this.#emit(convertRaw(this.#pending, this.#schema));
  }

  /** An argument as finished JSON text. */
  json(key: string, json: string): void {
    this.#key = key;
    this.#emitKey();
    this.#emit(json);
  }

  // The end.

  /** `lateId`: the model's own id, where it came behind the arguments. */
  finish(lateId?: string): void {
    this.#emit('}');
    const text = this.#parts.join('');
    const args: JsonValue = parseStrictly(text)?.value ?? null;
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      this.breakOff('malformed', text);
      return;
    }
    const { id, name, repairs } = this.#head;
    this.#out.emit({
      type: 'call_end',
      index: this.#index,
      call: { id: lateId ?? id, name, arguments: args, argumentsText: text, repairs },
    });
  }

  breakOff(problem: 'truncated' | 'malformed', text: string): void {
    this.#out.emit({ type: 'call_end', index: this.#index, call: undefined, problem });
    this.#out.breakOff({ name: this.#head.name, text, problem });
  }
}
