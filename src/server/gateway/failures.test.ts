/** What a failure of the model's server is on every wire: its meaning, its machine word, and whether to ask again. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { inTurn } from '../../../tests/support/long.ts';
import { testServer } from '../../../tests/support/test-server.ts';
import { framesOf, WIRES } from '../../../tests/support/wire-cases.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { ModelError } from '../../core/model-port.ts';
import { createNetwork } from '../../io/network.ts';
import { createProvider } from '../../providers/index.ts';
import { PROVIDER_LIMITS } from '../../providers/limits.ts';
import { scriptedProvider, startScriptedServer } from '../../testing/index.ts';

type Expected = {
  status: number;
  /** `error.code` of OpenAI's wires, and `error.type` of Anthropic's. */
  code: string;
  type: string;
  /** Whether clients are told that it is of no use to ask again. */
  isFinal: boolean;
  said?: RegExp;
};
type Case = [title: string, error: Omit<ModelError, 'message'>, expected: Expected];

const CASES: readonly Case[] = [
  [
    'a key that the server refuses',
    { code: 'unauthorized', status: 401 },
    { status: 401, code: 'upstream_unauthorized', type: 'authentication_error', isFinal: true, said: /key of halter/ },
  ],
  [
    'a key that may not use the model',
    { code: 'unauthorized', status: 403 },
    { status: 403, code: 'upstream_unauthorized', type: 'permission_error', isFinal: true, said: /key of halter/ },
  ],
  [
    'a model that is not there',
    { code: 'model_not_found', status: 404 },
    { status: 404, code: 'model_not_found', type: 'not_found_error', isFinal: true },
  ],
  [
    'a body that is too large',
    { code: 'context_overflow', status: 413 },
    { status: 413, code: 'context_length_exceeded', type: 'request_too_large', isFinal: true },
  ],
  [
    'a request that the server cannot carry out',
    { code: 'bad_request', status: 422 },
    { status: 422, code: 'bad_request', type: 'invalid_request_error', isFinal: true },
  ],
  [
    'a bill that is not paid',
    { code: 'bad_request', status: 402 },
    { status: 402, code: 'bad_request', type: 'billing_error', isFinal: true },
  ],
  [
    'a prompt that is too long',
    { code: 'context_overflow', status: 400 },
    { status: 400, code: 'context_length_exceeded', type: 'invalid_request_error', isFinal: true },
  ],
  [
    'a limit of requests that was waited for in vain',
    { code: 'server_error', status: 429, retry_after_seconds: 7, tries: 4 },
    { status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error', isFinal: true },
  ],
  [
    'a limit of requests that lasts longer than anybody waited',
    { code: 'server_error', status: 429, retry_after_seconds: 70, tries: 4 },
    { status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error', isFinal: false },
  ],
  [
    'a server that is broken',
    { code: 'server_error', status: 500, tries: 4 },
    { status: 500, code: 'upstream_error', type: 'api_error', isFinal: true },
  ],
  [
    'a server that is busy',
    { code: 'server_error', status: 503, tries: 4 },
    { status: 503, code: 'upstream_error', type: 'api_error', isFinal: true },
  ],
  [
    'a server that says in its answer that it is busy',
    { code: 'server_error', status: 503 },
    { status: 503, code: 'server_error', type: 'overloaded_error', isFinal: false },
  ],
  [
    'a server that is away',
    { code: 'unreachable', tries: 4 },
    { status: 503, code: 'unreachable', type: 'api_error', isFinal: true },
  ],
  [
    'a model that does not load',
    { code: 'load_failed', status: 500 },
    { status: 503, code: 'load_failed', type: 'api_error', isFinal: true },
  ],
  [
    'a page in the place of an answer',
    { code: 'protocol' },
    { status: 502, code: 'protocol', type: 'api_error', isFinal: true },
  ],
  [
    'a connection that was lost',
    { code: 'disconnected' },
    { status: 502, code: 'disconnected', type: 'api_error', isFinal: false },
  ],
  ['silence', { code: 'timeout' }, { status: 504, code: 'timeout', type: 'timeout_error', isFinal: false }],
];

/** `error` of a body, in the shape of its API. */
const errorOf = (body: JsonObject): JsonObject => {
  const { error } = body;
  return isObject(error) ? error : { message: error as string };
};

/** Usually each failure is told on two wires, whole on one and streamed on the other. */
describe.each(WIRES.map((wire, at) => ({ ...wire, at })))('a failure on the wire $name', ({ at, ...wire }) => {
  describe.each([false, true])('with stream: %s', (stream) => {
    it.each(inTurn(CASES, (at + (stream ? 1 : 0)) % WIRES.length, WIRES.length))(
      'tells %s',
      async (_title, given, { status, code, type, isFinal, said }) => {
        const server = await testServer({ error: { ...given, message: 'It went wrong.' } });
        const response = await server.call('POST', wire.path, wire.body({ stream }));
        const error = errorOf((await response.json()) as JsonObject);
        expect([response.status, response.headers.get('x-should-retry')]).toEqual([status, isFinal ? 'false' : null]);
        expect(response.headers.get('retry-after')).toBe(given.retry_after_seconds?.toString() ?? null);
        expect(error['message']).toContain('It went wrong.');
        if (said) expect(error['message']).toMatch(said);
        if (wire.name === 'messages') expect(error['type']).toBe(type);
        else if (wire.name !== "Ollama's chat") expect(error['code']).toBe(code);
      },
    );
  });

  it('tells a prompt that is too long in the words that clients of this API look for', async () => {
    const openai = [
      /^Your input exceeds the context window of this model\. .+ maximum context length is 4096 tokens\. .+ resulted in 5000 tokens\./,
      /^Your input exceeds the context window of this model\. .+ maximum context length is 2048 tokens\. .+ resulted in 2049 tokens\./,
    ] as const;
    const words: Readonly<Record<string, readonly [told: RegExp, untold: RegExp]>> = {
      'chat completions': openai,
      responses: openai,
      messages: [/^prompt is too long: 5000 tokens > 4096 maximum/, /^prompt is too long: \d+ tokens > \d+ maximum/],
      "Ollama's chat": [/^the input length exceeds the context length/, /^the input length exceeds the context length/],
    };
    for (const [index, figures] of [{ window_tokens: 4096, prompt_tokens: 5000 }, {}].entries()) {
      const error: ModelError = { code: 'context_overflow', message: 'The server said so.', status: 400, ...figures };
      const server = await testServer({ error }, { models: [{ id: 'm', context_length: 2048 }] });
      const response = await server.call('POST', wire.path, wire.body({}));
      const told = errorOf((await response.json()) as JsonObject)['message'];
      expect(told).toMatch(words[wire.name]?.[index] as RegExp);
      expect(told).toContain('The server said so.');
    }
  });

  it('says what a failure in the middle of a stream is', async () => {
    const late = async (error: Omit<ModelError, 'message'>): Promise<JsonObject> => {
      const server = await testServer({ text: 'It is', error: { ...error, message: 'It went wrong.' } });
      const frames = framesOf(await (await server.call('POST', wire.path, wire.body({ stream: true }))).text());
      const last = frames.at(-1)?.data ?? {};
      return errorOf(isObject(last['response']) ? last['response'] : last);
    };
    const [lost, full] = [await late({ code: 'disconnected' }), await late({ code: 'context_overflow' })];
    expect([lost['message'], full['message']]).toEqual([
      expect.stringContaining('It went wrong.'),
      expect.stringContaining('It went wrong.'),
    ]);
    if (wire.name === 'responses')
      // The words that this API has for them.
      expect([lost['code'], full['code']]).toEqual(['server_error', 'context_length_exceeded']);
  });

  it.each([429, 503])('hands a %i on at once that asks for a longer wait than anybody waits here', async (status) => {
    const limited = { status, headers: { 'retry-after': '70' }, body: '{"error":{"message":"Slow down."}}' };
    await using upstream = await startScriptedServer({ models: [{ id: 'm' }], turns: () => limited });
    const network = createNetwork();
    onTestFinished(() => network.close());
    const waits: number[] = [];
    const modelProvider = createProvider('openai', {
      network,
      clock: { now: Date.now, monotonic: () => performance.now() },
      baseUrl: upstream.openaiUrl,
      sleep: async (ms) => void waits.push(ms),
    });
    const server = await testServer([], { modelProvider });
    for (const stream of [false, true]) {
      const response = await server.call('POST', wire.path, wire.body({ stream }));
      const error = errorOf((await response.json()) as JsonObject);
      expect([response.status, response.headers.get('retry-after')]).toEqual([status, '70']);
      // They may ask again then.
      expect(response.headers.get('x-should-retry')).toBeNull();
      expect(error['message']).toContain('Slow down.');
    }
    expect([waits, upstream.requests.length]).toEqual([[], 2]);
  });

  it('keeps the status of a refusal that was waited for longer than a client waits for its first byte', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = Promise.withResolvers<void>();
    const waited = Promise.withResolvers<void>();
    const server = await testServer(async () => {
      asked.resolve();
      return {
        parts: [{ type: 'warning', code: 'retrying', message: 'It answered 429.' }],
        gate: waited.promise,
        error: { code: 'rate_limited', status: 429, retry_after_seconds: 70, tries: 4, message: 'Too many.' },
      };
    });
    const answering = server.call('POST', wire.path, wire.body({ stream: true }));
    await asked.promise;
    await vi.advanceTimersByTimeAsync(PROVIDER_LIMITS.modelRetryDelayMsMax);
    waited.resolve();
    const response = await answering;
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '70']);
  });

  it('ends a stream with an error where the server is stopped', async () => {
    const gate = new Promise(() => {});
    const server = await testServer({ text: 'It is', endGate: gate });
    const response = await server.call('POST', wire.path, wire.body({ stream: true }));
    await server.close();
    const told = wire.stream(framesOf(await response.text()));
    expect(told.error).toMatch(/halter .*stopped/);
    expect(told.finish).toBeUndefined();
  });

  it('has an error for what was not answered when the server is stopped', async () => {
    const asked = Promise.withResolvers<void>();
    const server = await testServer(async () => {
      asked.resolve();
      return { text: 'It is', gate: new Promise(() => {}) };
    });
    const waiting = server.call('POST', wire.path, wire.body({}));
    await asked.promise;
    await server.close();
    const response = await waiting;
    expect(response.status).toBe(503);
    const error = errorOf((await response.json()) as JsonObject);
    expect(error['message']).toMatch(/halter .*stopped/);
    expect(error['type']).not.toBe('overloaded_error');
  });
});

