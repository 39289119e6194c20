/** A field that halter adds by itself and a server refuses is left out: fields × wordings × statuses × providers. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { ModelPart, ModelRequest } from '../core/model-port.ts';
import { scriptedNetwork } from '../testing/index.ts';
import { never, PROVIDERS, quiet, request } from '../testing/scripted-server/table.ts';
import { createProvider, type ServerProviderName } from './index.ts';

const SCHEMA = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };

/** A server that refuses a body with one of these fields in the given way. */
const refusing = (name: ServerProviderName, fields: readonly string[], status: number, body: string) => {
  const row = PROVIDERS.find((provider) => provider.name === name);
  const seen: Record<string, unknown>[] = [];
  const network = scriptedNetwork((asked) => {
    if (!asked.url.endsWith('/api/chat') && !asked.url.endsWith('/chat/completions')) return undefined;
    const sent = JSON.parse(Buffer.from(asked.body as Uint8Array).toString()) as Record<string, unknown>;
    seen.push(sent);
    if (fields.some((field) => sent[field] !== undefined)) return { status, chunks: [body] };
    return { headers: { 'content-type': row?.contentType ?? '' }, chunks: [row?.write({ text: '{"a":1}' }) ?? ''] };
  });
  const provider = createProvider(name, { ...quiet([]), network });
  const ask = async (more: Partial<ModelRequest>) => {
    const parts: ModelPart[] = [];
    const outcome = await provider.stream(request({ tools: [], ...more }), (part) => parts.push(part), never());
    return { outcome, warnings: parts.flatMap((part) => (part.type === 'warning' ? [part] : [])) };
  };
  return { ask, seen };
};

const said = (message: string): string => JSON.stringify({ error: { message } });

const FORMAT_WORDS: readonly (readonly [number, string])[] = [
  [400, said('This response_format type is unavailable now')],
  [400, said("'response_format.type' must be one of 'text', 'json_object'")],
  [400, said('Unrecognized request argument supplied: response_format')],
  [400, said('response_format is not supported')],
  [400, said('json_schema is not supported, use json_object')],
  [400, said('failed to parse grammar')],
  [400, said('nope')],
  [400, ''],
  [404, said('No endpoints found that support structured outputs.')],
  [415, said('Unsupported')],
  [422, said('json_schema unsupported')],
  [
    422,
    '{"detail":[{"type":"extra_forbidden","loc":["body","response_format"],"msg":"Extra inputs are not permitted"}]}',
  ],
  [500, said('failed to compile grammar')],
  [500, said('Internal error')],
  [501, said('Not implemented')],
  [400, said('json: unknown field "format"')],
  [400, said('参数 response_format 不支持')],
  [400, '{"error":{"message":"Unsupported parameter","param":"response_format"}}'],
];

const FORMAT_FIELDS = ['response_format', 'json_schema', 'format'];

describe.each(PROVIDERS)('$name', ({ name }) => {
  it.each(FORMAT_WORDS)('asks for the shape in words where it is refused as %i %s', async (status, body) => {
    verifies('L2');
    const { ask, seen } = refusing(name, FORMAT_FIELDS, status, body);
    const first = await ask({ response_schema: SCHEMA });
    expect(first.outcome).toMatchObject({ ok: true });
    const refused = seen.filter((sent) => FORMAT_FIELDS.some((field) => sent[field] !== undefined)).length;
    expect(refused).toBe(status === 500 && body.includes('Internal') ? 4 : 1);
    expect(seen).toHaveLength(refused + 1);
    expect(JSON.stringify(seen.at(-1)?.['messages'])).toContain(JSON.stringify(JSON.stringify(SCHEMA)).slice(1, -1));
    expect(first.warnings.map(({ code }) => code)).toContain('field_refused');
    const second = await ask({ response_schema: SCHEMA });
    expect(second.outcome).toMatchObject({ ok: true });
    expect(seen).toHaveLength(refused + 2);
    expect(second.warnings).toEqual([]);
  });

  it('does not ask for a shape in words where nothing but its decoding is of use', async () => {
    const { ask, seen } = refusing(name, FORMAT_FIELDS, 400, said('response_format is not supported'));
    expect((await ask({ response_schema: SCHEMA, must_constrain: true })).outcome.ok).toBe(false);
    expect((await ask({ response_schema: SCHEMA, must_constrain: true })).outcome.ok).toBe(false);
    expect(seen).toHaveLength(1);
  });

  it('tells a refusal that stays: at most one request more for each field', async () => {
    const { ask, seen } = refusing(
      name,
      ['model'],
      400,
      said('Unrecognized request argument supplied: response_format'),
    );
    expect((await ask({ response_schema: SCHEMA })).outcome).toMatchObject({ ok: false, error: { status: 400 } });
    expect(seen.length).toBeLessThanOrEqual(2);
    await ask({ response_schema: SCHEMA });
    expect(seen.length).toBeLessThanOrEqual(4);
  });

  it.each([
    [400, said('test-model does not support tools')],
    [400, said('Unrecognized request argument supplied: tools')],
    [400, said("Unknown parameter: 'tools'.")],
    [400, said('json: unknown field "tools"')],
    [400, said('Tool calling is not supported by this model')],
    [400, said('This model does not support function calling')],
    [400, said('Function calls are not available here')],
    [404, said('No endpoints found that support tool use.')],
    [422, '{"detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted"}]}'],
    [422, said("Additional properties are not allowed ('tools' was unexpected)")],
    [400, said("got an unexpected keyword argument 'tools'")],
    [500, said('tools param requires --jinja flag')],
    [500, said('tools are unsupported')],
    [501, said('tools: not implemented')],
    [400, said('tool_choice is not supported')],
    [400, said('模型不支持 tools')],
  ])('says that tools are what is refused: %i %s', async (status, body) => {
    const { ask, seen } = refusing(name, ['tools'], status, body);
    const { outcome } = await ask({ tools: request().tools });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'tools_unsupported' } });
    expect(seen).toHaveLength(1);
  });

  it.each([
    'Invalid schema for function "ls": tools[0].function.parameters is not valid',
    "An assistant message with 'tool_calls' must be followed by tool messages",
    "Invalid 'messages[2].tool_calls[0].id': not supported characters",
    'Temperature must be between 0 and 2',
    'Unknown role: tool',
    'prompt is not valid',
  ])('takes no other refusal for one of tools or of a field: %s', async (message) => {
    const { ask, seen } = refusing(name, ['model'], 400, said(message));
    const { outcome } = await ask({ tools: request().tools });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'bad_request' } });
    expect(seen).toHaveLength(1);
  });
});

