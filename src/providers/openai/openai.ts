/** Any server that speaks OpenAI's chat completions: llama.cpp, vLLM, LM Studio, SGLang, hosted ones. */
import type { JsonObject, JsonSchema } from '../../core/json.ts';
import type { LeadingProvider } from '../../core/led-port.ts';
import type { ModelError, ModelInfo, ModelPart, ModelProvider, ModelRequest, Sampling } from '../../core/model-port.ts';
import { embedWithOpenAI } from '../embeddings.ts';
import type { Fields } from '../json-values.ts';
import { PROVIDER_LIMITS } from '../limits.ts';
import type { Post } from '../llama-cpp/led-port.ts';
import { type ErrorWords, withKnownModels } from '../model-errors.ts';
import { findRunning } from '../ollama/ollama-models.ts';
import type { ProviderOptions } from '../provider-options.ts';
import { RefusedFields } from '../refused-fields.ts';
import { createBodyWriter } from '../request-body.ts';
import { askServer } from '../server-information.ts';
import { streamAnswer } from '../stream-answer.ts';
import { waitUntilReady } from '../wait-until-ready.ts';
import { readOnly } from '../warm-up.ts';
import { jsonSchemaFormat, OPENAI_PASSES, toOpenAIFields, toOpenAIMessage } from './openai-messages.ts';
import { fromLlamaCppProps, fromLmStudio, fromLmStudioNow, listOpenAIModels, propsPathOf } from './openai-models.ts';
import { OpenAIReader } from './openai-stream.ts';
import { countTokens } from './openai-tokenizer.ts';

export const OPENAI_URL = 'http://127.0.0.1:8000/v1';

/** People give the address of the server, of the API, or of one route. */
export const openaiBaseUrl = (baseUrl: string): string => {
  const plain = baseUrl.replace(/\/+$/, '').replace(/\/(chat\/completions|models)$/, '');
  const url = URL.parse(plain);
  return url && url.pathname === '/' ? `${plain}/v1` : plain;
};

export type Further = { ok: true; fields: JsonObject } | { ok: false; error: ModelError };

export type OpenAIFlavour = {
  name: string;
  usualUrl: string;
  startHint: string;
  sendReasoning: boolean;
  extra: JsonObject;
  /** Fields of one request that only this server knows. */
  bound?(sampling: Sampling): JsonObject;
  constrain(schema: JsonSchema): JsonObject;
  toolParameters(schema: JsonSchema): JsonSchema;
  /** It is an engine of this machine or this house, whose idle time is the person's own. */
  warms?: true;
  /** What stands in every request that has the model write, once the server said it. */
  further?(root: string, headers: Record<string, string>, signal: AbortSignal): Promise<Further>;
  /** Below the server's root: what tells when its model is loaded. Default: the list of models. */
  readyPath?: string;
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
  'rate_limited',
  'server_error',
]);

/** What a server says in a way of its own: of what it runs, whatever its name, and of the model that was asked about. */
type OwnWays = { props: Fields; ofServer: Partial<ModelInfo>; ofModel: Partial<ModelInfo> };

class OpenAIServer {
  readonly endpoint: string;
  /** Without `/v1`. */
  readonly #root: string;
  readonly #options: ProviderOptions;
  readonly #flavour: OpenAIFlavour;
  readonly #words: ErrorWords;
  readonly #headers: Record<string, string>;
  readonly #bodyOf: (request: ModelRequest, without: ReadonlySet<string>) => Uint8Array;
  readonly #refused: RefusedFields;
  /** Only llama.cpp's server writes a prompt by its template without answering it. */
  #writesPrompts: boolean | undefined;