/** They repeat statuses many times, and mind what a stream says. */
describe('Codex', () => {
  const CODEX = { 'user-agent': 'codex_exec/0.171.0 (Debian; x86_64)' };
  const ask = async (error: Omit<ModelError, 'message'>, model = 'm') => {
    const server = await testServer({ error: { ...error, message: 'It went wrong.' } });
    const response = await server.call('POST', '/v1/responses', { model, input: 'x', stream: true }, CODEX);
    const last = framesOf(await response.text()).at(-1)?.data ?? {};
    return { status: response.status, type: last['type'], error: errorOf(last['response'] as JsonObject) };
  };

  it.each<[Omit<ModelError, 'message'>, string]>([
    [{ code: 'unauthorized', status: 401 }, 'invalid_prompt'],
    [{ code: 'server_error', status: 500, tries: 4 }, 'invalid_prompt'],
    [{ code: 'unreachable', tries: 4 }, 'invalid_prompt'],
    [{ code: 'context_overflow', status: 400 }, 'context_length_exceeded'],
    [{ code: 'server_error', status: 429, retry_after_seconds: 70, tries: 4 }, 'rate_limit_exceeded'],
    [{ code: 'disconnected' }, 'server_error'],
  ])('is told %j in the stream, in a word that it stops at where it is of no use to go on', async (error, code) => {
    const told = await ask(error);
    expect([told.status, told.type, told.error['code']]).toEqual([200, 'response.failed', code]);
    expect(told.error['message']).toContain('It went wrong.');
    // It reads from the words how long to wait.
    if (code === 'rate_limit_exceeded') expect(told.error['message']).toContain('try again in 70s');
  });

  it('is told of a model that is not there in the same way', async () => {
    expect(await ask({ code: 'server_error' }, 'nobody')).toMatchObject({
      status: 200,
      error: { code: 'invalid_prompt' },
    });
  });
});

