/** Short questions about a server: which models, which window. */
import { isObject } from '../core/json.ts';
import type { ModelError } from '../core/model-port.ts';
import type { HttpFailure, HttpRequest } from '../core/ports.ts';
import { type Fields, parseJson } from './json-values.ts';
import { PROVIDER_LIMITS } from './limits.ts';
import { type ErrorWords, errorFromFailure, errorFromServer } from './model-errors.ts';
import type { ProviderOptions } from './provider-options.ts';

export type InformationRequest = {
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON by POST. */
  body?: Fields;
  signal: AbortSignal;
  model?: string;
  timeoutMs?: number;
  /** Of the answer, where it is more than a few facts. */
  maxBytes?: number;
};

/** A question is no answer of a model: a server that is silent here has not even begun. */
const noAnswer = (failure: HttpFailure, words: ErrorWords, timeoutMs: number): ModelError =>
  failure.kind === 'silence_timeout'
    ? {
        code: 'timeout',
        message: `${words.endpoint} takes connections and says nothing: no answer within ${timeoutMs / 1_000} s.`,
        hint: 'The server may still be starting, or it hangs; its log says more.',
      }
    : errorFromFailure(failure, words);

export const askServer = async (
  options: Pick<ProviderOptions, 'network'>,
  words: ErrorWords,
  request: InformationRequest,
): Promise<{ ok: true; value: Fields } | { ok: false; error: ModelError }> => {
  const timeoutMs = request.timeoutMs ?? PROVIDER_LIMITS.modelInformationTimeoutMs;
  const http: HttpRequest = {
    method: request.body ? 'POST' : 'GET',
    url: request.url,
    headers: {
      accept: 'application/json',
      ...(request.body ? { 'content-type': 'application/json' } : {}),
      ...request.headers,
    },
    ...(request.body ? { body: JSON.stringify(request.body) } : {}),
    signal: request.signal,
    connectTimeoutMs: timeoutMs,
    firstByteTimeoutMs: timeoutMs,
    silenceTimeoutMs: timeoutMs,
    maxResponseBytes: request.maxBytes ?? PROVIDER_LIMITS.modelInformationBytes,
  };
  const result = await options.network.request(http);
  if (!result.ok) return { ok: false, error: noAnswer(result.error, words, timeoutMs) };
  const text = await result.value.text();
  if (!text.ok) return { ok: false, error: noAnswer(text.error, words, timeoutMs) };
  const { status } = result.value;
  if (status < 200 || status >= 300) {
    return { ok: false, error: { ...errorFromServer(status, text.value, request.model ?? '', words), status } };
  }
  const parsed = parseJson(text.value);
  if (parsed.ok && isObject(parsed.value)) return { ok: true, value: parsed.value };
  const type = result.value.headers['content-type'] ?? 'no content type';
  return {
    ok: false,
    error: {
      code: 'protocol',
      message: `${words.endpoint} answered ${request.url.replace(/^.*?\/\/[^/]*/, '')} with something that is not JSON (${type}).`,
      hint: 'Check the base URL: it should be the address of the model API.',
    },
  };
};
