/** Any server that speaks OpenAI's chat completions: llama.cpp, vLLM, LM Studio, SGLang, hosted ones. */
import type { JsonObject, JsonSchema } from '../../core/json.ts';
import type { LeadingProvider } from '../../core/led-port.ts';
import type { ModelError, ModelInfo, ModelProvider } from '../../core/model-port.ts';
import { embedWithOpenAI } from '../embeddings.ts';
import type { Fields } from '../json-values.ts';
import { PROVIDER_LIMITS } from '../limits.ts';
import { createLlamaCppPort, type Post } from '../llama-cpp/led-port.ts';
import { type ErrorWords, withKnownModels } from '../model-errors.ts';
import { findRunning } from '../ollama/ollama-models.ts';
import type { ProviderOptions } from '../provider-options.ts';
import { createBodyWriter } from '../request-body.ts';
import { askServer } from '../server-information.ts';
import { type AnswerRequest, streamAnswer } from '../stream-answer.ts';
import { readOnly } from '../warm-up.ts';
import { jsonSchemaFormat, OPENAI_PASSES, toOpenAIFields, toOpenAIMessage } from './openai-messages.ts';
import { fromLlamaCppProps, fromLmStudio, listOpenAIModels } from './openai-models.ts';
import { OpenAIReader } from './openai-stream.ts';
import { countTokens } from './openai-tokenizer.ts';

export const OPENAI_URL = 'http://127.0.0.1:8000/v1';

/** People give the address of the server, of the API, or of one route. */
export const openaiBaseUrl = (baseUrl: string): string => {
  const plain = baseUrl.replace(/\/+$/, '').replace(/\/(chat\/completions|models)$/, '');
  const url = URL.parse(plain);
  return url && url.pathname === '/' ? `${plain}/v1` : plain;
};

export type OpenAIFlavour = {
  name: string;
  usualUrl: string;
  startHint: string;
  sendReasoning: boolean;
  extra: JsonObject;
  constrain(schema: JsonSchema): JsonObject;
  toolParameters(schema: JsonSchema): JsonSchema;
  /** It is an engine of this machine or this house, whose idle time is the person's own. */
  warms?: true;
  /** Whether a server that is not ready will be; see `send.ts`. */
  waitUntilReady?(
    root: string,
    headers: Record<string, string>,
    request: Pick<AnswerRequest, 'emit' | 'signal'>,
  ): AnswerRequest['waitUntilReady'];
};

export const OPENAI_FLAVOUR: OpenAIFlavour = {
  name: 'openai',
  usualUrl: OPENAI_URL,
  startHint: 'Start the model server, or name its address with --base-url (it usually ends in /v1).',
  sendReasoning: false,
  extra: {},
  constrain: jsonSchemaFormat,
  toolParameters: (schema) => schema,
};

/** Nothing was said of what the server can do. */
const AWAY: ReadonlySet<ModelError['code']> = new Set([
  'unreachable',
  'timeout',
  'disconnected',
  'cancelled',
  'server_error',
]);

/** What a server says in a way of its own: of what it runs, whatever its name, and of the model that was asked about. */
type OwnWays = { ofServer: Partial<ModelInfo>; ofModel: Partial<ModelInfo> };

