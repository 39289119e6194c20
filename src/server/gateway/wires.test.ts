/** Every behaviour of the gateway over every wire. A new wire is one entry of WIRES. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { errorIn, shapeOfPath } from '../../../tests/support/error-shapes.ts';
import { turns } from '../../../tests/support/long.ts';
import { MALFORMED } from '../../../tests/support/malformed-requests.ts';
import { testServer } from '../../../tests/support/test-server.ts';
import { ask, framesOf, NAME, NOTHING, type Turn, type Wanted, WIRES } from '../../../tests/support/wire-cases.ts';
import type { JsonObject } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ModelRequest } from '../../core/model-port.ts';
import { type ScriptedProviderSource, scriptedProvider } from '../../testing/index.ts';
import type { GatewayRecord } from './state.ts';

const CALL =
  'Let me see.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": "3",}}\n</tool_call>';
const CALLED = [{ name: NAME, args: { city: 'Paris', days: 3 } }];
const BARE = [
  '{"city": "Paris", "days": "3",}',
  'Here it is:\n```json\n{"city": "Paris", "days": 3}\n```',
  '<think>Paris.</think>{"arguments": {"city": "Paris", "days": 3}}',
  '{"get_weather": {"city": "Paris", "days": 3}}',
];
const NOT_BARE = ['{"town": "Paris"}', 'I would ask for {"city": "Paris"}, but not now.', '{"city": "Par'];
const HALF = `<tool_call>{"name": "get_weather", "arguments": {"city": "Par`;
const repeated = (times: number): Turn[] => [
  ...ask,
  ...Array.from({ length: times }, (_, index): Turn[] => [
    { role: 'call', id: `c${index}`, args: { city: 'Paris' } },
    { role: 'result', id: `c${index}`, text: 'no such city' },
  ]).flat(),
];

describe.each(WIRES.map((wire, index) => ({ ...wire, index })))('the wire $name', (wire) => {
  const talk = async (turns: ScriptedProviderSource | readonly ScriptedProviderSource[], wanted: Wanted) => {
    const server = await testServer(turns);
    const response = await server.call('POST', wire.path, wire.body(wanted));
    const body = await response.text();
    const told =
      response.status !== 200
        ? { ...NOTHING, error: wire.errorOf(JSON.parse(body) as JsonObject) }
        : wanted.stream
          ? wire.stream(framesOf(body))
          : wire.whole(JSON.parse(body) as JsonObject);
    return { status: response.status, headers: response.headers, told, requests: server.provider.requests };
  };

  /** A model of 100 MB on a server that keeps to schemas: it writes what the schema wants, and else only words. */
  const small = () => {
    const asked: ModelRequest[] = [];
    const scripted = scriptedProvider(
      (request) => {
        asked.push(request);
        return { text: request.response_schema === undefined ? 'Hello.' : '{"city": "Paris"}' };
      },
      { models: [{ id: 'm', tools: false, size_bytes: 1e8 }] },
    );
    return {
      asked,
      talk: async (wanted: Wanted) => {
        const server = await testServer([], { modelProvider: { ...scripted, constrains: true } });
        const response = await server.call('POST', wire.path, wire.body(wanted));
        const body = await response.text();
        const told = wanted.stream ? wire.stream(framesOf(body)) : wire.whole(JSON.parse(body) as JsonObject);
        return { headers: response.headers, told };
      },
    };
  };

  describe.each([false, true])('with stream: %s', (stream) => {
    /** Usually each row of a wire is played whole or streamed, in turn. */
    const isTurn = turns((wire.index + Number(stream)) % 2, 2);
    const row = (name: string, run: () => Promise<void>): void => {
      if (isTurn()) it(name, run);
    };

    row('gives text, and reasoning apart from it, without tools too', async () => {
      verifies('B2');
      const { told } = await talk({ text: '<think>Hm.</think>It is sunny.' }, { stream });
      expect(told).toEqual({ text: 'It is sunny.', reasoning: 'Hm.', calls: [], finish: wire.finish.answered });
    });

    row('makes no call of thoughts that the template opened', async () => {
      verifies('B2');
      const { told } = await talk({ text: `Perhaps ${CALL}, no.\n</think>\nHello.` }, { tools: true, stream });
      expect(told.calls).toEqual([]);
      if (!stream) expect([told.text, told.reasoning.includes('Perhaps')]).toEqual(['Hello.', true]);
    });

    row('gives a call that was written as text, repaired', async () => {
      verifies('B2');
      const { told, headers } = await talk({ text: CALL }, { tools: true, stream });
      expect(told).toEqual({ text: 'Let me see.', reasoning: '', calls: CALLED, finish: wire.finish.called });
      if (!stream) expect(headers.get('x-halter-repairs')).toMatch(/^3; (?=.*text_call=1)(?=.*trailing_comma=1)/);
    });

    row('hands results on under the ids of their calls', async () => {
      const turns = [
        ...ask,
        { role: 'call', id: 'c1', args: { city: 'Paris' } },
        { role: 'result', id: 'c1', text: 'sunny' },
      ] as Turn[];
      const { told, requests } = await talk({ text: 'Sunny.' }, { turns, tools: true, stream });
      expect(told.text).toBe('Sunny.');
      const [, called, result] = requests[0]?.messages ?? [];
      const id = called?.role === 'assistant' ? called.tool_calls[0]?.id : undefined;
      expect(id).toBeTruthy();
      expect(result).toMatchObject({ role: 'tool', tool_call_id: id, content: 'sunny' });
    });

    row('asks again for a call that was cut off, and never hands half of it on', async () => {
      const repaired = await talk([{ text: HALF, finish: 'length' }, { text: CALL }], { tools: true, stream });
      expect(repaired.told.calls).toEqual(CALLED);
      const refused = await talk({ text: HALF, finish: 'length' }, { tools: true, stream });
      expect(refused.told.calls).toEqual([]);
      expect(refused.told.text).toContain('was cut off by the limit of the answer');
      expect(refused.told.finish).toBe(wire.finish.cut);
      expect(refused.requests).toHaveLength(2);
      // Clients ask for more tokens, again and again, where they are told that the limit cut it.
      const brokenOff = await talk({ text: HALF }, { tools: true, stream });
      expect([brokenOff.told.calls, brokenOff.told.finish]).toEqual([[], wire.finish.answered]);
      expect(brokenOff.told.text).toContain('broke off its call of get_weather');
    });

    row('asks again where the whole answer is a call that cannot be made, and says so in the end', async () => {
      verifies('B2', 'K5');
      for (const text of ['{"get_weather": {"town": "Paris"}}', '[TOOL_CALLS][]']) {
        const repaired = await talk([{ text }, { text: CALL }], { tools: true, stream });
        expect([repaired.told.calls, repaired.told.finish]).toEqual([CALLED, wire.finish.called]);
        expect(repaired.told.text).not.toContain(text);
        const refused = await talk({ text }, { tools: true, stream });
        expect([refused.told.calls, refused.told.finish]).toEqual([[], wire.finish.answered]);
        expect(refused.told.text).toMatch(/The model (?:called|wrote a call).+ not made\./);
      }
    });

    row('hands on a call that misses a required argument, marked, once it was asked for again in vain', async () => {
      verifies('B2');
      const misfit = { calls: [{ id: 'c', name: NAME, arguments: { days: 3 } }] };
      const repaired = await talk([misfit, { text: CALL }], { tools: true, stream });
      expect([repaired.told.calls, repaired.headers.get('x-halter-guard')]).toEqual([CALLED, null]);
      const { told, headers, requests } = await talk(misfit, { tools: true, stream });
      expect(told.calls).toEqual([{ name: NAME, args: { days: 3 } }]);
      expect([requests.length, told.finish]).toEqual([1 + LIMITS.repairs, wire.finish.called]);
      if (stream) return;
      expect(headers.get('x-halter-guard')).toBe('misfit');
      expect(headers.get('x-halter-guards')).toBe('misfit_call_handed_on');
    });

    row('tells a model that goes round in circles, and ends the turn when it goes on', async () => {
      const once = await talk({ text: CALL.replace('"days": "3",', '') }, { turns: repeated(1), tools: true, stream });
      expect(once.told.calls).toHaveLength(1);
      const { told, requests } = await talk(
        { text: CALL.replace(', "days": "3",', '') },
        { turns: repeated(2), tools: true, stream },
      );
      expect(requests[0]?.messages.at(-1)?.content).toContain('Do not make them again');
      expect(told.calls).toEqual([]);
      expect(told.text).toContain('again and again');
      expect(told.finish).toBe(wire.finish.answered);
    });

    row('reminds a model once that announces a call and makes none', async () => {
      const { told, requests } = await talk([{ text: "I'll now read the file." }, { text: CALL }], {
        tools: true,
        stream,
      });
      expect(requests).toHaveLength(2);
      expect(told.calls).toEqual(CALLED);
    });

    row('has an error for an answer that stays empty', async () => {
      const { status, headers, told } = await talk({ text: '' }, { stream });
      expect(status).toBe(502);
      // It was asked for again here already.
      expect(headers.get('x-should-retry')).toBe('false');
      expect(told.error).toContain('answered nothing');
    });

    row('asks again where the model only thought, and says so in the end', async () => {
      verifies('B2');
      const thought = { reasoning: 'I think.', text: '' };
      for (const tools of [false, true]) {
        const again = await talk([thought, { reasoning: 'Again.', text: 'Here.' }], { tools, stream });
        expect([again.told.text, again.told.finish]).toEqual(['Here.', wire.finish.answered]);
        // What was thought before the second answer is still what was thought.
        expect(again.told.reasoning).toBe('I think.\n\nAgain.');
        const never = await talk(thought, { tools, stream });
        expect([never.told.error, never.requests.length]).toEqual([expect.stringContaining('only thought'), 2]);
      }
      const marked = await talk([{ text: '<think>I think.</think>' }, { text: 'Here.' }], { stream });
      expect([marked.told.text, marked.requests.length]).toEqual(['Here.', 2]);
      // It would be cut again.
      const cut = await talk({ ...thought, finish: 'length' }, { stream });
      expect([cut.told.error, cut.requests.length]).toEqual([undefined, 1]);
    });

    row('has an error for a stream that broke off', async () => {
      const { told } = await talk(
        { text: 'It is', error: { code: 'disconnected', message: 'The connection was lost.' } },
        { stream },
      );
      expect(told.error).toContain('The connection was lost.');
      expect(told.finish).toBeUndefined();
    });

    row('answers a failure before the first word with its status', async () => {
      const limited = {
        code: 'server_error',
        message: 'Too many requests.',
        status: 429,
        retry_after_seconds: 7,
      } as const;
      const { status, headers, told } = await talk({ error: limited }, { stream });
      expect(status).toBe(429);
      expect(headers.get('retry-after')).toBe('7');
      expect(told.error).toContain('Too many requests.');
    });

    row('holds an answer to a schema, or has an error', async () => {
      verifies('B1');
      const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
      const repaired = await talk({ text: 'Here:\n```json\n{"n": "4",}\n```\nDone.' }, { schema, stream });
      expect(JSON.parse(repaired.told.text)).toEqual({ n: 4 });
      expect(repaired.requests).toHaveLength(1);
      const again = await talk([{ text: 'four' }, { text: '{"n": 4}' }], { schema, stream });
      expect(JSON.parse(again.told.text)).toEqual({ n: 4 });
      const never = await talk({ text: 'four' }, { schema, stream });
      expect(never.status).toBe(502);
      expect(never.told.error).toContain('not JSON');
    });

    row('leads a small model that cannot call tools, and says so', async () => {
      verifies('B1', 'B2');
      const { talk: talkLed, asked } = small();
      const turns: Turn[] = [
        { role: 'user', text: '<system-reminder>\nBe quick.\n</system-reminder>\nWhat is the weather in Paris?' },
      ];
      const called = await talkLed({ turns, tools: true, stream });
      expect(called.told.calls).toEqual([{ name: NAME, args: { city: 'Paris' } }]);
      expect(called.headers.get('x-halter-tools')).toBe('led');
      expect(asked.some(({ tools }) => tools.length > 0)).toBe(false);
      expect(JSON.stringify(asked)).not.toContain('Be quick');
      const after: Turn[] = [
        ...turns,
        { role: 'call', id: 'c1', args: { city: 'Paris' } },
        { role: 'result', id: 'c1', text: 'sunny, 21 degrees' },
      ];
      const answered = await talkLed({ turns: after, tools: true, stream });
      expect(answered.told.text).toContain('sunny, 21 degrees');
      expect(answered.told.calls).toEqual([]);
    });

    row('describes the tools in words to a larger model that takes none', async () => {
      verifies('B2');
      const server = await testServer({ text: CALL }, { models: [{ id: 'm', tools: false, size_bytes: 8e9 }] });
      const response = await server.call('POST', wire.path, wire.body({ tools: true, stream }));
      const body = await response.text();
      const told = stream ? wire.stream(framesOf(body)) : wire.whole(JSON.parse(body) as JsonObject);
      expect(told.calls).toEqual(CALLED);
      expect(response.headers.get('x-halter-tools')).toBe('text');
      const [request] = server.provider.requests;
      expect([request?.tools, JSON.stringify(request?.messages)]).toEqual([[], expect.stringContaining(NAME)]);
    });

    const requires = wire.canRequire ? it : undefined;
    requires?.('has a call where one is required, or an error, and never prose', async () => {
      const made = await talk([{ text: 'It is sunny.' }, { text: CALL }], { tools: true, choice: 'required', stream });
      expect(made.told.calls).toEqual(CALLED);
      const { status, told } = await talk({ text: 'It is sunny.' }, { tools: true, choice: 'required', stream });
      // Text is told with the call, so a failure comes before the first byte.
      expect([status, told.error]).toEqual([502, expect.stringContaining('tool call was required')]);
    });

    requires?.('takes the bare arguments of a call that has to come, without asking again', async () => {
      verifies('B2', 'K5');
      for (const choice of ['required', 'named'] as const)
        for (const text of BARE) {
          const { told, requests } = await talk({ text }, { tools: true, choice, stream });
          expect(told, `${choice}: ${text}`).toMatchObject({ text: '', calls: CALLED, finish: wire.finish.called });
          expect(requests).toHaveLength(1);
          const later = await talk([{ text: 'It is sunny.' }, { text }], { tools: true, choice, stream });
          expect(later.told.calls, `${choice}: ${text}`).toEqual(CALLED);
        }
    });

    requires?.('asks again for what is no bare arguments, and tells words before a call with it', async () => {
      verifies('B2');
      for (const text of NOT_BARE) {
        const again = await talk([{ text }, { text: CALL }], { tools: true, choice: 'named', stream });
        expect([again.told.calls, again.requests.length], text).toEqual([CALLED, 2]);
        const auto = await talk({ text }, { tools: true, stream });
        expect(auto.told, text).toMatchObject({ text, calls: [] });
      }
      const words = await talk({ text: CALL }, { tools: true, choice: 'named', stream });
      expect(words.told).toMatchObject({ text: 'Let me see.', calls: CALLED });
    });
  });

  it('says which header a body wants that came as curl sends it by itself', async () => {
    const server = await testServer({ text: 'x' });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await server.call('POST', wire.path, wire.body({}), form);
    expect(response.status).toBe(415);
    expect(await response.text()).toContain('content-type: application/json');
  });

  it('counts what all requests cost', async () => {
    const told: GatewayRecord[] = [];
    const server = await testServer([{ text: '' }, { text: 'Sunny.' }], { onGateway: (record) => told.push(record) });
    const response = await server.call('POST', wire.path, wire.body({}));
    expect(response.headers.get('x-halter-guard')).toBe('empty');
    expect(told).toMatchObject([{ requests: 2, failed: false, done: '1 empty answer asked for again' }]);
    expect(response.headers.get('x-halter-requests')).toBe('2');
    expect(response.headers.get('x-halter-guards')).toContain('empty_answer_asked_again');
    await response.text();
    const { clients } = await server.json<{ clients: JsonObject[] }>('GET', '/api/gateway/clients');
    expect(clients).toMatchObject([
      { requests: 1, failed: 0, guards: { empty_answer_asked_again: 1 }, done: ['1 empty answer asked for again'] },
    ]);
  });

  it('switches guards off by a header, and knows their names', async () => {
    const server = await testServer({ text: '' });
    const off = await server.call('POST', wire.path, wire.body({}), { 'x-halter-guards-off': 'empty_answer' });
    expect(off.status).toBe(200);
    const wrong = await server.call('POST', wire.path, wire.body({}), { 'x-halter-guards-off': 'gravity' });
    expect(wrong.status).toBe(400);
    expect(wire.errorOf((await wrong.json()) as JsonObject)).toContain('half_call');
  });

  it('names the fields that nobody here understands', async () => {
    const server = await testServer({ text: 'x' });
    const response = await server.call('POST', wire.path, wire.body({ fields: { levitate: true, top_k: 20 } }));
    expect(response.status).toBe(200);
    expect(response.headers.get('x-halter-dropped')).toContain('levitate');
    expect(response.headers.get('x-halter-dropped')).toContain('top_k');
  });

  it('tells errors in its own shape', async () => {
    const server = await testServer({ text: 'x' });
    const unknown = await server.call('POST', wire.path, { ...wire.body({}), model: 'nobody' });
    expect(unknown.status).toBe(404);
    expect(wire.errorOf((await unknown.json()) as JsonObject)).not.toBe('');
    const wrong = await server.call('POST', wire.path, wire.body({}), { authorization: 'Bearer wrong' });
    expect(wrong.status).toBe(401);
  });
});

