/** `POST /v1/chat/completions`, as OpenAI's clients and most others speak it. */

import { isObject, type JsonObject, type JsonSchema, type JsonValue } from '../../../core/json.ts';
import type { FinishReason, ToolCall, Usage } from '../../../core/message.ts';
import type { Sampling } from '../../../core/model-port.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { writtenJson } from '../../../core/written-numbers.ts';
import type { Completion } from '../../complete.ts';
import { invalidRequest, overflowMessage, type WireFailure } from '../../error.ts';
import { toModelMessages } from '../../openai-messages.ts';
import {
  checkTools,
  chooseTools,
  droppedIn,
  droppedOf,
  type GivenChoice,
  type GivenTool,
  passthroughOf,
  readAllowed,
  readFormat,
  readStop,
  withoutAbsent,
} from '../../request.ts';
import type { Frame, ReplyHead, StreamWriter, Wire } from '../../wire.ts';

const BODY = {
  type: 'object',
  required: ['model', 'messages'],
  properties: {
    model: { type: 'string', description: 'One of `/v1/models`, or `default`.' },
    messages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['role'],
        properties: { role: { enum: ['system', 'developer', 'user', 'assistant', 'tool'] } },
        additionalProperties: true,
      },
    },
    tools: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        required: ['type', 'function'],
        properties: {
          type: { const: 'function' },
          function: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string' },
              description: { type: 'string' },
              parameters: { type: 'object' },
              strict: { type: ['boolean', 'null'] },
            },
          },
        },
      },
    },
    tool_choice: { description: '`auto`, `none`, `required`, or `{type: "function", function: {name}}`.' },
    parallel_tool_calls: { type: ['boolean', 'null'] },
    response_format: {
      type: ['object', 'null'],
      properties: { type: { enum: ['text', 'json_object', 'json_schema'] } },
    },
    stream: { type: ['boolean', 'null'] },
    stream_options: { type: ['object', 'null'], properties: { include_usage: { type: 'boolean' } } },
    n: { type: ['integer', 'null'], description: 'Only 1.' },
    stop: { description: 'A text, or up to 16 of them.' },
    temperature: { type: ['number', 'null'], minimum: 0, maximum: 2 },
    top_p: { type: ['number', 'null'], minimum: 0, maximum: 1 },
    seed: { type: ['integer', 'null'] },
    max_tokens: { type: ['integer', 'null'], minimum: -1, description: '-1 for no limit.' },
    max_completion_tokens: { type: ['integer', 'null'], minimum: -1 },
    reasoning_effort: { type: ['string', 'null'] },
    logprobs: { type: ['boolean', 'null'], description: 'Only false.' },
  },
  additionalProperties: true,
} satisfies JsonSchema;

const read: Wire['read'] = (body) => {
  if ((body['n'] ?? 1) !== 1) throw invalidRequest('n must be 1: one answer is made at a time.');
  if (body['logprobs'] === true) throw invalidRequest('logprobs are not there.');
  const messages = toModelMessages(body['messages'] as unknown[]);
  if (!messages.ok) throw invalidRequest(messages.error.message);
  const tools = readTools(body['tools']);
  return {
    model: String(body['model']),
    messages: messages.value,
    ...chooseTools(readChoice(body['tool_choice']), tools),
    parallel: body['parallel_tool_calls'] !== false,
    sampling: readSampling(body),
    passthrough: passthroughOf(body),
    stop: readStop(body['stop']),
    responseSchema: readFormat(body['response_format'], 'response_format'),
    stream: body['stream'] === true,
    dropped: [
      ...droppedOf(body, Object.keys(BODY.properties)),
      ...droppedIn('stream_options', body['stream_options'], ['include_usage']),
    ],
  };
};

const readTools = (given: unknown): ToolSchema[] =>
  checkTools(((given ?? []) as { function: GivenTool }[]).map((tool) => tool.function));

const readChoice = (given: unknown): GivenChoice => {
  if (given === undefined || given === null || given === 'auto') return { choice: 'auto' };
  if (given === 'none') return { choice: 'none' };
  if (given === 'required' || given === 'any') return { choice: 'required' };
  if (isObject(given) && given['type'] === 'allowed_tools')
    return readAllowed(isObject(given['allowed_tools']) ? given['allowed_tools'] : given, namedIn);
  const name = isObject(given) ? namedIn(given) : undefined;
  if (typeof name !== 'string') throw invalidRequest('tool_choice must be auto, none, required or name a function.');
  return { choice: { name } };
};
const namedIn = (tool: JsonObject): JsonValue | undefined =>
  isObject(tool['function']) ? tool['function']['name'] : undefined;

