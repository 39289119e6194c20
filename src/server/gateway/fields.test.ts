/**
 * Every documented field of each API either changes what is asked or answered, or is named in `x-halter-dropped`, or is
 * refused by its name. None is taken and forgotten.
 */
import { describe, expect, it } from 'vitest';
import { testServer } from '../../../tests/support/test-server.ts';
import { WIRES } from '../../../tests/support/wire-cases.ts';
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { scriptedProvider } from '../../testing/index.ts';

type Fate = 'effect' | 'named' | 'refused';
/** `a.b` is a field in a field; `beside` are fields without which it means nothing. */
type Field = [name: string, value: JsonValue, fate: Fate, beside?: JsonObject];

const TOOL = { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } };
const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

const SAMPLING: Field[] = [
  ['temperature', 0.3, 'effect'],
  ['top_p', 0.4, 'effect'],
  ['stream', true, 'effect'],
];
const HOSTED: Field[] = [
  ['service_tier', 'priority', 'named'],
  ['safety_identifier', 'x', 'named'],
  ['prompt_cache_key', 'x', 'named'],
  ['prompt_cache_retention', '24h', 'named'],
  ['user', 'x', 'named'],
  ['top_logprobs', 3, 'named'],
];
const OPTIONS: Field[] = [
  ...['temperature', 'top_p', 'top_k', 'min_p', 'typical_p', 'seed', 'num_predict', 'repeat_penalty'].map(
    (name): Field => [`options.${name}`, 1, 'effect'],
  ),
  ['options.presence_penalty', 0.5, 'effect'],
  ['options.frequency_penalty', 0.5, 'effect'],
  ['options.stop', ['n'], 'effect'],
  ...['num_ctx', 'num_keep', 'repeat_last_n', 'num_gpu', 'num_batch', 'num_thread', 'mirostat', 'tfs_z'].map(
    (name): Field => [`options.${name}`, 64, 'named'],
  ),
];
const OLLAMA: Field[] = [
  ...OPTIONS,
  ['format', SCHEMA, 'effect'],
  ['stream', false, 'effect'],
  ['think', true, 'effect'],
  ['think', 'high', 'effect'],
  ['keep_alive', '5m', 'named'],
  ['logprobs', true, 'named'],
  ['top_logprobs', 3, 'named'],
  ['truncate', false, 'named'],
  ['shift', false, 'named'],
];

const FIELDS: Readonly<Record<string, readonly Field[]>> = {
  '/v1/chat/completions': [
    ...SAMPLING,
    ...HOSTED,
    ['seed', 5, 'effect'],
    ['max_tokens', 5, 'effect'],
    ['max_completion_tokens', 5, 'effect'],
    ['stop', ['n'], 'effect'],
    ['tools', [{ type: 'function', function: TOOL }], 'effect'],
    ['parallel_tool_calls', false, 'effect', { tools: [{ type: 'function', function: TOOL }] }],
    ['stream_options', { include_usage: true }, 'effect', { stream: true }],
    ['response_format', { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA } }, 'effect'],
    ['reasoning_effort', 'low', 'effect'],
    ['presence_penalty', 0.5, 'effect'],
    ['frequency_penalty', 0.5, 'effect'],
    ['logit_bias', { '5': 1 }, 'effect'],
    ['n', 2, 'refused'],
    ['logprobs', true, 'refused'],
    ['tool_choice', 'required', 'refused'],
    ['functions', [TOOL], 'named'],
    ['function_call', 'auto', 'named'],
    ['audio', { voice: 'x', format: 'wav' }, 'named'],
    ['modalities', ['text', 'audio'], 'named'],
    ['metadata', { a: 'b' }, 'named'],
    ['prediction', { type: 'content', content: 'x' }, 'named'],
    ['store', true, 'named'],
    ['stream_options.include_obfuscation', true, 'named'],
    ['verbosity', 'low', 'named'],
    ['web_search_options', {}, 'named'],
  ],
  '/v1/responses': [
    ...SAMPLING,
    ...HOSTED,
    ['instructions', 'Be brief.', 'effect'],
    ['max_output_tokens', 5, 'effect'],
    ['metadata', { a: 'b' }, 'effect'],
    ['parallel_tool_calls', false, 'effect'],
    ['reasoning.effort', 'low', 'effect'],
    ['text.format', { type: 'json_schema', name: 'a', schema: SCHEMA }, 'effect'],
    ['tools', [{ type: 'function', ...TOOL }], 'effect'],
    ['background', true, 'refused'],
    ['conversation', 'conv_1', 'refused'],
    ['conversation', { id: 'conv_1' }, 'refused'],
    ['previous_response_id', 'resp_none', 'refused'],
    ['prompt', { id: 'pmpt_1' }, 'refused'],
    ['tool_choice', 'required', 'refused'],
    ['include', ['message.output_text.logprobs'], 'named'],
    ['max_tool_calls', 3, 'named'],
    ['stream_options', { include_obfuscation: false }, 'named'],
    ['text.verbosity', 'low', 'named'],
    ['truncation', 'auto', 'named'],
  ],
  '/v1/messages': [
    ...SAMPLING,
    ['max_tokens', 5, 'effect'],
    ['output_config.format', { type: 'json_schema', schema: SCHEMA }, 'effect'],
    ['output_format', { type: 'json_schema', schema: SCHEMA }, 'effect'],
    ['stop_sequences', ['n'], 'effect'],
    ['system', 'Be brief.', 'effect'],
    ['thinking', { type: 'disabled' }, 'effect'],
    ['tools', [{ name: 'look', input_schema: { type: 'object' } }], 'effect'],
    ['top_k', 5, 'effect'],
    ['tool_choice', { type: 'any' }, 'refused'],
    ['cache_control', { type: 'ephemeral' }, 'named'],
    ['container', 'x', 'named'],
    ['context_management', { edits: [] }, 'named'],
    ['inference_geo', 'us', 'named'],
    ['mcp_servers', [{ type: 'url', url: 'https://a.example', name: 'a' }], 'named'],
    ['metadata', { user_id: 'x' }, 'named'],
    ['output_config.effort', 'low', 'named'],
    ['service_tier', 'priority', 'named'],
    ['thinking.budget_tokens', 2_000, 'named'],
    ['tools', [{ type: 'web_search_20250305', name: 'web_search' }], 'named'],
  ],
  '/api/chat': [...OLLAMA, ['tools', [{ type: 'function', function: TOOL }], 'effect']],
  '/api/generate': [
    ...OLLAMA,
    ['system', 'Be brief.', 'effect'],
    ['images', ['iVBORw0KGgo='], 'effect'],
    ['suffix', 'x', 'refused'],
    ['context', [1, 2], 'named'],
    ['raw', true, 'refused'],
    ['template', 'x', 'refused'],
  ],
};

