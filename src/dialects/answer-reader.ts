/**
 * Reads one answer of a model of somebody else's library: text becomes text, reasoning and calls, and calls of the server
 * are repaired.
 */
import { isObject, type JsonObject, type JsonSchema } from '../core/json.ts';
import { auto } from './all-dialects.ts';
import { isWholeInput, repairedCall, toolNamed, unreadInput } from './answer-reader/calls.ts';
import { jsonAnswer } from './answer-reader/json-answer.ts';
import type { FunctionTool, Part } from './answer-reader/shapes.ts';
import { asDefinition, callsOf, judgedWhole, type UnmadeCall } from './answer-reader/unmade-calls.ts';
import { parseStrictly } from './engine/lenient.ts';
import { chosenTools, forcedCall, isForced, type ToolChoice } from './forced-call.ts';
import { withoutThoughts } from './opened-thoughts.ts';
import { createParser, createTextParser } from './parse.ts';
import { readThoughtCall } from './read-answer.ts';
import {
  beginsInThoughts,
  createThoughtsFirstParser,
  isNamedThinker,
  type ThoughtsFirstParser,
} from './thoughts-first.ts';
import type { EndOptions, ParsedCall, ParseResult, Parser, ParserEvent } from './types.ts';

export type { FunctionTool, Part } from './answer-reader/shapes.ts';

export type ReaderOptions = {
  /** A dialect, or `auto`. */
  dialect: string;
  /** What was offered. With none, nothing in the answer is a call. */
  tools: readonly FunctionTool[];
  /**
   * Default: `auto`. `none`: nothing in the answer is a call. Where a call has to come, its bare arguments are one, so text
   * is told when the answer is whole.
   */
  choice?: ToolChoice | undefined;
  /** Ids of the calls that the conversation has already. */
  usedIds: Iterable<unknown>;
  /**
   * The text may begin in thoughts that the prompt opened: it is told as reasoning until a mark closes them. `'as written'`:
   * the answer comes whole, so its text says whether it does.
   */
  thoughtsFirst: boolean | 'as written';
  /** The answer is to be JSON. It is told when it is whole, repaired, and in the types of the schema. */
  json?: { schema?: JsonSchema | undefined } | undefined;
};

type Block = 'text' | 'reasoning';

export class AnswerReader {
  /** Calls that the answer came to. */
  calls = 0;
  readonly #dialect: string;
  readonly #json: ReaderOptions['json'];
  readonly #tools: readonly FunctionTool[];
  /** Of these one has to be called; undefined where none has to, and as soon as one is. */
  #forced: readonly FunctionTool[] | undefined;
  readonly #ids: () => string;
  readonly #parserOf: () => Parser;
  #parser: Parser;
  #first: ThoughtsFirstParser | undefined;
  #isAsWritten: boolean;
  #block: Block | undefined;
  #blocks = 0;
  #whole = '';
  #text = '';
  #reasoning = '';
  /** Only where the answer is to be JSON or a call: it is told when it is whole. */
  #held = '';
  /** All that the parser understood. */
  readonly #events: ParserEvent[] = [];
  /** Of it what is not told yet: what a call comes to is known when the answer is whole. */
  #untold: ParserEvent[] | undefined;
  /** Calls of the server whose arguments lack something. */
  #waiting: Part[] = [];
  /** Calls that the server read. */
  readonly #native: { name: string; arguments: JsonObject }[] = [];

  constructor({ dialect, tools, choice = 'auto', usedIds, thoughtsFirst, json }: ReaderOptions) {
    this.#dialect = dialect;
    this.#json = json;
    this.#tools = choice === 'none' ? [] : tools;
    this.#forced = isForced(choice) && json === undefined ? chosenTools(tools, choice) : undefined;
    this.#ids = idsBeside(usedIds);
    this.#parserOf = () => openParser(dialect, this.#tools, this.#ids);
    this.#isAsWritten = thoughtsFirst === 'as written';
    this.#first = thoughtsFirst === true ? createThoughtsFirstParser(this.#parserOf) : undefined;
    this.#parser = this.#first ?? this.#parserOf();
  }

