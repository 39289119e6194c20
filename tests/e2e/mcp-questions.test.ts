/** What MCP servers ask of a person, over HTTP: put in the session, answered like a permission, never by itself. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServerQuestion } from '../../src/core/server-question.ts';
import { verifies } from '../requirements.ts';
import { testServer } from '../support/test-server.ts';

const EVERYTHING = path.join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const servers = { mcpServers: { all: { command: process.execPath, args: [EVERYTHING] } } };
const call = (name: string, args = {}) => ({ calls: [{ name: `mcp__all__${name}`, arguments: args }] });

/** Each starts a server that is a program of its own. */
const LONG = { timeout: 30_000 };

type View = { server_questions: ServerQuestion[]; running: boolean };

const world = async (name: string, args: object, more: readonly object[] = []) => {
  const server = await testServer([call(name, args), ...more, { text: 'Done.' }] as never, {
    allow: ['mcp__all__trigger*'],
    mcp: { servers, askInSessions: true },
  });
  const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
  const stream = await server.call('GET', `/api/sessions/${id}/events`);
  const view = () => server.json<View>('GET', `/api/sessions/${id}`);
  const asked = async (): Promise<ServerQuestion> => {
    await expect.poll(async () => (await view()).server_questions).toHaveLength(1);
    return (await view()).server_questions[0] as ServerQuestion;
  };
  const command = (body: object) => server.call('POST', `/api/sessions/${id}/commands`, body);
  const answer = (question: ServerQuestion, action: string, content?: object) =>
    command({ type: 'answer_server', question_id: question.question_id, action, ...(content ? { content } : {}) });
  const result = async (): Promise<string> => {
    await expect.poll(async () => (await view()).running).toBe(false);
    const found = (await server.halter.sessions.read(id)) as {
      value: { events: { type: string; result?: unknown }[] };
    };
    return JSON.stringify(found.value.events.find(({ type }) => type === 'tool_finished'));
  };
  await command({ type: 'send_message', content: 'go' });
  return { server, id, stream, asked, answer, command, result, view };
};

describe('a question of an MCP server, over HTTP', () => {
  it(
    'is an event of the session with its form; what does not fit is refused with a sentence and asked on',
    LONG,
    async () => {
      verifies('B10', 'L6');
      const { server, id, asked, answer, result, stream, view } = await world('trigger-elicitation-request', {});
      const question = await asked();
      expect(question).toMatchObject({ kind: 'form', server: 'all', fields: { required: ['name'] } });
      expect(question.tool_call_id).toBeTruthy();
      expect((await server.json<{ sessions: object[] }>('GET', '/api/sessions')).sessions).toMatchObject([
        { id, waiting: true },
      ]);
      const refused = await answer(question, 'accept', { name: 3 });
      expect([refused.status, await refused.json()]).toEqual([
        409,
        { error: { code: 'not_now', message: expect.stringContaining('name') } },
      ]);
      expect((await answer(question, 'accept', { name: 'Ada' })).status).toBe(200);
      expect(await result()).toContain('Ada');
      expect((await view()).server_questions).toEqual([]);
      expect((await answer(question, 'accept', { name: 'Ada' })).status).toBe(409);
      // The answer went to the server and stands nowhere else.
      const text = await firstOf(stream, 'turn_end');
      expect(text).toMatch(/event: server_asked\ndata: \{[^\n]*"kind":"form"/);
      expect(text).toContain('event: server_answered');
      expect(text.split('event: server_answered')[1]?.split('\n\n')[0]).not.toContain('Ada');
    },
  );

  it('shows words of the model before they go out, and an address that is never fetched', LONG, async () => {
    verifies('B10');
    const sampling = await world('trigger-sampling-request', { prompt: 'say it', maxTokens: 9 }, [{ text: 'words' }]);
    const prompt = await sampling.asked();
    expect(prompt).toMatchObject({ kind: 'sampling', prompt: expect.stringContaining('say it'), max_tokens: 9 });
    await sampling.answer(prompt, 'accept');
    await expect.poll(async () => (await sampling.asked()).kind).toBe('sampling_answer');
    const said = await sampling.asked();
    expect(said).toMatchObject({ answer: 'words', model: 'm' });
    await sampling.answer(said, 'decline');
    expect(await sampling.result()).toContain('"success":false');

    const url = await world('trigger-url-elicitation', { url: 'https://example.com/sign', message: 'Sign it' });
    const address = await url.asked();
    expect(address).toMatchObject({ kind: 'url', url: 'https://example.com/sign', message: 'Sign it' });
    await url.answer(address, 'accept');
    expect(await url.result()).toMatch(/accept/i);
    const first = await world('trigger-url-elicitation', { url: 'https://example.com/first', errorPath: true });
    const before = await first.asked();
    expect(before).toMatchObject({ kind: 'url', url: 'https://modelcontextprotocol.io/' });
    await first.answer(before, 'accept');
    expect(await first.result()).toContain('call again when it is done');
  });

  it('ends with its run, and is declined where nobody looks at the session', LONG, async () => {
    verifies('B10');
    const cancelled = await world('trigger-elicitation-request', {});
    const question = await cancelled.asked();
    await cancelled.command({ type: 'cancel' });
    await expect.poll(async () => (await cancelled.view()).server_questions).toEqual([]);
    expect((await cancelled.answer(question, 'decline')).status).toBe(409);

    const server = await testServer([call('trigger-elicitation-request'), { text: 'Done.' }] as never, {
      allow: ['mcp__all__trigger*'],
      mcp: { servers, askInSessions: true },
    });
    const body = { message: 'go', mode: 'agent', chat_id: 'c', request_id: 'r' };
    const { answer, tool_events: events } = await server.json<{ answer: string; tool_events: object[] }>(
      'POST',
      '/api/chat',
      body,
    );
    expect(answer).toContain('Done.');
    expect(JSON.stringify(events)).toMatch(/declin/i);
  });
});

describe('the list of MCP servers, over HTTP', () => {
  it('tells how they stand, turns them off and on, and connects anew', LONG, async () => {
    verifies('B10', 'L6');
    const server = await testServer({ text: 'x' }, { mcp: { servers } });
    const { servers: listed } = await server.json<{ servers: object[] }>('GET', '/api/mcp/servers');
    expect(listed).toMatchObject([
      { name: 'all', origin: 'program', state: 'connected', tool_names: expect.arrayContaining(['mcp__all__echo']) },
    ]);
    const off = await server.json('POST', '/api/mcp/servers/all', { enabled: false });
    expect(off).toMatchObject({ server: { state: 'disabled', tools: 0 } });
    expect(server.halter.tools.some(({ name }) => name.startsWith('mcp_'))).toBe(false);
    expect((await server.call('POST', '/api/mcp/servers/all/reconnect')).status).toBe(400);
    expect(await server.json('POST', '/api/mcp/servers/all', { enabled: true })).toMatchObject({
      server: { state: 'connected' },
    });
    expect(await server.json('POST', '/api/mcp/servers/all/reconnect')).toMatchObject({
      server: { state: 'connected' },
    });
    expect(server.halter.tools.map(({ name }) => name)).toContain('mcp__all__echo');
    expect((await server.call('POST', '/api/mcp/servers/none', { enabled: true })).status).toBe(404);
  });
});

/** What a stream sends up to an event. */
const firstOf = async (response: Response, event: string): Promise<string> => {
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes(`event: ${event}\n`)) break;
  }
  return text;
};
