import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { JsonSchema } from '../../core/json.ts';
import type { ModelPart } from '../../core/model-port.ts';
import { scriptedNetwork } from '../../testing/scripted-server/network.ts';
import { createLlamaCppProvider } from './llama-cpp.ts';
import { lowerSchema } from './lower-schema.ts';

const clock = { now: () => 0, monotonic: () => 0 };
const REQUEST = { model: 'm', messages: [], tools: [], sampling: {} };
const OK = 'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n';
const LOADING = {
  status: 503,
  chunks: ['{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}'],
};

it('shows how far the prompt is read', async () => {
  verifies('B4');
  const progress = (processed: number): string =>
    `data: ${JSON.stringify({ choices: [], prompt_progress: { total: 900, cache: 100, processed, time_ms: 5 } })}\n\n`;
  const network = scriptedNetwork(() => ({ chunks: [progress(512), progress(900), OK] }));
  const parts: ModelPart[] = [];
  const provider = createLlamaCppProvider({ network, clock });
  await provider.stream(REQUEST, (part) => parts.push(part), new AbortController().signal);
  expect(parts).toEqual([
    { type: 'prefill', processed: 512, total: 900, cached: 100 },
    { type: 'prefill', processed: 900, total: 900, cached: 100 },
    { type: 'text_delta', delta: 'ok' },
  ]);
  expect(JSON.parse(String(network.requests[0]?.body))).toMatchObject({ cache_prompt: true, return_progress: true });
});

it('waits for a server that is loading its model, and then asks', async () => {
  let polls = 0;
  const network = scriptedNetwork((request, number) => {
    if (request.url.endsWith('/health')) {
      polls += 1;
      return polls < 5 ? LOADING : { chunks: ['{"status":"ok"}'] };
    }
    return number === 0 ? LOADING : { chunks: [OK] };
  });
  const parts: ModelPart[] = [];
  const provider = createLlamaCppProvider({ network, clock, sleep: async () => undefined, baseUrl: 'http://h:1' });
  const outcome = await provider.stream(REQUEST, (part) => parts.push(part), new AbortController().signal);
  expect(outcome.ok).toBe(true);
  expect(network.requests.filter((request) => request.url.endsWith('/completions'))).toHaveLength(2);
  expect(parts.filter((part) => part.type === 'loading')).toHaveLength(5);
  expect(network.requests[1]?.url).toBe('http://h:1/health');
});

it('stops waiting for a loading server on cancel', async () => {
  const stop = new AbortController();
  const network = scriptedNetwork(() => LOADING);
  const provider = createLlamaCppProvider({ network, clock, sleep: async () => stop.abort() });
  const outcome = await provider.stream(REQUEST, () => undefined, stop.signal);
  expect(outcome).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  expect(network.requests).toHaveLength(1);
});

it('leaves out of schemas what llama.cpp cannot turn into a grammar, and nothing else', () => {
  verifies('B1');
  const schema: JsonSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      pattern: { type: 'string', pattern: '^a+$', description: 'p' },
      when: { type: 'string', format: 'date-time', enum: ['pattern', 'format'], default: { format: 'x' } },
      list: { type: 'array', items: { anyOf: [{ type: 'string', pattern: 'x' }, { type: 'null' }] } },
    },
    required: ['pattern', 'format'],
  };
  expect(lowerSchema(schema)).toEqual({
    type: 'object',
    properties: {
      pattern: { type: 'string', description: 'p' },
      when: { type: 'string', enum: ['pattern', 'format'], default: { format: 'x' } },
      list: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    },
    required: ['pattern', 'format'],
  });
});

it("counts a prompt by the model's own template and tokenizer, before it is sent", async () => {
  verifies('B7');
  const network = scriptedNetwork((request) =>
    request.url.endsWith('/apply-template')
      ? { chunks: ['{"prompt":"<|user|>hello<|assistant|>"}'] }
      : { chunks: ['{"tokens":[1,15043,2,3]}'] },
  );
  const provider = createLlamaCppProvider({ network, clock, baseUrl: 'http://h:1' });
  const tool = { type: 'function' as const, function: { name: 'ls', description: 'List.', parameters: {} } };
  const signal = new AbortController().signal;
  const messages = [{ role: 'user' as const, content: 'hello' }];
  expect(await provider.countTokens?.({ model: 'm', messages, tools: [tool] }, signal)).toBe(4);
  expect(network.requests.map(({ url }) => url)).toEqual(['http://h:1/apply-template', 'http://h:1/tokenize']);
  expect(JSON.parse(String(network.requests[0]?.body))).toMatchObject({
    messages: [{ role: 'user', content: 'hello' }],
    tools: [{ function: { name: 'ls' } }],
  });
  expect(JSON.parse(String(network.requests[1]?.body))).toMatchObject({
    content: '<|user|>hello<|assistant|>',
    parse_special: true,
  });
});

it('reads ahead what will come, and writes one token that nobody sees', async () => {
  verifies('B4');
  const network = scriptedNetwork(() => ({ chunks: [OK] }));
  const provider = createLlamaCppProvider({ network, clock });
  const messages = [{ role: 'system' as const, content: 'Be short.' }];
  const read = await provider.warmUp?.read({ ...REQUEST, messages }, new AbortController().signal);
  expect(read).toEqual({ ok: true });
  expect(JSON.parse(String(network.requests[0]?.body))).toMatchObject({
    messages: [{ role: 'system', content: 'Be short.' }],
    max_tokens: 1,
    cache_prompt: true,
  });
});
