/** Requests that no client should send and some do, over every wire: what has to be refused, and in whose words. */
import type { JsonObject, JsonValue } from '../../src/core/json.ts';

/** One place that holds something wrong: the field of the body, and what stands there. */
type Wrong = [title: string, body: JsonObject];

const user = (content: JsonValue): JsonObject => ({ role: 'user', content });
const functionTool = (described: JsonObject): JsonObject => ({ type: 'function', function: described });
const NO_SCHEMA = { type: 'banana' };

const COMMON: readonly Wrong[] = [
  ['a model that is no text', { model: 7 }],
  ['a stream that is no yes or no', { stream: 'yes' }],
  ['tools that are no list', { tools: {} }],
  ['a tool that is no object', { tools: [1] }],
];
const SAMPLED: readonly Wrong[] = [
  ['a temperature in words', { temperature: 'hot' }],
  ['a temperature beyond all scales', { temperature: 99 }],
  ['a top_p in words', { top_p: 'all' }],
];

const CHAT: readonly Wrong[] = [
  ['messages that are no list', { messages: {} }],
  ['a message that is no object', { messages: [null] }],
  ['a role that nobody has', { messages: [{ role: 'robot', content: 'x' }] }],
  ['content that is a number', { messages: [user(5)] }],
  ['content that is an object', { messages: [user({ text: 'x' })] }],
  ['a part that is no object', { messages: [user([1])] }],
  ['a part that is null', { messages: [user([null])] }],
  ['a part of an unknown type', { messages: [user([{ type: 'hologram', data: 'x' }])] }],
  ['a part of text without text', { messages: [user([{ type: 'text', text: 1 }])] }],
];

