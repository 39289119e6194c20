/** What requests may hold, over all wires: choices of tools, absent values, forms of answers, names of models. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { testServer } from '../../../tests/support/test-server.ts';
import {
  BODIES,
  CHAT,
  GENERATE,
  MESSAGES,
  NAMES,
  OLLAMA,
  RESPONSES,
  send,
  user,
} from '../../../tests/support/wire-bodies.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { scriptedProvider } from '../../testing/index.ts';

const allowedInChat = (mode: JsonValue, ...names: string[]): JsonObject => ({
  type: 'allowed_tools',
  allowed_tools: { mode, tools: names.map((name) => ({ type: 'function', function: { name } })) },
});
const allowedInResponses = (mode: JsonValue, ...names: string[]): JsonObject => ({
  type: 'allowed_tools',
  mode,
  tools: names.map((name) => ({ type: 'function', name })),
});

describe('a choice of tools', () => {
  const TAKEN: readonly [path: string, choice: JsonValue, offered: string[]][] = [
    [CHAT, 'auto', NAMES],
    [CHAT, 'required', NAMES],
    [CHAT, { type: 'function', function: { name: 'look' } }, ['look']],
    [CHAT, allowedInChat('auto', 'look'), ['look']],
    [CHAT, allowedInChat('required', 'look', 'find'), NAMES],
    [RESPONSES, { type: 'function', name: 'look' }, ['look']],
    [RESPONSES, allowedInResponses('auto', 'look'), ['look']],
    [RESPONSES, allowedInResponses('required', 'look'), ['look']],
    [MESSAGES, { type: 'any' }, NAMES],
    [MESSAGES, { type: 'tool', name: 'look' }, ['look']],
  ];
  it.each(TAKEN)('%s takes %j', async (path, tool_choice, offered) => {
    verifies('B2');
    const { status, asked } = await send(path, BODIES[path]?.({ tool_choice }, true) as JsonObject);
    expect([status, asked[0]?.tools.map((tool) => tool.function.name)]).toEqual([200, offered]);
  });

  it.each([
    [CHAT, allowedInChat('required', 'find')],
    [RESPONSES, allowedInResponses('required', 'find')],
  ])('%s gives no other call than an allowed one', async (path, tool_choice) => {
    const { status } = await send(path, BODIES[path]?.({ tool_choice }, true) as JsonObject);
    expect(status).toBe(502);
  });

  const REFUSED: readonly [path: string, choice: JsonValue, said: RegExp][] = [
    [CHAT, 'sometimes', /tool_choice must be auto, none, required/],
    [CHAT, 7, /tool_choice must be/],
    [CHAT, {}, /tool_choice must be/],
    [CHAT, { type: 'function', function: {} }, /tool_choice must be/],
    [CHAT, { type: 'function', function: { name: 'nobody' } }, /names nobody, which is no tool here/],
    [CHAT, allowedInChat('auto', 'nobody'), /names nobody, which is no tool here/],
    [CHAT, allowedInChat('auto'), /allows no tool/],
    [CHAT, allowedInChat('never', 'look'), /mode must be auto or required/],
    [RESPONSES, { type: 'function' }, /tool_choice must be/],
    [RESPONSES, { type: 'web_search' }, /tool_choice must be/],
    [RESPONSES, allowedInResponses('auto', 'nobody'), /names nobody, which is no tool here/],
    [RESPONSES, allowedInResponses('never', 'look'), /mode must be auto or required/],
    [MESSAGES, { type: 'tool' }, /tool_choice needs the name of a tool/],
    [MESSAGES, { type: 'tool', name: 'nobody' }, /names nobody, which is no tool here/],
    [MESSAGES, {}, /tool_choice.type must be/],
  ];
  it.each(REFUSED)('%s refuses %j in words', async (path, tool_choice, said) => {
    const got = await send(path, BODIES[path]?.({ tool_choice }, true) as JsonObject);
    expect([got.status, got.asked]).toEqual([400, []]);
    expect(got.said).toMatch(said);
  });
});

/** `null` says what an absent field says, wherever it may be absent; so do the other words of local servers for "no limit". */
describe('a field that is null', () => {
  const FIELDS: readonly [path: string, body: JsonObject][] = [
    ...['max_tokens', 'max_completion_tokens', 'stop', 'seed', 'temperature', 'top_p', 'n', 'stream', 'stream_options'],
    ...['tools', 'tool_choice', 'parallel_tool_calls', 'response_format', 'logprobs', 'reasoning_effort', 'top_k'],
  ].map((name) => [CHAT, BODIES[CHAT]?.({ [name]: null }) as JsonObject]);
  const MORE: readonly [path: string, body: JsonObject][] = [
    [CHAT, BODIES[CHAT]?.({ stream_options: { include_usage: null } }) as JsonObject],
    [CHAT, BODIES[CHAT]?.({ response_format: { type: 'text', json_schema: null } }) as JsonObject],
    [CHAT, BODIES[CHAT]?.({ tools: [{ type: 'function', function: { name: 'a', description: null } }] }) as JsonObject],
    [CHAT, BODIES[CHAT]?.({ tools: [{ type: 'function', function: { name: 'a', parameters: null } }] }) as JsonObject],
    [CHAT, BODIES[CHAT]?.({ messages: [{ ...user, name: null, tool_calls: null, tool_call_id: null }] }) as JsonObject],
    ...['instructions', 'tools', 'tool_choice', 'reasoning', 'text', 'max_output_tokens', 'store', 'include'].map(
      (name): [string, JsonObject] => [RESPONSES, BODIES[RESPONSES]?.({ [name]: null }) as JsonObject],
    ),
    [RESPONSES, BODIES[RESPONSES]?.({ text: { format: null }, reasoning: { effort: null } }) as JsonObject],
    [RESPONSES, BODIES[RESPONSES]?.({ tools: [{ type: 'function', name: 'a', parameters: null }] }) as JsonObject],
    [RESPONSES, BODIES[RESPONSES]?.({ input: [{ ...user, id: null, status: null, type: null }] }) as JsonObject],
    ...['max_tokens', 'system', 'tools', 'tool_choice', 'stop_sequences', 'temperature', 'top_k', 'thinking'].map(
      (name): [string, JsonObject] => [MESSAGES, BODIES[MESSAGES]?.({ [name]: null }) as JsonObject],
    ),
    [MESSAGES, BODIES[MESSAGES]?.({ tools: [{ name: 'a', description: null, input_schema: {} }] }) as JsonObject],
    ...[OLLAMA, GENERATE].flatMap((path) =>
      ['format', 'options', 'stream', 'think', 'keep_alive'].map((name): [string, JsonObject] => [
        path,
        BODIES[path]?.({ stream: false, ...(name === 'stream' ? {} : { [name]: null }) }) as JsonObject,
      ]),
    ),
    [OLLAMA, BODIES[OLLAMA]?.({ options: { temperature: null, num_predict: null, stop: null } }) as JsonObject],
    [OLLAMA, BODIES[OLLAMA]?.({ tools: null }) as JsonObject],
    [OLLAMA, BODIES[OLLAMA]?.({ messages: [{ ...user, images: null, tool_calls: null }] }) as JsonObject],
    [GENERATE, BODIES[GENERATE]?.({ system: null, images: null, suffix: null, raw: null }) as JsonObject],
    // As LM Studio and llama.cpp take it.
    [CHAT, BODIES[CHAT]?.({ max_tokens: -1 }) as JsonObject],
    [CHAT, BODIES[CHAT]?.({ max_completion_tokens: -1 }) as JsonObject],
    [OLLAMA, BODIES[OLLAMA]?.({ options: { num_predict: -1 } }) as JsonObject],
  ];
  it.each([...FIELDS, ...MORE])('%s: %j', async (path, body) => {
    const { status, said, asked, dropped } = await send(path, body, 'Hello.');
    expect([status, said, dropped]).toEqual([200, '', '']);
    const { passthrough, sampling } = asked[0] ?? {};
    const limit = path === MESSAGES && body['max_tokens'] !== null ? { max_tokens: 100 } : {};
    expect([passthrough, sampling]).toEqual([undefined, limit]);
  });

  it('counts as absent for vectors too', async () => {
    const embed = async ({ texts }: { texts: readonly string[] }) => ({
      ok: true as const,
      vectors: texts.map(() => [0.5, 1]),
      prompt_tokens: 1,
    });
    const server = await testServer([], {
      modelProvider: { ...scriptedProvider(() => ({ text: '' }), { models: [{ id: 'm' }] }), embed },
    });
    for (const fields of [{ encoding_format: null }, { dimensions: null }, { user: null }])
      for (const path of ['/v1/embeddings', '/api/embed']) {
        const response = await server.call('POST', path, { model: 'm', input: 'x', ...fields });
        expect([path, fields, response.status]).toEqual([path, fields, 200]);
      }
  });
});

