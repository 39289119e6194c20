/**
 * The provider `embedded`: a GGUF model in this process, without a server. Models that cannot call tools by themselves are
 * led through a turn in steps (`steps.ts`); models trained for it use their own template (`template-turn.ts`).
 */
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { LoraAdapter, Speculation } from '../../core/engine-options.ts';
import type { ModelMessage } from '../../core/message.ts';
import type {
  ModelError,
  ModelInfo,
  ModelOutcome,
  ModelProvider,
  ModelRequest,
  ProviderCall,
} from '../../core/model-port.ts';
import type { ToolSchema } from '../../core/tool.ts';
import { THE_STARTER } from '../led/larger-model.ts';
import { LED_LIMITS } from '../led/limits.ts';
import { Meter } from '../led/meter.ts';
import { toPlainTurns } from '../led/turns.ts';
import { decodeLedCall, streamLed } from '../led.ts';
import type { Chat, RenderTemplate } from './chat.ts';
import type { LoadEngine } from './engine.ts';
import { createInTurn } from './in-turn.ts';
import { createEnginePort, describeError } from './led-engine.ts';
import { loadLlamaEngine } from './llama-engine.ts';
import { createLoadedModel, type Loaded, type LoadedModel } from './loaded-model.ts';
import { withAdapters } from './lora-adapters.ts';
import { modelDigest } from './model-digest.ts';
import type { ModelStore } from './model-store.ts';
import { runTemplateTurn } from './template-turn.ts';

export type EmbeddedOptions = {
  /** One GGUF file, whatever model is asked for. */
  modelFile?: string;
  /** Where models are found by name, and pulled to. */
  modelStore?: ModelStore;
  /** Default: all cores but one. */
  threads?: number;
  /** Tokens; default: what the model was trained for, at most `EMBEDDED_LIMITS.embeddedContextTokens`. */
  contextLength?: number;
  /** LoRA adapters on top of the model. Default: none. */
  adapters?: readonly LoraAdapter[] | undefined;
  /** Default: `off`. */
  speculation?: Speculation | undefined;
  /** `auto`: in steps unless the model's template takes tools. */
  decoding?: 'auto' | 'steps' | 'template';
  loadEngine?: LoadEngine;
  /** Where states of prompts are kept, so that they are not read again after a restart. Default: nowhere. */
  statesFolder?: string;
  /** Default: in this process, without a limit of time. */
  renderTemplate?: RenderTemplate;
  monotonic?(): number;
};

export type EmbeddedProvider = ModelProvider & {
  /** A call of the named tool, decoded under its schema: valid whatever the model would have written (B1). */
  decodeToolCall(
    request: { model: string; messages: readonly ModelMessage[]; tool: ToolSchema },
    signal: AbortSignal,
  ): Promise<{ ok: true; call: ProviderCall } | { ok: false; error: ModelError }>;
};

const CANCELLED: ModelError = { code: 'cancelled', message: 'The request was cancelled.' };

export const createEmbeddedProvider = (options: EmbeddedOptions): EmbeddedProvider => {
  const requests = new EmbeddedRequests(options);
  return {
    name: 'embedded',
    endpoint: options.modelFile ?? options.modelStore?.folder ?? 'embedded',
    stream: (request, emit, signal) => requests.stream(request, emit, signal),
    decodeToolCall: (request, signal) => requests.decodeToolCall(request, signal),
    countTokens: (request) => requests.countTokens(request),
    warmUp: { read: (request, signal) => requests.warm(request, signal) },
    models: async () => ({ ok: true, models: await listModels(options) }),
    describe: (id) => requests.describe(id),
    close: () => requests.close(),
  };
};

const listModels = async ({ modelFile, modelStore }: EmbeddedOptions): Promise<ModelInfo[]> => {
  const listed: ModelInfo[] = (await modelStore?.list()) ?? [];
  const own: ModelInfo[] = modelFile === undefined ? [] : [{ id: path.basename(modelFile, '.gguf'), tools: true }];
  return [...own, ...listed];
};

type Emit = Parameters<ModelProvider['stream']>[1];
type DecodeToolCall = EmbeddedProvider['decodeToolCall'];
type WarmUp = NonNullable<ModelProvider['warmUp']>['read'];

/** What the one model in memory is asked for, one request after the other. */
class EmbeddedRequests {
  readonly #decoding: EmbeddedOptions['decoding'];
  readonly #monotonic: () => number;
  readonly #inTurn = createInTurn();
  readonly #model: LoadedModel;
  readonly #adapters: readonly LoraAdapter[];

