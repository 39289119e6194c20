/**
 * The provider `embedded`: a GGUF model in this process, without a server. Models that cannot call tools by themselves are
 * led through a turn in steps (`steps.ts`); models trained for it use their own template (`template-turn.ts`).
 */
import { availableParallelism } from 'node:os';
import path from 'node:path';
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
import { createLoadedModel } from './loaded-model.ts';
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
  const threads = options.threads ?? Math.max(1, availableParallelism() - 1);
  const monotonic = options.monotonic ?? (() => performance.now());
  const inTurn = createInTurn();
  const model = createLoadedModel({
    modelFile: options.modelFile,
    modelStore: options.modelStore,
    threads,
    contextLength: options.contextLength,
    loadEngine: options.loadEngine ?? loadLlamaEngine,
    renderTemplate: options.renderTemplate,
    statesFolder: options.statesFolder,
  });

  const stream: ModelProvider['stream'] = (request, emit, signal) => {
    let handed = false;
    const cancelled = (): ModelOutcome => ({ ok: false, error: CANCELLED, partial: handed });
    const emitWhileWanted: typeof emit = (part) => {
      if (signal.aborted) return;
      if (part.type === 'text_delta' || part.type === 'tool_call_delta') handed = true;
      emit(part);
    };
    const work = async (): Promise<ModelOutcome> => {
      const meter = new Meter(monotonic);
      const outcome = await model.load(request.model, (fraction) =>
        emitWhileWanted({ type: 'loading', message: `loading ${request.model}`, fraction }),
      );
      if (!outcome.ok) return { ...outcome, partial: false };
      const { engine, chat } = outcome.loaded;
      const work = { request, emit: emitWhileWanted, signal, meter };
      if (leadsInSteps(chat, request)) {
        const quotes = engine.sizeBytes < LED_LIMITS.ledSmallModelBytes;
        return streamLed({ ...work, quotes, called: THE_STARTER }, async () => createEnginePort(engine, chat));
      }
      try {
        const answer = await runTemplateTurn({ ...work, engine, chat });
        return signal.aborted ? cancelled() : { ok: true, answer };
      } catch (error) {
        return { ok: false, error: describeError(error), partial: handed };
      }
    };
    return inTurn
      .run<ModelOutcome>(signal, { ok: false, error: CANCELLED, partial: false }, work)
      .then((outcome) => (!outcome.ok && outcome.error.code === 'cancelled' ? cancelled() : outcome));
  };

  const decodeToolCall: EmbeddedProvider['decodeToolCall'] = (request, signal) =>
    inTurn.run<Awaited<ReturnType<EmbeddedProvider['decodeToolCall']>>>(
      signal,
      { ok: false, error: CANCELLED },
      async () => {
        const outcome = await model.load(request.model);
        if (!outcome.ok) return outcome;
        const { engine, chat } = outcome.loaded;
        return decodeLedCall(createEnginePort(engine, chat), request, { meter: new Meter(monotonic), signal });
      },
    );

  /** The lane of the conversation alone: what a decision reads depends on the words that are still to come. */
  const warm: NonNullable<ModelProvider['warmUp']>['read'] = (request, signal) =>
    inTurn.run<Awaited<ReturnType<NonNullable<ModelProvider['warmUp']>['read']>>>(
      signal,
      { ok: false, error: CANCELLED },
      async () => {
        const outcome = await model.load(request.model);
        if (!outcome.ok) return outcome;
        const { engine, chat, keep } = outcome.loaded;
        const meter = new Meter(monotonic);
        try {
          const prompt = await promptOf(chat, request);
          meter.add(await engine.generate({ lane: 'conversation', prompt, maxTokens: 1, signal }));
          // What all sessions begin with is worth a file of its own.
          const isHead = request.messages.every(({ role }) => role === 'system');
          if (isHead && !signal.aborted) await keep?.('head');
        } catch (error) {
          return { ok: false, error: describeError(error) };
        }
        return signal.aborted ? { ok: false, error: CANCELLED } : { ok: true, usage: meter.usage() };
      },
    );
  /** Where tools stand in the prompt there are none to lead to, and the calls are in the text. */
  const leadsInSteps = (chat: Chat, { tools_in_text: isText }: Pick<ModelRequest, 'tools_in_text'>): boolean =>
    options.decoding === 'steps' || (options.decoding !== 'template' && !chat.takesTools && !isText);
  const promptOf = (chat: Chat, request: ModelRequest) =>
    leadsInSteps(chat, request) ? chat.prompt(toPlainTurns(request.messages)) : chat.promptWithTools(request);
  const countTokens: NonNullable<ModelProvider['countTokens']> = async (request) => {
    const outcome = await model.load(request.model);
    return outcome.ok ? (await promptOf(outcome.loaded.chat, { ...request, sampling: {} })).length : undefined;
  };
  const describe: ModelProvider['describe'] = async (id) => {
    const outcome = await model.load(id);
    if (!outcome.ok) return outcome;
    const { engine, chat, file } = outcome.loaded;
    const digest = await modelDigest(file);
    return {
      ok: true,
      model: {
        id,
        context_length: engine.contextLength,
        size_bytes: engine.sizeBytes,
        // In steps every model takes tools.
        tools: options.decoding !== 'template' || chat.takesTools,
        loaded: true,
        ...(digest === undefined ? {} : { digest }),
        ...(engine.chatTemplate === undefined ? {} : { chat_template: engine.chatTemplate }),
      },
    };
  };

  const models: ModelProvider['models'] = async () => {
    const listed: ModelInfo[] = (await options.modelStore?.list()) ?? [];
    const own: ModelInfo[] =
      options.modelFile === undefined ? [] : [{ id: path.basename(options.modelFile, '.gguf'), tools: true }];
    return { ok: true, models: [...own, ...listed] };
  };

  return {
    name: 'embedded',
    endpoint: options.modelFile ?? options.modelStore?.folder ?? 'embedded',
    stream,
    decodeToolCall,
    countTokens,
    warmUp: { read: warm },
    models,
    describe,
    close: async () => {
      await inTurn.idle();
      await model.close();
    },
  };
};