describe('an answer in JSON', () => {
  const WANTED = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const FORMS: readonly [path: string, fields: JsonObject][] = [
    [CHAT, { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: WANTED } } }],
    // As llama.cpp and others have it.
    [CHAT, { response_format: { type: 'json_object', schema: WANTED } }],
    [CHAT, { response_format: { type: 'json_schema', schema: WANTED } }],
    [RESPONSES, { text: { format: { type: 'json_schema', name: 'a', schema: WANTED } } }],
    [RESPONSES, { text: { format: { type: 'json_object', schema: WANTED } } }],
    [MESSAGES, { output_config: { format: { type: 'json_schema', schema: WANTED } } }],
    [OLLAMA, { format: WANTED }],
    [GENERATE, { format: WANTED }],
  ];
  it.each(FORMS)('of %s %j never leaves its schema', async (path, fields) => {
    const body = BODIES[path]?.(fields) as JsonObject;
    expect((await send(path, body, '{"n": "many"}')).status).toBe(502);
    expect((await send(path, body, '{"n": 3}')).status).toBe(200);
  });
});

/** Ollama's clients say `:latest` where they mean a name without a tag. */
describe('a name with the tag latest', () => {
  const PATHS: readonly [path: string, body: JsonObject][] = [
    [OLLAMA, { messages: [user], stream: false }],
    [GENERATE, { prompt: 'x', stream: false }],
    ['/api/show', {}],
    // Some of them speak OpenAI's API.
    [CHAT, { messages: [user] }],
  ];
  it.each(PATHS)('is the same model on %s', async (path, body) => {
    for (const model of ['m', 'm:latest', 'default:latest'])
      expect([model, (await send(path, { ...body, model }, 'Hello.')).status]).toEqual([model, 200]);
    for (const model of ['n:latest', 'm:8b', ':latest'])
      expect([model, (await send(path, { ...body, model }, 'Hello.')).status]).toEqual([model, 404]);
  });
});

