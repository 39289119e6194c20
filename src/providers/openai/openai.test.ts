/** What OpenAI-compatible servers really send, and what becomes of it. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { ModelAnswer, ModelOutcome, ModelPart, ProviderCall } from '../../core/model-port.ts';
import { type ScriptedResponse, scriptedNetwork } from '../../testing/scripted-server/network.ts';
import type { ProviderOptions } from '../provider-options.ts';
import { createOpenAIProvider } from './openai.ts';

const clock = { now: () => 0, monotonic: () => 0 };
const SSE = { 'content-type': 'text/event-stream' };

const ask = async (
  response: ScriptedResponse,
  more: Partial<ProviderOptions> = {},
): Promise<{ outcome: ModelOutcome; parts: ModelPart[]; text: string; reasoning: string }> => {
  const parts: ModelPart[] = [];
  const network = scriptedNetwork((request) => (request.url.endsWith('/completions') ? response : undefined));
  const provider = createOpenAIProvider({ network, clock, random: () => 0.5, sleep: async () => undefined, ...more });
  const outcome = await provider.stream(
    {
      model: 'm',
      messages: [],
      sampling: {},
      tools: ['read_file', 'ls', 'get_current_time'].map((name) => ({
        type: 'function',
        function: { name, description: '', parameters: { type: 'object' } },
      })),
    },
    (part) => parts.push(part),
    new AbortController().signal,
  );
  const join = (type: string): string =>
    parts.map((part) => (part.type === type && 'delta' in part ? part.delta : '')).join('');
  return { outcome, parts, text: join('text_delta'), reasoning: join('reasoning_delta') };
};

const answerOf = (outcome: ModelOutcome): ModelAnswer => {
  if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.message}`);
  return outcome.answer;
};

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const delta = (value: unknown, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: value, finish_reason: finish }] });
type Piece = { index?: number; id?: string; name?: string; arguments?: unknown };
const piece = ({ index, id, name, arguments: args }: Piece): unknown => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
});
/** Every inner list is the `tool_calls` of one delta. */
const callStream = (deltas: readonly (readonly Piece[])[], finish = 'tool_calls'): string =>
  [...deltas.map((pieces) => delta({ tool_calls: pieces.map(piece) })), delta({}, finish), 'data: [DONE]\n\n'].join('');

const callsOf = async (
  deltas: readonly (readonly Piece[])[],
  finish = 'tool_calls',
  more: Partial<ProviderOptions> = {},
): Promise<ProviderCall[]> =>
  answerOf((await ask({ headers: SSE, chunks: [callStream(deltas, finish)] }, more)).outcome).calls;

const short = (calls: readonly ProviderCall[]): unknown[] =>
  calls.map((call) => [call.name, call.malformed ? 'malformed' : call.arguments]);
const repairsOf = (calls: readonly ProviderCall[]): string[][] =>
  calls.map((call) => call.repairs.map((repair) => repair.kind));

