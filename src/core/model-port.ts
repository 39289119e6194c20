/** The port to a model, whoever serves it. */
import type { JsonObject, JsonSchema } from './json.ts';
import type { FinishReason, ModelMessage, Repair, ToolCall, Usage } from './message.ts';
import type { ToolSchema } from './tool.ts';

export type Sampling = {
  temperature?: number;
  top_p?: number;
  seed?: number;
  max_tokens?: number;
  think?: boolean;
  /** Tokens of thinking at most, where the server or the model's template takes a number. Without `think` it means thinking. */
  think_budget?: number;
};

export type ModelRequest = {
  model: string;
  messages: readonly ModelMessage[];
  /** The session's frozen tool list; empty where tools are off. */
  tools: readonly ToolSchema[];
  sampling: Sampling;
  /** The answer must be JSON of this schema, where the engine can constrain it. */
  response_schema?: JsonSchema;
  /** An answer that is not decoded under the schema is of no use: a server that refuses it is not asked without. */
  must_constrain?: true;
  /** Nobody set `temperature`, `top_p` and `seed`: they are left out where the server refuses them. */
  own_sampling?: true;
  /** Tools are described in the prompt, and its text is read for calls: an engine that leads writes freely then. */
  tools_in_text?: true;
  /** Whether the model may make several calls in one answer, where the server can be told. */
  parallel_calls?: boolean;
  /** Sampling fields in OpenAI's words that go to the server as they are. Only those that the provider `passes`. */
  passthrough?: JsonObject;
  /** Text that ends the answer, where the server takes one: the end markers of the model's own template. */
  stop?: readonly string[];
  /** A server that asks to be left alone for longer, in milliseconds, is not asked again: its refusal is the answer. */
  retry_within_ms?: number;
  /** Nobody reads along, so a server that can may send the answer in one piece. */
  whole?: true;
};

/** What comes while the model works. Deltas carry only the delta. */
export type ModelPart =
  /** `queue_position`: the place among those that wait for the model server, from 1; 0 when the wait is over. */
  | { type: 'loading'; message: string; fraction?: number; queue_position?: number }
  | { type: 'prefill'; processed: number; total: number; cached?: number }
  /** `plain`: the provider knows that no call is in it (it may quote a file), so it is not read for calls. */
  | { type: 'text_delta'; delta: string; plain?: true }
  | { type: 'reasoning_delta'; delta: string }
  | { type: 'tool_call_delta'; index: number; id?: string; name?: string; arguments_delta: string }
  | { type: 'warning'; code: string; message: string };

/** A tool call as the provider understood it; arguments it could not read stay text in `malformed`. */
export type ProviderCall = Pick<ToolCall, 'name' | 'arguments' | 'source' | 'repairs' | 'malformed'> & { id?: string };

export type ModelErrorCode =
  | 'unreachable'
  | 'model_not_found'
  | 'tools_unsupported'
  | 'unauthorized'
  | 'bad_request'
  | 'rate_limited'
  | 'server_error'
  | 'timeout'
  | 'disconnected'
  | 'context_overflow'
  | 'load_failed'
  | 'cancelled'
  | 'protocol';
/** The reason of an error: the server loads its model, and answers when that is done. */
export const LOADING = 'loading';
export type ModelError = {
  code: ModelErrorCode;
  message: string;
  /** What to do about it. */
  hint?: string;
  /** A short machine word where the code says too little: `in_use`, `loading`. */
  reason?: string | undefined;
  /** The session could not be opened; the model has nothing to do with it. */
  of_storage?: true;
  /** The HTTP status that the model server answered with; absent where it sent none. */
  status?: number;
  /** How long the model server asks to be left alone. */
  retry_after_seconds?: number;
  /** How often it was asked; absent where once. */
  tries?: number;
  /** Of a `context_overflow`, where the server says them: the window, and the prompt that it refused. */
  window_tokens?: number | undefined;
  prompt_tokens?: number | undefined;
};

