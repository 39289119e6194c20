/** Servers that fail in the ways the attack list names, over real sockets. The number of each case is the list's. */
import { afterAll, describe, expect, it } from 'vitest';
import type { ModelError, ModelOutcome, ModelPart } from '../core/model-port.ts';
import { createNetwork } from '../io/network.ts';
import type { ScriptedServerTurn } from '../testing/scripted-server/turn.ts';
import { startScriptedServer } from '../testing/scripted-server.ts';
import { createProvider } from './index.ts';

const network = createNetwork();
afterAll(() => network.close());
const clock = { now: () => Date.UTC(2026, 10, 1), monotonic: () => performance.now() };
const REQUEST = {
  model: 'test-model',
  messages: [{ role: 'user' as const, content: 'hello' }],
  tools: [],
  sampling: {},
};

const meet = async (
  turns: readonly ScriptedServerTurn[] | (() => ScriptedServerTurn),
  onPart: (part: ModelPart, stop: AbortController) => void = () => undefined,
  { kind = 'openai', ...options }: { kind?: 'openai' | 'ollama'; apiKey?: string; attempts?: number } = {},
): Promise<{ outcome: ModelOutcome; text: string; parts: ModelPart[]; requests: number; waits: number[] }> => {
  await using server = await startScriptedServer({ turns });
  const waits: number[] = [];
  const parts: ModelPart[] = [];
  const stop = new AbortController();
  const provider = createProvider(kind, {
    network,
    clock,
    baseUrl: kind === 'openai' ? server.openaiUrl : server.url,
    sleep: async (ms) => {
      waits.push(ms);
    },
    ...options,
  });
  const take = (part: ModelPart): void => {
    parts.push(part);
    onPart(part, stop);
  };
  const outcome = await provider.stream(REQUEST, take, stop.signal);
  const text = parts.map((part) => (part.type === 'text_delta' ? part.delta : '')).join('');
  return { outcome, text, parts, requests: server.requests.length, waits };
};

const errorOf = (outcome: ModelOutcome): ModelError => {
  if (outcome.ok) throw new Error('an error was due');
  return outcome.error;
};
const callsOf = (outcome: ModelOutcome) => (outcome.ok ? outcome.answer.calls : []);
const message = (toolCalls: object[]): ScriptedServerTurn => ({
  body: JSON.stringify({ choices: [{ message: { role: 'assistant', content: null, tool_calls: toolCalls } }] }),
});
const named = (name: string, args: string, id?: string): object => ({
  ...(id === undefined ? {} : { id }),
  function: { name, arguments: args },
});

