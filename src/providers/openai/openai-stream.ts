/** Reads an answer of an OpenAI-compatible server: a stream of events, or one JSON object. */
import { isObject } from '../../core/json.ts';
import type { Usage } from '../../core/message.ts';
import type { ModelAnswer, ModelError, ModelPart } from '../../core/model-port.ts';
import { endKind, isWord } from '../../dialects/end-words.ts';
import { completeIds, finishCall, parseArgumentsOnly } from '../arguments.ts';
import { createEmitter, type Emitter } from '../emitter.ts';
import { cutBy, endWarning, finishOf, givenUp } from '../finish-words.ts';
import { type Fields, listOf, objectOf, oneOrMore, parseEvent, textOf } from '../json-values.ts';
import { PROVIDER_LIMITS } from '../limits.ts';
import { createMalformedCounter, type MalformedCounter } from '../malformed-events.ts';
import { type ErrorWords, errorFromServer } from '../model-errors.ts';
import { createPlainDeltaReader, type PlainDelta } from '../plain-delta.ts';
import type { RepairArguments } from '../provider-options.ts';
import { DONE, valuesIn } from '../several-values.ts';
import type { AnswerReader } from '../stream-answer.ts';
import {
  contentText,
  isNothing,
  REASONING_FIELDS,
  readProgress,
  readTimings,
  readUsage,
  reasoningText,
  type TokenUsage,
} from './event-fields.ts';
import { type CallCollector, createCallCollector } from './openai-calls.ts';
import { plainDelta } from './plain-event.ts';
import { createSseReader, type SseReader } from './sse.ts';

export type OpenAIReaderSettings = {
  model: string;
  words: ErrorWords;
  offered: ReadonlySet<string>;
  repairArguments: RepairArguments | undefined;
  random: () => number;
};

const zeroUsage = { prompt_tokens: 0, completion_tokens: 0 };

/** One of these stands in every event of the protocol. */
const EVENT_FIELDS = ['choices', 'usage', 'timings', 'prompt_progress', 'object'];

/** Forms of an error beside the protocol's own. */
const saysFailure = ({ object, errors, detail, message }: Fields): boolean =>
  object === 'error' || !isNothing(errors) || !isNothing(detail) || (typeof message === 'string' && message !== '');