it('tells of a model where clients of Ollama look: the window behind the name of its kind', async () => {
  const { reply } = await send('/api/show', { model: 'm' });
  const told = reply['model_info'] as JsonObject;
  const kind = String(told['general.architecture']);
  expect([kind, told[`${kind}.context_length`]]).toEqual([expect.stringMatching(/./), 8_192]);
});

describe('a model that is taken out of memory', () => {
  const ROWS: readonly [keep_alive: JsonValue, reason: string][] = [
    [0, 'unload'],
    ['0', 'unload'],
    ['0s', 'unload'],
    ['0m', 'unload'],
    ['0h0m0s', 'unload'],
    [-1, 'load'],
    ['5m', 'load'],
    ['10s', 'load'],
    [null, 'load'],
  ];
  it.each(ROWS)('keep_alive %j: %s', async (keep_alive, reason) => {
    for (const [path, body] of [
      [OLLAMA, { messages: [] }],
      [GENERATE, { prompt: '' }],
    ] as [string, JsonObject][])
      expect((await send(path, { model: 'm', ...body, keep_alive })).reply['done_reason']).toBe(reason);
  });
});

describe('what would change a prompt of Ollama', () => {
  const ROWS: readonly [path: string, fields: JsonObject, said: RegExp][] = [
    [GENERATE, { raw: true }, /^raw /],
    [GENERATE, { template: '{{ .Prompt }}' }, /^template /],
    [GENERATE, { suffix: 'x' }, /^suffix /],
    [GENERATE, { think: 7 }, /think must be/],
    [OLLAMA, { think: 7 }, /think must be/],
    [OLLAMA, { think: {} }, /think must be/],
  ];
  it.each(ROWS)('is refused by %s where it cannot be done: %j', async (path, fields, said) => {
    const got = await send(path, BODIES[path]?.(fields) as JsonObject);
    expect([got.status, got.asked]).toEqual([400, []]);
    expect(got.said).toMatch(said);
  });
  it.each<JsonObject>([{ raw: false }, { template: '' }, { suffix: '' }, { think: 'high' }])(
    'not %j',
    async (fields) => {
      expect((await send(GENERATE, BODIES[GENERATE]?.(fields) as JsonObject, 'Hello.')).status).toBe(200);
    },
  );
});

