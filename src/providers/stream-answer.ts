/** One request to a model, from the first byte sent to the outcome; what the bytes mean is the reader's business. */

import type { Usage } from '../core/message.ts';
import type { ModelAnswer, ModelError, ModelOutcome, ModelPart } from '../core/model-port.ts';
import { grouped } from '../core/number-text.ts';
import type { HttpResponse } from '../core/ports.ts';
import { PROVIDER_LIMITS } from './limits.ts';
import { cancelledError, type ErrorWords, errorFromFailure } from './model-errors.ts';
import { defaultSleep, type ProviderOptions } from './provider-options.ts';
import { backoffMs, retrying, type SendSettings, sendModelRequest, withTries } from './send.ts';

export type AnswerReader = {
  push(chunk: string): void;
  /** Set when the server said in the stream that it failed, or said something that is not its protocol. */
  readonly error: ModelError | undefined;
  /** The server said that nothing more comes, though the connection may stay open. */
  readonly finished: boolean;
  /** The model has said why it ended: what is lost after this is nothing of the answer. */
  readonly complete: boolean;
  /** The model has begun to answer: from now on silence counts. */
  readonly started: boolean;
  /** What the server has counted so far; absent where it counts at the end alone. Its `seconds` are the caller's. */
  readonly usage?: Usage | undefined;
  /** The body ended well: the answer, or why it is none. */
  end(): { ok: true; answer: ModelAnswer } | { ok: false; error: ModelError };
};

export type AnswerRequest = {
  options: ProviderOptions;
  words: ErrorWords;
  model: string;
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  emit(part: ModelPart): void;
  signal: AbortSignal;
  retryWithinMs?: SendSettings['retryWithinMs'];
  createReader(contentType: string, emit: (part: ModelPart) => void): AnswerReader;
  waitUntilReady?: SendSettings['waitUntilReady'];
};

/** A page in place of an answer: a login of the network, or another program's address. */
const foreignPage = (contentType: string, endpoint: string): ModelError | undefined =>
  /^\s*(text\/html|application\/xhtml|image\/|audio\/|video\/|application\/pdf)/i.test(contentType)
    ? {
        code: 'protocol',
        message: `${endpoint} answered with ${contentType.split(';')[0]?.trim()}, which no model server sends.`,
        hint: 'Check the base URL; a login page of the network can also stand in between.',
      }
    : undefined;

/** The part of the answer itself that a part brings; undefined for what is said beside it. */
const contentOf = (part: ModelPart): string | undefined => {
  if (part.type === 'text_delta' || part.type === 'reasoning_delta') return part.delta;
  return part.type === 'tool_call_delta' ? part.arguments_delta : undefined;
};

const tooLong = (words: ErrorWords, most: number): ModelError => ({
  code: 'protocol',
  message: `The answer of ${words.endpoint} grew past ${grouped(most)} characters and was cut there.`,
  hint: 'The model may repeat itself: another model, another temperature or a limit of tokens on the server helps.',
});

/** A connection that breaks before anything of an answer came has told nobody anything: then the request is sent again. */
export const streamAnswer = async (request: AnswerRequest): Promise<ModelOutcome> => {
  const { options, words, signal } = request;
  const attempts = Math.min(options.attempts ?? Number.POSITIVE_INFINITY, PROVIDER_LIMITS.modelBrokenRetries);
  for (let attempt = 0; ; attempt += 1) {
    const { outcome, isBroken } = await answerOnce(request);
    if (outcome.ok || !isBroken) return outcome;
    if (attempt >= attempts) return { ...outcome, error: withTries(outcome.error, attempt) };
    const afterMs = backoffMs(PROVIDER_LIMITS.modelRetryDelayMs, attempt, options.random ?? Math.random);
    const why = 'the connection was lost before the first word';
    request.emit(retrying({ endpoint: words.endpoint, why, afterMs, attempt, attempts }));
    await (options.sleep ?? defaultSleep)(afterMs, signal);
    if (signal.aborted) return { ok: false, error: cancelledError(), partial: false };
  }
};

type Try = { outcome: ModelOutcome; isBroken?: boolean };

const answerOnce = async (request: AnswerRequest): Promise<Try> => {
  if (request.signal.aborted) return { outcome: { ok: false, error: cancelledError(), partial: false } };
  const attempt = new Attempt(request);
  try {
    return await attempt.make();
  } finally {
    attempt.end();
  }
};

/** One request and the reading of its answer. */
class Attempt {
  readonly #request: AnswerRequest;
  readonly #startedAt: number;
  /** Something of the answer was handed on. */
  #isPartial = false;
  #isOver = false;
  #isEmpty = true;
  #firstAt: number | undefined;
  #characters = 0;
  #argumentCharacters = 0;
  #reader: AnswerReader | undefined;
  #release: (() => void) | undefined;

  constructor(request: AnswerRequest) {
    this.#request = request;
    this.#startedAt = request.options.clock.monotonic();
  }