/** As Continue's `cn` calls itself. */
const UNNAMED = 'ls/JS 5.23.2';

describe.each(['opencode/1.18.33 ai-sdk/provider-utils/4.0.23', 'QwenCode/0.24.4 (linux; x64)', UNNAMED])(
  '%s',
  (agent) => {
    it('is told of a failure in the stream, and by a status where it reads none', async () => {
      const server = await testServer({
        error: { code: 'server_error', status: 500, tries: 4, message: 'It went wrong.' },
      });
      const ask = (stream: boolean) =>
        server.call(
          'POST',
          '/v1/chat/completions',
          { model: 'm', messages: [{ role: 'user', content: 'x' }], stream },
          {
            'user-agent': agent,
          },
        );
      expect((await ask(false)).status).toBe(500);
      const told = await ask(true);
      expect(told.status).toBe(200);
      // What is called a server's error is repeated by opencode even so.
      expect(errorOf(framesOf(await told.text()).at(-1)?.data ?? {})).toMatchObject({
        message: 'It went wrong.',
        type: 'upstream_error',
        code: 'upstream_error',
      });
    });

    it('is told by a status of what it makes room for, and of what it stops at', async () => {
      for (const status of [400, 413, 401, 422]) {
        const code = status === 401 ? 'unauthorized' : status === 422 ? 'bad_request' : 'context_overflow';
        const server = await testServer({ error: { code, status, message: 'It went wrong.' } });
        const body = { model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true };
        const told = await server.call('POST', '/v1/chat/completions', body, { 'user-agent': agent });
        expect(told.status).toBe(status);
      }
    });
  },
);

