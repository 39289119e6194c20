/**
 * The engine on node-llama-cpp, which is an optional peer: it is loaded only when a model is, so that halter without it
 * stays small and starts fast.
 */

import type { LlamaContextSequence, LlamaModel, Token as LlamaToken } from 'node-llama-cpp';
import { counted } from '../../core/number-text.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { OUTSIDE_PACKAGES } from '../../core/outside-packages.ts';
import { thrownText } from '../../core/thrown-text.ts';
import { loadOrProblem } from '../../disk/load-package.ts';
import {
  ContextOverflowError,
  type Engine,
  type EngineFailure,
  type EngineOptions,
  type Generated,
  type GenerateOptions,
  type Lane,
  type LaneState,
  type Token,
} from './engine.ts';
import { checkGguf } from './gguf-check.ts';
import { engineFailure } from './install-engine.ts';
import { EMBEDDED_LIMITS } from './limits.ts';

type Library = typeof import('node-llama-cpp');
type Loaded = { ok: true; engine: Engine } | { ok: false; error: EngineFailure };

const failed = (message: string, hint?: string): { ok: false; error: EngineFailure } => ({
  ok: false,
  error: { code: 'load_failed', message, ...(hint === undefined ? {} : { hint }) },
});

const importLibrary = async (): Promise<Outcome<Library, EngineFailure>> => {
  const loaded = await loadOrProblem(OUTSIDE_PACKAGES.engine, () => import('node-llama-cpp'));
  return loaded.ok ? succeed(loaded.value) : { ok: false, error: engineFailure(loaded.error) };
};

/** What to do where the engine is missing; undefined where it is there. Asked before a model is fetched for nothing. */
export const engineProblem = async (): Promise<EngineFailure | undefined> => {
  const library = await importLibrary();
  return library.ok ? undefined : library.error;
};

type Llama = Awaited<ReturnType<Library['getLlama']>>;
/** One for the process: a second instance would print what the first one collects. */
let shared: { llama: Promise<Llama>; listener: (line: string) => void } | undefined;

const getSharedLlama = async (library: Library, threads: number, listener: (line: string) => void): Promise<Llama> => {
  if (shared === undefined) {
    const own = {
      listener,
      llama: library.getLlama({
        gpu: 'auto',
        build: 'never',
        skipDownload: true,
        progressLogs: false,
        maxThreads: threads,
        logLevel: library.LlamaLogLevel.error,
        logger: (_level, message) => own.listener(message.trim()),
      }),
    };
    shared = own;
    own.llama.catch(() => {
      shared = undefined;
    });
  }
  shared.listener = listener;
  const llama = await shared.llama;
  llama.maxThreads = Math.max(llama.maxThreads, threads);
  return llama;
};

export const loadLlamaEngine = async (options: EngineOptions): Promise<Loaded> => {
  // llama.cpp may end the process on a damaged file, so the file is looked at before it gets near it.
  const checked = await checkGguf(options.modelFile);
  if (!checked.ok) return { ok: false, error: checked.error };
  const loaded = await importLibrary();
  if (!loaded.ok) return loaded;
  const library = loaded.value;
  const complaints: string[] = [];
  try {
    const llama = await getSharedLlama(library, options.threads, (line) => complaints.push(line));
    const model = await llama.loadModel({
      modelPath: options.modelFile,
      loadSignal: options.signal,
      ...(options.onLoading ? { onLoadProgress: options.onLoading } : {}),
    });
    return { ok: true, engine: await createEngine(library, model, options) };
  } catch (error) {
    const reason = [thrownText(error), ...complaints.slice(0, EMBEDDED_LIMITS.embeddedLogLines)].join(' · ');
    return failed(
      `The model file ${options.modelFile} could not be loaded: ${reason}`,
      'The file may be damaged or of a kind this engine does not know: remove it and pull it again (`halter models pull starter`), or choose another GGUF file.',
    );
  }
};

