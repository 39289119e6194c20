/** Ollama's `/api/chat` and `/api/generate`: one JSON object a line. */
import type { JsonObject, JsonSchema, JsonValue } from '../../../core/json.ts';
import type { ToolCall } from '../../../core/message.ts';
import { forJson } from '../../../core/written-numbers.ts';
import type { CompletionPart } from '../../asking.ts';
import type { Completion } from '../../complete.ts';
import { overflowMessage, type WireFailure } from '../../error.ts';
import type { ReplyHead, StreamWriter, Wire } from '../../wire.ts';
import { readChatRequest, readGenerateRequest } from './read.ts';

const COMMON = {
  model: { type: 'string', description: 'One of `/api/tags`, or `default`.' },
  format: { description: '`json`, or a JSON schema.' },
  options: {
    type: ['object', 'null'],
    properties: {
      temperature: { type: ['number', 'null'], minimum: 0 },
      top_p: { type: ['number', 'null'] },
      seed: { type: ['integer', 'null'] },
      num_predict: { type: ['integer', 'null'] },
      num_ctx: { type: ['integer', 'null'] },
    },
    additionalProperties: true,
  },
  stream: { type: ['boolean', 'null'], description: 'True by default.' },
  think: { description: 'Whether the model may think.' },
} satisfies JsonObject;

const CHAT_BODY = {
  type: 'object',
  required: ['model'],
  properties: {
    ...COMMON,
    messages: { type: ['array', 'null'], items: { type: 'object', required: ['role'], additionalProperties: true } },
    tools: { type: ['array', 'null'], items: { type: 'object', additionalProperties: true } },
  },
  additionalProperties: true,
} satisfies JsonSchema;

const GENERATE_BODY = {
  type: 'object',
  required: ['model'],
  properties: {
    ...COMMON,
    prompt: { type: ['string', 'null'] },
    system: { type: ['string', 'null'] },
    images: { type: ['array', 'null'] },
  },
  additionalProperties: true,
} satisfies JsonSchema;

const NANOSECONDS = 1e9;

/** What Ollama says of a text, of reasoning and of calls, in one of its two forms. */
type Content = { text?: string; reasoning?: string; calls?: readonly ToolCall[] };
type Form = (content: Content) => JsonObject;

const asMessage: Form = ({ text = '', reasoning, calls = [] }) => ({
  message: {
    role: 'assistant',
    content: text,
    ...(reasoning === undefined || reasoning === '' ? {} : { thinking: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(wireCall) }),
  },
});
const asResponse: Form = ({ text = '', reasoning }) => ({
  response: text,
  ...(reasoning === undefined || reasoning === '' ? {} : { thinking: reasoning }),
});

const wireCall = (call: ToolCall, index: number): JsonObject => ({
  id: call.id,
  function: { index, name: call.name, arguments: forJson(call.arguments) },
});

const line = (head: ReplyHead, content: JsonObject): JsonObject => ({
  model: head.model,
  created_at: new Date(head.createdMs).toISOString(),
  ...content,
  done: false,
});

const lastLine = (head: ReplyHead, content: JsonObject, { finish, filtered, usage }: Completion): JsonObject => {
  const total = Math.round(usage.seconds * NANOSECONDS);
  const reading = Math.round((usage.prompt_seconds ?? 0) * NANOSECONDS);
  return {
    ...line(head, content),
    done: true,
    done_reason: filtered ? 'content_filter' : finish === 'length' ? 'length' : 'stop',
    total_duration: total,
    load_duration: 0,
    prompt_eval_count: usage.prompt_tokens,
    prompt_eval_duration: reading,
    eval_count: usage.completion_tokens,
    eval_duration: Math.max(0, total - reading),
  };
};

const streamIn =
  (form: Form) =>
  (head: ReplyHead): StreamWriter => ({
    begin: () => [],
    part: ({ type, delta }: CompletionPart) => [
      { data: line(head, form(type === 'text' ? { text: delta } : { reasoning: delta })) },
    ],
    end: (completion) => [
      ...(completion.calls.length > 0 ? [{ data: line(head, form({ calls: completion.calls })) }] : []),
      { data: lastLine(head, form({}), completion) },
    ],
    fail: (failure) => [{ data: ollamaError(failure) }],
  });

const wholeIn =
  (form: Form): Wire['whole'] =>
  (head, completion) =>
    lastLine(head, form(completion), completion);

const isEmptyList = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** A number of seconds, or a text such as `0s` and `5m`. */
const isNoTime = (keepAlive: JsonValue | undefined): boolean =>
  typeof keepAlive === 'string' ? /0/.test(keepAlive) && !/[1-9]/.test(keepAlive) : keepAlive === 0;

/** Without a prompt Ollama's clients have a model loaded, or taken out of memory (`keep_alive` 0); nothing is written. */
const loadedIn =
  (form: Form, asksNothing: (body: JsonObject) => boolean): NonNullable<Wire['alone']> =>
  (head, body) =>
    asksNothing(body)
      ? { ...line(head, form({})), done: true, done_reason: isNoTime(body['keep_alive']) ? 'unload' : 'load' }
      : undefined;

/** An error in the shape that Ollama's clients read. */
export const ollamaError = (failure: WireFailure): JsonObject => ({
  error: overflowMessage(
    failure,
    (prompt, window) => `the input length exceeds the context length (${prompt} tokens, the window has ${window}).`,
    'the input length exceeds the context length.',
  ),
});

export const ollamaChat: Wire = {
  name: 'ollama-chat',
  framing: 'ndjson',
  body: CHAT_BODY,
  read: readChatRequest,
  alone: loadedIn(asMessage, ({ messages }) => isEmptyList(messages)),
  whole: wholeIn(asMessage),
  stream: streamIn(asMessage),
};

export const ollamaGenerate: Wire = {
  name: 'ollama-generate',
  framing: 'ndjson',
  body: GENERATE_BODY,
  read: readGenerateRequest,
  alone: loadedIn(asResponse, ({ prompt, images }) => (prompt ?? '') === '' && isEmptyList(images)),
  whole: wholeIn(asResponse),
  stream: streamIn(asResponse),
};
