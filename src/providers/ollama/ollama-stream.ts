/** Reads Ollama's NDJSON, or the one object of an answer that is not streamed. */
import { isObject } from '../../core/json.ts';
import type { Usage } from '../../core/message.ts';
import type { ModelAnswer, ModelError, ModelPart } from '../../core/model-port.ts';
import { endKind } from '../../dialects/end-words.ts';
import { completeIds, finishCall, parseArgumentsOnly, type RawCall } from '../arguments.ts';
import { createEmitter, type Emitter } from '../emitter.ts';
import { cutBy, endWarning, finishOf, givenUp } from '../finish-words.ts';
import { countOf, type Fields, objectOf, oneOrMore, parseEvent, textOf } from '../json-values.ts';
import { PROVIDER_LIMITS } from '../limits.ts';
import { createLineSplitter, type LineSplitter } from '../lines.ts';
import { createMalformedCounter, type MalformedCounter } from '../malformed-events.ts';
import { type ErrorWords, errorFromServer } from '../model-errors.ts';
import { contentText, reasoningText } from '../openai/event-fields.ts';
import { createPlainDeltaReader, type PlainDelta } from '../plain-delta.ts';
import type { RepairArguments } from '../provider-options.ts';
import { DONE, OpenValue, valuesIn } from '../several-values.ts';
import type { AnswerReader } from '../stream-answer.ts';

const PLAIN_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'created_at',
  'message',
  'done',
  'remote_model',
  'remote_host',
]);
const PLAIN_MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'thinking']);

/** The text of a line that says nothing else. */
const plainDelta = (event: unknown): PlainDelta | undefined => {
  if (!isObject(event) || event['done'] === true || !isObject(event['message'])) return undefined;
  const message = event['message'];
  if (!Object.keys(event).every((field) => PLAIN_FIELDS.has(field))) return undefined;
  if (!Object.keys(message).every((field) => PLAIN_MESSAGE_FIELDS.has(field))) return undefined;
  const content = textOf(message['content']) ?? '';
  const thinking = textOf(message['thinking']) ?? '';
  if (content !== '' && thinking === '') return { kind: 'text', index: 0, text: content };
  if (thinking !== '' && content === '') return { kind: 'reasoning', index: 0, text: thinking };
  return undefined;
};

/** One of these stands in every line of the protocol, beside a message or without one. */
const EVENT_FIELDS = ['response', 'done', 'error'];
const isEvent = (value: unknown): boolean =>
  isObject(value) && (isObject(value['message']) || EVENT_FIELDS.some((field) => field in value));