describe('calls in pieces', () => {
  it('puts the pieces of each index together, also when they alternate', async () => {
    const calls = await callsOf([
      [{ index: 0, id: 'a', name: 'read_file', arguments: '' }],
      [{ index: 1, id: 'b', name: 'ls', arguments: '{"pa' }],
      [{ index: 0, arguments: '{"path":"x"' }],
      [
        { index: 1, arguments: 'th":"y"}' },
        { index: 0, arguments: '}' },
      ],
    ]);
    expect(short(calls)).toEqual([
      ['read_file', { path: 'x' }],
      ['ls', { path: 'y' }],
    ]);
    expect(repairsOf(calls)).toEqual([[], []]);
  });

  it('keeps both of two parallel calls under one index', async () => {
    const two: Piece[][][] = [
      // Whole calls, one a delta, with ids; the same without ids; both in one delta; without any index; in pieces.
      [
        [{ index: 0, id: 'a', name: 'ls', arguments: '{"path":"x"}' }],
        [{ index: 0, id: 'b', name: 'ls', arguments: '{"path":"y"}' }],
      ],
      [[{ index: 0, name: 'ls', arguments: '{"path":"x"}' }], [{ index: 0, name: 'ls', arguments: '{"path":"y"}' }]],
      [
        [
          { index: 0, name: 'ls', arguments: '{"path":"x"}' },
          { index: 0, name: 'ls', arguments: '{"path":"y"}' },
        ],
      ],
      [[{ name: 'ls', arguments: '{"path":"x"}' }], [{ name: 'ls', arguments: '{"path":"y"}' }]],
      [
        [{ index: 0, id: 'a', name: 'ls', arguments: '' }],
        [{ index: 0, arguments: '{"path":' }],
        [{ index: 0, arguments: '"x"}' }],
        [{ index: 0, id: 'b', name: 'ls', arguments: '' }],
        [{ index: 0, arguments: '{"path":"y"}' }],
      ],
      // The same id for both.
      [
        [{ index: 0, id: 'a', name: 'ls', arguments: '{"path":"x"}' }],
        [{ index: 0, id: 'a', name: 'ls', arguments: '{"path":"y"}' }],
      ],
      // Objects in place of text.
      [
        [{ index: 0, id: 'a', name: 'ls', arguments: { path: 'x' } }],
        [{ index: 0, id: 'b', name: 'ls', arguments: { path: 'y' } }],
      ],
    ];
    for (const [number, deltas] of two.entries()) {
      const calls = await callsOf(deltas);
      expect(short(calls), `case ${number}`).toEqual([
        ['ls', { path: 'x' }],
        ['ls', { path: 'y' }],
      ]);
      expect(new Set(calls.map((call) => call.id)).size, `case ${number}`).toBe(2);
    }
  });

  it('keeps calls without arguments apart', async () => {
    expect(
      short(
        await callsOf([
          [{ index: 0, id: 'a', name: 'get_current_time', arguments: '' }],
          [{ index: 0, id: 'b', name: 'ls' }],
          [{ index: 0, name: 'read_file', arguments: '{"path":"x"}' }],
        ]),
      ),
    ).toEqual([
      ['get_current_time', {}],
      ['ls', {}],
      ['read_file', { path: 'x' }],
    ]);
  });

  it('keeps a broken call and the whole one after it apart', async () => {
    const cases: Piece[][][] = [
      [
        [{ index: 0, id: 'a', name: 'ls', arguments: '{"path":"x' }],
        [{ index: 0, id: 'b', name: 'ls', arguments: '{}' }],
      ],
      [[{ index: 0, name: 'read_file', arguments: '{"path":"x' }], [{ index: 0, name: 'ls', arguments: '{}' }]],
    ];
    for (const deltas of cases) {
      const calls = await callsOf(deltas);
      expect(calls.map((call) => [call.name, call.malformed?.text])).toEqual([
        [deltas[0]?.[0]?.name, '{"path":"x'],
        ['ls', undefined],
      ]);
    }
    const twice = { index: 0, name: 'get_current_time' };
    expect(short(await callsOf([[twice, twice]]))).toEqual([
      ['get_current_time', {}],
      ['get_current_time', {}],
    ]);
  });

  it('splits two argument objects that were glued together', async () => {
    const calls = await callsOf([
      [{ index: 0, id: 'a', name: 'ls', arguments: '{"path":"}{"}{"pa' }],
      [{ index: 0, arguments: 'th":"y"}' }],
    ]);
    expect(short(calls)).toEqual([
      ['ls', { path: '}{' }],
      ['ls', { path: 'y' }],
    ]);
    expect(repairsOf(calls)).toEqual([['index_split'], ['index_split']]);
    expect(calls[0]?.id).toBe('a');
    expect(calls[1]?.id).not.toBe('a');
  });

  it('takes an empty object before the arguments for a place holder', async () => {
    const calls = await callsOf([
      [{ index: 0, id: 'a', name: 'ls', arguments: '{}' }],
      [{ index: 0, arguments: '{"path":"y"}' }],
    ]);
    expect(short(calls)).toEqual([['ls', { path: 'y' }]]);
    expect(repairsOf(calls)).toEqual([['empty_placeholder']]);
  });

  it('does not count one call twice that a server says again', async () => {
    const again = { index: 0, id: 'a', name: 'ls', arguments: '{"path":"x"}' };
    expect(short(await callsOf([[again], [again], [{ ...again, arguments: '' }]]))).toEqual([['ls', { path: 'x' }]]);
    const named = [
      [{ index: 0, id: 'a', name: 'ls', arguments: '{"pa' }],
      [{ index: 0, id: 'a', name: 'ls', arguments: 'th":"x"}' }],
    ];
    expect(short(await callsOf(named))).toEqual([['ls', { path: 'x' }]]);
    const idEachTime = [
      [{ index: 0, id: 'a', name: 'ls', arguments: '{"pa' }],
      [{ index: 0, id: 'b', arguments: 'th":' }],
      [{ index: 0, id: 'c', arguments: '"x"}' }],
    ];
    expect(short(await callsOf(idEachTime))).toEqual([['ls', { path: 'x' }]]);
  });

  it('puts a name together that came in pieces', async () => {
    const calls = await callsOf([
      [{ index: 0, id: 'a', name: 'read' }],
      [{ index: 0, name: '_file' }],
      [{ index: 0, arguments: '{"path":"x"}' }],
    ]);
    expect(short(calls)).toEqual([['read_file', { path: 'x' }]]);
  });

  it('takes arguments as an object, as null, as doubly encoded text and as none', async () => {
    verifies('Z15');
    const one = async (args: unknown): Promise<ProviderCall | undefined> =>
      (await callsOf([[{ index: 0, id: 'a', name: 'ls', arguments: args }]]))[0];
    expect(await one({ path: 'x' })).toMatchObject({
      arguments: { path: 'x' },
      repairs: [{ kind: 'arguments_object' }],
    });
    expect(await one(null)).toMatchObject({ arguments: {}, repairs: [] });
    expect(await one('null')).toMatchObject({ arguments: {}, repairs: [{ kind: 'null_arguments' }] });
    expect(await one('"{\\"path\\":\\"x\\"}"')).toMatchObject({
      arguments: { path: 'x' },
      repairs: [{ kind: 'double_encoded' }],
    });
    expect(await one('  ')).toMatchObject({ arguments: {}, repairs: [] });
    for (const wrong of ['[1]', '3', 'true', [1]]) {
      expect(await one(wrong)).toMatchObject({ arguments: {}, malformed: { problem: expect.any(String) } });
    }
  });

  it('hands broken arguments to the repair it was given, and records the repairs', async () => {
    const broken: Piece[][] = [[{ index: 0, id: 'a', name: 'ls', arguments: '{"path": "x",}' }]];
    expect((await callsOf(broken))[0]?.malformed?.text).toBe('{"path": "x",}');
    const repaired = await callsOf(broken, 'tool_calls', {
      repairArguments: (text) =>
        text.includes(',}')
          ? { ok: true, value: { path: 'x' }, repairs: [{ kind: 'trailing_comma', detail: 'A comma too many.' }] }
          : { ok: false, problem: 'unexpected' },
    });
    expect(repaired).toMatchObject([{ arguments: { path: 'x' }, repairs: [{ kind: 'trailing_comma' }] }]);
    expect(repaired[0]?.malformed).toBeUndefined();
  });

  it('never gives a call whose arguments the token limit cut off', async () => {
    const generous = (): { ok: true; value: { path: string }; repairs: [] } => ({
      ok: true,
      value: { path: 'hal' },
      repairs: [],
    });
    for (const finish of ['length', 'max_tokens', 'MAX_TOKENS']) {
      const calls = await callsOf(
        [
          [{ index: 0, id: 'a', name: 'ls', arguments: '{"path":"whole"}' }],
          [{ index: 1, id: 'b', name: 'read_file', arguments: '{"path":"hal' }],
          [{ index: 2, id: 'c', name: 'ls', arguments: '' }],
        ],
        finish,
        { repairArguments: generous },
      );
      expect(short(calls)).toEqual([
        ['ls', { path: 'whole' }],
        ['read_file', 'malformed'],
        ['ls', 'malformed'],
      ]);
      expect(calls[1]?.malformed?.problem).toContain('token limit');
    }
  });

  it('gives a call without a name as it is, for the caller to refuse', async () => {
    expect(short(await callsOf([[{ index: 0, id: 'a', name: '', arguments: '{}' }]]))).toEqual([['', {}]]);
  });

  it('costs time in proportion to the length of the arguments', async () => {
    const text = JSON.stringify({ content: 'x"\\'.repeat(50_000) });
    const deltas: Piece[][] = [[{ index: 0, id: 'a', name: 'ls', arguments: '' }]];
    for (let start = 0; start < text.length; start += 4) {
      deltas.push([{ index: 0, name: 'ls', arguments: text.slice(start, start + 4) }]);
    }
    const calls = await callsOf(deltas);
    expect(calls).toHaveLength(1);
    expect(JSON.stringify(calls[0]?.arguments)).toBe(text);
  });
});

