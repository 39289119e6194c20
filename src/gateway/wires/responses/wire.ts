/** `POST /v1/responses`, as Codex and newer clients of OpenAI speak it. */

import { isObject, type JsonObject, type JsonSchema, type JsonValue } from '../../../core/json.ts';
import type { AssistantMessage, ToolCall, Usage } from '../../../core/message.ts';
import { writtenJson } from '../../../core/written-numbers.ts';
import type { CompletionPart } from '../../asking.ts';
import type { Completion } from '../../complete.ts';
import type { GatewayError } from '../../error.ts';
import type { EarlierAnswers } from '../../kept-responses.ts';
import type { Frame, ReplyHead, StreamWriter, Wire } from '../../wire.ts';
import { openAiMessage } from '../chat-completions/wire.ts';
import { FREE_FORM_ARGUMENT, freeFormNames, hasInstructions, isReference, readResponsesRequest } from './read.ts';

const BODY = {
  type: 'object',
  required: ['model', 'input'],
  properties: {
    model: { type: 'string', description: 'One of `/v1/models`, or `default`.' },
    input: { description: 'Text, or a list of items: messages, function calls and their outputs, reasoning.' },
    instructions: { type: ['string', 'null'] },
    previous_response_id: { type: ['string', 'null'], description: 'Kept for an hour.' },
    tools: { type: ['array', 'null'], items: { type: 'object', required: ['type'], additionalProperties: true } },
    tool_choice: { description: '`auto`, `none`, `required`, or `{type: "function", name}`.' },
    parallel_tool_calls: { type: ['boolean', 'null'] },
    reasoning: { type: ['object', 'null'] },
    text: { type: ['object', 'null'], description: '`{format: {type: "json_schema", schema}}`.' },
    max_output_tokens: { type: ['integer', 'null'], minimum: 1 },
    temperature: { type: ['number', 'null'], minimum: 0, maximum: 2 },
    top_p: { type: ['number', 'null'], minimum: 0, maximum: 1 },
    stream: { type: ['boolean', 'null'] },
    store: { type: ['boolean', 'null'], description: 'Whether the answer is kept.' },
    metadata: { type: ['object', 'null'] },
  },
  additionalProperties: true,
} satisfies JsonSchema;

const wireUsage = (usage: Usage): JsonObject => ({
  input_tokens: usage.prompt_tokens,
  input_tokens_details: { cached_tokens: usage.cached_tokens ?? 0 },
  output_tokens: usage.completion_tokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: usage.prompt_tokens + usage.completion_tokens,
});

/** Clients know an answer by this name when they go on with it. */
const responseId = (head: ReplyHead): string => `resp_${head.id}`;

const responseOf = (head: ReplyHead, body: JsonObject, status: string, output: JsonObject[]): JsonObject => ({
  id: responseId(head),
  object: 'response',
  created_at: Math.floor(head.createdMs / 1_000),
  status,
  error: null,
  incomplete_details: null,
  instructions: body['instructions'] ?? null,
  max_output_tokens: body['max_output_tokens'] ?? null,
  metadata: body['metadata'] ?? {},
  model: head.model,
  output,
  parallel_tool_calls: body['parallel_tool_calls'] ?? true,
  previous_response_id: body['previous_response_id'] ?? null,
  reasoning: body['reasoning'] ?? { effort: null, summary: null },
  store: body['store'] ?? true,
  temperature: body['temperature'] ?? null,
  text: body['text'] ?? { format: { type: 'text' } },
  tool_choice: body['tool_choice'] ?? 'auto',
  tools: body['tools'] ?? [],
  top_p: body['top_p'] ?? null,
  truncation: 'disabled',
  usage: null,
});

const textPart = (text: string): JsonObject => ({ type: 'output_text', text, annotations: [], logprobs: [] });
const summaryPart = (text: string): JsonObject => ({ type: 'summary_text', text });
const messageItem = (id: string, status: string, text: string | undefined): JsonObject => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content: text === undefined ? [] : [textPart(text)],
});
const reasoningItem = (id: string, text: string | undefined): JsonObject => ({
  id,
  type: 'reasoning',
  summary: text === undefined ? [] : [summaryPart(text)],
});
const callItem = (id: string, call: ToolCall, isFreeForm: boolean, status = 'completed'): JsonObject =>
  isFreeForm
    ? {
        id,
        type: 'custom_tool_call',
        status,
        call_id: call.id,
        name: call.name,
        input: String(call.arguments[FREE_FORM_ARGUMENT] ?? ''),
      }
    : {
        id,
        type: 'function_call',
        status,
        call_id: call.id,
        name: call.name,
        arguments: writtenJson(call.arguments),
      };

