import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { eventsUntil, type SentEvent, sentEvents } from '../../tests/support/sent-events.ts';
import { ORIGIN, TOKEN, testServer } from '../../tests/support/test-server.ts';
import type { ModelRequest } from '../core/model-port.ts';
import { scriptedProvider } from '../testing/index.ts';
import { fromModelError } from './api-error.ts';

const send = (content: string) => ({ type: 'send_message', content });
const begin = async (server: Awaited<ReturnType<typeof testServer>>): Promise<string> =>
  (await server.json<{ id: string }>('POST', '/api/sessions')).id;
const texts = (events: readonly SentEvent[]): string =>
  events
    .filter(({ type }) => type === 'text_delta')
    .map(({ data }) => String(data['delta']))
    .join('');
const wait = (): { gate: Promise<void>; open(): void } => {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { gate, open: () => open() };
};
const calledThenDone = (call: object) => (request: ModelRequest) =>
  request.messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : (call as { text: string });

describe('a session over HTTP', () => {
  it('is begun, spoken to, looked at, listed and deleted', async () => {
    verifies('L6', 'H12');
    const server = await testServer({ text: 'Good morning.' });
    const id = await begin(server);
    const stream = await server.call('GET', `/api/sessions/${id}/events`);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await server.json('POST', `/api/sessions/${id}/commands`, send('hello'))).toEqual({ ok: true });
    const events = await eventsUntil(stream, 'turn_end');
    expect(events.map(({ type }) => type).filter((type) => type !== 'text_delta')).toEqual([
      'session',
      'user_message',
      'model_start',
      'usage',
      'assistant_message',
      'turn_end',
    ]);
    expect(texts(events)).toBe('Good morning.');
    expect(events.at(-1)?.data).toMatchObject({ exit_reason: 'answered', answer: 'Good morning.', session_id: id });
    const view = await server.json('GET', `/api/sessions/${id}`);
    expect(view).toMatchObject({ id, running: false, permission_request: null, in_flight: [], has_more: false });
    expect((await server.json<{ sessions: object[] }>('GET', '/api/sessions')).sessions).toMatchObject([
      { id, title: 'hello' },
    ]);
    expect((await server.call('DELETE', `/api/sessions/${id}`)).status).toBe(200);
    expect((await server.call('GET', `/api/sessions/${id}`)).status).toBe(404);
  });

  it('says that no model was to be had, and looks for one again when it is asked to', async () => {
    const provider = scriptedProvider([], { models: [{ id: 'm' }] });
    let asked = 0;
    let isThere = false;
    const server = await testServer([], {
      modelProvider: {
        ...provider,
        async describe(model, signal) {
          asked += 1;
          return isThere
            ? provider.describe(model, signal)
            : { ok: false, error: { code: 'unreachable', message: 'Nobody is there.', hint: 'Start it.' } };
        },
      },
    });
    const state = async (load: string) =>
      (await server.json<{ model: Record<string, unknown> }>('GET', `/api/status?load=${load}`)).model;
    await expect.poll(() => state('true')).toEqual({ state: 'failed', message: 'Nobody is there. Start it.' });
    const before = asked;
    // A page asks often; that is no reason to look again.
    for (let round = 0; round < 3; round += 1) expect(await state('true')).toMatchObject({ state: 'failed' });
    expect(asked).toBe(before);
    isThere = true;
    await state('again');
    await expect.poll(() => state('true')).toMatchObject({ state: 'ready', id: 'scripted/m' });
  });

  it('takes a session away that a page left before anything was said in it, unless somebody came back', async () => {
    const server = await testServer({ text: 'Good morning.' });
    const [leftAlone, cameBack, used] = [await begin(server), await begin(server), await begin(server)];
    await server.call('POST', `/api/sessions/${used}/commands`, send('hello'));
    for (const id of [leftAlone, cameBack, used])
      expect((await server.call('DELETE', `/api/sessions/${id}?if_left=true`)).status).toBe(200);
    expect((await server.call('GET', `/api/sessions/${cameBack}/documents`)).status).toBe(200);
    // What still waits when the server ends is not waited for.
    await server.close();
    const { halter } = await server.open();
    const isThere = async (id: string): Promise<boolean> => (await halter.sessions.read(id)).ok;
    expect(await Promise.all([leftAlone, cameBack, used].map(isThere))).toEqual([false, true, true]);
  });

  it('runs the loop with the tools of halter: question, answer, result, next answer', async () => {
    verifies('L6', 'L9', 'H12');
    const server = await testServer(
      calledThenDone({
        text: 'I write.',
        calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x\n' } }],
      }),
    );
    const id = await begin(server);
    const stream = await server.call('GET', `/api/sessions/${id}/events`);
    await server.call('POST', `/api/sessions/${id}/commands`, send('write'));
    const types: string[] = [];
    for await (const event of sentEvents(stream)) {
      types.push(event.type);
      if (event.type === 'permission_request') {
        expect(event.data).toMatchObject({ name: 'write_file', risk: 'high', diff: expect.stringContaining('+x') });
        const { tool_call_id } = event.data;
        await server.call('POST', `/api/sessions/${id}/commands`, {
          type: 'resolve_permission',
          tool_call_id,
          decision: 'allow_once',
        });
      }
      if (event.type === 'turn_end') break;
    }
    expect(types.filter((type) => /tool_(?:call|start|result)$|permission|turn/.test(type))).toEqual([
      'tool_call',
      'permission_request',
      'permission_resolved',
      'tool_start',
      'tool_result',
      'turn_end',
    ]);
  });

  it('says when the limit of iterations is reached', async () => {
    verifies('L6');
    const server = await testServer((_request, number) => ({
      calls: [{ name: 'ls', arguments: { path: '.', max_entries: number + 1 } }],
    }));
    const id = await begin(server);
    const stream = await server.call('GET', `/api/sessions/${id}/events`);
    await server.call('POST', `/api/sessions/${id}/commands`, send('again and again'));
    const events = await eventsUntil(stream, 'turn_end');
    expect(events.find(({ type }) => type === 'limit')?.data).toMatchObject({ code: 504 });
    expect(events.at(-1)?.data).toMatchObject({ exit_reason: 'limit' });
  });

  it('loses and doubles nothing, wherever a reader is cut off and goes on', async () => {
    const { gate, open } = wait();
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(4);
    const server = await testServer((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? { text, pieceCharacters: 5, endGate: gate }
        : { text: 'First.', calls: [{ name: 'get_current_time', arguments: {} }] },
    );
    const id = await begin(server);
    const whole = server.call('GET', `/api/sessions/${id}/events`);
    const reference = whole.then((response) => eventsUntil(response, 'turn_end'));
    await server.call('POST', `/api/sessions/${id}/commands`, send('go'));
    const early = await eventsUntil(await server.call('GET', `/api/sessions/${id}/events`), 'tool_result');
    open();
    const all = await reference;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: all.length - 2 }), async (cut) => {
        const lastId = all[cut]?.id ?? '';
        const rest = await eventsUntil(
          await server.call('GET', `/api/sessions/${id}/events`, undefined, { 'last-event-id': lastId }),
          'turn_end',
        );
        expect([...all.slice(0, cut + 1), ...rest]).toEqual(all);
      }),
      { numRuns: 60 },
    );
    expect(early.at(-1)?.type).toBe('tool_result');
    expect(new Set(all.map(({ id: event }) => event)).size).toBe(all.length);
  });

  it('shows a reader who comes in the middle what the others have seen', async () => {
    const { gate, open } = wait();
    const server = await testServer({ text: 'Half of it', pieceCharacters: 3, endGate: gate });
    const id = await begin(server);
    const first = await server.call('GET', `/api/sessions/${id}/events`);
    await server.call('POST', `/api/sessions/${id}/commands`, send('go'));
    let seen = '';
    for await (const event of sentEvents(first)) {
      if (event.type === 'text_delta') seen += String(event.data['delta']);
      if (seen === 'Half of it') break;
    }
    const late = sentEvents(await server.call('GET', `/api/sessions/${id}/events`));
    const heard: SentEvent[] = [];
    for await (const event of late) {
      heard.push(event);
      if (texts(heard) === 'Half of it') break;
    }
    expect(heard.map(({ type }) => type)).toEqual(['session', 'user_message', 'model_start', 'text_delta']);
    const view = await server.json<{ in_flight: object[] }>('GET', `/api/sessions/${id}`);
    expect(view.in_flight).toMatchObject([{ type: 'model_start' }, { type: 'text_delta', delta: 'Half of it' }]);
    open();
  });

  it('shows that room is made while it is made, and nothing of it afterwards', async () => {
    const asked = wait();
    const { gate, open } = wait();
    const server = await testServer(async (request: ModelRequest) => {
      if (!JSON.stringify(request.messages.at(-1)).includes('Write notes')) return { text: 'Words. '.repeat(400) };
      asked.open();
      return { text: '{"goal": "x"}', endGate: gate };
    });
    const id = await begin(server);
    for (const message of ['a', 'b', 'c', 'd', 'e', 'f'])
      await server.json('POST', '/api/chat', { chat_id: id, message });
    const view = () => server.json<{ in_flight: object[] }>('GET', `/api/sessions/${id}`);
    const done = server.call('POST', `/api/sessions/${id}/commands`, { type: 'compact' });
    await asked.gate;
    expect((await view()).in_flight).toMatchObject([{ type: 'compaction', state: 'started' }, { type: 'loading' }]);
    open();
    expect((await done).status).toBe(200);
    expect((await view()).in_flight).toEqual([]);
  });

  it('begins what is under way again for a reader whose place is not remembered', async () => {
    const { gate, open } = wait();
    const server = await testServer({ text: 'Half of it', endGate: gate });
    const id = await begin(server);
    const stream = sentEvents(await server.call('GET', `/api/sessions/${id}/events`));
    await server.call('POST', `/api/sessions/${id}/commands`, send('go'));
    for await (const event of stream) if (event.type === 'text_delta') break;
    const headers = { 'last-event-id': '2.1~anotherprocess' };
    const again = sentEvents(await server.call('GET', `/api/sessions/${id}/events`, undefined, headers));
    const heard: string[] = [];
    for await (const event of again) {
      heard.push(event.type);
      if (event.type === 'text_delta') break;
    }
    expect(heard).toEqual(['progress_reset', 'model_start', 'text_delta']);
    open();
  });

  it('outlives the server: the log is read again, and a run that was cut off is closed', async () => {
    const server = await testServer({ text: 'Kept.' });
    const id = await begin(server);
    const stream = await server.call('GET', `/api/sessions/${id}/events`);
    await server.call('POST', `/api/sessions/${id}/commands`, send('one'));
    const before = await eventsUntil(stream, 'turn_end');
    await server.close();
    const next = await server.open();
    const headers = { host: '127.0.0.1:7411', authorization: 'Bearer a-token-of-the-tests' };
    const get = (path: string, lastId?: string) =>
      next.app(
        new Request(`http://127.0.0.1:7411${path}`, {
          headers: { ...headers, ...(lastId ? { 'last-event-id': lastId } : {}) },
        }),
      );
    const again = await eventsUntil(await get(`/api/sessions/${id}/events`), 'turn_end');
    const kept = before.filter(({ type }) => !/delta|model_start|usage/.test(type));
    expect(again.map(({ id: event, type }) => [event, type])).toEqual(kept.map(({ id: event, type }) => [event, type]));
    const rest = await eventsUntil(await get(`/api/sessions/${id}/events`, kept[1]?.id), 'turn_end');
    expect(rest.filter(({ type }) => type !== 'progress_reset')).toEqual(again.slice(2));
  });

  it('gives long sessions in pages from their end', async () => {
    const server = await testServer((_request, number) => ({ text: `Answer ${number}` }));
    const id = await begin(server);
    for (const message of ['a', 'b', 'c']) {
      await server.call('POST', '/api/chat', { message, mode: 'chat', chat_id: id });
    }
    type Page = { events: { type: string; seq: number; event_id: string }[]; has_more: boolean };
    const last = await server.json<Page>('GET', `/api/sessions/${id}?limit=4`);
    expect(last.has_more).toBe(true);
    const first = last.events[0]?.seq ?? 0;
    const rest = await server.json<Page>('GET', `/api/sessions/${id}?limit=100&before=${first}`);
    expect(rest.has_more).toBe(false);
    const whole = await server.json<Page>('GET', `/api/sessions/${id}`);
    expect([...rest.events, ...last.events]).toEqual(whole.events);
  });

  it('goes on with another branch, and shows the one that counts', async () => {
    verifies('L6');
    const server = await testServer((_request, number) => ({ text: `Answer ${number}.` }));
    const { chat_id } = await server.json<{ chat_id: string }>('POST', '/api/chat', { message: 'hi', mode: 'chat' });
    type View = { events: { type: string; content?: string }[]; branches: { alternatives: object[] }[] };
    const stream = await server.call('GET', `/api/sessions/${chat_id}/events`);
    expect((await server.call('POST', `/api/sessions/${chat_id}/commands`, { type: 'regenerate' })).status).toBe(200);
    let ends = 0;
    for await (const event of sentEvents(stream)) if (event.type === 'turn_end' && ++ends === 2) break;
    const view = await server.json<View>('GET', `/api/sessions/${chat_id}`);
    expect(view.events.flatMap(({ type, content }) => (type === 'assistant_message' ? [content] : []))).toEqual([
      'Answer 1.',
    ]);
    expect(view.branches[0]?.alternatives).toHaveLength(2);
  });

  it.each([
    [{ type: 'dance' }, 'type must be one of'],
    [{ type: 'send_message' }, 'content is required'],
    [{ type: 'send_message', content: 7 }, 'content'],
    [{ type: 'resolve_permission', tool_call_id: 'x', decision: 'perhaps' }, 'decision must be one of'],
    [[], 'must be object'],
  ])('says what is wrong with the command %j', async (body, message) => {
    const server = await testServer({ text: 'x' });
    const id = await begin(server);
    const response = await server.call('POST', `/api/sessions/${id}/commands`, body);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: { message: string } }).error.message).toContain(message);
  });

  it('says when a command is of no use now', async () => {
    const server = await testServer({ text: 'x' });
    const id = await begin(server);
    const body = { type: 'resolve_permission', tool_call_id: 'call_1', decision: 'deny' };
    const response = await server.call('POST', `/api/sessions/${id}/commands`, body);
    expect(response.status).toBe(409);
    expect((await server.call('POST', '/api/sessions/nobody/commands', send('x'))).status).toBe(404);
  });

  it('is a conflict where another halter has it open, whatever the words for that are', async () => {
    const server = await testServer({ text: 'x' });
    const id = await begin(server);
    const { app } = await server.open();
    const refused = await app(
      new Request(`${ORIGIN}/api/sessions/${id}/commands`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(send('x')),
      }),
    );
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: { code: 'in_use' } });
    const inWords = { code: 'bad_request', message: 'another halter', reason: undefined } as const;
    expect(fromModelError(inWords).status).toBe(400);
    expect(fromModelError({ ...inWords, message: 'Not now.', reason: 'in_use' })).toMatchObject({ status: 409 });
  });

  it('is followed while another program of this machine works on it', async () => {
    verifies('L6', 'H12');
    const server = await testServer([{ text: 'First.' }, { text: 'Second.' }]);
    const id = await begin(server);
    const { app } = await server.open();
    const beside = (path: string): Promise<Response> =>
      Promise.resolve(app(new Request(`${ORIGIN}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } })));
    const view = async () =>
      (await (await beside(`/api/sessions/${id}`)).json()) as { running: boolean; events: { type: string }[] };
    // It is read before anything was said, by the one that does not hold it.
    expect((await view()).events.filter(({ type }) => type === 'user_message')).toEqual([]);
    const stream = await beside(`/api/sessions/${id}/events`);
    await server.json('POST', `/api/sessions/${id}/commands`, send('one'));
    const events = await eventsUntil(stream, 'turn_end');
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['user_message', 'assistant_message']));
    await server.json('POST', `/api/sessions/${id}/commands`, send('two'));
    await expect
      .poll(async () => (await view()).events.filter(({ type }) => type === 'assistant_message').length, {
        timeout: 10_000,
      })
      .toBe(2);
    expect((await view()).running).toBe(false);
  });

  it('is found by what was said, renamed, forked, exported and taken in again', async () => {
    const server = await testServer({ text: 'The answer is forty-two.' });
    const say = (message: string) => server.json<{ chat_id: string }>('POST', '/api/chat', { message, mode: 'chat' });
    const { chat_id: first } = await say('one');
    await say('two');
    type List = { sessions: { id: string; title: string; excerpt?: string; running: boolean }[] };
    const search = async (query: string) => (await server.json<List>('GET', `/api/sessions?q=${query}`)).sessions;
    expect(await search('forty-two')).toHaveLength(2);
    expect(await search('one')).toMatchObject([{ id: first, excerpt: 'one', running: false }]);
    expect(await search('nothing+of+this')).toEqual([]);

    const rename = { type: 'rename', title: 'The question' };
    expect((await server.call('POST', `/api/sessions/${first}/commands`, rename)).status).toBe(200);
    expect(await search('question')).toMatchObject([{ title: 'The question' }]);

    const fork = await server.json<{ id: string }>('POST', `/api/sessions/${first}/fork`, { at_seq: 2 });
    const copy = await server.json<{ events: { type: string }[] }>('GET', `/api/sessions/${fork.id}`);
    expect(copy.events.filter(({ type }) => type === 'assistant_message')).toEqual([]);
    expect((await server.call('POST', `/api/sessions/${first}/fork`, { at_seq: 999 })).status).toBe(404);

    const page = await server.call('GET', `/api/sessions/${first}/export`);
    expect(page.headers.get('content-disposition')).toMatch(/^attachment; filename="halter-.*\.md"$/);
    expect(await page.text()).toContain('forty-two');
    const lines = await (await server.call('GET', `/api/sessions/${first}/export?format=jsonl`)).text();
    const taken = await server.json('POST', '/api/sessions/import', { text: lines });
    expect(taken).toEqual({ id: first, known: true });
    expect((await server.call('GET', `/api/sessions/${first}/export?format=pdf`)).status).toBe(400);
  });

  it('is renamed without a model', async () => {
    const server = await testServer({ text: 'x' });
    const id = await begin(server);
    await server.close();
    const next = await server.open();
    const request = (path: string, body?: object) =>
      next.app(
        new Request(`http://127.0.0.1:7411${path}`, {
          method: body ? 'POST' : 'GET',
          headers: {
            host: 'localhost',
            authorization: 'Bearer a-token-of-the-tests',
            'content-type': 'application/json',
          },
          ...(body ? { body: JSON.stringify(body) } : {}),
        }),
      );
    expect((await request(`/api/sessions/${id}/commands`, { type: 'rename', title: 'Mine' })).status).toBe(200);
    expect(((await (await request('/api/sessions')).json()) as { sessions: object[] }).sessions).toMatchObject([
      { title: 'Mine' },
    ]);
    expect(await (await request('/metrics')).text()).toContain('halter_sessions_open 0');
  });

  it('goes on with another model', async () => {
    const server = await testServer({ text: 'x' });
    const id = await begin(server);
    const change = (model: string) =>
      server.call('POST', `/api/sessions/${id}/commands`, { type: 'change_model', model });
    expect((await change('scripted/m')).status).toBe(200);
    expect((await change('scripted/other')).status).toBe(404);
    const { models } = await server.json<{ models: object[] }>('GET', '/api/models');
    expect(models).toEqual([
      { id: 'scripted/m', provider: 'scripted', endpoint: 'scripted:', current: true, aliases: ['m'] },
    ]);
    expect(await server.json('GET', '/api/status')).toMatchObject({ model: { state: 'ready', id: 'scripted/m' } });
  });
});