type Grammar = Awaited<ReturnType<LlamaModel['llama']['createGrammar']>>;

const createEngine = async (library: Library, model: LlamaModel, options: EngineOptions): Promise<Engine> => {
  const lanes = new Lanes(library, model, options);
  return new LlamaEngine(library, model, lanes, await lanes.of('conversation'));
};

/** One context a lane, made when it is first used. */
class Lanes {
  readonly #library: Library;
  readonly #model: LlamaModel;
  readonly #options: EngineOptions;
  readonly #contexts: Partial<Record<Lane, LlamaContextSequence>> = {};

  constructor(library: Library, model: LlamaModel, options: EngineOptions) {
    this.#library = library;
    this.#model = model;
    this.#options = options;
  }

  async of(lane: Lane): Promise<LlamaContextSequence> {
    const there = this.#contexts[lane];
    if (there) return there;
    const { contextLength, threads, adapters = [] } = this.#options;
    const wanted = contextLength ?? Math.min(this.#model.trainContextSize, EMBEDDED_LIMITS.embeddedContextTokens);
    const context = await this.#model.createContext({
      contextSize: lane === 'conversation' ? wanted : Math.min(wanted, EMBEDDED_LIMITS.embeddedDecisionTokens),
      threads,
      batchSize: EMBEDDED_LIMITS.embeddedPrefillTokens,
      ...(adapters.length === 0
        ? {}
        : { lora: { adapters: adapters.map(({ file, scale }) => ({ filePath: file, scale })) } }),
    });
    const sequence = context.getSequence(this.#predicting(lane));
    this.#contexts[lane] = sequence;
    return sequence;
  }

  /** A decision is a token or two: nothing is to be guessed there. */
  #predicting(lane: Lane) {
    if (this.#options.speculation !== 'lookup' || lane !== 'conversation') return {};
    const { speculationPattern: min, speculationTokens: max } = EMBEDDED_LIMITS;
    const lookup = new this.#library.InputLookupTokenPredictor({ patternLength: { min }, predictionLength: { max } });
    return { tokenPredictor: lookup };
  }
}

/** Leaves the part of the cache that the prompt begins with; the last token is always evaluated anew. */
const reuse = async (sequence: LlamaContextSequence, tokens: readonly LlamaToken[]): Promise<number> => {
  const same = Math.min(sequence.compareContextTokens([...tokens]).firstDifferentIndex, tokens.length - 1);
  if (same < sequence.nextTokenIndex) {
    await sequence.eraseContextTokenRanges([{ start: same, end: sequence.nextTokenIndex }]);
  }
  return Math.min(same, sequence.nextTokenIndex);
};

/** Evaluates all but the last token, in pieces, so that progress shows and cancelling waits for one piece only. */
const prefill = async (
  sequence: LlamaContextSequence,
  tokens: readonly LlamaToken[],
  request: Pick<GenerateOptions, 'signal' | 'onPrefill'>,
): Promise<{ cached: number; rest: LlamaToken[] }> => {
  // llama.cpp would silently drop the beginning of the conversation.
  if (tokens.length + EMBEDDED_LIMITS.embeddedRoomTokens > sequence.contextSize) {
    throw new ContextOverflowError(`${counted(tokens.length, 'token')}, and the window holds ${sequence.contextSize}`);
  }
  const cached = await reuse(sequence, tokens);
  let position = cached;
  request.onPrefill?.(position, tokens.length, cached);
  while (tokens.length - position > EMBEDDED_LIMITS.embeddedPrefillTokens && !request.signal.aborted) {
    const end = position + EMBEDDED_LIMITS.embeddedPrefillTokens;
    await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(position, end));
    position = end;
    request.onPrefill?.(position, tokens.length, cached);
  }
  return { cached, rest: tokens.slice(position) };
};