const BASE: Readonly<Record<string, JsonObject>> = {
  ...Object.fromEntries(WIRES.map((wire) => [wire.path, wire.body({})])),
  '/api/generate': { model: 'm', prompt: 'Hello', stream: false },
};

describe.each(Object.entries(MALFORMED))('a request to %s that is wrong', (path, wrong) => {
  it('is refused by what is wrong, in the words of the API, and no model is asked', async () => {
    const server = await testServer({ text: 'x' });
    const taken: unknown[] = [];
    for (const [title, fields] of wrong) {
      const response = await server.call('POST', path, { ...BASE[path], ...fields });
      const body = (await response.json()) as JsonObject;
      const said = errorIn(shapeOfPath(path), body);
      if (response.status !== 400 || typeof said !== 'string' || !/\w+ .*\w+/.test(said))
        taken.push([title, response.status, body]);
    }
    expect(taken).toEqual([]);
    expect(server.provider.requests).toEqual([]);
  });
});

describe('the gateway', () => {
  it('takes the token of Anthropic’s clients, and refuses a wrong one in their words', async () => {
    const { app } = await testServer({ text: 'Hi.' });
    const send = (key: string) =>
      app(
        new Request('http://127.0.0.1:7411/v1/messages', {
          method: 'POST',
          headers: { host: '127.0.0.1:7411', 'content-type': 'application/json', 'x-api-key': key },
          body: JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }),
        }),
      );
    expect((await send('a-token-of-the-tests')).status).toBe(200);
    const refused = await send('wrong');
    expect([refused.status, await refused.json()]).toMatchObject([
      401,
      { type: 'error', error: { type: 'authentication_error' } },
    ]);
  });

  it('keeps the beginning of a conversation whose instructions change at every turn', async () => {
    const { json, provider } = await testServer({ text: 'ok' });
    const rules = Array.from({ length: 40 }, (_, index) => `Rule ${index}: be exact.`).join('\n');
    const send = (time: string, more: object[]) =>
      json('POST', '/v1/chat/completions', {
        model: 'm',
        messages: [
          { role: 'system', content: `${rules}\nIt is ${time}.` },
          { role: 'user', content: 'Hello' },
          ...more,
        ],
      });
    await send('10:00', []);
    await send('10:01', [
      { role: 'assistant', content: 'ok' },
      { role: 'user', content: 'And now?' },
    ]);
    const [one, two] = provider.requests;
    expect(two?.messages[0]).toEqual(one?.messages[0]);
    expect(two?.messages.at(-1)?.content).toContain('It is 10:01.');
  });

  it("serves Ollama's lists and counts tokens for Anthropic's clients", async () => {
    const { json } = await testServer({ text: 'x' });
    expect(await json('GET', '/api/tags')).toMatchObject({
      models: [{ model: expect.stringContaining('m') }, { model: 'default' }, { model: 'halter' }],
    });
    expect(await json('POST', '/api/show', { model: 'm' })).toMatchObject({
      capabilities: expect.arrayContaining(['tools']),
    });
    expect(await json('GET', '/api/version')).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+/) });
    const body = { model: 'm', messages: [{ role: 'user', content: 'one two three' }] };
    expect(await json('POST', '/v1/messages/count_tokens', body)).toEqual({ input_tokens: expect.any(Number) });
  });

  it.each([
    ['/api/chat', { messages: [] }, { message: { content: '' } }],
    ['/api/chat', {}, { message: { content: '' } }],
    ['/api/chat', { messages: null }, { message: { content: '' } }],
    ['/api/generate', {}, { response: '' }],
    ['/api/generate', { prompt: '' }, { response: '' }],
  ])('answers %s without a prompt by itself, as Ollama does when it loads a model', async (path, body, said) => {
    const { json, call, provider } = await testServer({ text: 'x' });
    expect(await json('POST', path, { model: 'm', ...body })).toMatchObject({
      ...said,
      done: true,
      done_reason: 'load',
    });
    expect(await json('POST', path, { model: 'm', keep_alive: 0, ...body })).toMatchObject({ done_reason: 'unload' });
    expect((await call('POST', path, { model: 'none', ...body })).status).toBe(404);
    expect(provider.requests).toEqual([]);
  });

  it('takes a conversation with pictures on every wire, larger than other bodies may be', async () => {
    const { call } = await testServer({ text: 'x' });
    const picture = `iVBORw0KGgo${'A'.repeat(2_000_000)}`;
    const messages = [{ role: 'user', content: 'What is it?', images: [picture] }];
    expect((await call('POST', '/api/chat', { model: 'm', messages, stream: false })).status).toBe(200);
  });

  it.each<[string, JsonObject]>([
    [
      '/v1/chat/completions',
      {
        messages: [
          { role: 'user', content: 'Weather?' },
          {
            role: 'assistant',
            content: '',
            tool_calls: [{ id: 'c', type: 'function', function: { name: NAME, arguments: '{"city": "Par' } }],
          },
          { role: 'tool', tool_call_id: 'c', content: 'bad arguments' },
        ],
      },
    ],
    [
      '/v1/responses',
      {
        input: [
          { role: 'user', content: 'Weather?' },
          { type: 'function_call', call_id: 'c', name: NAME, arguments: '{"city": "Par' },
          { type: 'function_call_output', call_id: 'c', output: 'bad arguments' },
        ],
      },
    ],
  ])('goes on with a conversation in which a call was written badly, on %s', async (path, body) => {
    const { call, provider } = await testServer({ text: 'Sunny.' });
    expect((await call('POST', path, { model: 'm', ...body })).status).toBe(200);
    const [, called, result] = provider.requests[0]?.messages ?? [];
    expect(called).toMatchObject({ tool_calls: [{ id: 'c', name: NAME, arguments: {} }] });
    expect(result).toMatchObject({ content: 'bad arguments' });
  });

  it("leaves halter's own POST /api/chat what it was", async () => {
    const { json } = await testServer({ text: 'Hello.' });
    expect(await json('POST', '/api/chat', { message: 'hi', mode: 'chat' })).toMatchObject({ answer: 'Hello.' });
  });
});