/**
 * The words of this API for a failure in a stream. Codex stops at `invalid_prompt`, compacts at `context_length_exceeded`,
 * waits as long as the words of `rate_limit_exceeded` say, and goes on five times at everything else.
 */
const failedWith = (failure: GatewayError): { code: string; message: string } => {
  const message = openAiMessage(failure);
  if (failure.code === 'context_overflow') return { code: 'context_length_exceeded', message };
  if (failure.isFinal) return { code: 'invalid_prompt', message };
  if (failure.code !== 'rate_limited') return { code: 'server_error', message };
  const seconds = failure.headers['retry-after'];
  const wait = seconds === undefined ? '' : ` Please try again in ${seconds}s.`;
  return { code: 'rate_limit_exceeded', message: `${message}${wait}` };
};

const finished = (head: ReplyHead, body: JsonObject, completion: Completion, output: JsonObject[]): JsonObject => {
  const isCut = completion.finish === 'length' && completion.calls.length === 0;
  const reason = completion.filtered ? 'content_filter' : isCut ? 'max_output_tokens' : undefined;
  return {
    ...responseOf(head, body, reason ? 'incomplete' : 'completed', output),
    incomplete_details: reason ? { reason } : null,
    usage: wireUsage(completion.usage),
  };
};

/** An item that is being written. */
type OpenItem = { type: CompletionPart['type']; id: string; text: string };

/** The items of an answer and the events that tell of them. A whole answer is the same items without the events. */
class ResponsesStream implements StreamWriter {
  readonly #head: ReplyHead;
  readonly #body: JsonObject;
  readonly #freeForm: ReadonlySet<string>;
  readonly #output: JsonObject[] = [];
  #number = 0;
  #open: OpenItem | undefined;

  constructor(head: ReplyHead, body: JsonObject) {
    this.#head = head;
    this.#body = body;
    this.#freeForm = freeFormNames(body);
  }

