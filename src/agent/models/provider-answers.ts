/** What the methods of a model's provider may answer, for one that somebody else wrote. */
import { isObject } from '../../core/json.ts';
import type { FinishReason, ToolCall, Usage } from '../../core/message.ts';
import type {
  ModelAnswer,
  ModelError,
  ModelErrorCode,
  ModelInfo,
  ModelPart,
  ProviderCall,
} from '../../core/model-port.ts';
import {
  heat as count,
  finite,
  flag,
  fromOne,
  jsonRecord,
  type Kind,
  list,
  listOf,
  objectOf,
  oneOf,
  record,
  text,
} from '../../core/option-kinds.ts';

/** The compiler holds each of these to its type, so that none is forgotten. */
type Kinds<T> = Readonly<Record<keyof Required<T>, Kind>>;
const words = <W extends string>(all: Readonly<Record<W, true>>): Kind => oneOf(...Object.keys(all));

/** With at least these parts. */
const shapeOf = <N extends string>(kinds: Readonly<Record<N, Kind>>, required: readonly NoInfer<N>[]): Kind =>
  objectOf(kinds, { required, words: record.words, others: 'taken' });

const ERROR = shapeOf(
  {
    code: words<ModelErrorCode>({
      unreachable: true,
      model_not_found: true,
      tools_unsupported: true,
      unauthorized: true,
      bad_request: true,
      rate_limited: true,
      server_error: true,
      timeout: true,
      disconnected: true,
      context_overflow: true,
      load_failed: true,
      cancelled: true,
      protocol: true,
    }),
    message: text,
    hint: text,
    reason: text,
    of_storage: flag,
    status: count,
    retry_after_seconds: count,
    tries: count,
    window_tokens: fromOne,
    prompt_tokens: count,
  } satisfies Kinds<ModelError>,
  ['code', 'message'],
);
const FAILURE = shapeOf({ error: ERROR }, ['error']);

/** `{ ok: true }` with these parts, or `{ ok: false, error }`. */
const outcome = <N extends string>(parts: Readonly<Record<N, Kind>>, required = Object.keys(parts) as N[]): Kind => {
  const good = shapeOf(parts, required);
  return {
    words: 'an object with ok',
    problem(value) {
      if (!isObject(value)) return { path: '', wanted: this.words, value };
      if (typeof value['ok'] !== 'boolean') return { path: '.ok', wanted: flag.words, value: value['ok'] };
      return value['ok'] ? good.problem(value) : FAILURE.problem(value);
    },
  };
};

const USAGE = shapeOf(
  {
    prompt_tokens: count,
    completion_tokens: count,
    seconds: count,
    cached_tokens: count,
    shared_tokens: count,
    prompt_seconds: count,
  } satisfies Kinds<Usage>,
  ['prompt_tokens', 'completion_tokens', 'seconds'],
);

const CALL = shapeOf(
  {
    id: text,
    name: text,
    arguments: jsonRecord,
    source: words<ToolCall['source']>({ native: true, parsed: true, constrained: true }),
    repairs: list,
    malformed: shapeOf({ text, problem: text }, ['text', 'problem']),
  } satisfies Kinds<ProviderCall>,
  ['name', 'arguments', 'source', 'repairs'],
);

const ANSWER = shapeOf(
  {
    calls: listOf(CALL, list.words),
    finish: words<FinishReason>({ stop: true, tool_calls: true, length: true, cancelled: true, disconnected: true }),
    usage: USAGE,
    repairs: list,
    led: flag,
  } satisfies Kinds<ModelAnswer>,
  ['calls', 'finish'],
);

const INFO = shapeOf(
  {
    id: text,
    context_length: fromOne,
    size_bytes: count,
    tools: flag,
    vision: flag,
    chat_template: text,
    loaded: flag,
    digest: text,
  } satisfies Kinds<ModelInfo>,
  ['id'],
);

/** What each method that has an outcome resolves with. */
export const OUTCOMES = {
  stream: outcome({ answer: ANSWER }),
  models: outcome({ models: listOf(INFO, list.words) }),
  describe: outcome({ model: INFO }),
  decodeToolCall: outcome({ call: CALL }),
  'warmUp.read': outcome({ usage: USAGE }, []),
  embed: outcome({ vectors: listOf(listOf(finite, 'a list of numbers'), list.words), prompt_tokens: count }),
} as const;

type PartType = ModelPart['type'];
type PartOf<T extends PartType> = Omit<Extract<ModelPart, { type: T }>, 'type'>;
const PARTS: { readonly [T in PartType]: Kind } = {
  loading: shapeOf({ message: text, fraction: count, queue_position: count } satisfies Kinds<PartOf<'loading'>>, [
    'message',
  ]),
  prefill: shapeOf({ processed: count, total: count, cached: count } satisfies Kinds<PartOf<'prefill'>>, [
    'processed',
    'total',
  ]),
  text_delta: shapeOf({ delta: text, plain: flag } satisfies Kinds<PartOf<'text_delta'>>, ['delta']),
  reasoning_delta: shapeOf({ delta: text } satisfies Kinds<PartOf<'reasoning_delta'>>, ['delta']),
  tool_call_delta: shapeOf(
    { index: count, id: text, name: text, arguments_delta: text } satisfies Kinds<PartOf<'tool_call_delta'>>,
    ['index', 'arguments_delta'],
  ),
  warning: shapeOf({ code: text, message: text } satisfies Kinds<PartOf<'warning'>>, ['code', 'message']),
};
const TYPED = shapeOf({ type: oneOf(...Object.keys(PARTS)) }, ['type']);

/** What `stream` hands on while the model works. */
export const PART: Kind = {
  words: record.words,
  problem: (value) => TYPED.problem(value) ?? PARTS[(value as ModelPart).type].problem(value),
};
