import { expect, it } from 'vitest';
import { createNetwork } from '../io/network.ts';
import { scriptedNetwork } from '../testing/scripted-server/network.ts';
import { startScriptedServer } from '../testing/scripted-server.ts';
import { detectEndpoints, ollamaUrlFrom, usualEndpoints } from './detect.ts';
import { parseModelName } from './index.ts';
import { PROVIDER_LIMITS } from './limits.ts';

it('finds the servers that run, in the usual order, the loaded models first', async () => {
  await using ollama = await startScriptedServer({
    serves: ['ollama'],
    models: [{ id: 'cold' }, { id: 'warm', loaded_context_length: 4_096 }],
  });
  await using studio = await startScriptedServer({ serves: ['lm-studio', 'openai'], models: [{ id: 'studio' }] });
  await using silent = await startScriptedServer({ serves: [] });
  const [first, second, third, fourth] = usualEndpoints();
  if (!first || !second || !third || !fourth) throw new Error('four are due');
  const network = createNetwork();
  const found = await detectEndpoints(network, new AbortController().signal, [
    { ...first, baseUrl: ollama.url },
    // Another program on the port of llama.cpp, and nothing on the port of vLLM.
    { ...second, baseUrl: silent.openaiUrl },
    { ...third, baseUrl: studio.openaiUrl },
    { ...fourth, baseUrl: 'http://127.0.0.1:1/v1' },
  ]);
  network.close();
  expect(found.map(({ title, provider, models }) => [title, provider, models])).toEqual([
    ['Ollama', 'ollama', ['warm', 'cold']],
    ['LM Studio', 'openai', ['studio']],
  ]);
});

it('takes a llama.cpp server that loads its model for one that is there', async () => {
  const LOADING = '{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}';
  const network = scriptedNetwork(({ url }) =>
    url.includes(':8080/') ? { status: 503, chunks: [LOADING] } : { failure: { kind: 'refused', message: 'no' } },
  );
  const found = await detectEndpoints(network, new AbortController().signal);
  expect(found).toMatchObject([{ title: 'llama.cpp', models: [], loading: true }]);
});

it('asks all at once and waits for none longer than a probe may take', async () => {
  const network = scriptedNetwork(() => ({ failure: { kind: 'refused', message: 'no' } }));
  expect(await detectEndpoints(network, new AbortController().signal)).toEqual([]);
  for (const request of network.requests) {
    const timeoutMs = PROVIDER_LIMITS.probeTimeoutMs;
    expect(request).toMatchObject({
      connectTimeoutMs: timeoutMs,
      firstByteTimeoutMs: timeoutMs,
      silenceTimeoutMs: timeoutMs,
    });
  }
  expect(new Set(network.requests.map((request) => new URL(request.url).port))).toEqual(
    new Set(['11434', '8080', '1234', '8000']),
  );
});

it.each([
  [undefined, 'http://127.0.0.1:11434'],
  ['', 'http://127.0.0.1:11434'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  ['0.0.0.0:9000', 'http://127.0.0.1:9000'],
  ['[::]:9000', 'http://127.0.0.1:9000'],
  [':9000', 'http://127.0.0.1:9000'],
  ['box', 'http://box:11434'],
  ['box:80', 'http://box'],
  ['http://box:9000/', 'http://box:9000'],
  ['https://box', 'https://box'],
  ['https://box/ollama', 'https://box/ollama'],
  ['"box"', 'http://box:11434'],
  ['not a host', 'http://127.0.0.1:11434'],
])('reads OLLAMA_HOST %s', (host, url) => {
  expect(ollamaUrlFrom(host)).toBe(url);
  expect(usualEndpoints({ OLLAMA_HOST: host })[0]?.baseUrl).toBe(url);
});

it.each([
  ['ollama/qwen3:8b', { provider: 'ollama', model: 'qwen3:8b' }],
  ['openai/meta-llama/Llama-3', { provider: 'openai', model: 'meta-llama/Llama-3' }],
  ['meta-llama/Llama-3', { model: 'meta-llama/Llama-3' }],
  ['qwen3', { model: 'qwen3' }],
  ['llama-cpp', { provider: 'llama-cpp' }],
  ['embedded/', { provider: 'embedded' }],
  ['', {}],
])('reads the model name %s', (text, expected) => {
  expect(parseModelName(text)).toEqual(expected);
});
