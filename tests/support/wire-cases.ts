/** The wires of the gateway as their clients see them: how a request is written, and how answers and streams are read. */
import { expect } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';

export type Turn =
  | { role: 'user'; text: string }
  | { role: 'call'; id: string; args: JsonObject }
  | { role: 'result'; id: string; text: string };
export type Wanted = {
  turns?: Turn[];
  tools?: boolean;
  stream?: boolean;
  /** `named`: the one tool that there is. */
  choice?: 'required' | 'named';
  schema?: JsonObject;
  fields?: JsonObject;
};
export type Told = {
  text: string;
  reasoning: string;
  calls: { name: string; args: unknown }[];
  finish: unknown;
  error?: string;
};

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
};
export const NAME = 'get_weather';
const DESCRIPTION = 'The weather of a city.';

export type WireCase = {
  name: string;
  path: string;
  body(wanted: Wanted): JsonObject;
  whole(reply: JsonObject): Told;
  /** The frames of a stream: the name of the event, and its data. */
  stream(frames: { event?: string; data: JsonObject }[]): Told;
  finish: { answered: unknown; called: unknown; cut: unknown };
  errorOf(body: JsonObject): string;
  canRequire: boolean;
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): JsonObject[] => (Array.isArray(value) ? (value as JsonObject[]) : []);
const object = (value: unknown): JsonObject => (value ?? {}) as JsonObject;
const readJson = (value: unknown): unknown => JSON.parse(text(value));
export const ask: Turn[] = [{ role: 'user', text: 'Weather in Paris?' }];
const withoutAbsent = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

const openAiError = (body: JsonObject): string => text(object(body['error'])['message']);
export const NOTHING: Told = { text: '', reasoning: '', calls: [], finish: undefined };

const chatMessages = (turns: readonly Turn[]): JsonObject[] =>
  turns.map((turn): JsonObject => {
    if (turn.role === 'user') return { role: 'user', content: turn.text };
    if (turn.role === 'result') return { role: 'tool', tool_call_id: turn.id, content: turn.text };
    const call = { id: turn.id, type: 'function', function: { name: NAME, arguments: JSON.stringify(turn.args) } };
    return { role: 'assistant', content: null, tool_calls: [call] };
  });

