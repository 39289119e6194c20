/**
 * Puts the pieces of streamed tool calls together. The protocol says that a call is known by its index; servers are
 * met that put all calls under one index, leave the index or the id out, send a name twice, in pieces, or with each
 * piece, or a whole call in one delta.
 */
import { isObject } from '../../core/json.ts';
import type { Repair } from '../../core/message.ts';
import { createJsonEnds, type JsonEnds, type RawCall } from '../arguments.ts';
import type { Emitter } from '../emitter.ts';
import { objectOf, textOf } from '../json-values.ts';
import { PROVIDER_LIMITS } from '../limits.ts';

type Building = {
  position: number;
  id: string;
  name: string;
  parts: string[];
  /** Arguments that came as a JSON value where text is due. */
  value: unknown;
  /** How far the text was scanned for its end, for as long as nobody asked: not at all. */
  ends: JsonEnds | undefined;
  scanned: number;
  repairs: Repair[];
};

type Delta = { index: number | undefined; id: string; name: string; text: string; value: unknown };

/** Some servers write it as text. */
const indexOf = (value: unknown): number | undefined => {
  if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value);
  return typeof value === 'number' ? value : undefined;
};

const readDelta = (raw: unknown): Delta => {
  const given = objectOf(raw);
  const fields = isObject(given['function']) ? given['function'] : given;
  const args = fields['arguments'] ?? fields['parameters'] ?? null;
  return {
    index: indexOf(given['index']),
    id: textOf(given['id']) ?? '',
    name: textOf(fields['name']) ?? '',
    text: typeof args === 'string' ? args : '',
    value: typeof args === 'string' || args === null ? undefined : args,
  };
};

const isEmpty = (call: Building): boolean => call.value === undefined && call.parts.length === 0;

/** The arguments so far are whole; what comes next cannot belong to them. */
const isWhole = (call: Building): boolean => {
  if (call.value !== undefined) return true;
  call.ends ??= createJsonEnds();
  for (; call.scanned < call.parts.length; call.scanned += 1) call.ends.scan(call.parts[call.scanned] ?? '');
  return call.ends.ends.length > 0 && !call.ends.open;
};

const sharedIndex = (): Repair => ({
  kind: 'index_split',
  detail: 'The server sent two calls under one index; they were told apart.',
});

type Verdict = 'same' | 'new' | 'repeated';

export type CallCollector = {
  /** The `tool_calls` of one delta. */
  add(rawCalls: readonly unknown[]): void;
  /** A delta that holds nothing but more text for the call with this index. */
  addText(index: number, text: string): void;
  readonly count: number;
  calls(): RawCall[];
};

export const createCallCollector = (offered: ReadonlySet<string>, emitter: Emitter): CallCollector =>
  new Collector(offered, emitter);

class Collector implements CallCollector {
  readonly #offered: ReadonlySet<string>;
  readonly #emitter: Emitter;
  readonly #all: Building[] = [];
  readonly #byIndex = new Map<number, Building>();

  constructor(offered: ReadonlySet<string>, emitter: Emitter) {
    this.#offered = offered;
    this.#emitter = emitter;
  }

  get count(): number {
    return this.#all.length;
  }

  add(rawCalls: readonly unknown[]): void {
    const touched = rawCalls.length > 1 ? new Set<Building>() : undefined;
    for (const raw of rawCalls) {
      const delta = readDelta(raw);
      const current = this.#currentFor(delta);
      const decision = current ? this.#verdict(current, delta, touched?.has(current) === true) : 'new';
      if (decision === 'repeated') continue;
      if (decision === 'new' && this.#all.length >= PROVIDER_LIMITS.modelCallsPerAnswer) continue;
      const call = decision === 'same' && current ? current : this.#begin(delta, current);
      this.#grow(call, delta, decision === 'new');
      touched?.add(call);
    }
  }

  addText(index: number, text: string): void {
    const call = this.#byIndex.get(index);
    if (!call) return;
    call.parts.push(text);
    this.#emitter.callArguments(call.position, text);
  }

  calls(): RawCall[] {
    return this.#all.map(rawCall);
  }

  #currentFor(delta: Delta): Building | undefined {
    if (delta.index !== undefined) return this.#byIndex.get(delta.index);
    if (delta.id === '') return this.#all.at(-1);
    return this.#all.findLast((call) => call.id === delta.id) ?? this.#all.at(-1);
  }

  #verdict(current: Building, delta: Delta, inSameDelta: boolean): Verdict {
    const otherId = delta.id !== '' && current.id !== '' && delta.id !== current.id;
    if (delta.name === '') {
      // A new id alone is not enough: there are servers that make up an id for every piece.
      return otherId && isWhole(current) && (delta.text !== '' || delta.value !== undefined) ? 'new' : 'same';
    }
    // Nobody cuts one call into two entries of the same list.
    if (otherId || inSameDelta) return 'new';
    const bringsNothing = delta.text === '' && delta.value === undefined;
    // The name may come behind the arguments.
    if (current.name === '') return bringsNothing || !isWhole(current) ? 'same' : 'new';
    if (isEmpty(current)) {
      return delta.name !== current.name && this.#offered.has(current.name) ? 'new' : 'same';
    }
    if (delta.name !== current.name) return 'new';
    if (!isWhole(current)) return 'same';
    const sameAgain = delta.text !== '' && delta.text === current.parts.join('');
    return delta.id !== '' && delta.id === current.id && (bringsNothing || sameAgain) ? 'repeated' : 'new';
  }

  #begin(delta: Delta, before: Building | undefined): Building {
    const shared = before !== undefined && delta.index !== undefined;
    const call: Building = {
      position: this.#all.length,
      id: delta.id,
      name: delta.name === '' && before ? before.name : delta.name,
      parts: [],
      value: undefined,
      ends: undefined,
      scanned: 0,
      repairs: shared ? [sharedIndex()] : [],
    };
    this.#all.push(call);
    if (delta.index !== undefined) this.#byIndex.set(delta.index, call);
    return call;
  }

  #grow(call: Building, delta: Delta, isNew: boolean): void {
    const isNamed = isNew || (call.name === '' && delta.name !== '');
    if (!isNew) {
      if (call.id === '') call.id = delta.id;
      // The same name again is a repetition; another one, before any argument, is the rest of the name.
      if (call.name === '' || (delta.name !== call.name && isEmpty(call))) call.name += delta.name;
    }
    if (delta.text !== '') call.parts.push(delta.text);
    if (delta.value !== undefined) call.value = delta.value;
    const text = delta.value === undefined ? delta.text : JSON.stringify(delta.value);
    if (!isNamed) {
      this.#emitter.callArguments(call.position, text);
      return;
    }
    this.#emitter.emit({
      type: 'tool_call_delta',
      index: call.position,
      ...(call.id === '' ? {} : { id: call.id }),
      ...(call.name === '' ? {} : { name: call.name }),
      arguments_delta: text,
    });
  }
}

const rawCall = (call: Building): RawCall => ({
  ...(call.id === '' ? {} : { id: call.id }),
  name: call.name,
  arguments: call.value === undefined ? call.parts.join('') : call.value,
  repairs:
    call.value === undefined
      ? call.repairs
      : [
          ...call.repairs,
          { kind: 'arguments_object', detail: 'The server sent the arguments as JSON in place of text.' },
        ],
});