  async make(): Promise<Try> {
    const sent = await this.#send();
    if (!sent.ok) return this.#fail(sent.error);
    this.#release = sent.release;
    const { words } = this.#request;
    const contentType = sent.response.headers['content-type'] ?? '';
    const foreign = foreignPage(contentType, words.endpoint);
    if (foreign) {
      sent.leave();
      return this.#fail(foreign);
    }
    const reading = this.#request.createReader(contentType, this.#emit);
    this.#reader = reading;
    const { body, ended } = await this.#readBody(sent.response, reading);
    if (this.#request.signal.aborted) return this.#fail(cancelledError());
    const broken = reading.error ?? this.#tooLong();
    if (broken) {
      sent.leave();
      return this.#fail(broken);
    }
    if (ended === undefined) leaveSoon(body, sent.leave);
    else if (!ended.ok && !reading.complete) return this.#fail(errorFromFailure(ended.error, words));
    return this.#answerOf(reading.end());
  }

  end(): void {
    this.#isOver = true;
    this.#release?.();
  }

  #send(): ReturnType<typeof sendModelRequest> {
    const { options, words, model, signal, url, headers, body, retryWithinMs, waitUntilReady } = this.#request;
    const silenceTimeoutMs = options.silenceTimeoutMs ?? PROVIDER_LIMITS.modelSilenceTimeoutMs;
    const silenceCounts = (): boolean => this.#reader?.started ?? false;
    return sendModelRequest(
      { method: 'POST', url, headers, body, silenceTimeoutMs, silenceCounts },
      { options, words, model, emit: this.#emit, signal, retryWithinMs, waitUntilReady },
    );
  }

  /** Until the server ends the body, or the reader knows enough: `ended` is undefined then. */
  async #readBody(response: HttpResponse, reading: AnswerReader) {
    let endReading: (value: undefined) => void = () => {};
    const done = new Promise<undefined>((resolve) => {
      endReading = resolve;
    });
    const body = response.read((chunk) => {
      if (this.#isOver || this.#request.signal.aborted) return;
      this.#isEmpty = false;
      reading.push(chunk);
      if (reading.error || reading.finished || this.#passed() !== undefined) endReading(undefined);
    });
    return { body, ended: await Promise.race([body, done]) };
  }

  #answerOf(result: ReturnType<AnswerReader['end']>): Try {
    if (!result.ok) return this.#isEmpty ? { ...this.#fail(result.error), isBroken: true } : this.#fail(result.error);
    const beyond = this.#tooLong();
    if (beyond !== undefined) return this.#fail(beyond);
    const { answer } = result;
    if (answer.usage === undefined) return { outcome: { ok: true, answer } };
    return { outcome: { ok: true, answer: { ...answer, usage: this.#timed(answer.usage) } } };
  }

  #timed(usage: Usage): Usage {
    const seconds = (this.#request.options.clock.monotonic() - this.#startedAt) / 1_000;
    // What the server measured itself comes before what was seen from here.
    const firstAt = this.#firstAt;
    const untilFirst = firstAt === undefined ? {} : { prompt_seconds: (firstAt - this.#startedAt) / 1_000 };
    return { ...untilFirst, ...usage, seconds };
  }

  readonly #emit = (part: ModelPart): void => {
    const request = this.#request;
    if (this.#isOver || request.signal.aborted || this.#passed() !== undefined) return;
    const content = contentOf(part);
    if (content !== undefined) {
      if (!this.#isPartial) this.#firstAt = request.options.clock.monotonic();
      this.#isPartial = true;
      if (part.type === 'tool_call_delta') this.#argumentCharacters += content.length;
      else this.#characters += content.length;
    }
    if (this.#passed() === undefined) request.emit(part);
  };

  /** The limit that was passed. */
  #passed(): number | undefined {
    const { modelAnswerCharacters: ofText, modelArgumentsCharacters: ofArguments } = PROVIDER_LIMITS;
    if (this.#characters > ofText) return ofText;
    return this.#argumentCharacters > ofArguments ? ofArguments : undefined;
  }

  #tooLong(): ModelError | undefined {
    const most = this.#passed();
    return most === undefined ? undefined : tooLong(this.#request.words, most);
  }

  #fail(error: ModelError): Try {
    const { aborted } = this.#request.signal;
    const counted = this.#reader?.usage;
    return {
      outcome: {
        ok: false,
        error: aborted ? cancelledError() : error,
        partial: this.#isPartial,
        ...(counted === undefined ? {} : { usage: this.#timed(counted) }),
      },
      isBroken: !this.#isPartial && !aborted && error.code === 'disconnected',
    };
  }
}

/** The connection is used again when the server ends the body itself; one that keeps it open is left. */
const leaveSoon = (body: Promise<unknown>, leave: () => void): void => {
  const timer = setTimeout(leave, PROVIDER_LIMITS.modelDrainTimeoutMs);
  timer.unref?.();
  void body.finally(() => clearTimeout(timer));
};
