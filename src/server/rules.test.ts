import { describe, expect, it } from 'vitest';
import { testServer } from '../../tests/support/test-server.ts';
import type { ModelRequest } from '../core/model-port.ts';

type Server = Awaited<ReturnType<typeof testServer>>;
type Listed = { decision: string; rule: string; source: string };

const rules = async (server: Server): Promise<Listed[]> =>
  (await server.json<{ rules: Listed[] }>('GET', '/api/rules')).rules;
const add = (server: Server, body: object): Promise<Response> => server.call('POST', '/api/rules', body);
const remove = (server: Server, rule: string): Promise<Response> =>
  server.call('DELETE', `/api/rules?rule=${encodeURIComponent(rule)}`);
const writes = (request: ModelRequest) =>
  request.messages.at(-1)?.role === 'tool'
    ? { text: 'Done.' }
    : { calls: [{ name: 'write_file', arguments: { path: 'notes.txt', content: `${request.messages.length}\n` } }] };
/** Whether the call of the next run is asked about; a question is denied. */
const asks = async (server: Server, id: string): Promise<boolean> => {
  const { face } = await server.app.server.sessions.open(id);
  let asked = false;
  const stop = face.subscribe((update) => {
    if (update.type !== 'permission_requested') return;
    asked = true;
    void face.send({ type: 'resolve_permission', tool_call_id: update.tool_call_id, decision: 'deny' });
  });
  await face.send({ type: 'send_message', content: 'write it' });
  await face.idle();
  stop();
  return asked;
};

describe('the rules over HTTP', () => {
  it('are listed with where each comes from', async () => {
    const server = await testServer([], { allow: ['ls'], deny: ['bash(rm *)'] });
    expect((await add(server, { decision: 'allow', rule: 'write_file(notes/**)' })).status).toBe(200);
    expect(await rules(server)).toEqual([
      { decision: 'allow', rule: 'write_file(notes/**)', source: 'remembered', created_at: expect.any(Number) },
      { decision: 'deny', rule: 'bash(rm *)', source: 'command line' },
      { decision: 'allow', rule: 'ls', source: 'command line' },
    ]);
  });

  it('hold from the next call on, are changed and taken out, and are there after a restart', async () => {
    const server = await testServer(writes);
    const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
    expect(await asks(server, id)).toBe(true);
    await add(server, { decision: 'allow', rule: 'write_file(notes.txt)' });
    expect(await asks(server, id)).toBe(false);
    await add(server, { decision: 'allow', rule: 'write_file(other.txt)', instead_of: 'write_file(notes.txt)' });
    expect((await rules(server)).map(({ rule }) => rule)).toEqual(['write_file(other.txt)']);
    expect(await asks(server, id)).toBe(true);
    await add(server, { decision: 'allow', rule: 'write_file(notes.txt)' });
    expect((await remove(server, 'write_file(other.txt)')).status).toBe(200);
    expect((await remove(server, 'write_file(other.txt)')).status).toBe(404);
    await server.close();
    const again = await server.open();
    expect(again.halter.remembered.list().map(({ tool, pattern }) => [tool, pattern])).toEqual([
      ['write_file', 'notes.txt'],
    ]);
  });

  it('end with the yes of an open session that they came from', async () => {
    const server = await testServer(writes);
    const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
    const { face } = await server.app.server.sessions.open(id);
    const stop = face.subscribe((update) => {
      if (update.type !== 'permission_requested') return;
      const { tool_call_id } = update;
      void face.send({ type: 'resolve_permission', tool_call_id, decision: 'remember', rule: { tool: 'write_file' } });
    });
    await face.send({ type: 'send_message', content: 'write it' });
    await face.idle();
    stop();
    expect(await asks(server, id)).toBe(false);
    await remove(server, 'write_file');
    expect(await asks(server, id)).toBe(true);
  });

  it.each([
    ['allow', 'bash', 'Say which commands'],
    ['allow', 'no_such_tool', 'no tool'],
    ['allow', '*', 'no tool'],
    ['allow', 'mcp__*', 'no tool'],
    ['allow', 'bash(', 'not a rule'],
    ['deny', 'write_file( )', 'empty pattern'],
  ])('do not %s %s from the page', async (decision, rule, why) => {
    const server = await testServer([]);
    const answer = await add(server, { decision, rule });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(why)]);
    expect(await rules(server)).toEqual([]);
  });

  it('leave alone what the program was started with', async () => {
    const server = await testServer([], { allow: ['ls'] });
    expect((await remove(server, 'ls')).status).toBe(404);
    expect((await add(server, { decision: 'allow', rule: 'read_file', instead_of: 'ls' })).status).toBe(404);
    expect((await rules(server)).map(({ rule }) => rule)).toEqual(['ls']);
  });

  it.each(['GET', 'POST', 'DELETE'])(
    'are touched by nobody without the token, nor from another page: %s',
    async (method) => {
      const server = await testServer([]);
      const body = method === 'POST' ? { decision: 'allow', rule: 'ls' } : undefined;
      expect((await server.call(method, '/api/rules', body, { authorization: 'Bearer wrong' })).status).toBe(401);
      expect((await server.call(method, '/api/rules', body, { origin: 'https://evil.test' })).status).toBe(403);
      expect(await rules(server)).toEqual([]);
    },
  );
});