/** The state of the conversation's context. */
const laneState = (model: LlamaModel, conversation: LlamaContextSequence): LaneState => {
  let bytesPerToken = 0;
  return {
    build: `${model.llama.llamaCppRelease.release} ${model.llama.buildType} ${model.llama.gpu} ${conversation.contextSize}`,
    tokens: () => conversation.contextTokens,
    bytes: () => bytesPerToken * conversation.contextTokens.length,
    async save(file) {
      const { fileSize } = await conversation.saveStateToFile(file);
      bytesPerToken = fileSize / Math.max(1, conversation.contextTokens.length);
    },
    load: (file) => conversation.loadStateFromFile(file, { acceptRisk: true }),
    clear: () => conversation.eraseContextTokenRanges([{ start: 0, end: conversation.nextTokenIndex }]),
  };
};

class LlamaEngine implements Engine {
  readonly contextLength: number;
  readonly trainedContextLength: number;
  readonly sizeBytes: number;
  readonly parameters: number | undefined;
  readonly chatTemplate: string | undefined;
  readonly bosText: string;
  readonly eosText: string;
  readonly state: LaneState;
  readonly #library: Library;
  readonly #model: LlamaModel;
  readonly #lanes: Lanes;
  readonly #grammars = new Map<string, Grammar>();
  #specials: readonly string[] | undefined;

  constructor(library: Library, model: LlamaModel, lanes: Lanes, conversation: LlamaContextSequence) {
    this.#library = library;
    this.#model = model;
    this.#lanes = lanes;
    this.contextLength = conversation.contextSize;
    this.trainedContextLength = model.trainContextSize;
    this.sizeBytes = model.size;
    this.bosText = model.tokens.bosString ?? '';
    this.eosText = model.tokens.eosString ?? '';
    this.state = laneState(model, conversation);
    const { tokenizer, general } = model.fileInfo.metadata;
    const parameters = (general as { parameter_count?: number | bigint } | undefined)?.parameter_count;
    const template = tokenizer?.chat_template;
    this.parameters = parameters === undefined ? undefined : Number(parameters);
    this.chatTemplate = typeof template === 'string' ? template : undefined;
  }

  tokenize(text: string, special: boolean): Token[] {
    return this.#model.tokenize(text, special);
  }