  constructor(options: ProviderOptions, flavour: OpenAIFlavour) {
    this.endpoint = openaiBaseUrl(options.baseUrl ?? flavour.usualUrl);
    this.#root = this.endpoint.replace(/\/v1$/, '');
    this.#options = options;
    this.#flavour = flavour;
    const { apiKey, keyIsFor } = options;
    this.#words = { endpoint: this.endpoint, startHint: flavour.startHint, apiKey, keyIsFor };
    this.#headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const write = createBodyWriter({
      toWire: (message) => toOpenAIMessage(message, flavour.sendReasoning),
      toFields: toOpenAIFields,
    });
    this.#bodyOf = (request, without) => write(request, flavour, without);
    const fieldsOf = (request: ModelRequest): string[] => Object.keys(toOpenAIFields(request, flavour));
    this.#refused = new RefusedFields({ endpoint: this.endpoint, fieldsOf });
  }

  provider(): LeadingProvider {
    const stream: ModelProvider['stream'] = (request, emit, signal) => this.stream(request, emit, signal);
    const provider: LeadingProvider = {
      name: this.#flavour.name,
      endpoint: this.endpoint,
      constrains: true,
      passes: OPENAI_PASSES,
      models: (signal) => this.models(signal),
      describe: (model, signal) => this.describe(model, signal),
      stream,
      ...(this.#flavour.warms ? { warmUp: { read: readOnly(stream) } } : {}),
      countTokens: countTokens(this.#flavour, async (path, body, signal) => {
        if (this.#isHosted()) return undefined;
        const answer = await this.#ask(`${this.#root}${path}`, { body, signal });
        return answer.ok ? answer.value : undefined;
      }),
      embed: embedWithOpenAI((path, more) => this.#ask(`${this.endpoint}${path}`, more)),
      led: async (model, signal) =>
        (await this.#canWritePrompts(model, signal))
          ? (await import('../llama-cpp/led-port.ts')).createLlamaCppPort(provider, model, this.#post)
          : undefined,
      close: async () => undefined,
    };
    return provider;
  }

  async models(signal: AbortSignal): ReturnType<ModelProvider['models']> {
    const answer = await this.#list(signal);
    return answer.ok ? { ok: true, models: listOpenAIModels(answer.value) } : answer;
  }

  async describe(model: string, signal: AbortSignal): ReturnType<ModelProvider['describe']> {
    const [answer, own] = await Promise.all([this.#list(signal), this.#ownWays(model, signal)]);
    if (!answer.ok) return answer;
    const path = this.#isHosted() ? undefined : propsPathOf(own.props, answer.value, model);
    if (path !== undefined) return this.#describeLoaded(model, path, own.ofModel, signal);
    const list = { ok: true as const, models: listOpenAIModels(answer.value) };
    const named = list.models.find(({ id, aliases = [] }) => id === model || aliases.includes(model));
    const entry = named ?? onlyModel(list.models, own.ofServer);
    if (!entry) {
      const error: ModelError = { code: 'model_not_found', message: '' };
      return { ok: false, error: withKnownModels(error, model, list, this.#words) };
    }
    // Of several models, what the server says of itself may be about another one.
    const listed = list.models.length > 1 ? entry.context_length : undefined;
    const window = listed === undefined ? {} : { context_length: listed };
    const answersAs = named === undefined && !isAlike(entry.id, model) ? { answers_as: entry.id } : {};
    return { ok: true, model: { ...entry, ...own.ofServer, ...window, ...own.ofModel, ...answersAs, id: model } };
  }

  /** Of several models that a server loads as they are asked for. */
  async #describeLoaded(
    model: string,
    path: string,
    ofModel: OwnWays['ofModel'],
    signal: AbortSignal,
  ): ReturnType<ModelProvider['describe']> {
    const timeoutMs = PROVIDER_LIMITS.modelSilenceTimeoutMs;
    const props = await this.#ask(`${this.#root}${path}`, { signal, timeoutMs });
    // The list says more of a model once it is loaded.
    const list = await this.models(signal);
    if (!list.ok) return list;
    const entry = list.models.find(({ id }) => id === model);
    if (entry === undefined) {
      const error: ModelError = { code: 'model_not_found', message: '' };
      return { ok: false, error: withKnownModels(error, model, list, this.#words) };
    }
    return { ok: true, model: { ...entry, ...(props.ok ? fromLlamaCppProps(props.value) : {}), ...ofModel } };
  }

  #list(signal: AbortSignal): ReturnType<typeof askServer> {
    return this.#ask(`${this.endpoint}/models`, { signal });
  }

  async stream(...[request, emit, signal]: Parameters<ModelProvider['stream']>): ReturnType<ModelProvider['stream']> {
    const further = await this.#further(signal);
    if (!further.ok) return { ok: false, error: further.error, partial: false };
    const passthrough = { ...request.passthrough, ...further.fields };
    const asked = Object.keys(further.fields).length === 0 ? request : { ...request, passthrough };
    const outcome = await this.#refused.stream(asked, emit, (one, without, heard) =>
      this.#streamOnce(one, without, heard, signal),
    );
    if (outcome.ok || outcome.error.code !== 'model_not_found') return outcome;
    const error = withKnownModels(outcome.error, request.model, await this.models(signal), this.#words);
    return { ...outcome, error };
  }

  #streamOnce(
    request: ModelRequest,
    without: ReadonlySet<string>,
    emit: Parameters<ModelProvider['stream']>[1],
    signal: AbortSignal,
  ): ReturnType<ModelProvider['stream']> {
    return streamAnswer({
      options: this.#options,
      words: this.#words,
      model: request.model,
      url: `${this.endpoint}/chat/completions`,
      headers: {
        'content-type': 'application/json',
        accept: request.whole ? 'application/json' : 'text/event-stream',
        ...this.#headers,
      },
      body: this.#bodyOf(request, without),
      emit,
      signal,
      retryWithinMs: request.retry_within_ms,
      waitUntilReady: this.#untilReady(emit, signal),
      createReader: (contentType, handOn) => new OpenAIReader(this.#readerOptions(request), contentType, handOn),
    });
  }

  #untilReady(
    emit: (part: ModelPart) => void,
    signal: AbortSignal,
  ): (status: number, body: string) => Promise<boolean> {
    const { readyPath } = this.#flavour;
    const url = readyPath === undefined ? `${this.endpoint}/models` : `${this.#root}${readyPath}`;
    return waitUntilReady(this.#options, { url, headers: this.#headers, emit, signal });
  }

  #readerOptions(request: ModelRequest) {
    return {
      model: request.model,
      words: this.#words,
      offered: new Set(request.tools.map((tool) => tool.function.name)),
      repairArguments: this.#options.repairArguments,
      random: this.#options.random ?? Math.random,
    };
  }

  #ask(url: string, more: Omit<Parameters<typeof askServer>[2], 'url' | 'headers'>): ReturnType<typeof askServer> {
    return askServer(this.#options, this.#words, { url, headers: this.#headers, ...more });
  }

  #isHosted(): boolean {
    return this.endpoint.startsWith('https:');
  }

  /** What servers of this machine or this house say in their own ways; a hosted one has none of them. */
  async #ownWays(model: string, signal: AbortSignal): Promise<OwnWays> {
    if (this.#isHosted()) return { props: {}, ofServer: {}, ofModel: {} };
    const ask = async (path: string): Promise<Fields> => {
      const answer = await this.#ask(`${this.#root}${path}`, { signal });
      return answer.ok ? answer.value : {};
    };
    const [props, lmStudio, ollama] = await Promise.all([ask('/props'), ask('/api/v0/models'), ask('/api/ps')]);
    const window = findRunning(ollama, model)?.['context_length'];
    const studio = fromLmStudio(lmStudio, model);
    const isUnclear = studio.vision !== undefined && studio.tools === undefined;
    return {
      props,
      ofServer: fromLlamaCppProps(props),
      ofModel: {
        ...(typeof window === 'number' && window > 0 ? { context_length: window } : {}),
        ...studio,
        ...(isUnclear ? fromLmStudioNow(await ask('/api/v1/models'), model) : {}),
      },
    };
  }

  /** Waits for a server that loads its model, as the request for an answer does. */
  async #further(signal: AbortSignal): Promise<Further> {
    return (await this.#flavour.further?.(this.#root, this.#headers, signal)) ?? { ok: true, fields: {} };
  }

  readonly #post: Post = async (path, asked, signal) => {
    const further: Further = path === '/completion' ? await this.#further(signal) : { ok: true, fields: {} };
    if (!further.ok) return further;
    const body = { ...asked, ...further.fields };
    const timeoutMs = PROVIDER_LIMITS.modelSilenceTimeoutMs;
    const ask = () => this.#ask(`${this.#root}${path}`, { body, signal, timeoutMs });
    const answer = await ask();
    if (answer.ok || answer.error.code !== 'server_error') return answer;
    const ready = this.#untilReady(() => undefined, signal);
    return (await ready(503, answer.error.message)) ? ask() : answer;
  };

  async #canWritePrompts(model: string, signal: AbortSignal): Promise<boolean> {
    if (this.#isHosted() && this.#flavour === OPENAI_FLAVOUR) return false;
    if (this.#writesPrompts === undefined) {
      const answer = await this.#post('/apply-template', { model, messages: [{ role: 'user', content: '.' }] }, signal);
      // A server that is away says nothing of what it can do.
      if (!answer.ok && AWAY.has(answer.error.code)) return false;
      this.#writesPrompts = answer.ok && typeof answer.value['prompt'] === 'string';
    }
    return this.#writesPrompts;
  }
}

export const createOpenAIProvider = (
  options: ProviderOptions,
  flavour: OpenAIFlavour = OPENAI_FLAVOUR,
): LeadingProvider => new OpenAIServer(options, flavour).provider();

/**
 * `qwen3-8b` for `Qwen3-8B-Q4_K_M.gguf`: people shorten the name of a file. The short name is whole parts of the long
 * one, with a word among them: a size or a version alone, such as `4` or `8b`, names no model.
 */
const isAlike = (id: string, model: string): boolean => {
  const [whole, short] = [id, model].map((name) => name.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []);
  if (whole === undefined || short === undefined || !short.some((part) => /\p{L}{2}/u.test(part))) return false;
  return whole.some((_, start) => short.every((part, at) => whole[start + at] === part));
};

/** llama.cpp serves one model and takes every name for it. */
const onlyModel = (models: readonly ModelInfo[], own: Partial<ModelInfo>): ModelInfo | undefined =>
  models.length === 1 && own.chat_template !== undefined ? models[0] : undefined;