export const createOpenAIProvider = (
  options: ProviderOptions,
  flavour: OpenAIFlavour = OPENAI_FLAVOUR,
): LeadingProvider => {
  const endpoint = openaiBaseUrl(options.baseUrl ?? flavour.usualUrl);
  const root = endpoint.replace(/\/v1$/, '');
  const words: ErrorWords = {
    endpoint,
    startHint: flavour.startHint,
    apiKey: options.apiKey,
  };
  const headers: Record<string, string> =
    options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };

  const models: ModelProvider['models'] = async (signal) => {
    const answer = await askServer(options, words, { url: `${endpoint}/models`, headers, signal });
    return answer.ok ? { ok: true, models: listOpenAIModels(answer.value) } : answer;
  };

  const withNames = async (error: ModelError, model: string, signal: AbortSignal): Promise<ModelError> =>
    error.code === 'model_not_found' ? withKnownModels(error, model, await models(signal), words) : error;

  /** What servers of this machine or this house say in their own ways; a hosted one has none of them. */
  const ownWays = async (model: string, signal: AbortSignal): Promise<OwnWays> => {
    if (endpoint.startsWith('https:')) return { ofServer: {}, ofModel: {} };
    const ask = async (path: string): Promise<Fields> => {
      const answer = await askServer(options, words, { url: `${root}${path}`, headers, signal });
      return answer.ok ? answer.value : {};
    };
    const [props, lmStudio, ollama] = await Promise.all([ask('/props'), ask('/api/v0/models'), ask('/api/ps')]);
    const window = findRunning(ollama, model)?.['context_length'];
    return {
      ofServer: fromLlamaCppProps(props),
      ofModel: {
        ...(typeof window === 'number' && window > 0 ? { context_length: window } : {}),
        ...fromLmStudio(lmStudio, model),
      },
    };
  };

  const describe: ModelProvider['describe'] = async (model, signal) => {
    const [list, own] = await Promise.all([models(signal), ownWays(model, signal)]);
    if (!list.ok) return list;
    const entry = list.models.find((candidate) => candidate.id === model) ?? onlyModel(list.models, own.ofServer);
    if (!entry) {
      const error: ModelError = { code: 'model_not_found', message: '' };
      return { ok: false, error: withKnownModels(error, model, list, words) };
    }
    // Of several models, what the server says of itself may be about another one.
    const listed = list.models.length > 1 ? entry.context_length : undefined;
    const window = listed === undefined ? {} : { context_length: listed };
    return { ok: true, model: { ...entry, ...own.ofServer, ...window, ...own.ofModel, id: model } };
  };

  const bodyOf = createBodyWriter({
    toWire: (message) => toOpenAIMessage(message, flavour.sendReasoning),
    toFields: toOpenAIFields,
  });
  const stream: ModelProvider['stream'] = async (request, emit, signal) => {
    const waitUntilReady = flavour.waitUntilReady?.(root, headers, { emit, signal });
    const outcome = await streamAnswer({
      options,
      words,
      model: request.model,
      url: `${endpoint}/chat/completions`,
      headers: {
        'content-type': 'application/json',
        accept: request.whole ? 'application/json' : 'text/event-stream',
        ...headers,
      },
      body: bodyOf(request, flavour),
      emit,
      signal,
      waitUntilReady,
      createReader: (contentType, handOn) =>
        new OpenAIReader(
          {
            model: request.model,
            words,
            offered: new Set(request.tools.map((tool) => tool.function.name)),
            repairArguments: options.repairArguments,
            random: options.random ?? Math.random,
          },
          contentType,
          handOn,
        ),
    });
    return outcome.ok ? outcome : { ...outcome, error: await withNames(outcome.error, request.model, signal) };
  };

  /** Waits for a server that loads its model, as the request for an answer does. */
  const post: Post = async (path, body, signal) => {
    const ask = () =>
      askServer(options, words, {
        url: `${root}${path}`,
        headers,
        body,
        signal,
        timeoutMs: PROVIDER_LIMITS.modelSilenceTimeoutMs,
      });
    const answer = await ask();
    if (answer.ok || answer.error.code !== 'server_error') return answer;
    const ready = flavour.waitUntilReady?.(root, headers, { emit: () => undefined, signal });
    return (await ready?.(503, answer.error.message)) ? ask() : answer;
  };
  /** Only llama.cpp's server writes a prompt by its template without answering it. */
  let writesPrompts: boolean | undefined;
  const led: LeadingProvider['led'] = async (model, signal) => {
    if (endpoint.startsWith('https:') && flavour === OPENAI_FLAVOUR) return undefined;
    if (writesPrompts === undefined) {
      const answer = await post('/apply-template', { model, messages: [{ role: 'user', content: '.' }] }, signal);
      // A server that is away says nothing of what it can do.
      if (!answer.ok && AWAY.has(answer.error.code)) return undefined;
      writesPrompts = answer.ok && typeof answer.value['prompt'] === 'string';
    }
    return writesPrompts ? createLlamaCppPort(provider, model, post) : undefined;
  };

  const provider: LeadingProvider = {
    name: flavour.name,
    endpoint,
    constrains: true,
    passes: OPENAI_PASSES,
    models,
    describe,
    stream,
    countTokens: countTokens(flavour, (path, body, signal) =>
      endpoint.startsWith('https:')
        ? Promise.resolve(undefined)
        : askServer(options, words, { url: `${root}${path}`, headers, body, signal }).then((answer) =>
            answer.ok ? answer.value : undefined,
          ),
    ),
    embed: embedWithOpenAI((path, more) => askServer(options, words, { url: `${endpoint}${path}`, headers, ...more })),
    ...(flavour.warms ? { warmUp: { read: readOnly(stream) } } : {}),
    led,
    close: async () => undefined,
  };
  return provider;
};

/** llama.cpp serves one model and takes every name for it. */
const onlyModel = (models: readonly ModelInfo[], own: Partial<ModelInfo>): ModelInfo | undefined =>
  models.length === 1 && own.chat_template !== undefined ? models[0] : undefined;