describe('streams as servers write them', () => {
  const textOf = async (body: string, headers: Record<string, string> = SSE) => {
    const told = await ask({ headers, chunks: [body] });
    return { ...told, answer: answerOf(told.outcome) };
  };

  it.each([
    ['no blank between field and value', 'data:{"choices":[{"delta":{"content":"ok"}}]}\n\ndata:[DONE]\n\n'],
    ['a byte order mark', `\ufeff${delta({ content: 'ok' }, 'stop')}`],
    ['comments, ids and names of events', `: ping\nid: 1\nevent: message\n${delta({ content: 'ok' }, 'stop')}`],
    ['no blank line between events', `${delta({ content: 'o' }).trim()}\n${delta({ content: 'k' }, 'stop').trim()}\n`],
    ['one event over two lines', 'data: {"choices":[{"delta":\ndata: {"content":"ok"},"finish_reason":"stop"}]}\n\n'],
    ['[DONE] missing', delta({ content: 'ok' }, 'stop')],
    ['a reason that the protocol has not', delta({ content: 'ok' }, 'eos_token')],
    ['blanks in the JSON', 'data: {"choices": [{"delta": {"content": "ok"}, "finish_reason": "stop"}]}\n\n'],
    ['content as a list of parts', delta({ content: [{ type: 'text', text: 'ok' }] }, 'stop')],
    [
      'the whole message in place of a delta',
      event({ choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }),
    ],
    ['a message beside an empty choice', `${event({ choices: [] })}${delta({ content: 'ok' }, 'stop')}`],
    [
      'other choices besides the first',
      `${delta({ content: 'ok' }, 'stop')}${event({ choices: [{ index: 1, delta: { content: 'no' } }] })}`,
    ],
    [
      'error: null in every event',
      event({ error: null, choices: [{ delta: { content: 'ok' }, finish_reason: 'stop' }] }),
    ],
  ])('reads a stream with %s', async (_, body) => {
    expect(await textOf(body)).toMatchObject({ text: 'ok', answer: { finish: 'stop', calls: [] } });
  });

  it('is not misled by a field of the same name elsewhere in the event', async () => {
    const one = (content: string): string =>
      event({ system_fingerprint: { content: 'no' }, choices: [{ index: 0, delta: { content } }] });
    const told = await textOf(`${one('a')}${one('a')}${one('b')}${one('b')}data: [DONE]\n\n`);
    expect(told.text).toBe('aabb');
  });

  it('reads a plain JSON answer of a server that does not stream', async () => {
    const body = {
      choices: [
        {
          message: {
            content: 'ok',
            reasoning_content: 'hm',
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'ls', arguments: '{"path":"x"}' } },
              { id: 'b', type: 'function', function: { name: 'get_current_time', arguments: {} } },
              { id: 'c', type: 'function', function: { name: 'ls', arguments: '{"path":"y"}' } },
            ],
          },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 3 },
    };
    for (const [text, type] of [
      [JSON.stringify(body), 'application/json'],
      [JSON.stringify(body, null, 2), 'application/json'],
      [JSON.stringify(body), 'text/event-stream'],
    ] as const) {
      const told = await textOf(text, { 'content-type': type });
      expect(told).toMatchObject({ text: 'ok', reasoning: 'hm' });
      expect(told.answer).toMatchObject({
        finish: 'tool_calls',
        usage: { prompt_tokens: 7, completion_tokens: 3, seconds: 0, prompt_seconds: 0 },
        calls: [
          { id: 'a', name: 'ls', arguments: { path: 'x' } },
          { id: 'b', name: 'get_current_time', arguments: {} },
          { id: 'c', name: 'ls', arguments: { path: 'y' } },
        ],
      });
    }
  });

  it('asks for an answer in one piece where nobody reads along', async () => {
    const bodies: Record<string, unknown>[] = [];
    const answer = { choices: [{ message: { content: 'Whole.' }, finish_reason: 'stop' }] };
    const network = scriptedNetwork((request) => {
      bodies.push(JSON.parse(new TextDecoder().decode(request.body as Uint8Array)) as Record<string, unknown>);
      return { headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(answer)] };
    });
    const provider = createOpenAIProvider({ network, clock, random: () => 0.5, sleep: async () => undefined });
    const parts: ModelPart[] = [];
    const request = { model: 'm', messages: [], sampling: {}, tools: [], whole: true } as const;
    const outcome = await provider.stream(request, (part) => parts.push(part), new AbortController().signal);
    expect(bodies).toMatchObject([{ stream: false }]);
    expect(bodies[0]).not.toHaveProperty('stream_options');
    expect([answerOf(outcome).finish, parts]).toEqual(['stop', [{ type: 'text_delta', delta: 'Whole.' }]]);
  });

  it('reads thoughts from every field that servers use', async () => {
    for (const field of ['reasoning_content', 'reasoning', 'thinking']) {
      const told = await textOf(
        `${delta({ [field]: 'hm ' })}${delta({ [field]: 'so', content: null })}${delta({ content: 'ok' }, 'stop')}`,
      );
      expect(told, field).toMatchObject({ reasoning: 'hm so', text: 'ok' });
    }
    const both = await textOf(delta({ reasoning: 'hm', reasoning_content: 'hm', content: 'ok' }, 'stop'));
    expect(both).toMatchObject({ reasoning: 'hm', text: 'ok' });
    const parts = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'ok' },
    ];
    expect(await textOf(delta({ content: parts }, 'stop'))).toMatchObject({ reasoning: 'hm', text: 'ok' });
  });

  it('reads tokens and cached tokens, from usage and from llama.cpp timings', async () => {
    verifies('B4');
    const end = delta({ content: 'ok' }, 'stop');
    const usage = { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 8 } };
    const counted = { prompt_tokens: 10, completion_tokens: 2, cached_tokens: 8, seconds: 0, prompt_seconds: 0 };
    expect((await textOf(`${end}${event({ choices: [], usage })}data: [DONE]\n\n`)).answer.usage).toEqual(counted);
    const timings = { cache_n: 8, prompt_n: 2, predicted_n: 2 };
    expect((await textOf(`${end}${event({ choices: [], timings })}`)).answer.usage).toEqual(counted);
    const slow = { choices: [], timings: { ...timings, prompt_ms: 1_500 } };
    expect((await textOf(`${end}${event(slow)}`)).answer.usage).toEqual({ ...counted, prompt_seconds: 1.5 });
    const both = { choices: [], timings, usage: { prompt_tokens: 10, completion_tokens: 2 } };
    expect((await textOf(`${end}${event(both)}`)).answer.usage).toEqual(counted);
    expect((await textOf(end)).answer.usage).toBeUndefined();
  });

  it('keeps an answer whose connection is lost after the model had ended it', async () => {
    const told = await ask({ headers: SSE, chunks: [delta({ content: 'ok' }, 'stop')], end: 'disconnected' });
    expect(told.outcome.ok).toBe(true);
  });

  it('reports errors in every form that servers put them into a stream', async () => {
    const overflow = 'request (9928 tokens) exceeds the available context size (4096 tokens)';
    for (const body of [
      event({ error: { message: overflow, code: 400 } }),
      event({ error: overflow }),
      `event: error\ndata: {"message":"${overflow}"}\n\n`,
      `error: {"code":400,"message":"${overflow}"}\n\n`,
      event({ object: 'error', error: { message: overflow } }),
    ]) {
      const told = await ask({ headers: SSE, chunks: [delta({ content: 'so f' }), body] });
      expect(told.outcome).toMatchObject({ ok: false, partial: true, error: { code: 'context_overflow' } });
      expect(told.text).toBe('so f');
    }
  });

  it('refuses a line that never ends', async () => {
    const told = await ask({ headers: SSE, chunks: Array.from({ length: 17 }, () => `data: ${'x'.repeat(2 ** 20)}`) });
    expect(told.outcome).toMatchObject({ ok: false, error: { code: 'protocol' } });
  });
});

it.each(['Loading model', 'Model org/name-7b is currently loading', 'The model is still being loaded'])(
  'waits for a server that says "%s", however long that takes, and then asks',
  async (message) => {
    verifies('B4');
    let polls = 0;
    const loading = { status: 503, chunks: [JSON.stringify({ error: { message } })] };
    const network = scriptedNetwork((request, number) => {
      if (request.url.endsWith('/models')) {
        polls += 1;
        return polls < 20 ? loading : { chunks: ['{"data":[]}'] };
      }
      return number === 0
        ? loading
        : { chunks: ['data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n'] };
    });
    const parts: ModelPart[] = [];
    const provider = createOpenAIProvider({ network, clock, sleep: async () => undefined, baseUrl: 'http://h:1/v1' });
    const request = { model: 'm', messages: [], tools: [], sampling: {} };
    const outcome = await provider.stream(request, (part) => parts.push(part), new AbortController().signal);
    expect(outcome.ok).toBe(true);
    expect(parts.filter(({ type }) => type === 'loading')).toHaveLength(20);
    expect(network.requests.filter(({ url }) => url.endsWith('/completions'))).toHaveLength(2);
  },
);