const OWN: readonly (readonly [ServerProviderName, string, Partial<ModelRequest>])[] = [
  ['openai', 'stream_options', {}],
  ['openai', 'parallel_tool_calls', { tools: request().tools, parallel_calls: false }],
  ['openai', 'chat_template_kwargs', { sampling: { think: false } }],
  ['openai', 'stop', { stop: ['<|im_end|>'] }],
  ['llama-cpp', 'cache_prompt', {}],
  ['llama-cpp', 'return_progress', {}],
  ['llama-cpp', 'thinking_budget_tokens', { sampling: { think_budget: 100 } }],
  ['llama-cpp', 'stream_options', {}],
  ['ollama', 'think', { sampling: { think: false } }],
  ['ollama', 'keep_alive', {}],
  ['openai', 'temperature', { sampling: { temperature: 0 }, own_sampling: true }],
  ['openai', 'seed', { sampling: { seed: 7 }, own_sampling: true }],
];
const WORDS: readonly (readonly [number, (field: string) => string])[] = [
  [400, (field) => said(`Unrecognized request argument supplied: ${field}`)],
  [400, (field) => said(`Unknown parameter: '${field}'.`)],
  [400, (field) => said(`json: unknown field "${field}"`)],
  [422, (field) => JSON.stringify({ detail: [{ loc: ['body', field], msg: 'Extra inputs are not permitted' }] })],
  [422, (field) => said(`Additional properties are not allowed ('${field}' was unexpected)`)],
  [400, (field) => JSON.stringify({ error: { message: 'Unsupported parameter', param: field } })],
  [404, (field) => said(`${field} is not supported`)],
  [415, (field) => said(`property '${field}' is unsupported`)],
  [500, (field) => said(`got an unexpected keyword argument '${field}'`)],
  [501, (field) => said(`${field}: not implemented`)],
  [400, () => said('Unsupported parameter')],
  [501, () => said('Not implemented')],
];

it.each(
  OWN.flatMap(([name, field, more]) =>
    WORDS.map(([status, words]) => [name, field, status, words(field), more] as const),
  ),
)('%s leaves out %s where the server refuses it as %i %s', async (name, field, status, body, more) => {
  const { ask, seen } = refusing(name, [field], status, body);
  const { outcome, warnings } = await ask(more);
  expect(outcome).toMatchObject({ ok: true });
  expect(seen).toHaveLength(2);
  expect(warnings.map(({ code }) => code)).toEqual(['field_refused']);
  expect((await ask(more)).warnings).toEqual([]);
  expect(seen).toHaveLength(3);
});

it('leaves out several, one after the other', async () => {
  const { ask, seen } = refusing('llama-cpp', [], 400, '');
  void ask;
  void seen;
  const row = PROVIDERS.find((provider) => provider.name === 'llama-cpp');
  const bad = ['stream_options', 'cache_prompt', 'return_progress'];
  let count = 0;
  const network = scriptedNetwork((asked) => {
    if (!asked.url.endsWith('/chat/completions')) return undefined;
    count += 1;
    const sent = JSON.parse(Buffer.from(asked.body as Uint8Array).toString()) as Record<string, unknown>;
    const field = bad.find((one) => sent[one] !== undefined);
    if (field !== undefined) return { status: 400, chunks: [said(`unknown field "${field}"`)] };
    return { headers: { 'content-type': row?.contentType ?? '' }, chunks: [row?.write({ text: 'x' }) ?? ''] };
  });
  const provider = createProvider('llama-cpp', { ...quiet([]), network });
  expect((await provider.stream(request({ tools: [] }), () => {}, never())).ok).toBe(true);
  expect(count).toBe(4);
});

it.each<[string, Partial<ModelRequest>]>([
  ['temperature', { sampling: { temperature: 0.5 } }],
  ['top_p', { sampling: { top_p: 0.5 } }],
  ['seed', { sampling: { seed: 5 } }],
  ['max_tokens', { sampling: { max_tokens: 5 } }],
  ['reasoning_effort', { passthrough: { reasoning_effort: 'low' } }],
  ['top_k', { passthrough: { top_k: 5 } }],
])('says in words that %s was set and is refused', async (field, more) => {
  const { ask, seen } = refusing('openai', [field], 400, said(`Unsupported parameter: '${field}' is not supported`));
  const { outcome } = await ask(more);
  expect(outcome).toMatchObject({
    ok: false,
    error: { code: 'bad_request', hint: expect.stringContaining(field) },
  });
  expect(seen).toHaveLength(1);
});

it('asks for another schema under constraint where one schema was refused', async () => {
  const { ask, seen } = refusing(
    'openai',
    ['response_format'],
    400,
    said('Invalid schema for response_format: not allowed'),
  );
  await ask({ response_schema: SCHEMA });
  await ask({ response_schema: { type: 'object' } });
  expect(seen.map((sent) => sent['response_format'] !== undefined)).toEqual([true, false, true, false]);
});