export class OpenAIReader implements AnswerReader {
  readonly #settings: OpenAIReaderSettings;
  readonly #emitter: Emitter;
  readonly #malformed: MalformedCounter;
  readonly #collector: CallCollector;
  readonly #plain = createPlainDeltaReader(plainDelta, {
    text: ['content'],
    reasoning: REASONING_FIELDS,
    arguments: ['arguments'],
  });
  readonly #sse: SseReader;
  /** Lines that are no SSE: a server that answers with plain JSON, whatever it calls it. */
  readonly #foreign: string[] = [];
  #error: ModelError | undefined;
  #finished = false;
  #reason: string | undefined;
  #usage: TokenUsage | undefined;
  #timings: TokenUsage | undefined;
  #events = 0;
  /** What may have been said in the place of the rest of an answer. */
  #failure: Fields | undefined;

  constructor(settings: OpenAIReaderSettings, contentType: string, emit: (part: ModelPart) => void) {
    this.#settings = settings;
    this.#emitter = createEmitter(emit);
    this.#malformed = createMalformedCounter(this.#emitter.emit, settings.words.endpoint, contentType);
    this.#collector = createCallCollector(settings.offered, this.#emitter);
    this.#sse = createSseReader(
      {
        onData: (data, name) => this.#readData(data, name),
        complete: (data) => data.trim() === DONE || parseEvent(data).ok,
        onForeign: (line) => this.#foreign.push(line),
      },
      PROVIDER_LIMITS.modelLineBytes,
    );
  }

  get error(): ModelError | undefined {
    return this.#error;
  }

  get finished(): boolean {
    return this.#finished;
  }

  get usage(): Usage | undefined {
    const measured = this.#usage || this.#timings;
    return measured && { ...zeroUsage, ...this.#timings, ...this.#usage, seconds: 0 };
  }

  get complete(): boolean {
    return this.#finished || this.#reason !== undefined;
  }

  get started(): boolean {
    return this.#emitter.started;
  }

  push(chunk: string): void {
    if (!this.#sse.push(chunk)) this.#error ??= this.#malformed.tooLong();
    this.#emitter.flush();
  }

  end(): ReturnType<AnswerReader['end']> {
    this.#sse.end();
    if (!this.#error && this.#foreign.length > 0) this.#readForeign();
    this.#emitter.flush();
    if (this.#error) return { ok: false, error: this.#error };
    if (this.#events === 0 && !this.#finished) return { ok: false, error: this.#malformed.nothingUnderstood() };
    if (this.#failure && this.#reason === undefined) this.#fail(this.#failure);
    if (this.#error) return { ok: false, error: this.#error };
    if (!this.complete) return { ok: false, error: this.#malformed.endedEarly() };
    return { ok: true, answer: this.#answer() };
  }

  #readData(data: string, name: string): void {
    if (this.#error || this.#finished) return;
    const delta = name === '' ? this.#plain.read(data) : undefined;
    if (delta) this.#takeDelta(delta);
    else if (data.trim() === DONE) this.#finished = true;
    else if (data.trim() !== '') this.#readJson(data, name);
  }

  #takeDelta({ kind, index, text }: PlainDelta): void {
    if (kind === 'text') this.#emitter.text(text);
    else if (kind === 'reasoning') this.#emitter.reasoning(text);
    else this.#collector.addText(index, text);
  }

  #readJson(data: string, name: string): void {
    const text = data.trim();
    const parsed = parseEvent(text);
    if (name === 'error') {
      this.#fail(parsed.ok ? parsed.value : text);
    } else if (parsed.ok && isObject(parsed.value)) {
      this.#readEvent(parsed.value);
      const learnt = plainDelta(parsed.value);
      if (learnt) this.#plain.learn(data, learnt);
    } else if (!this.#readSeveral(text)) {
      // One of several without a blank line between them is broken.
      if (!parsed.ok && text.includes('\n')) for (const line of text.split('\n')) this.#readData(line, name);
      else this.#error = this.#malformed.add(text);
    }
  }

  /** Events that came as one; false where the text is no events. */
  #readSeveral(text: string): boolean {
    const values = valuesIn(text);
    for (const value of values ?? []) {
      if (this.#error || this.#finished) break;
      if (value === DONE) this.#finished = true;
      else if (isObject(value)) this.#readEvent(value);
      else this.#error = this.#malformed.add(JSON.stringify(value));
    }
    return values !== undefined;
  }

  #readEvent(event: Fields): void {
    if (!isNothing(event['error'])) {
      this.#fail(event);
      return;
    }
    if (!Array.isArray(event['choices']) && saysFailure(event)) this.#failure ??= event;
    if (!Array.isArray(event['choices']) && !EVENT_FIELDS.some((field) => field in event)) {
      this.#malformed.pass(event);
      return;
    }
    this.#events += 1;
    const progress = readProgress(event['prompt_progress']);
    if (progress) this.#emitter.emit(progress);
    this.#usage = readUsage(event['usage']) ?? this.#usage;
    this.#timings = readTimings(event['timings']) ?? this.#timings;
    const first = listOf(event['choices']).find((choice) => isObject(choice) && (choice['index'] ?? 0) === 0);
    if (isObject(first)) this.#readChoice(first);
  }

  #readChoice(choice: Fields): void {
    const message = isObject(choice['delta']) ? choice['delta'] : objectOf(choice['message']);
    this.#emitter.reasoning(reasoningText(message));
    const text = contentText(message['content']) || contentText(message['refusal']) || contentText(choice['text']);
    this.#emitter.text(text);
    const calls = oneOrMore(message['tool_calls']);
    if (calls.length > 0) this.#collector.add(calls);
    // The form from before `tool_calls`.
    if (isObject(message['function_call'])) this.#collector.add([{ index: 0, function: message['function_call'] }]);
    const word = textOf(choice['finish_reason']);
    if (word !== undefined && isWord(word)) this.#readFinish(word);
  }

  #readFinish(word: string): void {
    this.#reason = word;
    const kind = endKind(word);
    if (kind === 'failed') this.#fail({ error: `the model ended with an error (${word})` });
    if (kind === 'broken') this.#error ??= givenUp(this.#settings.words.endpoint, word);
  }

  /** What was no SSE: one JSON object over one or many lines, an object a line, or nothing that can be read. */
  #readForeign(): void {
    const text = this.#foreign.join('\n').trim();
    if (text === '') return;
    const parsed = parseEvent(text);
    if (parsed.ok && isObject(parsed.value)) {
      this.#readEvent(parsed.value);
      this.#finished = this.#events > 0;
    } else if (this.#events > 0 || !this.#readSeveral(text)) {
      this.#error ??= this.#malformed.add(text);
    }
  }

  #fail(said: unknown): void {
    const { model, words } = this.#settings;
    this.#error ??= errorFromServer(undefined, JSON.stringify(said), model, words);
  }

  #answer(): ModelAnswer {
    const { repairArguments = parseArgumentsOnly, random } = this.#settings;
    // Some servers give a reason with each chunk, and the last one holds.
    const warning = endWarning(this.#reason);
    if (warning) this.#emitter.emit(warning);
    const cut = cutBy(endKind(this.#reason));
    const calls = this.#collector.calls().flatMap((call) => finishCall(call, { repairArguments, cutBy: cut }));
    const { usage } = this;
    return {
      calls: completeIds(calls, random),
      ...finishOf(this.#reason, this.#collector.count),
      ...(usage === undefined ? {} : { usage }),
    };
  }
}