  specialTexts(): readonly string[] {
    this.#specials ??= [...this.#model.iterateAllTokens()]
      .filter((token) => this.#model.isSpecialToken(token))
      .map((token) => this.#model.detokenize([token], true))
      .filter((text) => text.length > 1);
    return this.#specials;
  }

  async generate(request: GenerateOptions): Promise<Generated> {
    const sequence = await this.#lanes.of(request.lane);
    const tokens = request.prompt as readonly LlamaToken[];
    const written: LlamaToken[] = [];
    const text = createTextStream(this.#model, request);
    const startedAt = performance.now();
    let readAt: number | undefined;
    const { cached, rest } = await prefill(sequence, tokens, request);
    const report = (finish: Generated['finish']): Generated => ({
      text: text.finish(),
      promptTokens: tokens.length,
      cachedTokens: cached,
      completionTokens: written.length,
      ...(readAt === undefined ? {} : { promptSeconds: (readAt - startedAt) / 1_000 }),
      finish,
    });
    if (request.signal.aborted) return report('cancelled');
    const { tokenPredictor } = sequence;
    if (tokenPredictor instanceof this.#library.InputLookupTokenPredictor)
      tokenPredictor.updateInputTokens([...tokens]);
    const sampling = await this.#samplingOf(request, () => written.slice(-EMBEDDED_LIMITS.embeddedRepeatWindow));
    for await (const token of sequence.evaluate(rest, sampling)) {
      if (request.signal.aborted) return report('cancelled');
      readAt ??= performance.now();
      if (written.length === 0) request.onPrefill?.(tokens.length, tokens.length, cached);
      if (this.#model.isEogToken(token)) return report('stop');
      written.push(token);
      if (text.push(token)) return report('stop');
      if (written.length >= request.maxTokens) return report('length');
      if (tokens.length + written.length >= sequence.contextSize - 1) return report('length');
    }
    return report('stop');
  }

  async score(request: Parameters<Engine['score']>[0]): ReturnType<Engine['score']> {
    const sequence = await this.#lanes.of(request.lane);
    const continuation = request.continuation as readonly LlamaToken[];
    const { rest } = await prefill(sequence, request.prompt as readonly LlamaToken[], request);
    const last = rest.length - 1;
    const input = [...rest, ...continuation.slice(0, -1)].map((token, index) =>
      index < last ? token : ([token, { generateNext: { probabilities: true } }] as [LlamaToken, object]),
    );
    const output = await sequence.controlledEvaluate(input);
    return continuation.map((token, index) => {
      const probability = output[last + index]?.next.probabilities?.get(token) ?? 0;
      return Math.log(Math.max(probability, 1e-9));
    });
  }

  async close(): Promise<void> {
    await this.#model.dispose();
  }

  async #samplingOf(request: GenerateOptions, punished: () => LlamaToken[]) {
    const { grammar, temperature = 0, topP, seed, repeatPenalty } = request;
    return {
      temperature,
      ...(topP === undefined ? {} : { topP }),
      ...(seed === undefined ? {} : { seed }),
      ...(repeatPenalty === undefined ? {} : { repeatPenalty: { punishTokens: punished, penalty: repeatPenalty } }),
      ...(grammar === undefined ? {} : { grammarEvaluationState: await this.#grammarState(grammar) }),
    };
  }

  async #grammarState(text: string) {
    const grammar = this.#grammars.get(text) ?? (await this.#model.llama.createGrammar({ grammar: text }));
    if (this.#grammars.size >= EMBEDDED_LIMITS.embeddedGrammars) this.#grammars.clear();
    this.#grammars.set(text, grammar);
    return new this.#library.LlamaGrammarEvaluationState({ model: this.#model, grammar });
  }
}

/** Turns tokens into text: whole characters only, nothing of a stop text, and deltas that never overlap. */
const createTextStream = (model: LlamaModel, request: GenerateOptions) => {
  const stops = request.stop ?? [];
  const longest = Math.max(0, ...stops.map((stop) => stop.length - 1));
  /** As much of the end as may be the beginning of a stop text. */
  const held = (): number => {
    for (let length = Math.min(longest, whole.length); length > 0; length -= 1) {
      const end = whole.slice(-length);
      if (stops.some((stop) => stop.startsWith(end))) return length;
    }
    return 0;
  };
  let whole = '';
  let sent = 0;
  let pending: LlamaToken[] = [];
  let before: LlamaToken[] = [];
  let ended = false;
  const send = (upTo: number): void => {
    if (upTo > sent) request.onText?.(whole.slice(sent, upTo));
    sent = Math.max(sent, upTo);
  };
  return {
    /** True when a stop text came. */
    push: (token: LlamaToken): boolean => {
      pending.push(token);
      const piece = model.detokenize(pending, request.keepSpecial === true, before);
      // A character may be split over tokens: the replacement character says that more must come.
      if (piece.endsWith('\uFFFD') && pending.length < EMBEDDED_LIMITS.embeddedSplitCharacterTokens) return false;
      whole += piece;
      before = [...before, ...pending].slice(-EMBEDDED_LIMITS.embeddedRepeatWindow);
      pending = [];
      const at = stops.map((stop) => whole.indexOf(stop, Math.max(0, sent - longest))).filter((index) => index >= 0);
      if (at.length > 0) {
        whole = whole.slice(0, Math.min(...at));
        ended = true;
        send(whole.length);
        return true;
      }
      send(whole.length - held());
      return false;
    },
    finish: (): string => {
      if (!ended && pending.length > 0) whole += model.detokenize(pending, request.keepSpecial === true, before);
      pending = [];
      if (!request.signal.aborted) send(whole.length);
      return whole;
    },
  };
};