const BEGINS_VALUE = /^\uFEFF?(?:data:)?\s*[{[]/;

export type OllamaReaderSettings = {
  model: string;
  words: ErrorWords;
  repairArguments: RepairArguments | undefined;
  random: () => number;
};

export class OllamaReader implements AnswerReader {
  readonly #settings: OllamaReaderSettings;
  readonly #emitter: Emitter;
  readonly #malformed: MalformedCounter;
  readonly #plain = createPlainDeltaReader(plainDelta, { text: ['content'], reasoning: ['thinking'] }, 'created_at');
  readonly #lines: LineSplitter;
  readonly #calls: RawCall[] = [];
  #open: OpenValue | undefined;
  #error: ModelError | undefined;
  #finished = false;
  #reason: string | undefined;
  #usage: Omit<Usage, 'seconds'> | undefined;
  #events = 0;

  constructor(settings: OllamaReaderSettings, emit: (part: ModelPart) => void) {
    this.#settings = settings;
    this.#emitter = createEmitter(emit);
    this.#malformed = createMalformedCounter(this.#emitter.emit, settings.words.endpoint);
    this.#lines = createLineSplitter((line) => this.#readLine(line), PROVIDER_LIMITS.modelLineBytes);
  }

  get error(): ModelError | undefined {
    return this.#error;
  }

  get finished(): boolean {
    return this.#finished;
  }

  get complete(): boolean {
    return this.#finished;
  }

  get started(): boolean {
    return this.#emitter.started;
  }

  push(chunk: string): void {
    if (!this.#lines.push(chunk)) this.#error ??= this.#malformed.tooLong();
    this.#emitter.flush();
  }

  end(): ReturnType<AnswerReader['end']> {
    this.#lines.end();
    this.#giveUpOpen();
    this.#emitter.flush();
    if (this.#error) return { ok: false, error: this.#error };
    if (this.#events === 0) return { ok: false, error: this.#malformed.nothingUnderstood() };
    if (!this.#finished) return { ok: false, error: this.#malformed.endedEarly() };
    return { ok: true, answer: this.#answer() };
  }

  #readLine(line: string): void {
    if (this.#error || this.#finished || line.trim() === '') return;
    const delta = this.#plain.read(line);
    if (delta) {
      if (delta.kind === 'text') this.#emitter.text(delta.text);
      else this.#emitter.reasoning(delta.text);
      return;
    }
    const parsed = parseEvent(line);
    if (!parsed.ok || !isObject(parsed.value) || (this.#open && !isEvent(parsed.value))) {
      this.#readOther(line);
      return;
    }
    this.#giveUpOpen();
    this.#readEvent(parsed.value);
    const learnt = plainDelta(parsed.value);
    if (learnt) this.#plain.learn(line, learnt);
  }

  /** No event by itself: several in one line, a part of one over many lines, or nothing of the protocol. */
  #readOther(line: string): void {
    const values = valuesIn(line);
    if (values && (!this.#open || (values.length > 0 && values.every(isEvent)))) {
      this.#giveUpOpen();
      this.#readValues(values);
    } else if (this.#open || BEGINS_VALUE.test(line)) this.#continueOpen(line);
    else this.#error = this.#malformed.add(line);
  }

  #continueOpen(line: string): void {
    this.#open ??= new OpenValue();
    const isClosed = this.#open.add(line);
    const { text } = this.#open;
    if (text.length > PROVIDER_LIMITS.modelLineBytes) this.#error = this.#malformed.tooLong();
    const values = isClosed ? valuesIn(text) : undefined;
    if (values) {
      this.#open = undefined;
      this.#readValues(values);
    } else if (isClosed) this.#giveUpOpen();
  }

  /** What was begun is none. */
  #giveUpOpen(): void {
    const begun = this.#open;
    this.#open = undefined;
    if (begun) this.#error ??= this.#malformed.add(begun.text.trim());
  }

  #readValues(values: readonly unknown[]): void {
    for (const value of values) {
      if (this.#error || this.#finished) return;
      if (isObject(value)) this.#readEvent(value);
      else if (value !== DONE) this.#error = this.#malformed.add(JSON.stringify(value));
    }
  }

  #readEvent(event: Fields): void {
    if (!isEvent(event)) {
      this.#malformed.pass(event);
      return;
    }
    this.#events += 1;
    if (event['error'] !== undefined && event['error'] !== null) {
      const { model, words } = this.#settings;
      this.#error = errorFromServer(undefined, JSON.stringify(event), model, words);
      return;
    }
    const message = objectOf(event['message']);
    this.#emitter.reasoning(reasoningText(message));
    // `response` is the field of `/api/generate`, which some programs that speak this protocol mix in.
    this.#emitter.text(contentText(message['content']) || (textOf(event['response']) ?? ''));
    for (const call of oneOrMore(message['tool_calls'])) this.#addCall(call);
    if (event['done'] === true) this.#readEnd(event);
  }

  #addCall(value: unknown): void {
    const index = this.#calls.length;
    if (index >= PROVIDER_LIMITS.modelCallsPerAnswer) return;
    const given = objectOf(value);
    const fields = isObject(given['function']) ? given['function'] : given;
    const name = textOf(fields['name']) ?? '';
    const id = textOf(given['id']);
    const known = id === undefined || id === '' ? {} : { id };
    const args = fields['arguments'] ?? fields['parameters'];
    const text = typeof args === 'string' ? args : JSON.stringify(args ?? {});
    this.#emitter.emit({ type: 'tool_call_delta', index, name, ...known, arguments_delta: text });
    this.#calls.push({ name, arguments: args, repairs: [], ...known });
  }

  #readEnd(event: Fields): void {
    this.#finished = true;
    this.#reason = textOf(event['done_reason']);
    this.#takeReason(this.#reason ?? '');
    const prompt = countOf(event['prompt_eval_count']);
    const completion = countOf(event['eval_count']);
    if (prompt === undefined && completion === undefined) return;
    const readNanoseconds = countOf(event['prompt_eval_duration']);
    this.#usage = {
      prompt_tokens: prompt ?? 0,
      completion_tokens: completion ?? 0,
      ...(readNanoseconds === undefined ? {} : { prompt_seconds: readNanoseconds / 1e9 }),
    };
  }

  #takeReason(word: string): void {
    const { model, words } = this.#settings;
    const kind = endKind(word);
    if (kind === 'failed') {
      const said = JSON.stringify({ error: `the model ended with an error (${word})` });
      this.#error ??= errorFromServer(undefined, said, model, words);
    }
    if (kind === 'broken') this.#error ??= givenUp(words.endpoint, word);
    const warning = endWarning(word);
    if (warning) this.#emitter.emit(warning);
  }

  #answer(): ModelAnswer {
    const { repairArguments = parseArgumentsOnly, random } = this.#settings;
    const cut = cutBy(endKind(this.#reason));
    const calls = this.#calls.flatMap((call) =>
      finishCall(call, { repairArguments, cutBy: typeof call.arguments === 'string' ? cut : undefined }),
    );
    return {
      calls: completeIds(calls, random),
      ...finishOf(this.#reason, this.#calls.length),
      ...(this.#usage ? { usage: { ...this.#usage, seconds: 0 } } : {}),
    };
  }
}
