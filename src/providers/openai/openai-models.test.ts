import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { scriptedNetwork } from '../../testing/scripted-server/network.ts';
import { createOpenAIProvider, openaiBaseUrl } from './openai.ts';

const clock = { now: () => 0, monotonic: () => 0 };
const never = new AbortController().signal;

describe('what a server says of its models', () => {
  const models = async (routes: Record<string, unknown>, model = 'm') => {
    const network = scriptedNetwork((request) => {
      const found = routes[new URL(request.url).pathname];
      return found === undefined ? undefined : { chunks: [JSON.stringify(found)] };
    });
    const provider = createOpenAIProvider({ network, clock, baseUrl: 'http://127.0.0.1:9/' });
    return provider.describe(model, new AbortController().signal);
  };

  it('reads the window from each place where servers keep it', async () => {
    verifies('B7');
    const entry = (fields: object): object => ({ data: [{ id: 'm', ...fields }] });
    for (const fields of [
      { max_model_len: 4096 },
      { context_length: 4096 },
      { context_window: 4096 },
      { meta: { n_ctx: 4096, n_ctx_train: 131_072 } },
    ]) {
      expect(await models({ '/v1/models': entry(fields) })).toMatchObject({
        ok: true,
        model: { context_length: 4096 },
      });
    }
    expect(
      await models({
        '/v1/models': entry({ meta: { n_ctx_train: 131_072 } }),
        '/props': { default_generation_settings: { n_ctx: 4096 }, chat_template: 'T', modalities: { vision: true } },
      }),
    ).toMatchObject({ model: { context_length: 4096, chat_template: 'T', vision: true } });
    const lmStudio = { id: 'm', type: 'vlm', state: 'loaded', max_context_length: 99_999, loaded_context_length: 4096 };
    expect(
      await models({
        '/v1/models': entry({}),
        '/api/v0/models': { data: [{ ...lmStudio, capabilities: ['tool_use'] }] },
      }),
    ).toMatchObject({ model: { context_length: 4096, vision: true, tools: true, loaded: true } });
    expect(
      await models({ '/v1/models': entry({}), '/api/ps': { models: [{ name: 'm:latest', context_length: 4096 }] } }),
    ).toMatchObject({ model: { context_length: 4096 } });
  });

  const TYPED = { id: 'm', type: 'llm', state: 'loaded' };
  const trained = (is: boolean) => ({
    models: [{ key: 'm', size_bytes: 90, capabilities: { vision: false, trained_for_tool_use: is } }],
  });
  it.each<[string, Record<string, unknown>, boolean | undefined]>([
    ['OpenRouter, with tools', { '/v1/models': { supported_parameters: ['tools', 'seed'] } }, true],
    ['OpenRouter, without', { '/v1/models': { supported_parameters: ['seed', 'temperature'] } }, false],
    ['Mistral, with tools', { '/v1/models': { capabilities: { function_calling: true } } }, true],
    ['Mistral, without', { '/v1/models': { capabilities: { function_calling: false } } }, false],
    ['llama.cpp, whose list never names them', { '/v1/models': { capabilities: ['completion'] } }, undefined],
    ['an empty list', { '/v1/models': { supported_parameters: [] } }, undefined],
    ['LM Studio, with tools', { '/api/v0/models': { ...TYPED, capabilities: ['tool_use'] } }, true],
    ['LM Studio from before', { '/api/v0/models': TYPED }, undefined],
    ['LM Studio, not trained for them', { '/api/v0/models': TYPED, '/api/v1/models': trained(false) }, false],
    ['LM Studio, trained for them', { '/api/v0/models': TYPED, '/api/v1/models': trained(true) }, true],
    ['a server that says nothing', {}, undefined],
  ])('reads whether the model takes tools: %s', async (_, routes, expected) => {
    verifies('L2');
    const entry = (route: string): object => ({ data: [{ id: 'm', ...(routes[route] as object | undefined) }] });
    const described = await models({
      ...routes,
      '/v1/models': entry('/v1/models'),
      ...(routes['/api/v0/models'] ? { '/api/v0/models': entry('/api/v0/models') } : {}),
    });
    expect(described.ok && described.model.tools).toBe(expected);
  });

  it.each([
    [
      'llama.cpp in router mode',
      'llamacpp',
      { '/props': { role: 'router', default_generation_settings: { n_ctx: 0 } } },
      '/props?model=b%2Fm',
    ],
    ['llama-swap', 'llama-swap', {}, '/upstream/b%2Fm/props'],
  ])('asks about the very model where one is loaded as it is asked for: %s', async (_, owned_by, routes, path) => {
    verifies('B7', 'L2');
    const list = (value: string) => ({
      data: [
        { id: 'a', owned_by, status: { value: 'unloaded' } },
        { id: 'b/m', owned_by, status: { value }, ...(value === 'loaded' ? { meta: { size: 90 } } : {}) },
      ],
    });
    let status = 'unloaded';
    const network = scriptedNetwork((request) => {
      const { pathname, search } = new URL(request.url);
      if (`${pathname}${search}` === path) {
        status = 'loaded';
        return { chunks: [JSON.stringify({ default_generation_settings: { n_ctx: 4096 }, chat_template: 'T' })] };
      }
      const found = pathname === '/v1/models' ? list(status) : (routes as Record<string, unknown>)[pathname];
      return found === undefined ? undefined : { chunks: [JSON.stringify(found)] };
    });
    const provider = createOpenAIProvider({ network, clock, baseUrl: 'http://127.0.0.1:9/' });
    const described = await provider.describe('b/m', never);
    expect(described.ok && described.model).toEqual({
      id: 'b/m',
      size_bytes: 90,
      context_length: 4096,
      chat_template: 'T',
      loaded: true,
    });
    expect(await provider.models(never)).toMatchObject({ models: [{ loaded: false }, { loaded: true }] });
    expect(await provider.describe('c', never)).toMatchObject({ ok: false, error: { code: 'model_not_found' } });
  });

  it('says nothing of what no server told: a plain list at any address is none that knows of pictures', async () => {
    const plain = { object: 'list', data: [{ id: 'm', object: 'model' }] };
    const described = await models({ '/v1/models': plain, '/api/v0/models': plain });
    expect(described.ok && described.model).toEqual({ id: 'm' });
    const blind = { data: [{ id: 'm', type: 'llm', state: 'not-loaded' }] };
    expect(await models({ '/v1/models': plain, '/api/v0/models': blind })).toMatchObject({
      model: { vision: false, loaded: false },
    });
  });

  it('takes the window of one model of several from the list, and not from what the server says of another', async () => {
    verifies('B7');
    const routes = {
      '/v1/models': {
        data: [
          { id: 'large', context_length: 32_768 },
          { id: 'small', context_length: 8_192 },
        ],
      },
      '/props': { default_generation_settings: { n_ctx: 32_768 } },
    };
    expect(await models(routes, 'small')).toMatchObject({ model: { context_length: 8_192 } });
    const loaded = { id: 'small', state: 'loaded', loaded_context_length: 4_096 };
    expect(await models({ ...routes, '/api/v0/models': { data: [loaded] } }, 'small')).toMatchObject({
      model: { context_length: 4_096 },
    });
  });

  it('does not make up a window', async () => {
    const result = await models({
      '/v1/models': { data: [{ id: 'm', max_model_len: 0, meta: { n_ctx_train: 131_072 } }] },
      '/api/v0/models': { data: [{ id: 'm', state: 'not-loaded', max_context_length: 131_072 }] },
    });
    expect(result.ok && result.model.context_length).toBeUndefined();
  });

  it('takes any name where llama.cpp serves its one model, and no unknown name elsewhere', async () => {
    const list = { '/v1/models': { data: [{ id: 'model.gguf' }] } };
    const props = { '/props': { default_generation_settings: { n_ctx: 4096 }, chat_template: 'T' } };
    const told = { ok: true, model: { id: 'anything', answers_as: 'model.gguf' } };
    expect(await models({ ...list, ...props }, 'anything')).toMatchObject(told);
    expect(await models(list, 'anything')).toMatchObject({ ok: false, error: { code: 'model_not_found' } });
  });

  it.each([
    ['Qwen3-8B-Q4_K_M.gguf', 'Qwen3-8B-Q4_K_M.gguf', undefined],
    ['Qwen3-8B-Q4_K_M.gguf', 'qwen3-8b', undefined],
    ['Qwen3-8B-Q4_K_M.gguf', 'mine', undefined],
    ['Qwen3-8B-Q4_K_M.gguf', 'qwen3-14b', 'Qwen3-8B-Q4_K_M.gguf'],
    ['Qwen3-8B-Q4_K_M.gguf', '/', 'Qwen3-8B-Q4_K_M.gguf'],
    ['Qwen3-8B-Q4_K_M.gguf', 'qwen3', undefined],
    ['Qwen3-8B-Q4_K_M.gguf', 'qwen 3:8b', undefined],
    ['Meta-Llama-3.1-8B-Instruct', 'llama3.1', undefined],
    ['Qwen3-8B-Q4_K_M.gguf', '4', 'Qwen3-8B-Q4_K_M.gguf'],
    ['Qwen3-8B-Q4_K_M.gguf', '8b', 'Qwen3-8B-Q4_K_M.gguf'],
    ['Qwen3-8B-Q4_K_M.gguf', 'b', 'Qwen3-8B-Q4_K_M.gguf'],
    ['Qwen3-8B-Q4_K_M.gguf', 'wen3', 'Qwen3-8B-Q4_K_M.gguf'],
    ['Qwen3-14B', 'qwen3-1', 'Qwen3-14B'],
    ['Qwen3-8B-Q4_K_M.gguf', '通义', 'Qwen3-8B-Q4_K_M.gguf'],
  ])('tells which model answers where it has another name: %s for %s', async (id, asked, expected) => {
    verifies('B7');
    const described = await models(
      {
        '/v1/models': { data: [{ id, aliases: [id, 'mine'] }] },
        '/props': { default_generation_settings: { n_ctx: 4096 }, chat_template: 'T' },
      },
      asked,
    );
    if (!described.ok) throw new Error(described.error.message);
    expect(described.model.id).toBe(asked);
    expect(described.model.answers_as).toBe(expected);
  });

  it.each([
    ['Loading model', 'loading'],
    ['Stream owner model is loading, retry later', 'loading'],
    ['no slot available', undefined],
  ])('tells a server that loads its model from one that is busy: %s', async (message, reason) => {
    verifies('B5');
    const network = scriptedNetwork(() => ({
      status: 503,
      chunks: [JSON.stringify({ error: { code: 503, message } })],
    }));
    const described = await createOpenAIProvider({ network, clock }).describe('m', never);
    expect(described).toMatchObject({ ok: false, error: { code: 'server_error' } });
    expect(described.ok ? undefined : described.error.reason).toBe(reason);
  });

  it('says when the address is another program', async () => {
    const network = scriptedNetwork(() => ({ headers: { 'content-type': 'text/html' }, chunks: ['<html>'] }));
    const provider = createOpenAIProvider({ network, clock });
    expect(await provider.models(new AbortController().signal)).toMatchObject({
      ok: false,
      error: { code: 'protocol' },
    });
  });
});

it('takes the address of the server, of the API or of a route', () => {
  for (const given of [
    'http://h:1',
    'http://h:1/',
    'http://h:1/v1',
    'http://h:1/v1/',
    'http://h:1/v1/chat/completions',
  ]) {
    expect(openaiBaseUrl(given)).toBe('http://h:1/v1');
  }
  expect(openaiBaseUrl('https://h/api/openai/v3')).toBe('https://h/api/openai/v3');
});