describe('a server that fails', () => {
  it('p01: is not running', async () => {
    const provider = createProvider('ollama', {
      network,
      clock,
      baseUrl: 'http://127.0.0.1:1',
      sleep: async () => undefined,
    });
    const outcome = await provider.stream(REQUEST, () => undefined, new AbortController().signal);
    expect(errorOf(outcome)).toMatchObject({ code: 'unreachable', hint: expect.stringContaining('ollama serve') });
    expect(errorOf(outcome).message).toMatch(/127\.0\.0\.1.*refused/);
  });

  it('p02: asks for two seconds', async () => {
    const met = await meet([{ status: 429, headers: { 'retry-after': '2' }, body: '' }, { text: 'hi' }]);
    expect(met).toMatchObject({ requests: 2, waits: [2_000], text: 'hi' });
    expect(met.parts[0]).toMatchObject({ type: 'warning', message: expect.stringContaining('2.0 s') });
  });

  it('p03: answers 500 for ever', async () => {
    const met = await meet(() => ({ status: 500, body: 'boom' }));
    expect(met.requests).toBe(4);
    expect(errorOf(met.outcome).message).toContain('500');
    const [first = 0, second = 0, third = 0] = met.waits;
    expect([first, second, third].every((wait, index) => wait >= 375 * 2 ** index && wait <= 625 * 2 ** index)).toBe(
      true,
    );
  });

  it('p04: refuses a key and repeats it', async () => {
    const met = await meet(() => ({ status: 401, body: '{"error":{"message":"bad key sk-SECRET123"}}' }), undefined, {
      apiKey: 'sk-SECRET123',
    });
    expect(met.requests).toBe(1);
    expect(JSON.stringify(met)).not.toContain('sk-SECRET123');
  });

  it('p05: goes away in the middle', async () => {
    const met = await meet([{ raw: ['data: {"choices":[{"delta":{"content":"Hel"}}]}\n\n'], cutAfterWrites: 1 }]);
    expect(met).toMatchObject({ text: 'Hel', requests: 1, outcome: { ok: false, partial: true } });
    expect(errorOf(met.outcome).message).toContain('connection');
  });

  describe.each(['openai', 'ollama'] as const)('goes away before the first word: %s', (kind) => {
    const role: Record<typeof kind, string> = {
      openai: 'data: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n',
      ollama: '{"message":{"role":"assistant","content":""},"done":false}\n',
    };
    const begins: Record<string, Record<typeof kind, string>> = {
      text: {
        openai: 'data: {"choices":[{"delta":{"content":"Hel"}}]}\n\n',
        ollama: '{"message":{"content":"Hel"},"done":false}\n',
      },
      'a thought': {
        openai: 'data: {"choices":[{"delta":{"reasoning_content":"Hm"}}]}\n\n',
        ollama: '{"message":{"thinking":"Hm"},"done":false}\n',
      },
      'a call': {
        openai: `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'ls', arguments: '' } }] } }] })}\n\n`,
        ollama: `${JSON.stringify({ message: { tool_calls: [{ function: { name: 'ls', arguments: {} } }] }, done: false })}\n`,
      },
    };
    const CUTS: [string, ScriptedServerTurn][] = [
      ['before an answer', { cutAtOnce: true }],
      ['behind the headers', { raw: [role[kind]], cutAfterWrites: 0 }],
      ['behind an event without words', { raw: [role[kind]], cutAfterWrites: 1 }],
      ['with a whole body of nothing', { raw: [] }],
      ['with a whole body that says nothing', { raw: [role[kind]] }],
    ];

    const toldIn = (parts: readonly ModelPart[]): string[] =>
      parts.flatMap((part) => (part.type === 'warning' && part.code === 'retrying' ? [part.message] : []));

    it.each(CUTS)('%s: asks once more, and says so', async (_, cut) => {
      const told: string[] = [];
      const turn = (): ScriptedServerTurn => (told.length === 0 ? cut : { text: 'hi' });
      const met = await meet(turn, (part) => void (part.type === 'warning' && told.push(part.message)), { kind });
      expect(met).toMatchObject({ text: 'hi', outcome: { ok: true } });
      expect(told).toEqual([
        expect.stringMatching(/lost before the first word; trying again in 0\.\d s \(1 of 1\)\.$/),
      ]);
    });

    it.each(CUTS)('%s each time: ends after two tries', async (_, cut) => {
      const met = await meet(() => cut, undefined, { kind });
      expect(toldIn(met.parts)).toHaveLength(1);
      expect(errorOf(met.outcome).message).toContain('Tried 2 times.');
    });

    it.each(Object.entries(begins))('is not asked again once %s came', async (_, begun) => {
      for (const turn of [{ raw: [begun[kind]], cutAfterWrites: 1 }, { raw: [begun[kind]] }])
        expect(await meet(() => turn, undefined, { kind })).toMatchObject({
          requests: 1,
          outcome: { ok: false, partial: true, error: { code: 'disconnected' } },
        });
    });

    it('is not asked again by a server of a pool, which has others, or once the person stopped it', async () => {
      const cut = (): ScriptedServerTurn => ({ cutAtOnce: true });
      expect(toldIn((await meet(cut, undefined, { kind, attempts: 0 })).parts)).toEqual([]);
      const stopped = await meet(cut, (_, stop) => stop.abort(), { kind });
      expect(toldIn(stopped.parts)).toHaveLength(1);
      expect(errorOf(stopped.outcome).code).toBe('cancelled');
    });
  });

  it('p06: goes away in the middle of arguments', async () => {
    const call = { index: 0, id: 'c1', function: { name: 'write_file', arguments: '{"path":"a.txt","content":"hal' } };
    const raw = [`data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] })}\n\n`];
    for (const turn of [{ raw, cutAfterWrites: 1 }, { raw }]) {
      const met = await meet([turn]);
      expect(errorOf(met.outcome).code).toBe('disconnected');
      expect(callsOf(met.outcome)).toEqual([]);
    }
  });

  it('p07: sends one event that is not JSON', async () => {
    const raw = ['data: not json\n\n', 'data: {"choices":[{"delta":{"content":"ok"}}]}\n\n', 'data: [DONE]\n\n'];
    const met = await meet([{ raw }]);
    expect(met).toMatchObject({ text: 'ok', outcome: { ok: true } });
    expect(met.parts.filter((part) => part.type === 'warning')).toHaveLength(1);
  });

  it('p08: falls silent, and the person cancels', async () => {
    const raw = ['data: {"choices":[{"delta":{"content":"a"}}]}\n\n', 'x'];
    const met = await meet([{ raw, hangAfterWrites: 1 }], (_, stop) => stop.abort());
    expect(errorOf(met.outcome).code).toBe('cancelled');
  });

  it('p09: answers with no choice at all', async () => {
    const met = await meet([{ raw: ['data: {"choices":[]}\n\n', 'data: [DONE]\n\n'] }]);
    expect(met.outcome).toMatchObject({ ok: true, answer: { calls: [], finish: 'stop' } });
    expect(met.text).toBe('');
  });

  it('p10, p11: calls no name, and with arguments that are no JSON', async () => {
    // No reason for the end is given in these: one JSON object is whole by itself.
    const met = await meet([message([named('', '{}'), named('read_file', 'path is a.txt, please')])]);
    expect(callsOf(met.outcome)).toMatchObject([{ name: '' }, { malformed: { text: 'path is a.txt, please' } }]);
  });

  it('p13: asks for a century', async () => {
    const met = await meet(() => ({
      status: 429,
      headers: { 'retry-after': 'Wed, 21 Oct 2099 07:28:00 GMT' },
      body: '',
    }));
    expect(Math.max(...met.waits)).toBeLessThanOrEqual(60_000);
    expect(errorOf(met.outcome).message).toContain('429');
  });

  it('p14: is a login page', async () => {
    const met = await meet([{ headers: { 'content-type': 'text/html' }, body: '<html>login</html>' }]);
    expect(errorOf(met.outcome).message).toContain('text/html');
    expect(met.text).toBe('');
  });

  it('p15: ends its lines with CRLF', async () => {
    const met = await meet([
      { raw: ['data: {"choices":[{"delta":{"content":"a"}}]}\r\n\r\n', 'data: [DONE]\r\n\r\n'] },
    ]);
    expect(met).toMatchObject({ text: 'a', outcome: { ok: true } });
  });

  it('p16, p17: gives an id twice, and calls forty times', async () => {
    const twice = await meet([
      message([named('get_current_time', '{}', 'c1'), named('get_working_directory', '{}', 'c1')]),
    ]);
    expect(callsOf(twice.outcome).map((call) => call.name)).toEqual(['get_current_time', 'get_working_directory']);
    expect(new Set(callsOf(twice.outcome).map((call) => call.id)).size).toBe(2);
    const many = await meet([message(Array.from({ length: 40 }, () => named('get_current_time', '{}')))]);
    expect(new Set(callsOf(many.outcome).map((call) => call.id)).size).toBe(40);
  });
});
