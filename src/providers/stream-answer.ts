/** One request to a model, from the first byte sent to the outcome; what the bytes mean is the reader's business. */

import type { ModelAnswer, ModelError, ModelOutcome, ModelPart } from '../core/model-port.ts';
import { grouped } from '../core/number-text.ts';
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
  const { options, words, signal } = request;
  if (signal.aborted) return { outcome: { ok: false, error: cancelledError(), partial: false } };
  const startedAt = options.clock.monotonic();
  let partial = false;
  let over = false;
  let firstAt: number | undefined;
  let characters = 0;
  let argumentCharacters = 0;
  /** The limit that was passed. */
  const passed = (): number | undefined =>
    characters > PROVIDER_LIMITS.modelAnswerCharacters
      ? PROVIDER_LIMITS.modelAnswerCharacters
      : argumentCharacters > PROVIDER_LIMITS.modelArgumentsCharacters
        ? PROVIDER_LIMITS.modelArgumentsCharacters
        : undefined;
  const emit = (part: ModelPart): void => {
    if (over || signal.aborted || passed() !== undefined) return;
    const content = contentOf(part);
    if (content !== undefined) {
      if (!partial) firstAt = options.clock.monotonic();
      partial = true;
      if (part.type === 'tool_call_delta') argumentCharacters += content.length;
      else characters += content.length;
    }
    if (passed() === undefined) request.emit(part);
  };
  let isEmpty = true;
  const finish = (outcome: ModelOutcome): Try => {
    over = true;
    release?.();
    return { outcome };
  };
  const fail = (error: ModelError): Try => ({
    ...finish({ ok: false, error: signal.aborted ? cancelledError() : error, partial }),
    isBroken: !partial && !signal.aborted && error.code === 'disconnected',
  });

  let reader: AnswerReader | undefined;
  let release: (() => void) | undefined;
  const sent = await sendModelRequest(
    {
      method: 'POST',
      url: request.url,
      headers: request.headers,
      body: request.body,
      silenceTimeoutMs: options.silenceTimeoutMs ?? PROVIDER_LIMITS.modelSilenceTimeoutMs,
      silenceCounts: () => reader?.started ?? false,
    },
    {
      options,
      words,
      model: request.model,
      emit,
      signal,
      waitUntilReady: request.waitUntilReady,
    },
  );
  if (!sent.ok) return fail(sent.error);
  const { leave } = sent;
  release = sent.release;

  const contentType = sent.response.headers['content-type'] ?? '';
  const foreign = foreignPage(contentType, words.endpoint);
  if (foreign) {
    leave();
    return fail(foreign);
  }
  const reading = request.createReader(contentType, emit);
  reader = reading;
  let endReading: (value: undefined) => void = () => {};
  const done = new Promise<undefined>((resolve) => {
    endReading = resolve;
  });
  const body = sent.response.read((chunk) => {
    if (over || signal.aborted) return;
    isEmpty = false;
    reading.push(chunk);
    if (reading.error || reading.finished || passed() !== undefined) endReading(undefined);
  });
  const ended = await Promise.race([body, done]);
  if (signal.aborted) return fail(cancelledError());
  const most = passed();
  const broken = reading.error ?? (most === undefined ? undefined : tooLong(words, most));
  if (broken) {
    leave();
    return fail(broken);
  }
  if (ended === undefined) leaveSoon(body, leave);
  else if (!ended.ok && !reading.complete) return fail(errorFromFailure(ended.error, words));
  const result = reading.end();
  if (!result.ok) return isEmpty ? { ...fail(result.error), isBroken: true } : fail(result.error);
  const beyond = passed();
  if (beyond !== undefined) return fail(tooLong(words, beyond));
  const { usage } = result.answer;
  if (usage === undefined) return finish({ ok: true, answer: result.answer });
  const seconds = (options.clock.monotonic() - startedAt) / 1_000;
  // What the server measured itself comes before what was seen from here.
  const untilFirst = firstAt === undefined ? {} : { prompt_seconds: (firstAt - startedAt) / 1_000 };
  return finish({ ok: true, answer: { ...result.answer, usage: { ...untilFirst, ...usage, seconds } } });
};

/** The connection is used again when the server ends the body itself; one that keeps it open is left. */
const leaveSoon = (body: Promise<unknown>, leave: () => void): void => {
  const timer = setTimeout(leave, PROVIDER_LIMITS.modelDrainTimeoutMs);
  timer.unref?.();
  void body.finally(() => clearTimeout(timer));
};
