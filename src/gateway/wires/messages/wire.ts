/** `POST /v1/messages`, as Anthropic's clients speak it. */

import type { JsonObject, JsonSchema } from '../../../core/json.ts';
import type { ToolCall, Usage } from '../../../core/message.ts';
import { forJson, writtenJson } from '../../../core/written-numbers.ts';
import type { CompletionPart } from '../../asking.ts';
import type { Completion } from '../../complete.ts';
import { type GatewayError, overflowMessage, type WireFailure } from '../../error.ts';
import { promptTokens } from '../../usage.ts';
import type { Frame, ReplyHead, StreamWriter, Wire } from '../../wire.ts';
import { readMessagesRequest } from './read.ts';

const BODY = {
  type: 'object',
  required: ['model', 'messages'],
  properties: {
    model: { type: 'string', description: 'One of `/v1/models`, or `default`.' },
    messages: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', required: ['role', 'content'], additionalProperties: true },
    },
    system: { description: 'Text, or blocks of text.' },
    max_tokens: { type: 'integer', minimum: 1 },
    tools: { type: ['array', 'null'], items: { type: 'object', required: ['name'], additionalProperties: true } },
    tool_choice: { type: ['object', 'null'], description: '`{type: auto|any|tool|none, name?}`.' },
    stop_sequences: { type: ['array', 'null'], items: { type: 'string' } },
    stream: { type: ['boolean', 'null'] },
    temperature: { type: ['number', 'null'], minimum: 0, maximum: 2 },
    top_p: { type: ['number', 'null'], minimum: 0, maximum: 1 },
    top_k: { type: ['integer', 'null'] },
    thinking: { type: ['object', 'null'] },
    output_config: { type: ['object', 'null'], description: '`{format: {type: "json_schema", schema}}`.' },
  },
  additionalProperties: true,
} satisfies JsonSchema;

const toolUse = (call: ToolCall): JsonObject => ({
  type: 'tool_use',
  id: call.id,
  name: call.name,
  input: forJson(call.arguments),
});

const stopReason = ({ finish, calls, filtered, stoppedBy }: Completion): string => {
  if (calls.length > 0) return 'tool_use';
  if (filtered) return 'refusal';
  if (finish === 'length') return 'max_tokens';
  return stoppedBy === undefined ? 'end_turn' : 'stop_sequence';
};

const wireUsage = (usage: Usage): JsonObject => ({
  input_tokens: Math.max(0, usage.prompt_tokens - (usage.cached_tokens ?? 0)),
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: usage.cached_tokens ?? 0,
  output_tokens: usage.completion_tokens,
});

const messageOf = (head: ReplyHead, content: JsonObject[], usage: JsonObject): JsonObject => ({
  id: `msg_${head.id}`,
  type: 'message',
  role: 'assistant',
  model: head.model,
  content,
  stop_reason: null,
  stop_sequence: null,
  usage,
});

const whole: Wire['whole'] = (head, completion) => {
  const { text, reasoning, calls, usage, stoppedBy } = completion;
  const content: JsonObject[] = [
    ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: '' }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(toolUse),
  ];
  return {
    ...messageOf(head, content, wireUsage(usage)),
    stop_reason: stopReason(completion),
    stop_sequence: stoppedBy ?? null,
  };
};

const frame = (data: JsonObject & { type: string }): Frame => ({ event: data.type, data });

/** Blocks are numbered in their order, and only one is open at a time. */
class MessagesStream implements StreamWriter {
  readonly #head: ReplyHead;
  readonly #promptTokens: number;
  #index = -1;
  #open: CompletionPart['type'] | undefined;

  constructor(head: ReplyHead, promptTokens: number) {
    this.#head = head;
    this.#promptTokens = promptTokens;
  }

  begin(): Frame[] {
    const usage = {
      ...wireUsage({ prompt_tokens: this.#promptTokens, completion_tokens: 0, seconds: 0 }),
      output_tokens: 0,
    };
    return [frame({ type: 'message_start', message: messageOf(this.#head, [], usage) }), frame({ type: 'ping' })];
  }

  part({ type, delta }: CompletionPart): Frame[] {
    const frames: Frame[] = [];
    if (this.#open !== type) {
      frames.push(
        ...this.#close(),
        this.#start(type === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' }),
      );
      this.#open = type;
    }
    const change: JsonObject =
      type === 'text' ? { type: 'text_delta', text: delta } : { type: 'thinking_delta', thinking: delta };
    return [...frames, this.#delta(change)];
  }

  end(completion: Completion): Frame[] {
    const frames = this.#close();
    for (const call of completion.calls) {
      frames.push(
        this.#start({ type: 'tool_use', id: call.id, name: call.name, input: {} }),
        this.#delta({ type: 'input_json_delta', partial_json: writtenJson(call.arguments) }),
        frame({ type: 'content_block_stop', index: this.#index }),
      );
    }
    const delta = { stop_reason: stopReason(completion), stop_sequence: completion.stoppedBy ?? null };
    return [
      ...frames,
      frame({ type: 'message_delta', delta, usage: wireUsage(completion.usage) }),
      frame({ type: 'message_stop' }),
    ];
  }

  fail(failure: GatewayError): Frame[] {
    return [{ event: 'error', data: anthropicError(failure) }];
  }

  #start(block: JsonObject): Frame {
    this.#index += 1;
    return frame({ type: 'content_block_start', index: this.#index, content_block: block });
  }

  #delta(delta: JsonObject): Frame {
    return frame({ type: 'content_block_delta', index: this.#index, delta });
  }

  #close(): Frame[] {
    if (this.#open === undefined) return [];
    const signature = this.#open === 'reasoning' ? [this.#delta({ type: 'signature_delta', signature: '' })] : [];
    this.#open = undefined;
    return [...signature, frame({ type: 'content_block_stop', index: this.#index })];
  }
}

const OVERLOADED = 'overloaded_error';
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  501: 'invalid_request_error',
  503: OVERLOADED,
  504: 'timeout_error',
  529: OVERLOADED,
};

/** Claude Code repeats what is overloaded for minutes, whatever the headers say: only a server that said so is. */
const typeOf = ({ status, code, isFinal }: WireFailure): string => {
  const type = ERROR_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return type === OVERLOADED && (isFinal || code !== 'server_error') ? 'api_error' : type;
};

/** An error in the shape that Anthropic's clients read. */
export const anthropicError = (failure: WireFailure): JsonObject => ({
  type: 'error',
  error: {
    type: typeOf(failure),
    message: overflowMessage(
      failure,
      (prompt, window) => `prompt is too long: ${prompt} tokens > ${window} maximum.`,
      'prompt is too long.',
    ),
  },
});

export const messages: Wire = {
  name: 'messages',
  framing: 'sse',
  body: BODY,
  read: readMessagesRequest,
  whole,
  stream: (head, _body, request) => new MessagesStream(head, promptTokens(request.messages, request.tools)),
};