it('names the grammar of a free-form tool, which is not followed', async () => {
  const tools = [
    { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
  ];
  expect((await send(RESPONSES, BODIES[RESPONSES]?.({ tools }) as JsonObject, 'Hello.')).dropped).toBe(
    'tools.patch.format',
  );
  const plain = [{ type: 'custom', name: 'patch', format: { type: 'text' } }];
  expect((await send(RESPONSES, BODIES[RESPONSES]?.({ tools: plain }) as JsonObject, 'Hello.')).dropped).toBe('');
});

/** Nothing of another type than its API has is taken for something else, or left to the model's server. */
describe('a field of another type', () => {
  type Kind = 'number' | 'text' | 'yes' | 'list' | 'object';
  const VALUES: readonly [Kind, JsonValue][] = [
    ['number', 7],
    ['text', 'x'],
    ['yes', true],
    ['list', [7]],
    ['object', { a: 7 }],
  ];
  const NUMBERS = ['top_k', 'min_p', 'typical_p', 'presence_penalty', 'frequency_penalty', 'repeat_penalty'];
  const numbers = (names: readonly string[]): [string, Kind[]][] => names.map((name) => [name, ['number']]);
  const FIELDS: Readonly<Record<string, readonly [name: string, taken: Kind[]][]>> = {
    [CHAT]: [
      ...numbers([...NUMBERS, 'seed', 'temperature', 'top_p', 'max_tokens', 'max_completion_tokens', 'n']),
      ['messages', []],
      ['tools', []],
      ['tool_choice', []],
      ['parallel_tool_calls', ['yes']],
      ['response_format', []],
      ['stream', ['yes']],
      ['stream_options', ['object']],
      ['stop', ['text']],
      ['reasoning_effort', ['text']],
      ['logit_bias', ['object', 'list']],
      ['chat_template_kwargs', ['object']],
    ],
    [RESPONSES]: [
      ...numbers(['temperature', 'top_p', 'max_output_tokens']),
      ['input', ['text']],
      ['instructions', ['text']],
      ['tools', []],
      ['tool_choice', []],
      ['parallel_tool_calls', ['yes']],
      ['reasoning', ['object']],
      ['text', ['object']],
      ['stream', ['yes']],
      ['store', ['yes']],
      ['metadata', ['object']],
      ['previous_response_id', []],
    ],
    [MESSAGES]: [
      ...numbers(['temperature', 'top_p', 'top_k', 'max_tokens']),
      ['messages', []],
      ['system', ['text']],
      ['tools', []],
      ['tool_choice', []],
      ['stop_sequences', []],
      ['thinking', ['object']],
      ['stream', ['yes']],
      ['output_config', ['object']],
      ['output_format', []],
    ],
    [OLLAMA]: [
      ['messages', []],
      ['tools', []],
      ['format', []],
      ['options', ['object']],
      ['stream', ['yes']],
      ['think', ['yes', 'text']],
    ],
    [GENERATE]: [
      ['prompt', ['text']],
      ['system', ['text']],
      ['images', []],
      ['format', []],
      ['options', ['object']],
      ['stream', ['yes']],
      ['think', ['yes', 'text']],
      ['suffix', []],
      ['raw', []],
      ['template', []],
    ],
  };
  /** Not by its name, but in words. */
  const IN_WORDS: Readonly<Record<string, string>> = { stop: 'Stop sequences' };
  const rows = Object.entries(FIELDS).flatMap(([path, fields]) =>
    fields.flatMap(([name, taken]) =>
      VALUES.filter(([kind]) => !taken.includes(kind)).map(([, value]) => ({ path, name, value })),
    ),
  );
  it.each(rows)('$path refuses $name: $value', async ({ path, name, value }) => {
    const got = await send(path, BODIES[path]?.({ [name]: value }) as JsonObject, 'Hello.');
    expect([got.status, got.asked]).toEqual([400, []]);
    expect(got.said).toContain(IN_WORDS[name] ?? name);
  });
  it.each(NUMBERS.flatMap((name) => ['x', true, [7]].map((value) => ({ name, value }))))(
    'Ollama refuses options.$name: $value',
    async ({ name, value }) => {
      const got = await send(OLLAMA, BODIES[OLLAMA]?.({ options: { [name]: value } }) as JsonObject, 'Hello.');
      expect([got.status, got.said]).toEqual([400, expect.stringContaining(name)]);
    },
  );
});