/** By the path of its route. */
export const MALFORMED: Readonly<Record<string, readonly Wrong[]>> = {
  '/v1/chat/completions': [
    ...COMMON,
    ...SAMPLED,
    ...CHAT,
    ['no messages', { messages: [] }],
    ['sound, which no local model hears', { messages: [user([{ type: 'input_audio', input_audio: { data: 'x' } }])] }],
    ['calls that are no list', { messages: [user('a'), { role: 'assistant', content: 'b', tool_calls: {} }] }],
    ['a call that is no object', { messages: [user('a'), { role: 'assistant', content: 'b', tool_calls: [1] }] }],
    ['a tool without a name', { tools: [functionTool({})] }],
    ['a tool with a number as its name', { tools: [functionTool({ name: 5 })] }],
    ['a tool whose name has a blank', { tools: [functionTool({ name: 'a b' })] }],
    ['two tools of one name', { tools: [functionTool({ name: 'a' }), functionTool({ name: 'a' })] }],
    ['parameters that are no schema', { tools: [functionTool({ name: 'a', parameters: 5 })] }],
    ['a choice that nobody knows', { tool_choice: 'banana' }],
    ['a required call without tools', { tool_choice: 'required' }],
    ['a format that is no object', { response_format: 5 }],
    ['a format without a schema', { response_format: { type: 'json_schema', json_schema: { name: 'x' } } }],
    [
      'a format of an unknown type of value',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: NO_SCHEMA } } },
    ],
    ['two answers at once', { n: 2 }],
    ['a limit of nothing', { max_tokens: 0 }],
    ['a limit beyond all numbers', { max_tokens: 1e30 }],
    ['too many stop sequences', { stop: Array.from({ length: 17 }, () => 'x') }],
  ],
  '/v1/responses': [
    ...COMMON,
    ...SAMPLED,
    ['input that is a number', { input: 5 }],
    ['input that is null', { input: null }],
    ['no input', { input: [] }],
    ['an item that is no object', { input: [null] }],
    ['an item of an unknown type', { input: [{ type: 'wormhole' }] }],
    ['a role that nobody has', { input: [{ role: 'robot', content: 'x' }] }],
    ['content that is a number', { input: [user(5)] }],
    ['a part of an unknown type', { input: [user([{ type: 'hologram' }])] }],
    ['a part of text without text', { input: [user([{ type: 'input_text', text: 1 }])] }],
    ['a call without a name', { input: [user('a'), { type: 'function_call', call_id: 'x', arguments: '{}' }] }],
    ['a tool without a name', { tools: [{ type: 'function' }] }],
    ['a tool with a number as its name', { tools: [{ type: 'function', name: 5 }] }],
    ['a free-form tool without a name', { tools: [{ type: 'custom' }] }],
    ['parameters that are no schema', { tools: [{ type: 'function', name: 'a', parameters: 5 }] }],
    ['a choice that nobody knows', { tool_choice: 'banana' }],
    ['a required call without tools', { tool_choice: 'required' }],
    ['a format without a schema', { text: { format: { type: 'json_schema', name: 'x' } } }],
    [
      'a format of an unknown type of value',
      { text: { format: { type: 'json_schema', name: 'x', schema: NO_SCHEMA } } },
    ],
    ['an earlier response that is no text', { previous_response_id: 5 }],
    ['instructions that are no text', { instructions: 5 }],
    ['a limit of nothing', { max_output_tokens: 0 }],
  ],
  '/v1/messages': [
    ...COMMON,
    ...SAMPLED,
    ...CHAT,
    ['no messages', { messages: [] }],
    ['a message without content', { messages: [{ role: 'user' }] }],
    ['a call without an id', { messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: 'a' }] }] }],
    ['instructions that are a number', { system: 5 }],
    ['instructions with a block that is no text', { system: [1] }],
    ['a tool without a name', { tools: [{ input_schema: {} }] }],
    ['a tool with a number as its name', { tools: [{ name: 5, input_schema: {} }] }],
    ['parameters that are no schema', { tools: [{ name: 'a', input_schema: 5 }] }],
    ['a choice that nobody knows', { tool_choice: { type: 'banana' } }],
    ['a required call without tools', { tool_choice: { type: 'any' } }],
    ['a format without a schema', { output_format: { type: 'json_schema' } }],
    ['a format of an unknown type of value', { output_format: { type: 'json_schema', schema: NO_SCHEMA } }],
    ['a limit of nothing', { max_tokens: 0 }],
    ['stop sequences that are a number', { stop_sequences: 5 }],
  ],
  '/api/chat': [
    ...COMMON,
    ...CHAT,
    ['pictures that are no list', { messages: [{ ...user('x'), images: 'x' }] }],
    ['calls that are no list', { messages: [user('a'), { role: 'assistant', content: 'b', tool_calls: {} }] }],
    ['a call that is no object', { messages: [user('a'), { role: 'assistant', content: 'b', tool_calls: [1] }] }],
    ['a tool without a name', { tools: [functionTool({})] }],
    ['a tool with a number as its name', { tools: [functionTool({ name: 5 })] }],
    ['parameters that are no schema', { tools: [functionTool({ name: 'a', parameters: 5 })] }],
    ['options that are no object', { options: 5 }],
    ['a temperature in words', { options: { temperature: 'hot' } }],
    ['a number of tokens in words', { options: { num_predict: 'many' } }],
    ['a seed in words', { options: { seed: 'x' } }],
    ['stop sequences that are a number', { options: { stop: 5 } }],
    ['a format that is a number', { format: 5 }],
    ['a format of an unknown type of value', { format: NO_SCHEMA }],
  ],
  '/api/generate': [
    ['a model that is no text', { model: 7 }],
    ['a stream that is no yes or no', { stream: 'yes' }],
    ['a prompt that is a number', { prompt: 5 }],
    ['pictures that are no list', { images: 'x' }],
    ['instructions that are a number', { system: 5 }],
    ['text behind the gap', { suffix: 'x' }],
    ['a temperature in words', { options: { temperature: 'hot' } }],
    ['a format of an unknown type of value', { format: NO_SCHEMA }],
  ],
};

/** Bodies that are none, and what wrong requests are called by HTTP. */
export const NO_BODIES: readonly [
  title: string,
  text: string | undefined,
  headers: Record<string, string>,
  status: number,
][] = [
  ['half of one', '{"model": ', {}, 400],
  ['a list', '[]', {}, 400],
  ['null', 'null', {}, 400],
  ['one without a model', '{}', {}, 400],
  ['one that is nested without end', `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`, {}, 400],
  ['one that is no UTF-8 text of JSON', '{}', { 'content-type': 'text/plain' }, 415],
  ['one that is packed', '{}', { 'content-encoding': 'gzip' }, 415],
];