  /** Of an answer that has ended; undefined where it had no text. */
  get beganInThoughts(): boolean | undefined {
    if (this.#whole.trim() === '') return undefined;
    return this.#first?.isClosed ?? beginsInThoughts(this.#whole, this.#parserOf);
  }

  /** The stream's own part; those of text are held back until it is known what they are. */
  take(part: Part): Part[] {
    switch (part.type) {
      case 'text-start':
      case 'text-end':
        return [];
      case 'text-delta':
        return this.text(String(part['delta'] ?? ''));
      case 'reasoning-delta':
        this.#knowThoughts();
        this.#reasoning += String(part['delta'] ?? '');
        return [...this.#close(), part];
      case 'tool-call':
        // What the end of the answer says of it is not known yet; the calls behind it wait with it, in their order.
        if (this.#waiting.length === 0 && isWholeInput(part['input'])) return this.#nativeCall(part, false);
        this.#waiting.push(part);
        return [];
      case 'reasoning-start':
        this.#knowThoughts();
        return [...this.#close(), part];
      case 'tool-input-start':
        return [...this.#close(), part];
      default:
        return [part];
    }
  }

  text(delta: string): Part[] {
    if (this.#isAsWritten && this.#whole === '' && beginsInThoughts(delta, this.#parserOf))
      this.#parser = this.#first = createThoughtsFirstParser(this.#parserOf);
    this.#whole += delta;
    return this.#allTold(this.#parser.push(delta));
  }

  end(options?: EndOptions): Part[] {
    const isCut = options?.isCut === true;
    const native = this.#waiting.flatMap((part) => this.#nativeCall(part, isCut));
    this.#waiting = [];
    const { events, result } = this.#parser.end(options);
    const parts = [...native, ...this.#allTold(events)];
    const forced = this.#forcedCall(result);
    if (forced) return [...parts, ...forced, ...this.#close()];
    parts.push(...this.#letGo());
    if (this.#json) parts.push(...this.#jsonText(this.#json, isCut));
    else if (this.#tools.length > 0) parts.push(...this.#judged(result, isCut));
    if (!this.#json && this.calls === 0 && this.#text.trim() === '') parts.push(...this.#thoughtCall(isCut));
    return [...parts, ...this.#close()];
  }

  /** The answer is the arguments of the call that had to come. */
  #forcedCall({ calls }: ParseResult): Part[] | undefined {
    if (this.#forced === undefined || this.calls > 0) return undefined;
    const isNamed = ({ name, repairs }: ParsedCall): boolean =>
      toolNamed(this.#tools, name) !== undefined && !repairs.some(({ kind }) => kind === 'inferred_name');
    if (calls.some(isNamed)) return undefined;
    const wanted = this.#forced.map(({ name, inputSchema: schema }) => ({ name, schema }));
    const call = forcedCall(withoutThoughts(this.#first?.rest ?? this.#whole, auto.reasoning ?? []), wanted);
    return call && [...this.#restOf('', this.#untold ?? []), ...this.#call({ ...call, id: undefined })];
  }

  /** What was held, where it is no call, or another one came. */
  #letGo(): Part[] {
    if (this.#forced === undefined) return [];
    const text = this.#held;
    this.#forced = undefined;
    this.#held = '';
    return text === '' ? [] : this.#say('text', text);
  }

  #nativeCall(part: Part, isCut: boolean): Part[] {
    const given = { ...part, toolCallId: part['toolCallId'] || this.#ids() };
    const call = repairedCall(given, this.#tools, isCut && !isWholeInput(part['input']));
    const args = parseStrictly(String(call['input']))?.value;
    if (isObject(args)) this.#native.push({ name: String(call['toolName']), arguments: args });
    // A call that a limit cut is no reason why the answer ended.
    if (!isCut || call['problem'] === undefined) this.calls += 1;
    return [...this.#letGo(), ...this.#close(), call];
  }

  /** The server takes them out of the text by itself. */
  #knowThoughts(): void {
    this.#isAsWritten = false;
    if (this.#first === undefined || this.#whole !== '') return;
    this.#first = undefined;
    this.#parser = this.#parserOf();
  }

  #allTold(events: readonly ParserEvent[]): Part[] {
    this.#events.push(...events);
    const first = this.#json ? -1 : events.findIndex(({ type }) => type === 'call_start');
    if (this.#untold === undefined && first < 0) return events.flatMap((event) => this.#told(event));
    const from = this.#untold === undefined ? first : 0;
    this.#untold = [...(this.#untold ?? []), ...events.slice(from)];
    return events.slice(0, from).flatMap((event) => this.#told(event));
  }

  #told(event: ParserEvent): Part[] {
    if (event.type === 'text')
      return this.#json || this.#forced ? this.#hold(event.text) : this.#say('text', event.text);
    if (event.type === 'reasoning') return this.#say('reasoning', event.text);
    return event.type === 'call_end' && event.call !== undefined ? this.#call(event.call) : [];
  }

  /** As all surfaces judge it: samples and what is only mentioned stay text, and a made-up result ends the answer. */
  #judged(result: ParseResult, isCut: boolean): Part[] {
    const whole = {
      dialect: this.#dialect,
      tools: this.#tools,
      events: this.#events,
      result,
      whole: this.#first?.rest ?? this.#whole,
      native: this.#native,
      isCut,
    };
    const judged = judgedWhole(whole);
    const { made, unmade } = callsOf(judged, whole);
    const isAsRead = judged.invented === undefined && made.length >= result.calls.length;
    const untold = this.#untold ?? [];
    const parts = isAsRead
      ? untold.flatMap((event) => this.#told(event))
      : [...this.#restOf(judged.text, untold), ...made.flatMap((call) => this.#call({ ...call, id: undefined }))];
    // A call in no notation stands in no event.
    if (isAsRead)
      for (const call of made.slice(result.calls.length)) parts.push(...this.#call({ ...call, id: undefined }));
    return [...parts, ...unmade.flatMap((call) => this.#unmade(call))];
  }

  /** What of the text is not told yet, and the thoughts. */
  #restOf(text: string, untold: readonly ParserEvent[]): Part[] {
    const thoughts = untold.flatMap((event) => (event.type === 'reasoning' ? this.#told(event) : []));
    const told = this.#text.trim();
    const at = text.indexOf(told);
    const rest = at < 0 ? text : text.slice(at + told.length);
    return rest.trim() === ''
      ? thoughts
      : [...thoughts, ...this.#say('text', told === this.#text ? rest : rest.trimStart())];
  }

  /** The library tells its model what is wrong with a call that cannot be made; one that names no tool is text. */
  #unmade({ toolName, text, problem, isCut }: UnmadeCall): Part[] {
    if (toolName === undefined) return this.#text.includes(text.trim()) ? [] : this.#say('text', text);
    // A call that a limit cut is no reason why the answer ended.
    if (!isCut) this.calls += 1;
    const input = unreadInput(text, problem);
    return [...this.#close(), ...callParts({ toolCallId: this.#ids(), toolName, input, problem })];
  }

  #say(block: Block, delta: string): Part[] {
    if (block === 'text') this.#text += delta;
    else this.#reasoning += delta;
    const opened = this.#block === block ? [] : [...this.#close(), this.#open(block)];
    return [...opened, { type: `${block}-delta`, id: this.#id(), delta }];
  }

  #hold(text: string): Part[] {
    this.#held += text;
    return [];
  }

  #jsonText({ schema }: { schema?: JsonSchema | undefined }, isCut: boolean): Part[] {
    if (this.#held.trim() === '') return [];
    return this.#say('text', jsonAnswer(this.#held, schema, isCut));
  }

  #call({ id, name, arguments: args }: Pick<ParsedCall, 'name' | 'arguments'> & { id: string | undefined }): Part[] {
    this.calls += 1;
    const toolCallId = id ?? this.#ids();
    const call = repairedCall({ type: 'tool-call', toolCallId, toolName: name, input: args }, this.#tools);
    return [...this.#close(), ...callParts({ toolCallId, toolName: call['toolName'], input: call['input'] })];
  }

  /** An answer that is nothing but reasoning may mean the call that it ends in. */
  #thoughtCall(isCut: boolean): Part[] {
    const isTool = (name: string): boolean => toolNamed(this.#tools, name) !== undefined;
    const tools = this.#tools.map(asDefinition);
    const { call } = readThoughtCall(this.#reasoning, { tools, isTool, mayGuess: () => false, isCut });
    return call === undefined ? [] : this.#call({ ...call, id: undefined });
  }

  #open(block: Block): Part {
    this.#block = block;
    this.#blocks += 1;
    return { type: `${block}-start`, id: this.#id() };
  }

  #close(): Part[] {
    const block = this.#block;
    if (block === undefined) return [];
    this.#block = undefined;
    return [{ type: `${block}-end`, id: this.#id() }];
  }

  #id(): string {
    return `part-${this.#blocks}`;
  }
}

/** What the answers of models showed of their thoughts, so that a stream need not tell them as text. */
export class ThoughtsMemory {
  readonly #told: boolean | undefined;
  readonly #seen = new Map<string, boolean>();

  /** `told`: what the program says of all of them. */
  constructor(told: boolean | undefined) {
    this.#told = told;
  }

  areOpened(model: string): boolean {
    return this.#told ?? this.#seen.get(model) ?? isNamedThinker(model);
  }

  learn(model: string, { beganInThoughts }: Pick<AnswerReader, 'beganInThoughts'>): void {
    if (beganInThoughts !== undefined && this.#seen.size < MODELS_MAX) this.#seen.set(model, beganInThoughts);
  }
}
/** A program names few models. */
const MODELS_MAX = 1_000;

/** Ids that no call of the conversation has yet. */
const idsBeside = (usedIds: Iterable<unknown>): (() => string) => {
  const used = new Set(usedIds);
  let number = 0;
  return () => {
    do number += 1;
    while (used.has(`call_${number}`));
    return `call_${number}`;
  };
};

/** A call with the pieces that a stream tells it in. */
const callParts = (call: { toolCallId: string; toolName: unknown; input: unknown; problem?: string }): Part[] => {
  const { toolCallId: id, toolName, input } = call;
  return [
    { type: 'tool-input-start', id, toolName },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    { type: 'tool-call', ...call },
  ];
};

const openParser = (dialect: string, tools: readonly FunctionTool[], makeId: () => string): Parser => {
  if (tools.length === 0) return createTextParser();
  return createParser({ dialect, tools: tools.map(asDefinition), makeId });
};