const BASE: Readonly<Record<string, JsonObject>> = {
  ...Object.fromEntries(WIRES.map((wire) => [wire.path, wire.body({})])),
  '/api/generate': { model: 'm', prompt: 'Hello' },
};
/** Ollama streams by itself. */
const base = (path: string): JsonObject => {
  const { stream: _stream, ...body } = BASE[path] as JsonObject;
  return body;
};

const withField = (body: JsonObject, name: string, value: JsonValue): JsonObject => {
  const [first = '', second] = name.split('.');
  if (second === undefined) return { ...body, [first]: value };
  const inner = isObject(body[first]) ? body[first] : first === 'thinking' ? { type: 'adaptive' } : {};
  return { ...body, [first]: { ...inner, [second]: value } };
};

const send = async (path: string, body: JsonObject) => {
  const passes = ['top_k', 'min_p', 'typical_p', 'presence_penalty', 'frequency_penalty', 'repeat_penalty'];
  const provider = scriptedProvider(async () => ({ text: '{"n": 4}' }), { models: [{ id: 'm' }] });
  const server = await testServer([], {
    modelProvider: { ...provider, passes: [...passes, 'logit_bias', 'reasoning_effort'] },
  });
  const response = await server.call('POST', path, body);
  const text = await response.text();
  return {
    status: response.status,
    text,
    dropped: response.headers.get('x-halter-dropped')?.split(', ') ?? [],
    // What differs by itself is left out.
    all: JSON.stringify([provider.requests, text.replaceAll(/[0-9a-f]{32}|"created\w*": ?("[^"]*"|\d+)/g, '')]),
  };
};

const NAMED_AS: Readonly<Record<string, string>> = { web_search_20250305: 'tools.web_search' };

describe.each(Object.entries(FIELDS))('the fields of %s', (path, fields) => {
  it('have an effect, or are named, or are refused by their name', async () => {
    const plain = await send(path, base(path));
    expect([plain.status, plain.dropped]).toEqual([200, []]);
    expect((await send(path, base(path))).all).toBe(plain.all);
    const fates: string[] = [];
    for (const [name, value, _fate, beside] of fields) {
      const body = { ...base(path), ...beside };
      const without = beside === undefined ? plain : await send(path, body);
      const got = await send(path, withField(body, name, value));
      const hosted = Object.entries(NAMED_AS).find(([kind]) => JSON.stringify(value).includes(kind))?.[1];
      const isNamed = got.dropped.includes(hosted ?? name);
      const isRefused = got.status === 400 && got.text.includes(name);
      const fate = isRefused ? 'refused' : isNamed ? 'named' : got.all === without.all ? 'forgotten' : 'effect';
      fates.push(`${name}: ${got.status === 200 || isRefused ? fate : got.status}`);
    }
    expect(fates).toEqual(fields.map(([name, _value, fate]) => `${name}: ${fate}`));
  });
});
