/** What Ollama really sends, and what it is asked for. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { ModelOutcome, ModelPart } from '../../core/model-port.ts';
import { createNetwork } from '../../io/network.ts';
import type { ScriptedModel } from '../../testing/scripted-server/models.ts';
import { type ScriptedResponse, scriptedNetwork } from '../../testing/scripted-server/network.ts';
import { startScriptedServer } from '../../testing/scripted-server.ts';
import type { ProviderOptions } from '../provider-options.ts';
import { createOllamaProvider, ollamaBaseUrl } from './ollama.ts';

const clock = { now: () => 0, monotonic: () => 0 };
const REQUEST = { model: 'm', messages: [], tools: [], sampling: {} };
const never = (): AbortSignal => new AbortController().signal;

const ask = async (
  response: ScriptedResponse,
  more: Partial<ProviderOptions> = {},
): Promise<{ outcome: ModelOutcome; parts: ModelPart[] }> => {
  const parts: ModelPart[] = [];
  const network = scriptedNetwork((request) => (request.url.endsWith('/api/chat') ? response : undefined));
  const provider = createOllamaProvider({ network, clock, random: () => 0, sleep: async () => undefined, ...more });
  const outcome = await provider.stream(REQUEST, (part) => parts.push(part), never());
  return { outcome, parts };
};

const line = (value: object): string => `${JSON.stringify({ model: 'm', created_at: 't', ...value })}\n`;
const message = (fields: object): string =>
  line({ message: { role: 'assistant', content: '', ...fields }, done: false });
const end = (reason = 'stop'): string =>
  line({
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: reason,
    prompt_eval_count: 9,
    eval_count: 3,
  });
const calls = async (toolCalls: unknown[], reason = 'stop', more: Partial<ProviderOptions> = {}) => {
  const { outcome } = await ask({ chunks: [message({ tool_calls: toolCalls }), end(reason)] }, more);
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.answer;
};

describe('calls', () => {
  it('come with arguments as an object or as JSON text, with and without id and type', async () => {
    verifies('Z15');
    const answer = await calls([
      { function: { name: 'ls', arguments: { path: 'x' } } },
      { id: 'given', type: 'function', function: { index: 1, name: 'ls', arguments: '{"path":"y"}' } },
      { function: { name: 'ls', arguments: '' } },
      { function: { name: 'ls' } },
      { name: 'ls', arguments: { path: 'z' } },
    ]);
    expect(answer.finish).toBe('tool_calls');
    expect(answer.calls.map((call) => [call.name, call.arguments, call.malformed, call.source])).toEqual([
      ['ls', { path: 'x' }, undefined, 'native'],
      ['ls', { path: 'y' }, undefined, 'native'],
      ['ls', {}, undefined, 'native'],
      ['ls', {}, undefined, 'native'],
      ['ls', { path: 'z' }, undefined, 'native'],
    ]);
    expect(answer.calls.every((call) => (call.id ?? '').length > 0)).toBe(true);
    expect(answer.calls[1]?.id).toBe('given');
  });

  it('stay apart over several lines', async () => {
    const one = { function: { index: 0, name: 'ls', arguments: { path: 'x' } } };
    const other = { function: { index: 0, name: 'ls', arguments: { path: 'y' } } };
    const { outcome } = await ask({
      chunks: [message({ tool_calls: [one] }), message({ tool_calls: [other] }), end()],
    });
    expect(outcome.ok && outcome.answer.calls.map((call) => call.arguments)).toEqual([{ path: 'x' }, { path: 'y' }]);
  });

  it('with broken arguments are repaired by the function that was handed in, or stay text', async () => {
    const broken = [{ function: { name: 'ls', arguments: '{"path": "x"' } }];
    expect((await calls(broken)).calls[0]?.malformed?.text).toBe('{"path": "x"');
    const repairArguments = () =>
      ({ ok: true, value: { path: 'x' }, repairs: [{ kind: 'closer', detail: '' }] }) as const;
    const repaired = { repairArguments: () => ({ ...repairArguments(), repairs: [...repairArguments().repairs] }) };
    expect((await calls(broken, 'stop', repaired)).calls[0]).toMatchObject({ arguments: { path: 'x' } });
    expect((await calls(broken, 'length', repaired)).calls[0]?.malformed?.problem).toContain('token limit');
  });
});

describe('the stream', () => {
  it('carries thoughts, and usage at its end', async () => {
    const { outcome, parts } = await ask({ chunks: [message({ thinking: 'hm' }), message({ content: 'ok' }), end()] });
    expect(parts).toEqual([
      { type: 'reasoning_delta', delta: 'hm' },
      { type: 'text_delta', delta: 'ok' },
    ]);
    expect(outcome).toEqual({
      ok: true,
      answer: {
        calls: [],
        finish: 'stop',
        usage: { prompt_tokens: 9, completion_tokens: 3, seconds: 0, prompt_seconds: 0 },
      },
    });
  });

  it('may be one object', async () => {
    const body = { model: 'm', message: { role: 'assistant', content: 'ok' }, done: true, done_reason: 'stop' };
    const { outcome, parts } = await ask({ chunks: [JSON.stringify(body)] });
    expect(outcome.ok).toBe(true);
    expect(parts).toEqual([{ type: 'text_delta', delta: 'ok' }]);
  });
});

describe('the window', () => {
  const setup = async (model: Partial<ScriptedModel>, more: Partial<ProviderOptions> = {}) => {
    const server = await startScriptedServer({ turns: () => ({ text: 'ok' }), models: [{ id: 'm', ...model }] });
    const network = createNetwork();
    const provider = createOllamaProvider({ network, clock, baseUrl: server.url, ...more });
    return {
      server,
      provider,
      /** What the server was told. */
      sent: async (): Promise<unknown> => {
        await provider.stream(REQUEST, () => undefined, never());
        return server.requests.at(-1)?.body['options'];
      },
      [Symbol.asyncDispose]: async () => {
        network.close();
        await server.close();
      },
    };
  };

  it.each([
    [
      'what the person asked for',
      { context_length: 131_072, loaded_context_length: 32_768 },
      { contextTokens: 20_000 },
      20_000,
    ],
    ['what the model runs with', { context_length: 131_072, loaded_context_length: 32_768 }, {}, 32_768],
    [
      'more than a model that runs with very little',
      { context_length: 131_072, loaded_context_length: 4_096 },
      {},
      8_192,
    ],
    [
      'what the model file says',
      { context_length: 131_072, parameters: 'stop "<|im_end|>"\nnum_ctx   16384\ntop_k 20' },
      {},
      16_384,
    ],
    ['our own number', { context_length: 131_072 }, {}, 8_192],
    ['never more than the model was made for', { context_length: 2_048 }, { contextTokens: 20_000 }, 2_048],
  ])('is %s', async (_, model, more, expected) => {
    verifies('B7');
    await using used = await setup(model, more);
    expect(await used.sent()).toMatchObject({ num_ctx: expected });
    expect(await used.provider.describe('m', never())).toMatchObject({ model: { context_length: expected } });
  });

  it('stays the same for the whole session', async () => {
    const models: ScriptedModel[] = [{ id: 'm', context_length: 131_072 }];
    await using server = await startScriptedServer({ turns: () => ({ text: 'ok' }), models });
    const network = createNetwork();
    const provider = createOllamaProvider({ network, clock, baseUrl: server.url });
    await provider.stream(REQUEST, () => undefined, never());
    // Another program loads it with another window meanwhile.
    models[0] = { id: 'm', context_length: 131_072, loaded_context_length: 65_536 };
    await provider.stream(REQUEST, () => undefined, never());
    network.close();
    expect(server.requests.map((request) => request.body['options'])).toEqual([{ num_ctx: 8_192 }, { num_ctx: 8_192 }]);
    expect(server.paths.filter((path) => path === 'POST /api/show')).toHaveLength(1);
  });

  it('is told with tools and images as the server says them', async () => {
    await using used = await setup({ tools: false, vision: true, loaded_context_length: 8_192 });
    expect(await used.provider.describe('m', never())).toEqual({
      ok: true,
      model: { id: 'm', size_bytes: 4_000_000_000, context_length: 8_192, tools: false, vision: true, loaded: true },
    });
    expect(await used.provider.models(never())).toEqual({
      ok: true,
      models: [{ id: 'm', size_bytes: 4_000_000_000, context_length: 8_192, loaded: true }],
    });
  });
});

it('takes the address of either API', () => {
  for (const given of ['http://h:1', 'http://h:1/', 'http://h:1/api', 'http://h:1/v1/']) {
    expect(ollamaBaseUrl(given)).toBe('http://h:1');
  }
});