const readSampling = (body: JsonObject): Sampling =>
  withoutAbsent({
    temperature: body['temperature'] as number | undefined,
    top_p: body['top_p'] as number | undefined,
    seed: body['seed'] as number | undefined,
    max_tokens: readLimit(body['max_completion_tokens'] ?? body['max_tokens']),
    think: body['reasoning_effort'] === 'none' ? false : undefined,
  });

/** Local servers take -1 for no limit, and so do their clients. */
const readLimit = (given: JsonValue | undefined): number | undefined => {
  if (given === -1) return undefined;
  if (given === 0) throw invalidRequest('max_tokens must be at least 1, or -1 for no limit.');
  return given as number | undefined;
};

/** A call that came whole is made, whatever cut the answer behind it. */
const finishOf = ({ finish, filtered }: Completion): string => (filtered ? 'content_filter' : FINISH[finish]);
const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  length: 'length',
  cancelled: 'stop',
  disconnected: 'stop',
};

/** Arguments that could not be read stay the text they are: the caller may make something of it. */
const wireCall = (call: ToolCall) => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: call.malformed?.text ?? writtenJson(call.arguments) },
});

const wireUsage = (usage: Usage): JsonObject => ({
  prompt_tokens: usage.prompt_tokens,
  completion_tokens: usage.completion_tokens,
  total_tokens: usage.prompt_tokens + usage.completion_tokens,
  prompt_tokens_details: { cached_tokens: usage.cached_tokens ?? 0 },
});

const seconds = ({ createdMs }: ReplyHead): number => Math.floor(createdMs / 1_000);

const whole: Wire['whole'] = (head, completion) => ({
  id: `chatcmpl-${head.id}`,
  object: 'chat.completion',
  created: seconds(head),
  model: head.model,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: completion.text === '' && completion.calls.length > 0 ? null : completion.text,
        refusal: null,
        ...(completion.reasoning === '' ? {} : { reasoning_content: completion.reasoning }),
        ...(completion.calls.length === 0 ? {} : { tool_calls: completion.calls.map(wireCall) }),
      },
      logprobs: null,
      finish_reason: finishOf(completion),
    },
  ],
  usage: wireUsage(completion.usage),
});

const stream = (head: ReplyHead, body: JsonObject): StreamWriter => {
  const options = body['stream_options'];
  const withUsage = isObject(options) && options['include_usage'] === true;
  const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
    id: `chatcmpl-${head.id}`,
    object: 'chat.completion.chunk',
    created: seconds(head),
    model: head.model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });
  const frame = (delta: JsonObject): Frame => ({ data: chunk(delta) });
  return {
    begin: () => [frame({ role: 'assistant', content: '' })],
    part: ({ type, delta }) => [frame(type === 'text' ? { content: delta } : { reasoning_content: delta })],
    end: (completion: Completion) => [
      ...completion.calls.map((call, index) => frame({ tool_calls: [{ index, ...wireCall(call) }] })),
      { data: chunk({}, finishOf(completion)) },
      ...(withUsage ? [{ data: { ...chunk({}), choices: [], usage: wireUsage(completion.usage) } }] : []),
      { data: '[DONE]' },
    ],
    fail: (failure) => [{ data: openAiError(failure) }, { data: '[DONE]' }],
  };
};

/** opencode repeats what is called a `server_error` without end. */
const SERVER_ERROR = 'server_error';
const LASTING_ERROR = 'upstream_error';

const typeOf = ({ status, isFinal }: WireFailure): string => {
  // What is done nowhere here is no fault of a server.
  if (status === 501) return 'invalid_request_error';
  if (status >= 500) return isFinal ? LASTING_ERROR : SERVER_ERROR;
  if (status === 401 || status === 403) return 'authentication_error';
  return status === 429 ? 'rate_limit_error' : 'invalid_request_error';
};

/** Words of OpenAI's API for what halter calls by its own. */
const CODES: Readonly<Record<string, string>> = {
  context_overflow: 'context_length_exceeded',
  rate_limited: 'rate_limit_exceeded',
};

const codeOf = ({ code, isFinal }: WireFailure): string => {
  if (code === SERVER_ERROR && isFinal) return LASTING_ERROR;
  return CODES[code] ?? code;
};

/** An error in the shape that OpenAI's clients read. */
export const openAiError = (failure: WireFailure): JsonObject => ({
  error: {
    message: openAiMessage(failure),
    type: typeOf(failure),
    param: null,
    code: codeOf(failure),
  },
});

/** Clients of both of OpenAI's APIs, and of others, look for some of these words. */
export const openAiMessage = (failure: WireFailure): string =>
  overflowMessage(
    failure,
    (prompt, window) =>
      `Your input exceeds the context window of this model. This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens.`,
    'Your input exceeds the context window of this model.',
  );

export const chatCompletions: Wire = {
  name: 'chat-completions',
  framing: 'sse',
  body: BODY,
  read,
  whole,
  stream,
};