export type ModelAnswer = {
  /** Native calls, complete. Text is in the deltas; whether it holds calls is the dialect's business. */
  calls: ProviderCall[];
  finish: FinishReason;
  /** The end may not be the answer's own: `content_filter` where a filter cut it, else the server's word that nobody knows. */
  ended_by?: string;
  usage?: Usage;
  repairs?: Repair[];
  /** The model was led in steps: what was read for them is not the prompt of the conversation. */
  led?: true;
};
/** `partial` says that parts were already handed on when the error came; `usage`: what was counted by then. */
export type ModelOutcome =
  | { ok: true; answer: ModelAnswer }
  | { ok: false; error: ModelError; partial: boolean; usage?: Usage };

/** What is known of one request when it is over, for whoever counts. */
export type RequestFigures = {
  endpoint: string;
  seconds: number;
  /** Until the first of the answer; absent where nothing came. */
  firstSeconds?: number;
  outcome: 'ok' | ModelErrorCode;
  usage?: Usage;
};

export type ModelInfo = {
  id: string;
  /** Other names of the same model at its server. */
  aliases?: readonly string[];
  /** The server knows no model of this name, and has its only one answer: what it calls that. */
  answers_as?: string;
  /** Tokens of the real window as the server says; absent where it does not. */
  context_length?: number;
  size_bytes?: number;
  /** The server says that the model takes native tools. */
  tools?: boolean;
  vision?: boolean;
  /** The model's own Jinja chat template, where it can be had. */
  chat_template?: string;
  loaded?: boolean;
  /** Changes when the model behind the name does. */
  digest?: string;
};

/** `dimensions`: numbers a vector, where the model can choose; a server may not know the field. */
export type EmbedRequest = { model: string; texts: readonly string[]; dimensions?: number | undefined };
/** One vector for each text, in their order. */
export type EmbedOutcome = { ok: true; vectors: number[][]; prompt_tokens: number } | { ok: false; error: ModelError };

/**
 * One make of model server. `stream` never rejects: what goes wrong is in the outcome. It resolves at once when
 * `signal` aborts, and nothing is handed to `emit` after that.
 */
export type ModelProvider = {
  readonly name: string;
  /** How the person names it in messages: a URL or a file. */
  readonly endpoint: string;
  stream(request: ModelRequest, emit: (part: ModelPart) => void, signal: AbortSignal): Promise<ModelOutcome>;
  /** What is there. */
  models(signal: AbortSignal): Promise<{ ok: true; models: ModelInfo[] } | { ok: false; error: ModelError }>;
  /** One model in detail: window, template, capabilities. */
  describe(
    model: string,
    signal: AbortSignal,
  ): Promise<{ ok: true; model: ModelInfo } | { ok: false; error: ModelError }>;
  /** The fields of `passthrough` that the server behind it knows; none where absent. */
  readonly passes?: readonly string[];
  /** `response_schema` holds the answer to a schema, where the server behind it can. */
  readonly constrains?: true;
  /** A call of one tool, decoded under its schema in this process: valid whatever the model would have written (B1). */
  decodeToolCall?(
    request: { model: string; messages: readonly ModelMessage[]; tool: ToolSchema },
    signal: AbortSignal,
  ): Promise<{ ok: true; call: ProviderCall } | { ok: false; error: ModelError }>;
  /** Tokens of a prompt by the model's own tokenizer, before anything is sent; undefined where it cannot be had. */
  countTokens?(
    request: Pick<ModelRequest, 'model' | 'messages' | 'tools'>,
    signal: AbortSignal,
  ): Promise<number | undefined>;
  /**
   * Has the engine read a prompt that will come, so that it is read already when it does. Writes nothing (or one token
   * that nobody sees). Only local engines have it; with `againAfterMs` it also keeps the model in memory.
   */
  readonly warmUp?: {
    againAfterMs?: number;
    read(
      request: ModelRequest,
      signal: AbortSignal,
    ): Promise<{ ok: true; usage?: Usage } | { ok: false; error: ModelError }>;
  };
  /** Texts → vectors, where the server has a model for that. */
  embed?(request: EmbedRequest, signal: AbortSignal): Promise<EmbedOutcome>;
  close(): Promise<void>;
};
