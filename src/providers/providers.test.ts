/** One table over every provider that talks to a server: the same story in each protocol, with the same end. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { everyNth } from '../../tests/support/long.ts';
import type { ModelOutcome, ModelPart } from '../core/model-port.ts';
import { createNetwork } from '../io/network.ts';
import type { ScriptedResponse } from '../testing/scripted-server/network.ts';
import {
  joined,
  never,
  overNetwork,
  PROVIDERS,
  quiet,
  request,
  type Told,
  tell,
} from '../testing/scripted-server/table.ts';
import type { ScriptedTurn } from '../testing/scripted-server/turn.ts';
import { startScriptedServer } from '../testing/scripted-server.ts';
import { createProvider } from './index.ts';

const STORY: ScriptedTurn = {
  reasoning: 'The person wants "files" – größe 😀.',
  text: 'I look.\n\t{"not": "a call"} \\ \u2028 日本',
  calls: [
    { name: 'ls', arguments: { path: 'src/ä "b"', deep: { list: [1, 2.5, null, true] } }, id: 'call_a' },
    { name: 'get_current_time', arguments: {}, id: 'call_b' },
  ],
  usage: { prompt_tokens: 100, completion_tokens: 20 },
};

const storyOutcome: ModelOutcome = {
  ok: true,
  answer: {
    calls: [
      {
        id: 'call_a',
        name: 'ls',
        arguments: { path: 'src/ä "b"', deep: { list: [1, 2.5, null, true] } },
        source: 'native',
        repairs: [],
      },
      { id: 'call_b', name: 'get_current_time', arguments: {}, source: 'native', repairs: [] },
    ],
    finish: 'tool_calls',
    usage: { prompt_tokens: 100, completion_tokens: 20, seconds: 0, prompt_seconds: expect.any(Number) },
  },
};

describe.each(PROVIDERS)('$name', ({ name, contentType, write, garbage, error, base }) => {
  const headers = { 'content-type': contentType };
  const play = (chunks: readonly string[], more: Partial<ScriptedResponse> = {}): Promise<Told> =>
    tell(overNetwork(name, () => ({ headers, chunks, ...more })).make);

  it('tells text, reasoning and calls apart, wherever the stream is cut', async () => {
    verifies('Z15');
    const body = write({ ...STORY, pieceCharacters: 12 });
    const places = Array.from({ length: body.length + 1 }, (_, at) => at);
    // Behind these it is cut at every place at once.
    for (const cut of everyNth(places, 3)) {
      const told = await play([body.slice(0, cut), body.slice(cut)]);
      expect(told.outcome).toEqual(storyOutcome);
      expect(told.text).toBe(STORY.text);
      expect(told.reasoning).toBe(STORY.reasoning);
    }
    const told = await play([...body].map(String));
    expect(told.outcome).toEqual(storyOutcome);
    expect(told.text).toBe(STORY.text);
  });

  it('reads CRLF line ends and a missing last line end', async () => {
    const told = await play([write(STORY).replaceAll('\n', '\r\n').trimEnd()]);
    expect(told.outcome).toEqual(storyOutcome);
    expect(told.text).toBe(STORY.text);
  });

  it('gives the arguments in pieces as they come', async () => {
    const told = await play([write(STORY)]);
    const pieces = told.parts.flatMap((part) => (part.type === 'tool_call_delta' ? [part] : []));
    const text = (index: number): string =>
      pieces
        .filter((piece) => piece.index === index)
        .map((piece) => piece.arguments_delta)
        .join('');
    expect(JSON.parse(text(0))).toEqual(STORY.calls?.[0]?.arguments);
    expect(JSON.parse(text(1))).toEqual({});
    expect(pieces.filter((piece) => piece.name !== undefined).map((piece) => piece.name)).toEqual([
      'ls',
      'get_current_time',
    ]);
  });

  it('reports an answer cut by the token limit', async () => {
    const told = await play([write({ text: 'half a sen', finish: 'length' })]);
    expect(told.outcome).toMatchObject({ ok: true, answer: { finish: 'length', calls: [] } });
  });

  it('makes up ids that were left out, and never gives one twice', async () => {
    verifies('Z15');
    const body = write({
      omitIds: true,
      calls: [
        { name: 'ls', arguments: {} },
        { name: 'ls', arguments: { path: 'a' }, id: 'same' },
        { name: 'get_current_time', arguments: {}, id: 'same' },
      ],
    });
    const told = await tell((options) =>
      createProvider(name, {
        ...options,
        random: () => 0.5,
        network: overNetwork(name, () => ({ headers, chunks: [body] })).network,
      }),
    );
    if (!told.outcome.ok) throw new Error(told.outcome.error.message);
    const ids = told.outcome.answer.calls.map((call) => call.id);
    expect(new Set(ids).size).toBe(3);
    expect(ids[1]).toBe('same');
    for (const id of [ids[0], ids[2]]) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(told.outcome.answer.calls[2]?.repairs).toMatchObject([{ kind: 'duplicate_id' }]);
  });

  it('skips what cannot be read, says so once, and goes on', async () => {
    const told = await play([`${garbage}${garbage}${write({ text: 'ok' })}`]);
    expect(told.outcome).toMatchObject({ ok: true, answer: { finish: 'stop' } });
    expect(told.text).toBe('ok');
    expect(told.parts.filter((part) => part.type === 'warning')).toHaveLength(1);
  });

  it('stops at a server that sends nothing but garbage', async () => {
    const told = await play([garbage.repeat(1_000)]);
    expect(told.outcome).toMatchObject({ ok: false, partial: false, error: { code: 'protocol' } });
  });

  it('keeps what came before the connection was lost, and calls nothing', async () => {
    const body = write(STORY);
    const before = body.slice(0, body.indexOf('call_b'));
    const told = await play([before], { end: 'disconnected' });
    expect(told.outcome).toMatchObject({ ok: false, partial: true, error: { code: 'disconnected' } });
    if (!told.outcome.ok) expect(told.outcome.error.message).toContain('connection');
    expect(told.text).toBe(STORY.text);
  });

  it('takes a stream that ends before the model said so for a lost connection', async () => {
    const body = write({ text: 'Hello there' });
    const told = await play([body.slice(0, body.indexOf('ere'))]);
    expect(told.outcome).toMatchObject({ ok: false, error: { code: 'disconnected' } });
  });

  it('reports an empty body', async () => {
    expect((await play([])).outcome).toMatchObject({ ok: false, partial: false, error: { code: 'protocol' } });
    expect((await play(['\n\n'])).outcome).toMatchObject({ ok: false, error: { code: 'protocol' } });
  });

  it('gives a well-formed empty answer as one, for the caller to judge', async () => {
    const told = await play([write({ text: '' })]);
    expect(told.outcome).toMatchObject({ ok: true, answer: { calls: [], finish: 'stop' } });
    expect(told.parts).toEqual([]);
  });

  it('reports an error that the server puts into the stream', async () => {
    const start = write({ text: 'Hello' }).split('\n').slice(0, 1).join('\n');
    const told = await play([`${start}\n\n${error('llama runner process has terminated')}`]);
    expect(told.outcome).toMatchObject({ ok: false, error: { code: 'load_failed' } });
    const other = await play([error('something odd')]);
    expect(other.outcome).toMatchObject({ ok: false, partial: false, error: { code: 'server_error' } });
    if (!other.outcome.ok) expect(other.outcome.error.message).toContain('something odd');
  });

  it('reports a page that no model server sends, by its type', async () => {
    const told = await play(['<html>login</html>'], { headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(told.outcome).toMatchObject({ ok: false, partial: false, error: { code: 'protocol' } });
    if (!told.outcome.ok) expect(told.outcome.error.message).toContain('text/html');
    expect(told.text).toBe('');
  });

  it('resolves at once on cancel, and hands nothing on afterwards', async () => {
    const stop = new AbortController();
    const parts: ModelPart[] = [];
    const body = write({ text: 'Hello there, how are you?' });
    const half = Math.floor(body.length / 2);
    const provider = overNetwork(name, () => ({
      headers,
      chunks: [body.slice(0, half), body.slice(half)],
      end: 'hang',
    })).make(quiet([]));
    const outcome = await provider.stream(
      request(),
      (part) => {
        parts.push(part);
        stop.abort();
      },
      stop.signal,
    );
    expect(outcome).toMatchObject({ ok: false, partial: true, error: { code: 'cancelled' } });
    expect(parts).toHaveLength(1);
    const before = await provider.stream(request(), (part) => parts.push(part), stop.signal);
    expect(before).toMatchObject({ ok: false, partial: false, error: { code: 'cancelled' } });
    expect(parts).toHaveLength(1);
  });

  it('hands nothing on after cancel, though more of the same packet is there', async () => {
    const stop = new AbortController();
    const parts: ModelPart[] = [];
    const provider = overNetwork(name, () => ({ headers, chunks: [write(STORY)] })).make(quiet([]));
    const onPart = (part: ModelPart): void => {
      parts.push(part);
      stop.abort();
    };
    const outcome = await provider.stream(request(), onPart, stop.signal);
    expect(outcome).toMatchObject({ ok: false, partial: true, error: { code: 'cancelled' } });
    expect(parts.map((part) => part.type)).toEqual(['reasoning_delta']);
  });

  it('ends when the server says that it is done, though the connection stays open', async () => {
    const told = await play([write({ text: 'done' })], { end: 'hang' });
    expect(told.outcome).toMatchObject({ ok: true });
    expect(told.text).toBe('done');
  });

  it('names the models that are there when the asked one is not', async () => {
    await using server = await startScriptedServer({
      models: [{ id: 'qwen3:8b' }, { id: 'llama3.2:3b' }],
      strictModels: true,
      serves: ['ollama', 'openai'],
    });
    const network = createNetwork();
    const told = await tell((options) => createProvider(name, { ...options, network, baseUrl: base(server) }), {
      model: 'nope',
    });
    network.close();
    expect(told.outcome).toMatchObject({ ok: false, partial: false, error: { code: 'model_not_found' } });
    if (told.outcome.ok) return;
    expect(told.outcome.error.message).toContain('"nope"');
    expect(told.outcome.error.message).toContain('qwen3:8b, llama3.2:3b');
    expect(told.outcome.error.hint).toBeDefined();
  });

  it('works over real sockets, byte by byte, and the server sees the connection go on cancel', async () => {
    await using server = await startScriptedServer({
      turns: [
        { ...STORY, writeBytes: 5 },
        { text: 'Hello', hangAfterWrites: 2 },
      ],
    });
    const network = createNetwork();
    const provider = createProvider(name, { ...quiet([]), network, baseUrl: base(server) });
    const parts: ModelPart[] = [];
    const outcome = await provider.stream(request(), (part) => parts.push(part), never());
    expect(outcome).toEqual(storyOutcome);
    expect(joined(parts, 'text_delta')).toBe(STORY.text);
    const stop = new AbortController();
    const cut = await provider.stream(request(), () => stop.abort(), stop.signal);
    expect(cut).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(await server.requests[1]?.ended).toBe(false);
    network.close();
  });

  it('cancels while the server has not answered at all', async () => {
    const arrived = Promise.withResolvers<void>();
    await using server = await startScriptedServer({
      turns: () => {
        arrived.resolve();
        return { headersGate: new Promise(() => undefined) };
      },
    });
    const network = createNetwork();
    const provider = createProvider(name, { ...quiet([]), network, baseUrl: base(server) });
    const stop = new AbortController();
    const asking = provider.stream(request(), () => undefined, stop.signal);
    await arrived.promise;
    stop.abort();
    expect(await asking).toMatchObject({ ok: false, partial: false, error: { code: 'cancelled' } });
    expect(await server.requests[0]?.ended).toBe(false);
    network.close();
  });

  it('ends a stream that falls silent after the first token, and not one that has not begun', async () => {
    const body = write({ text: ['Hel', 'lo'] });
    const chunks = [body.slice(0, body.indexOf('"lo"'))];
    const setup = overNetwork(name, () => ({ headers, chunks, end: 'silence_timeout' }));
    const told = await tell(setup.make);
    expect(told.outcome).toMatchObject({ ok: false, partial: true, error: { code: 'timeout' } });
    const asked = setup.chats()[0];
    expect(asked?.silenceTimeoutMs).toBe(120_000);
    expect(asked?.firstByteTimeoutMs).toBeUndefined();
    expect(asked?.connectTimeoutMs).toBe(5_000);
    expect(asked?.silenceCounts?.()).toBe(true);
    const silent = overNetwork(name, () => ({ headers, chunks: [': ping\n\n'], end: 'disconnected' }));
    await tell(silent.make);
    expect(silent.chats()[0]?.silenceCounts?.()).toBe(false);
  });

  it('sends sampling, images, an answer schema and the conversation in the words of its protocol', async () => {
    verifies('U1');
    const setup = overNetwork(name, () => ({ headers, chunks: [write({ text: '{}' })] }));
    await tell(setup.make, {
      sampling: { temperature: 0.2, top_p: 0.9, seed: 7, max_tokens: 64, think: false },
      response_schema: {
        type: 'object',
        properties: { a: { type: 'string' } },
        required: ['a'],
        additionalProperties: false,
      },
      messages: [
        { role: 'system', content: 'be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image', mime_type: 'image/png', data_base64: 'AAA=' },
          ],
        },
        {
          role: 'assistant',
          content: '',
          reasoning: 'thought',
          finish: 'tool_calls',
          tool_calls: [{ id: 'c1', name: 'ls', arguments: { path: '.' }, source: 'native', repairs: [] }],
        },
        {
          role: 'tool',
          tool_call_id: 'c1',
          name: 'ls',
          content: 'a.txt',
          result: {
            success: true,
            data: 'a.txt',
            error_message: null,
            error_type: 'none',
            metadata: { execution_time_ms: 1, data_size_bytes: 5, timestamp: 1 },
          },
        },
      ],
    });
    expect(JSON.parse(String(setup.chats()[0]?.body))).toMatchSnapshot();
  });
});
