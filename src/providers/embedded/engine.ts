/**
 * The engine as the rest of this folder sees it: tokens in, text out, and a cache that remembers what was evaluated.
 * Everything that knows node-llama-cpp is in `llama-engine.ts`; tests hand in an engine of their own.
 */
import type { LoraAdapter, Speculation } from '../../core/engine-options.ts';

export type Token = number;

/** Two lanes with a cache each: a decision never pushes the conversation out of its cache. */
export type Lane = 'conversation' | 'decision';

export type GenerateOptions = {
  lane: Lane;
  prompt: readonly Token[];
  maxTokens: number;
  /** GBNF; absent: free text. */
  grammar?: string;
  temperature?: number;
  topP?: number;
  seed?: number;
  /** Greater than 1 makes tokens that were just written less likely. */
  repeatPenalty?: number;
  /** Text that ends the generation and is not part of it. */
  stop?: readonly string[];
  /** Markers such as `<tool_call>` are kept in the text. */
  keepSpecial?: boolean;
  signal: AbortSignal;
  onPrefill?(processed: number, total: number, cached: number): void;
  onText?(delta: string): void;
};

export type Generated = {
  text: string;
  promptTokens: number;
  /** Tokens of the prompt that were already in the lane's cache. */
  cachedTokens: number;
  completionTokens: number;
  /** Reading the prompt took so long. */
  promptSeconds?: number;
  finish: 'stop' | 'length' | 'cancelled';
};

/** The cache of the conversation's lane, as it can be kept on disk. */
export type LaneState = {
  /** Everything besides the model file that a state depends on. */
  readonly build: string;
  tokens(): readonly Token[];
  /** About how large its file would be; 0 until one was written. */
  bytes(): number;
  save(file: string): Promise<void>;
  /** The file must be one that `save` wrote: the engine may crash on another. */
  load(file: string): Promise<void>;
  clear(): Promise<void>;
};

export type Engine = {
  /** Tokens of the conversation's window. */
  readonly contextLength: number;
  readonly trainedContextLength: number;
  readonly sizeBytes: number;
  /** Absent where the file does not say. */
  readonly parameters?: number | undefined;
  readonly chatTemplate?: string | undefined;
  readonly bosText: string;
  readonly eosText: string;
  /** `special`: markers such as `<|im_start|>` become their one token. */
  tokenize(text: string, special: boolean): Token[];
  /** The texts that the tokenizer would turn into markers. */
  specialTexts(): readonly string[];
  generate(options: GenerateOptions): Promise<Generated>;
  /** Log probability of each token of `continuation` after `prompt`. */
  score(options: {
    lane: Lane;
    prompt: readonly Token[];
    continuation: readonly Token[];
    signal: AbortSignal;
  }): Promise<number[]>;
  /** Absent where it cannot be kept. */
  readonly state?: LaneState | undefined;
  close(): Promise<void>;
};

export type EngineFailure = {
  code: 'load_failed' | 'context_overflow' | 'model_not_found';
  message: string;
  hint?: string;
};

export type EngineOptions = {
  modelFile: string;
  threads: number;
  contextLength?: number;
  adapters?: readonly LoraAdapter[];
  speculation?: Speculation;
  signal: AbortSignal;
  onLoading?(fraction: number): void;
};
export type LoadEngine = (
  options: EngineOptions,
) => Promise<{ ok: true; engine: Engine } | { ok: false; error: EngineFailure }>;

/** The prompt does not fit into the lane's window. */
export class ContextOverflowError extends Error {
  override name = 'ContextOverflowError';
}
