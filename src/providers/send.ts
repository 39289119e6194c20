/** Sends a request to a model server, again only where nothing can have happened twice. */

import { asSentence } from '../core/error-text.ts';
import type { ModelError, ModelPart } from '../core/model-port.ts';
import { counted } from '../core/number-text.ts';
import type { HttpFailure, HttpRequest, HttpResponse } from '../core/ports.ts';
import { PROVIDER_LIMITS } from './limits.ts';
import {
  cancelledError,
  type ErrorWords,
  errorFromFailure,
  errorFromServer,
  type ServerError,
} from './model-errors.ts';
import { defaultSleep, type ProviderOptions } from './provider-options.ts';

export type SendSettings = {
  options: ProviderOptions;
  words: ErrorWords;
  model: string;
  emit(part: ModelPart): void;
  /** The person's. */
  signal: AbortSignal;
  /** Nobody waits for a server that asks for more. */
  retryWithinMs?: number | undefined;
  /** Waits until a server that said "not yet" is ready, without sending the request again; false: it cannot say. */
  waitUntilReady?(status: number, body: string): Promise<boolean>;
};

const NOT_IMPLEMENTED = 501;

type Try = { ok: false; error: ModelError; again?: { afterMs: number; why: string } | 'waited' };

/** Seconds, or a date; absent or unreadable: undefined. */
export const retryAfterMs = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined;
  const seconds = Number(header);
  if (header.trim() !== '' && Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
};

export const backoffMs = (baseMs: number, attempt: number, random: () => number): number =>
  Math.min(PROVIDER_LIMITS.modelRetryDelayMsMax, baseMs * 2 ** attempt * (0.75 + random() / 2));

export const retrying = (one: {
  endpoint: string;
  why: string;
  afterMs: number;
  attempt: number;
  attempts: number;
}): ModelPart => ({
  type: 'warning',
  code: 'retrying',
  message: `${one.endpoint}: ${one.why}; trying again in ${(one.afterMs / 1_000).toFixed(1)} s (${one.attempt + 1} of ${one.attempts}).`,
});

const fromFailure = (failure: HttpFailure, attempt: number, settings: SendSettings): Try => {
  const error = errorFromFailure(failure, settings.words);
  if (failure.kind !== 'refused') return { ok: false, error };
  const afterMs = backoffMs(PROVIDER_LIMITS.modelRefusedRetryDelayMs, attempt, settings.options.random ?? Math.random);
  return { ok: false, error, again: { afterMs, why: failure.message } };
};

/** The beginning of what a refusal says. A server may send words without end; `leave` closes the connection then. */
const refusalText = async (response: HttpResponse, leave: () => void): Promise<string> => {
  let text = '';
  await response.read((chunk) => {
    if (text.length >= PROVIDER_LIMITS.modelRefusalCharacters) return;
    text = (text + chunk).slice(0, PROVIDER_LIMITS.modelRefusalCharacters);
    if (text.length >= PROVIDER_LIMITS.modelRefusalCharacters) leave();
  });
  return text;
};

const fromStatus = async (
  response: HttpResponse,
  attempt: number,
  settings: SendSettings,
  leave: () => void,
): Promise<Try> => {
  const { options, words, model } = settings;
  const body = await refusalText(response, leave);
  if (settings.signal.aborted) return { ok: false, error: cancelledError() };
  const asked = retryAfterMs(response.headers['retry-after'], options.clock.now());
  const error: ServerError = {
    ...errorFromServer(response.status, body, model, words),
    status: response.status,
    ...(asked === undefined ? {} : { retry_after_seconds: Math.ceil(asked / 1_000) }),
  };
  // A server that gives a reason that waiting does not remove is not asked again, whatever its status is.
  const isPassing =
    (response.status === 429 && error.code !== 'context_overflow') ||
    (response.status >= 500 && response.status !== NOT_IMPLEMENTED && error.code === 'server_error' && !error.refuses);
  if (!isPassing) return { ok: false, error };
  if (await settings.waitUntilReady?.(response.status, body)) {
    return { ok: false, error, again: 'waited' };
  }
  if (asked !== undefined && asked > (settings.retryWithinMs ?? allWaitsMs(options))) return { ok: false, error };
  const own = backoffMs(PROVIDER_LIMITS.modelRetryDelayMs, attempt, options.random ?? Math.random);
  const afterMs = asked === undefined ? own : Math.min(asked, PROVIDER_LIMITS.modelRetryDelayMsMax);
  return { ok: false, error, again: { afterMs, why: `it answered ${response.status}` } };
};

/** One that wants to be left alone for longer than all waits together is not asked in vain. */
const allWaitsMs = ({ attempts = PROVIDER_LIMITS.modelAttempts }: SendSettings['options']): number =>
  attempts * PROVIDER_LIMITS.modelRetryDelayMsMax;

/** `leave` closes the connection, whatever still comes over it; `release` is due when nothing of it is read any more. */
export type Sent =
  | { ok: true; response: HttpResponse; leave(): void; release(): void }
  | { ok: false; error: ModelError };

export const sendModelRequest = async (
  request: Omit<HttpRequest, 'connectTimeoutMs' | 'maxResponseBytes' | 'signal'>,
  settings: SendSettings,
): Promise<Sent> => {
  const { options, words } = settings;
  const sleep = options.sleep ?? defaultSleep;
  const attempts = options.attempts ?? PROVIDER_LIMITS.modelAttempts;
  for (let attempt = 0; ; attempt += 1) {
    const { signal, leave, release } = abortedWith(settings.signal);
    const result = await options.network.request({
      ...request,
      signal,
      connectTimeoutMs: options.connectTimeoutMs ?? PROVIDER_LIMITS.modelConnectTimeoutMs,
      maxResponseBytes: PROVIDER_LIMITS.modelResponseBytes,
    });
    if (result.ok && result.value.status >= 200 && result.value.status < 300) {
      return { ok: true, response: result.value, leave, release };
    }
    const tried = result.ok
      ? await fromStatus(result.value, attempt, settings, leave)
      : fromFailure(result.error, attempt, settings);
    release();
    if (settings.signal.aborted) return { ok: false, error: cancelledError() };
    // A server that loads its model is no failure that a try counts for; how long it is waited for has its own limit.
    if (tried.again === 'waited') {
      attempt -= 1;
      continue;
    }
    if (!tried.again || attempt >= attempts) return { ok: false, error: withTries(tried.error, attempt) };
    const { afterMs, why } = tried.again;
    settings.emit(retrying({ endpoint: words.endpoint, why, afterMs, attempt, attempts }));
    await sleep(afterMs, settings.signal);
    if (settings.signal.aborted) return { ok: false, error: cancelledError() };
  }
};

/** What `AbortSignal.any` would do, at a fraction of its cost; the signal that is followed lives longer than the request. */
const abortedWith = (followed: AbortSignal): { signal: AbortSignal; leave(): void; release(): void } => {
  const own = new AbortController();
  const leave = (): void => own.abort();
  if (followed.aborted) leave();
  else followed.addEventListener('abort', leave, { once: true });
  return { signal: own.signal, leave, release: () => followed.removeEventListener('abort', leave) };
};

export const withTries = (error: ModelError, attempt: number): ModelError =>
  attempt === 0
    ? error
    : { ...error, message: `${asSentence(error.message)} Tried ${counted(attempt + 1, 'time')}.`, tries: attempt + 1 };