  begin(): Frame[] {
    const response = responseOf(this.#head, this.#body, 'in_progress', []);
    return [this.#frame('response.created', { response }), this.#frame('response.in_progress', { response })];
  }

  part({ type, delta }: CompletionPart): Frame[] {
    const frames = this.#open?.type === type ? [] : [...this.#close(), ...this.#start(type)];
    const open = this.#open as OpenItem;
    open.text += delta;
    const place = { item_id: open.id, output_index: this.#output.length, delta };
    frames.push(
      type === 'text'
        ? this.#frame('response.output_text.delta', { ...place, content_index: 0, logprobs: [] })
        : this.#frame('response.reasoning_summary_text.delta', { ...place, summary_index: 0 }),
    );
    return frames;
  }

  end(completion: Completion): Frame[] {
    const frames = this.#close();
    for (const call of completion.calls) frames.push(...this.#call(call));
    const response = finished(this.#head, this.#body, completion, this.#output);
    const isCut = response['status'] === 'incomplete';
    return [...frames, this.#frame(isCut ? 'response.incomplete' : 'response.completed', { response })];
  }

  fail(failure: GatewayError): Frame[] {
    const frames = this.#close('incomplete');
    const error = failedWith(failure);
    const response = { ...responseOf(this.#head, this.#body, 'failed', this.#output), error };
    // As OpenAI sends it, the error comes before the end: some clients heed the one alone, and some the other.
    const said = { ...error, param: null };
    return [
      ...frames,
      this.#frame('error', { ...said, error: { type: said.code, ...said } }),
      this.#frame('response.failed', { response }),
    ];
  }

  /** All items of an answer that did not come in pieces. */
  items({ reasoning, text, calls }: Completion): JsonObject[] {
    if (reasoning !== '') this.part({ type: 'reasoning', delta: reasoning });
    if (text !== '') this.part({ type: 'text', delta: text });
    this.#close();
    for (const call of calls) this.#call(call);
    return this.#output;
  }

  #frame(type: string, fields: JsonObject): Frame {
    return { event: type, data: { type, sequence_number: this.#number++, ...fields } };
  }

  /** Counted by kind: what is kept may have its thoughts elsewhere than what was streamed. */
  #id(prefix: string): string {
    const before = this.#output.filter(({ id }) => String(id).startsWith(`${prefix}_`)).length;
    return `${prefix}_${this.#head.id}_${before}`;
  }

  #start(type: CompletionPart['type']): Frame[] {
    const id = this.#id(type === 'text' ? 'msg' : 'rs');
    this.#open = { type, id, text: '' };
    const place = { item_id: id, output_index: this.#output.length };
    const item = type === 'text' ? messageItem(id, 'in_progress', undefined) : reasoningItem(id, undefined);
    return [
      this.#frame('response.output_item.added', { output_index: this.#output.length, item }),
      type === 'text'
        ? this.#frame('response.content_part.added', { ...place, content_index: 0, part: textPart('') })
        : this.#frame('response.reasoning_summary_part.added', { ...place, summary_index: 0, part: summaryPart('') }),
    ];
  }

  #close(status = 'completed'): Frame[] {
    const open = this.#open;
    if (open === undefined) return [];
    this.#open = undefined;
    const place = { item_id: open.id, output_index: this.#output.length };
    const isText = open.type === 'text';
    const item = isText ? messageItem(open.id, status, open.text) : reasoningItem(open.id, open.text);
    const frames = isText
      ? [
          this.#frame('response.output_text.done', { ...place, content_index: 0, text: open.text, logprobs: [] }),
          this.#frame('response.content_part.done', { ...place, content_index: 0, part: textPart(open.text) }),
        ]
      : [
          this.#frame('response.reasoning_summary_text.done', { ...place, summary_index: 0, text: open.text }),
          this.#frame('response.reasoning_summary_part.done', {
            ...place,
            summary_index: 0,
            part: summaryPart(open.text),
          }),
        ];
    frames.push(this.#frame('response.output_item.done', { output_index: this.#output.length, item }));
    this.#output.push(item);
    return frames;
  }

  #call(call: ToolCall): Frame[] {
    const isFreeForm = this.#freeForm.has(call.name);
    const id = this.#id(isFreeForm ? 'ctc' : 'fc');
    const item = callItem(id, call, isFreeForm);
    const output_index = this.#output.length;
    const begun = isFreeForm
      ? { ...item, status: 'in_progress', input: '' }
      : { ...item, status: 'in_progress', arguments: '' };
    const place = { item_id: id, output_index };
    const [kind, field] = isFreeForm ? ['custom_tool_call_input', 'input'] : ['function_call_arguments', 'arguments'];
    const value = item[field] as string;
    const frames = [
      this.#frame('response.output_item.added', { output_index, item: begun }),
      this.#frame(`response.${kind}.delta`, { ...place, delta: value }),
      this.#frame(`response.${kind}.done`, { ...place, [field]: value, name: call.name }),
      this.#frame('response.output_item.done', { output_index, item }),
    ];
    this.#output.push(item);
    return frames;
  }
}

const whole: Wire['whole'] = (head, completion, body) =>
  finished(head, body, completion, new ResponsesStream(head, body).items(completion));

/** Each with an id, as clients list them. What a reference names stands in its place. */
const inputItems = (head: ReplyHead, input: JsonValue | undefined, earlier: EarlierAnswers): JsonObject[] => {
  const given = (Array.isArray(input) ? input.filter(isObject) : []).flatMap((item): JsonObject[] => {
    if (!isReference(item)) return [item];
    const meant = earlier.item(String(item['id']));
    return meant === undefined ? [] : [meant];
  });
  const items = typeof input === 'string' ? [{ role: 'user', content: [{ type: 'input_text', text: input }] }] : given;
  return items.map((item, index) => ({ type: 'message', id: `item_${head.id}_${index}`, ...item }));
};

const answerOf = ({ text, reasoning, calls, finish }: Completion): AssistantMessage => ({
  role: 'assistant',
  content: text,
  reasoning: reasoning === '' ? undefined : reasoning,
  tool_calls: calls,
  finish,
});

export const responses: Wire = {
  name: 'responses',
  framing: 'sse',
  body: BODY,
  read: readResponsesRequest,
  whole,
  kept: (head, completion, body, { messages }, earlier) =>
    body['store'] === false
      ? undefined
      : {
          id: responseId(head),
          answer: {
            response: whole(head, completion, body),
            input: inputItems(head, body['input'], earlier),
            messages: [...messages.slice(hasInstructions(body) ? 1 : 0), answerOf(completion)],
          },
        },
  stream: (head, body) => new ResponsesStream(head, body),
};
