/**
 * What an engine must be able to do so that a model that cannot call tools by itself is led through a turn in steps: write
 * a value under a constraint, and, where it can, say how likely a text is.
 */
import type { JsonObject, JsonSchema } from './json.ts';
import type { ModelError, ModelPart, ModelProvider, ModelRequest } from './model-port.ts';

/** A conversation in the roles that every chat template knows. */
export type LedTurn = { role: 'system' | 'user' | 'assistant'; content: string };

/** The same rule twice: an engine uses the form that it takes. */
export type Constraint = {
  /** GBNF, from the rule `root` on; what is written begins with the blank before a value. */
  grammar: string;
  /** The value as JSON Schema; absent where only a grammar says it. */
  schema?: JsonSchema;
};

export type Written = {
  text: string;
  promptTokens: number;
  /** Tokens of the prompt that were already in the engine's cache. */
  cachedTokens: number;
  completionTokens: number;
  /** Reading the prompt took so long. */
  promptSeconds?: number;
  finish: 'stop' | 'length' | 'cancelled';
};

export type WriteRequest = {
  /** What stands already, piece by piece: a JSON object as far as `"name":`. */
  pieces: readonly string[];
  constraint: Constraint;
  /** The members that stand already, and the one whose value is written now; absent where it is no object. */
  member?: { before: JsonObject; name: string };
  maxTokens: number;
  signal: AbortSignal;
};

/** An answer that has begun: what follows is written on. */
export type LedDraft = { write(request: WriteRequest): Promise<Written> };

export type LedAnswerRequest = {
  /** Its sampling and its form count; its messages and tools do not. */
  request: ModelRequest;
  turns: readonly LedTurn[];
  maxTokens: number;
  /** Greater than 1 makes words that were just written less likely. */
  repeatPenalty: number;
  /** Text that ends the answer and is not part of it. */
  stop: readonly string[];
  onText(delta: string): void;
  emit(part: ModelPart): void;
  signal: AbortSignal;
};

/** All of them throw a `LedError` where the engine fails. */
export type LedPort = {
  /** `grammar`: a value may be written piece by piece. `schema`: a value is written whole. */
  readonly takes: 'grammar' | 'schema';
  begin(turns: readonly LedTurn[], signal: AbortSignal): Promise<LedDraft>;
  /** Free text, or text in the form of the request's schema. */
  answer(request: LedAnswerRequest): Promise<Written>;
  /** How likely `text` is after `prompt`, outside any conversation: a log probability of its first tokens. */
  likelihood?(asked: {
    prompt: string;
    text: string;
    mostTokens: number;
    signal: AbortSignal;
  }): Promise<{ logProbability: number; tokens: number }>;
};

/** A provider whose engine takes more than a schema; undefined where the server behind it turns out not to. */
export type LeadingProvider = ModelProvider & {
  led?(model: string, signal: AbortSignal): Promise<LedPort | undefined>;
};

export class LedError extends Error {
  override name = 'LedError';
  readonly error: ModelError;

  constructor(error: ModelError) {
    super(error.message);
    this.error = error;
  }
}