export const WIRES: readonly WireCase[] = [
  {
    name: 'chat completions',
    path: '/v1/chat/completions',
    canRequire: true,
    finish: { answered: 'stop', called: 'tool_calls', cut: 'length' },
    errorOf: openAiError,
    body: ({ turns = ask, tools, stream, choice, schema, fields }) =>
      withoutAbsent({
        model: 'm',
        messages: chatMessages(turns),
        tools: tools
          ? [{ type: 'function', function: { name: NAME, description: DESCRIPTION, parameters: PARAMETERS } }]
          : undefined,
        tool_choice: choice === 'named' ? { type: 'function', function: { name: NAME } } : choice,
        stream,
        response_format: schema && { type: 'json_schema', json_schema: { name: 'answer', schema } },
        ...fields,
      }),
    whole(reply) {
      const [choice] = list(reply['choices']);
      const message = object(choice?.['message']);
      return {
        text: text(message['content']),
        reasoning: text(message['reasoning_content']),
        calls: list(message['tool_calls']).map((call) => {
          const { name, arguments: args } = object(call['function']);
          return { name: text(name), args: readJson(args) };
        }),
        finish: choice?.['finish_reason'],
      };
    },
    stream(frames) {
      const told: Told = { ...NOTHING, calls: [] };
      for (const { data } of frames) {
        if (data['error'] !== undefined) told.error = openAiError(data);
        const [choice] = list(data['choices']);
        const delta = object(choice?.['delta']);
        told.text += text(delta['content']);
        told.reasoning += text(delta['reasoning_content']);
        told.finish = choice?.['finish_reason'] ?? told.finish;
        for (const call of list(delta['tool_calls'])) {
          const { name, arguments: args } = object(call['function']);
          told.calls.push({ name: text(name), args: readJson(args) });
        }
      }
      return told;
    },
  },
  {
    name: 'responses',
    path: '/v1/responses',
    canRequire: true,
    finish: { answered: 'completed', called: 'completed', cut: 'incomplete' },
    errorOf: openAiError,
    body: ({ turns = ask, tools, stream, choice, schema, fields }) =>
      withoutAbsent({
        model: 'm',
        input: turns.map((turn) => {
          if (turn.role === 'user') return { role: 'user', content: [{ type: 'input_text', text: turn.text }] };
          if (turn.role === 'result') return { type: 'function_call_output', call_id: turn.id, output: turn.text };
          return { type: 'function_call', call_id: turn.id, name: NAME, arguments: JSON.stringify(turn.args) };
        }),
        tools: tools ? [{ type: 'function', name: NAME, description: DESCRIPTION, parameters: PARAMETERS }] : undefined,
        tool_choice: choice === 'named' ? { type: 'function', name: NAME } : choice,
        stream,
        text: schema && { format: { type: 'json_schema', name: 'answer', schema } },
        ...fields,
      }),
    whole(reply) {
      const told: Told = { ...NOTHING, calls: [], finish: reply['status'] };
      for (const item of list(reply['output'])) {
        if (item['type'] === 'message')
          told.text += list(item['content'])
            .map((part) => text(part['text']))
            .join('');
        if (item['type'] === 'reasoning')
          told.reasoning += list(item['summary'])
            .map((part) => text(part['text']))
            .join('');
        if (item['type'] === 'function_call')
          told.calls.push({ name: text(item['name']), args: readJson(item['arguments']) });
      }
      return told;
    },
    stream(frames) {
      const numbers = frames.map(({ data }) => data['sequence_number']);
      expect(numbers).toEqual(numbers.map((_, index) => index));
      for (const { event, data } of frames) expect(event).toBe(data['type']);
      const last = frames.at(-1)?.data ?? {};
      const response = object(last['response']);
      if (last['type'] === 'response.failed') return { ...NOTHING, error: openAiError(response) };
      const told = this.whole(response);
      const deltas = (type: string): string =>
        frames.map(({ data }) => (data['type'] === type ? text(data['delta']) : '')).join('');
      expect(deltas('response.output_text.delta')).toBe(told.text);
      expect(deltas('response.reasoning_summary_text.delta')).toBe(told.reasoning);
      return told;
    },
  },
  {
    name: 'messages',
    path: '/v1/messages',
    canRequire: true,
    finish: { answered: 'end_turn', called: 'tool_use', cut: 'max_tokens' },
    errorOf: openAiError,
    body: ({ turns = ask, tools, stream, choice, schema, fields }) =>
      withoutAbsent({
        model: 'm',
        max_tokens: 1_000,
        messages: turns.map((turn) => {
          if (turn.role === 'user') return { role: 'user', content: turn.text };
          if (turn.role === 'result')
            return { role: 'user', content: [{ type: 'tool_result', tool_use_id: turn.id, content: turn.text }] };
          return { role: 'assistant', content: [{ type: 'tool_use', id: turn.id, name: NAME, input: turn.args }] };
        }),
        tools: tools ? [{ name: NAME, description: DESCRIPTION, input_schema: PARAMETERS }] : undefined,
        tool_choice: choice && (choice === 'named' ? { type: 'tool', name: NAME } : { type: 'any' }),
        stream,
        output_format: schema && { type: 'json_schema', schema },
        ...fields,
      }),
    whole(reply) {
      const told: Told = { ...NOTHING, calls: [], finish: reply['stop_reason'] };
      for (const block of list(reply['content'])) {
        if (block['type'] === 'text') told.text += text(block['text']);
        if (block['type'] === 'thinking') told.reasoning += text(block['thinking']);
        if (block['type'] === 'tool_use') told.calls.push({ name: text(block['name']), args: block['input'] });
      }
      return told;
    },
    stream(frames) {
      const told: Told = { ...NOTHING, calls: [] };
      let open: JsonObject = {};
      let args = '';
      for (const { event, data } of frames) {
        expect(event).toBe(data['type']);
        if (event === 'error') told.error = openAiError(data);
        if (event === 'content_block_start') [open, args] = [object(data['content_block']), ''];
        const delta = object(data['delta']);
        if (delta['type'] === 'text_delta') told.text += text(delta['text']);
        if (delta['type'] === 'thinking_delta') told.reasoning += text(delta['thinking']);
        if (delta['type'] === 'input_json_delta') args += text(delta['partial_json']);
        if (event === 'content_block_stop' && open['type'] === 'tool_use')
          told.calls.push({ name: text(open['name']), args: readJson(args) });
        if (event === 'message_delta') told.finish = delta['stop_reason'];
      }
      return told;
    },
  },
  {
    name: "Ollama's chat",
    path: '/api/chat',
    canRequire: false,
    finish: { answered: 'stop', called: 'stop', cut: 'length' },
    errorOf: (body) => text(body['error']),
    body: ({ turns = ask, tools, stream, schema, fields }) =>
      withoutAbsent({
        model: 'm',
        messages: turns.map((turn) => {
          if (turn.role === 'user') return { role: 'user', content: turn.text };
          if (turn.role === 'result') return { role: 'tool', tool_name: NAME, content: turn.text };
          return { role: 'assistant', content: '', tool_calls: [{ function: { name: NAME, arguments: turn.args } }] };
        }),
        tools: tools
          ? [{ type: 'function', function: { name: NAME, description: DESCRIPTION, parameters: PARAMETERS } }]
          : undefined,
        stream: stream ?? false,
        format: schema,
        ...(fields ? { options: fields } : {}),
      }),
    whole(reply) {
      const message = object(reply['message']);
      return {
        text: text(message['content']),
        reasoning: text(message['thinking']),
        calls: list(message['tool_calls']).map((call) => {
          const { name, arguments: args } = object(call['function']);
          return { name: text(name), args };
        }),
        finish: reply['done_reason'],
      };
    },
    stream(frames) {
      const told: Told = { ...NOTHING, calls: [] };
      for (const { data } of frames) {
        if (data['error'] !== undefined) told.error = text(data['error']);
        const message = object(data['message']);
        told.text += text(message['content']);
        told.reasoning += text(message['thinking']);
        told.finish = data['done_reason'] ?? told.finish;
        for (const call of list(message['tool_calls'])) {
          const { name, arguments: args } = object(call['function']);
          told.calls.push({ name: text(name), args });
        }
      }
      return told;
    },
  },
];

/** The frames of server-sent events, or of one JSON object a line. */
export const framesOf = (body: string): { event?: string; data: JsonObject }[] =>
  body.includes('data: ')
    ? body.split('\n\n').flatMap((block) => {
        const event = /^event: (.+)$/m.exec(block)?.[1];
        const data = /^data: (.+)$/m.exec(block)?.[1];
        return data === undefined || data === '[DONE]'
          ? []
          : [{ ...(event ? { event } : {}), data: JSON.parse(data) as JsonObject }];
      })
    : body
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => ({ data: JSON.parse(line) as JsonObject }));