describe(UNNAMED, () => {
  it('is told by a status of what may be gone later, as the library of that name is', async () => {
    const passing = { code: 'rate_limited', status: 429, retry_after_seconds: 70, message: 'Slow down.' } as const;
    const tried = { code: 'server_error', status: 500, tries: 4, message: 'It broke.' } as const;
    const statusFor = async (error: ModelError, agent: string): Promise<number> => {
      const body = { model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true };
      const server = await testServer({ error });
      return (await server.call('POST', '/v1/chat/completions', body, { 'user-agent': agent })).status;
    };
    expect(await statusFor(passing, UNNAMED)).toBe(429);
    expect([await statusFor(tried, UNNAMED), await statusFor(tried, 'OpenAI/JS 5.23.2')]).toEqual([200, 500]);
  });

  it('stands among the clients under no made up name', async () => {
    const server = await testServer({ text: 'x' });
    const body = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
    await server.call('POST', '/v1/chat/completions', body, { 'user-agent': UNNAMED });
    const clients = await (await server.call('GET', '/api/gateway/clients')).json();
    expect(clients).toMatchObject({ clients: [{ client: 'unnamed-js' }] });
  });
});

describe.each(WIRES)('a model server that dies in the middle of each answer, over $name', (wire) => {
  const BROKEN: ModelError = { code: 'disconnected', message: 'It broke off.' };
  /** Nobody heard anything of it: it was waited for as a whole, or it is half a call. */
  it.each<[string, boolean, string]>([
    ['a whole answer', false, 'It is sun'],
    ['a whole answer that is half a call', false, '<tool_call>{"name": "get_wea'],
    ['half a call in a stream', true, '<tool_call>{"name": "get_wea'],
  ])('is asked twice for %s, and the client is told not to ask again', async (_name, stream, text) => {
    const turn = { text, error: BROKEN };
    const provider = scriptedProvider(
      Array.from({ length: 10 }, () => turn),
      { models: [{ id: 'm' }] },
    );
    const server = await testServer([], { modelProvider: provider });
    const told = await server.call('POST', wire.path, wire.body({ tools: true, stream }));
    expect([told.status, told.headers.get('x-should-retry'), provider.requests.length]).toEqual([502, 'false', 2]);
  });
});
