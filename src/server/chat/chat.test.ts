import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { eventsUntil, sentEvents } from '../../../tests/support/sent-events.ts';
import { testServer } from '../../../tests/support/test-server.ts';
import type { ModelInfo, ModelRequest } from '../../core/model-port.ts';
import type { ScriptedProviderTurn } from '../../testing/index.ts';
import type { ChatReply } from './chat-result.ts';

const call = (name: string, args: Record<string, unknown>): ScriptedProviderTurn => ({
  calls: [{ name, arguments: args as Record<string, string> }],
});
const lastRole = (request: ModelRequest): string => request.messages.at(-1)?.role ?? '';

describe('POST /api/chat', () => {
  it('answers with what tools did, sources, and citations that are checked', async () => {
    verifies('E9', 'E12', 'E13');
    const server = await testServer((request) =>
      lastRole(request) === 'tool'
        ? {
            text: 'The folder holds "." only [source:get_working_directory], and "a house" [source:get_working_directory].',
          }
        : call('get_working_directory', {}),
    );
    const reply = await server.json<ChatReply>('POST', '/api/chat', {
      message: 'Where are we?',
      mode: 'agent',
      chat_id: 'chat-1',
      request_id: 'r1',
    });
    expect(reply.tools_used).toEqual(['get_working_directory']);
    expect(reply.answer.endsWith('\n\nSources: get_working_directory')).toBe(true);
    expect(reply).toMatchObject({ chat_id: 'chat-1', request_id: 'r1', tools_allowed: true, exit_reason: 'answered' });
    const [event] = reply.tool_events;
    expect(event).toMatchObject({ tool: 'get_working_directory', args: {}, result: { success: true } });
    expect(event?.summary).toMatch(/^\[get_working_directory\] results: /);
    expect(reply.citations).toMatchObject([
      { source: 'get_working_directory', tool_call_id: event?.id },
      { source: 'get_working_directory', tool_call_id: event?.id, quote: 'a house', verified: false },
    ]);
  });

  it.each<[string, Record<string, unknown>, boolean]>([
    ['bash', { command: 'exit 4' }, false],
    ['bash', { command: 'there-is-no-such-command' }, false],
    ['bash', { command: 'kill -9 $$' }, false],
    ['bash', { command: 'echo broken; exit 3' }, true],
    ['bash', { command: 'true' }, true],
    ['read_file', { path: 'none.txt' }, false],
    ['ls', { path: 'none' }, false],
    ['ls', {}, true],
    ['web_fetch', { url: 'http://127.0.0.1:1/' }, false],
    ['no_such_tool', {}, false],
  ])('names a tool that gave something as a source, and none that only failed: %s %j', async (name, args, isSource) => {
    verifies('E9');
    const server = await testServer([call(name, args), { text: 'Done.' }], { allow: [name] });
    const reply = await server.json<ChatReply>('POST', '/api/chat', {
      message: 'Do it',
      mode: 'agent',
      chat_id: 'one',
    });
    expect(reply.tools_used).toEqual(isSource ? [name] : []);
    expect(reply.answer).toBe(isSource ? `Done.\n\nSources: ${name}` : 'Done.');
    const { events } = await server.json<{ events: object[] }>('GET', '/api/sessions/one');
    expect(JSON.stringify(events).includes('"sources":[]')).toBe(!isSource);
  });

  it('keeps the reply in the session and goes on with it', async () => {
    verifies('E13');
    const server = await testServer((_request, number) => ({ text: `Answer ${number + 1}.` }));
    const say = (message: string) =>
      server.json<ChatReply>('POST', '/api/chat', { message, mode: 'chat', chat_id: 'mine' });
    expect((await say('one')).answer).toBe('Answer 1.');
    expect((await say('two')).answer).toBe('Answer 2.');
    const view = await server.json<{ events: { type: string; content?: string }[] }>('GET', '/api/sessions/mine');
    const said = view.events.filter(({ type }) => type === 'user_message' || type === 'assistant_message');
    expect(said.map(({ content }) => content)).toEqual(['one', 'Answer 1.', 'two', 'Answer 2.']);
  });

  it.each([
    ['agent', undefined, 'hello', true],
    ['work', undefined, 'hello', true],
    ['agent', false, 'List the files', false],
    ['chat', undefined, 'List the files', false],
    ['chat', true, 'hello', true],
    [undefined, undefined, 'Please list the files in src/', true],
    [undefined, undefined, 'Search for python tutorials', true],
    [undefined, undefined, 'Fix src/app.ts', true],
    [undefined, undefined, 'hello', false],
    [undefined, undefined, 'Tell me a joke about cats', false],
    [undefined, false, 'Search for python tutorials', false],
  ] as const)(
    'with mode %s, tools_allowed %s and "%s" offers tools: %s',
    async (mode, tools_allowed, message, offered) => {
      verifies('E13');
      const server = await testServer({ text: 'Fine.' });
      const reply = await server.json<ChatReply>('POST', '/api/chat', { message, mode, tools_allowed });
      expect(reply.tools_allowed).toBe(offered);
      expect((server.provider.requests[0]?.tools.length ?? 0) > 0).toBe(offered);
    },
  );

  it('runs nothing with tools off, whatever the model sends', async () => {
    verifies('E13');
    const server = await testServer({ text: 'Well.', calls: [{ name: 'get_current_time', arguments: {} }] });
    const reply = await server.json<ChatReply>('POST', '/api/chat', { message: 'hello', tools_allowed: false });
    expect(reply).toMatchObject({ answer: 'Well.', tools_used: [], tool_events: [] });
    expect(server.provider.requests).toHaveLength(1);
  });

  it('falls back to what is looked up beforehand with tools off, and cites it', async () => {
    verifies('E10', 'E13');
    const server = await testServer(
      { text: 'It says "forty-two" [source:rag_search].' },
      {
        retrieve: async (query) => ({
          tool: 'rag_search',
          args: { query },
          result: {
            success: true,
            data: `The answer is forty-two. ${'x'.repeat(4_000)}`,
            error_message: null,
            error_type: 'none',
            metadata: { execution_time_ms: 1, data_size_bytes: 4, timestamp: 1 },
          },
        }),
      },
    );
    const reply = await server.json<ChatReply>('POST', '/api/chat', {
      message: 'What is the answer?',
      tools_allowed: false,
    });
    expect(reply.answer).toBe('It says "forty-two" [source:rag_search].\n\nSources: rag_search');
    expect(reply.citations).toMatchObject([{ source: 'rag_search', quote: 'forty-two', verified: true }]);
    expect(reply.tools_used).toEqual(['rag_search']);
    const asked = server.provider.requests[0]?.messages.at(-1);
    const text = asked?.role === 'user' ? String(asked.content) : '';
    expect(text).toContain('The answer is forty-two.');
    expect(text.length).toBeLessThanOrEqual(2_000 + 'What is the answer?'.length + 2);
    // The person reads what they said.
    const view = await server.json<{ events: { type: string; content?: string }[] }>(
      'GET',
      `/api/sessions/${reply.chat_id}`,
    );
    expect(view.events.find(({ type }) => type === 'user_message')?.content).toBe('What is the answer?');
  });

  it('tells a larger model how to cite, and leaves the words of a small one alone', async () => {
    verifies('E9');
    const asked = async (info: ModelInfo) => {
      const server = await testServer({ text: 'Fine.' }, { models: [info] });
      await server.call('POST', '/api/chat', { message: 'List the files', mode: 'agent' });
      return String(server.provider.requests[0]?.messages.at(-1)?.content);
    };
    expect(await asked({ id: 'm', context_length: 8_192 })).toBe('List the files');
    expect(await asked({ id: 'm', context_length: 131_072 })).toContain('[source:TOOL_NAME]');
  });

  it('does not run what would have to be asked, and lists it', async () => {
    verifies('E13', 'H12');
    const server = await testServer((request) =>
      lastRole(request) === 'tool' ? { text: 'I may not.' } : call('write_file', { path: 'a.txt', content: 'x' }),
    );
    const reply = await server.json<ChatReply>('POST', '/api/chat', { message: 'Write a.txt', mode: 'agent' });
    expect(reply.permission_requests).toMatchObject([{ name: 'write_file', risk: 'high' }]);
    expect(reply.tool_events).toMatchObject([{ tool: 'write_file', result: { error_type: 'permission_denied' } }]);
    expect(reply.tools_used).toEqual([]);
    expect(reply.answer).toBe('I may not.');
  });

  it('asks over a stream, and runs what is allowed', async () => {
    verifies('E13', 'H12');
    const server = await testServer((request) =>
      lastRole(request) === 'tool' ? { text: 'Written.' } : call('write_file', { path: 'a.txt', content: 'x' }),
    );
    const stream = await server.call('POST', '/api/chat', {
      message: 'Write a.txt',
      mode: 'agent',
      request_id: 'r9',
      stream: true,
    });
    const types: string[] = [];
    let reply: ChatReply | undefined;
    for await (const event of sentEvents(stream)) {
      types.push(event.type);
      if (event.type === 'permission_request') {
        const answered = await server.call('POST', '/api/chat/r9/permission', {
          tool_call_id: event.data['tool_call_id'],
          decision: 'allow_once',
        });
        expect(answered.status).toBe(200);
      }
      if (event.type === 'chat_reply') reply = event.data as unknown as ChatReply;
    }
    expect(types).toContain('text_delta');
    expect(types).toContain('tool_result');
    expect(reply).toMatchObject({ tools_used: ['write_file'], permission_requests: [], exit_reason: 'answered' });
  });

  it('denies what is asked when whoever could answer has gone', async () => {
    verifies('E13');
    const server = await testServer((request) =>
      lastRole(request) === 'tool' ? { text: 'I may not.' } : call('write_file', { path: 'a.txt', content: 'x' }),
    );
    const stream = await server.call('POST', '/api/chat', {
      message: 'Write a.txt',
      mode: 'agent',
      chat_id: 'left',
      stream: true,
    });
    await eventsUntil(stream, 'permission_request');
    const events = await eventsUntil(await server.call('GET', '/api/sessions/left/events'), 'turn_end');
    expect(events.find(({ type }) => type === 'tool_result')?.data).toMatchObject({
      result: { error_type: 'permission_denied' },
    });
  });

  it('is cancelled while the model answers, and says so', async () => {
    verifies('E11');
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = await testServer(() => {
      asked();
      return { text: 'Never.', gate: new Promise(() => {}) };
    });
    const reply = server.json<ChatReply>('POST', '/api/chat', { message: 'Wait', mode: 'chat', request_id: 'r2' });
    await isAsked;
    expect(await server.json('POST', '/api/chat/r2/cancel')).toEqual({ cancelled: true });
    expect(await reply).toMatchObject({ exit_reason: 'interrupted', answer: '' });
    expect((await server.call('POST', '/api/chat/r2/cancel')).status).toBe(404);
  });

  it('is cancelled inside a running tool, and the tool ends', async () => {
    verifies('E11');
    const server = await testServer(call('bash', { command: 'echo begun; sleep 600' }), { mode: 'yolo' });
    const stream = await server.call('POST', '/api/chat', {
      message: 'Run it',
      mode: 'agent',
      request_id: 'r3',
      stream: true,
    });
    let reply: ChatReply | undefined;
    for await (const event of sentEvents(stream)) {
      if (event.type === 'tool_output_delta') await server.call('POST', '/api/chat/r3/cancel');
      if (event.type === 'chat_reply') reply = event.data as unknown as ChatReply;
    }
    expect(reply?.exit_reason).toBe('interrupted');
    expect(reply?.tool_events[0]?.result).toMatchObject({ success: false, metadata: { reason: 'cancelled' } });
  });

  it('takes the requests of one chat one after the other, and refuses an id that is in use', async () => {
    verifies('E13');
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await testServer((_request, number) => ({
      text: `Answer ${number + 1}.`,
      ...(number === 0 ? { gate } : {}),
    }));
    const say = (message: string, request_id: string) =>
      server.call('POST', '/api/chat', { message, mode: 'chat', chat_id: 'c', request_id });
    const first = say('one', 'a');
    const second = say('two', 'b');
    expect((await say('three', 'a')).status).toBe(409);
    release();
    expect(((await (await first).json()) as ChatReply).answer).toBe('Answer 1.');
    expect(((await (await second).json()) as ChatReply).answer).toBe('Answer 2.');
  });

  it('says in words what is wrong with a body, and when there is no model', async () => {
    const server = await testServer({
      error: { code: 'unreachable', message: 'No server answers.', hint: 'Start one.' },
    });
    const wrong = await server.call('POST', '/api/chat', { message: '', mode: 'swim' });
    expect(wrong.status).toBe(400);
    expect(((await wrong.json()) as { error: { message: string } }).error.message).toContain('mode must be one of');
    const unusable = await server.call('POST', '/api/chat', { message: 'hi', mode: 'chat' });
    expect(unusable.status).toBe(503);
    expect(await unusable.json()).toEqual({ error: { code: 'unreachable', message: 'No server answers. Start one.' } });
  });
});
