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
  finite,
  flag,
  fromOne,
  jsonRecord,
  type Kind,
  type KindsOf,
  list,
  listOf,
  numberFromZero,
  objectOf,
  oneOf,
  record,
  text,
} from '../../core/option-kinds.ts';

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
    status: numberFromZero,
    retry_after_seconds: numberFromZero,
    tries: numberFromZero,
    window_tokens: fromOne,
    prompt_tokens: numberFromZero,
  } satisfies KindsOf<ModelError>,
  ['code', 'message'],
);
const USAGE = shapeOf(
  {
    prompt_tokens: numberFromZero,
    completion_tokens: numberFromZero,
    seconds: numberFromZero,
    cached_tokens: numberFromZero,
    shared_tokens: numberFromZero,
    prompt_seconds: numberFromZero,
  } satisfies KindsOf<Usage>,
  ['prompt_tokens', 'completion_tokens', 'seconds'],
);

const FAILURE = shapeOf({ error: ERROR, usage: USAGE }, ['error']);

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

const CALL = shapeOf(
  {
    id: text,
    name: text,
    arguments: jsonRecord,
    source: words<ToolCall['source']>({ native: true, parsed: true, constrained: true }),
    repairs: list,
    malformed: shapeOf({ text, problem: text }, ['text', 'problem']),
  } satisfies KindsOf<ProviderCall>,
  ['name', 'arguments', 'source', 'repairs'],
);

const ANSWER = shapeOf(
  {
    calls: listOf(CALL, list.words),
    finish: words<FinishReason>({ stop: true, tool_calls: true, length: true, cancelled: true, disconnected: true }),
    ended_by: text,
    usage: USAGE,
    repairs: list,
    led: flag,
  } satisfies KindsOf<ModelAnswer>,
  ['calls', 'finish'],
);

const INFO = shapeOf(
  {
    id: text,
    aliases: listOf(text, list.words),
    answers_as: text,
    context_length: fromOne,
    size_bytes: numberFromZero,
    tools: flag,
    vision: flag,
    chat_template: text,
    loaded: flag,
    digest: text,
  } satisfies KindsOf<ModelInfo>,
  ['id'],
);

/** What each method that has an outcome resolves with. */
export const OUTCOMES = {
  stream: outcome({ answer: ANSWER }),
  models: outcome({ models: listOf(INFO, list.words) }),
  describe: outcome({ model: INFO }),
  decodeToolCall: outcome({ call: CALL }),
  'warmUp.read': outcome({ usage: USAGE }, []),
  embed: outcome({ vectors: listOf(listOf(finite, 'a list of numbers'), list.words), prompt_tokens: numberFromZero }),
} as const;

type PartType = ModelPart['type'];
type PartOf<T extends PartType> = Omit<Extract<ModelPart, { type: T }>, 'type'>;
const PARTS: { readonly [T in PartType]: Kind } = {
  loading: shapeOf(
    { message: text, fraction: numberFromZero, queue_position: numberFromZero } satisfies KindsOf<PartOf<'loading'>>,
    ['message'],
  ),
  prefill: shapeOf(
    { processed: numberFromZero, total: numberFromZero, cached: numberFromZero } satisfies KindsOf<PartOf<'prefill'>>,
    ['processed', 'total'],
  ),
  text_delta: shapeOf({ delta: text, plain: flag } satisfies KindsOf<PartOf<'text_delta'>>, ['delta']),
  reasoning_delta: shapeOf({ delta: text } satisfies KindsOf<PartOf<'reasoning_delta'>>, ['delta']),
  tool_call_delta: shapeOf(
    { index: numberFromZero, id: text, name: text, arguments_delta: text } satisfies KindsOf<PartOf<'tool_call_delta'>>,
    ['index', 'arguments_delta'],
  ),
  warning: shapeOf({ code: text, message: text } satisfies KindsOf<PartOf<'warning'>>, ['code', 'message']),
};
const TYPED = shapeOf({ type: oneOf(...Object.keys(PARTS)) }, ['type']);

/** What `stream` hands on while the model works. */
export const PART: Kind = {
  words: record.words,
  problem: (value) => TYPED.problem(value) ?? PARTS[(value as ModelPart).type].problem(value),
};
