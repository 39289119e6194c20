/** Ollama by its own API: the only one of its two that lets the window be set and keeps the model in memory. */

import type { ModelInfo, ModelProvider, ModelRequest } from '../../core/model-port.ts';
import { embedWithOllama } from '../embeddings.ts';
import { PROVIDER_LIMITS } from '../limits.ts';
import { type ErrorWords, withKnownModels } from '../model-errors.ts';
import type { ProviderOptions } from '../provider-options.ts';
import { RefusedFields } from '../refused-fields.ts';
import { createBodyWriter } from '../request-body.ts';
import { askServer, type InformationRequest } from '../server-information.ts';
import { streamAnswer } from '../stream-answer.ts';
import { readOnly } from '../warm-up.ts';
import { OLLAMA_PASSES, toOllamaFields, toOllamaMessage } from './ollama-messages.ts';
import { chooseWindow, describeModel, digestIn, findRunning, listModels, sizeIn } from './ollama-models.ts';
import { OllamaReader } from './ollama-stream.ts';

export const OLLAMA_URL = 'http://127.0.0.1:11434';
const KEEP_ALIVE = '30m';

/** People give the address of either API; this is the native one's base. */
export const ollamaBaseUrl = (baseUrl: string): string => baseUrl.replace(/\/+$/, '').replace(/\/(api|v1)$/, '');

export const createOllamaProvider = (options: ProviderOptions): ModelProvider => {
  const endpoint = ollamaBaseUrl(options.baseUrl ?? OLLAMA_URL);
  const words: ErrorWords = {
    endpoint,
    startHint: 'Start it with "ollama serve" (or its app), or name its address with --base-url.',
    fetchHint: (model) => `Fetch it with "ollama pull ${model}", or name one that is there.`,
    apiKey: options.apiKey,
    keyIsFor: options.keyIsFor,
  };
  const headers: Record<string, string> =
    options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };
  const ask = (path: string, more: Omit<InformationRequest, 'url'>) =>
    askServer(options, words, { url: `${endpoint}${path}`, headers, ...more });
  /** Chosen once for each model: another window in the middle of a session makes Ollama load the model anew. */
  const known = new Map<string, ModelInfo>();

  const models: ModelProvider['models'] = async (signal) => {
    const [tags, running] = await Promise.all([ask('/api/tags', { signal }), ask('/api/ps', { signal })]);
    if (!tags.ok) return tags;
    return { ok: true, models: listModels(tags.value, running.ok ? running.value : {}) };
  };

  const notFound = async (model: string, signal: AbortSignal, error: Parameters<typeof withKnownModels>[0]) =>
    withKnownModels(error, model, await models(signal), words);

  const describe: ModelProvider['describe'] = async (model, signal) => {
    const before = known.get(model);
    if (before) return { ok: true, model: before };
    const [show, running, tags] = await Promise.all([
      ask('/api/show', { body: { model }, model, signal }),
      ask('/api/ps', { signal }),
      ask('/api/tags', { signal }),
    ]);
    if (!show.ok) {
      const missing = show.error.code === 'model_not_found';
      return { ok: false, error: missing ? await notFound(model, signal, show.error) : show.error };
    }
    const loaded = running.ok ? findRunning(running.value, model) : undefined;
    const window = chooseWindow({ asked: options.contextTokens, show: show.value, running: loaded });
    const listed = tags.ok ? { ...digestIn(tags.value, model), ...sizeIn(tags.value, model) } : {};
    const information = { ...describeModel(model, show.value, loaded, window), ...listed };
    known.set(model, information);
    return { ok: true, model: information };
  };

  const keepAlive = options.keepAlive ?? KEEP_ALIVE;
  const bodyOf = createBodyWriter({
    toWire: toOllamaMessage,
    toFields: (asked, contextTokens: number) => toOllamaFields(asked, { contextTokens, keepAlive }),
  });
  const refused = new RefusedFields({
    endpoint,
    fieldsOf: (request) => Object.keys(toOllamaFields(request, { contextTokens: 0, keepAlive })),
  });
  const stream: ModelProvider['stream'] = async (request, emit, signal) => {
    const described = await describe(request.model, signal);
    // A server that cannot be reached is tried again below, and that failure is the one to tell of.
    if (!described.ok && described.error.code === 'model_not_found') {
      return { ok: false, error: described.error, partial: false };
    }
    const contextTokens =
      (described.ok ? described.model.context_length : undefined) ??
      chooseWindow({ asked: options.contextTokens, show: {}, running: undefined });
    return refused.stream(request, emit, (asked, without, heard) =>
      streamOnce(asked, bodyOf(asked, contextTokens, without), heard, signal),
    );
  };
  const streamOnce = (
    request: ModelRequest,
    body: Uint8Array,
    emit: Parameters<ModelProvider['stream']>[1],
    signal: AbortSignal,
  ): ReturnType<ModelProvider['stream']> =>
    streamAnswer({
      options,
      words,
      model: request.model,
      url: `${endpoint}/api/chat`,
      headers: { 'content-type': 'application/json', accept: 'application/x-ndjson', ...headers },
      body,
      emit,
      signal,
      retryWithinMs: request.retry_within_ms,
      createReader: (_, handOn) =>
        new OllamaReader(
          {
            model: request.model,
            words,
            repairArguments: options.repairArguments,
            random: options.random ?? Math.random,
          },
          handOn,
        ),
    });
  return {
    name: 'ollama',
    endpoint,
    constrains: true,
    passes: OLLAMA_PASSES,
    models,
    describe,
    stream,
    embed: embedWithOllama(ask),
    warmUp: { againAfterMs: PROVIDER_LIMITS.warmUpAgainMs, read: readOnly(stream) },
    close: async () => undefined,
  };
};