  constructor(options: EmbeddedOptions) {
    this.#decoding = options.decoding;
    this.#adapters = options.adapters ?? [];
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.#model = createLoadedModel({
      modelFile: options.modelFile,
      modelStore: options.modelStore,
      threads: options.threads ?? Math.max(1, availableParallelism() - 1),
      contextLength: options.contextLength,
      adapters: options.adapters,
      speculation: options.speculation,
      loadEngine: options.loadEngine ?? loadLlamaEngine,
      renderTemplate: options.renderTemplate,
      statesFolder: options.statesFolder,
    });
  }

  async stream(request: ModelRequest, emit: Emit, signal: AbortSignal): Promise<ModelOutcome> {
    const handed = { partial: false };
    const emitWhileWanted: Emit = (part) => {
      if (signal.aborted) return;
      if (part.type === 'text_delta' || part.type === 'tool_call_delta') handed.partial = true;
      emit(part);
    };
    const outcome = await this.#inTurn.run<ModelOutcome>(signal, { ok: false, error: CANCELLED, partial: false }, () =>
      this.#answer({ request, emit: emitWhileWanted, signal }, handed),
    );
    const isCancelled = !outcome.ok && outcome.error.code === 'cancelled';
    return isCancelled ? { ...outcome, error: CANCELLED, ...handed } : outcome;
  }

  decodeToolCall(request: Parameters<DecodeToolCall>[0], signal: AbortSignal): ReturnType<DecodeToolCall> {
    return this.#inTurn.run<Awaited<ReturnType<DecodeToolCall>>>(signal, { ok: false, error: CANCELLED }, async () => {
      const outcome = await this.#model.load(request.model);
      if (!outcome.ok) return outcome;
      const { engine, chat } = outcome.loaded;
      return decodeLedCall(createEnginePort(engine, chat), request, { meter: new Meter(this.#monotonic), signal });
    });
  }

  /** The lane of the conversation alone: what a decision reads depends on the words that are still to come. */
  warm(request: ModelRequest, signal: AbortSignal): ReturnType<WarmUp> {
    return this.#inTurn.run<Awaited<ReturnType<WarmUp>>>(signal, { ok: false, error: CANCELLED }, async () => {
      const outcome = await this.#model.load(request.model);
      return outcome.ok ? this.#read(outcome.loaded, request, signal) : outcome;
    });
  }

  async countTokens(request: Omit<ModelRequest, 'sampling'>): Promise<number | undefined> {
    const outcome = await this.#model.load(request.model);
    return outcome.ok ? (await this.#promptOf(outcome.loaded.chat, { ...request, sampling: {} })).length : undefined;
  }

  async describe(id: string): ReturnType<ModelProvider['describe']> {
    const outcome = await this.#model.load(id);
    if (!outcome.ok) return outcome;
    const { engine, chat, file } = outcome.loaded;
    const digest = await withAdapters(await modelDigest(file), this.#adapters);
    return {
      ok: true,
      model: {
        id,
        context_length: engine.contextLength,
        size_bytes: engine.sizeBytes,
        // In steps every model takes tools.
        tools: this.#decoding !== 'template' || chat.takesTools,
        loaded: true,
        ...(digest === undefined ? {} : { digest }),
        ...(engine.chatTemplate === undefined ? {} : { chat_template: engine.chatTemplate }),
      },
    };
  }

  async close(): Promise<void> {
    await this.#inTurn.idle();
    await this.#model.close();
  }

  /** `handed`: whether the caller has had something of the answer by the time it fails. */
  async #answer(
    work: { request: ModelRequest; emit: Emit; signal: AbortSignal },
    handed: { readonly partial: boolean },
  ): Promise<ModelOutcome> {
    const { request, emit, signal } = work;
    const meter = new Meter(this.#monotonic);
    const outcome = await this.#model.load(request.model, (fraction) =>
      emit({ type: 'loading', message: `loading ${request.model}`, fraction }),
    );
    if (!outcome.ok) return { ...outcome, partial: false };
    const { engine, chat } = outcome.loaded;
    if (this.#leadsInSteps(chat, request)) {
      const quotes = engine.sizeBytes < LED_LIMITS.ledSmallModelBytes;
      const led = { ...work, meter, quotes, called: THE_STARTER };
      return streamLed(led, async () => createEnginePort(engine, chat));
    }
    try {
      const answer = await runTemplateTurn({ ...work, meter, engine, chat });
      return signal.aborted ? { ok: false, error: CANCELLED, ...handed, ...meter.counted() } : { ok: true, answer };
    } catch (error) {
      return { ok: false, error: describeError(error), ...handed, ...meter.counted() };
    }
  }

  async #read(
    { engine, chat, keep }: Loaded,
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<WarmUp>>> {
    const meter = new Meter(this.#monotonic);
    try {
      const prompt = await this.#promptOf(chat, request);
      meter.add(await engine.generate({ lane: 'conversation', prompt, maxTokens: 1, signal }));
      // What all sessions begin with is worth a file of its own.
      const isHead = request.messages.every(({ role }) => role === 'system');
      if (isHead && !signal.aborted) await keep?.('head');
    } catch (error) {
      return { ok: false, error: describeError(error) };
    }
    return signal.aborted ? { ok: false, error: CANCELLED } : { ok: true, usage: meter.usage() };
  }

  /** Where tools stand in the prompt there are none to lead to, and the calls are in the text. */
  #leadsInSteps(chat: Chat, { tools_in_text: isText }: Pick<ModelRequest, 'tools_in_text'>): boolean {
    return this.#decoding === 'steps' || (this.#decoding !== 'template' && !chat.takesTools && !isText);
  }

  #promptOf(chat: Chat, request: ModelRequest): ReturnType<Chat['prompt']> {
    return this.#leadsInSteps(chat, request)
      ? chat.prompt(toPlainTurns(request.messages))
      : chat.promptWithTools(request);
  }
}
