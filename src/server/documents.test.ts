import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { eventsUntil } from '../../tests/support/sent-events.ts';
import { testServer } from '../../tests/support/test-server.ts';
import type { JsonObject } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { SEARCH_LIMITS } from '../search/limits.ts';
import type { ScriptedProviderSource } from '../testing/index.ts';

type Server = Awaited<ReturnType<typeof testServer>>;
const FILE = { 'content-type': 'application/octet-stream' };
const begin = async (server: Server): Promise<string> =>
  (await server.json<{ id: string }>('POST', '/api/sessions')).id;
const put = (server: Server, id: string, name: string, text: string, headers = {}): Promise<Response> =>
  server.call('POST', `/api/sessions/${id}/documents?name=${encodeURIComponent(name)}`, text, { ...FILE, ...headers });
const names = async (server: Server, id: string): Promise<string[]> =>
  (await server.json<{ documents: { name: string }[] }>('GET', `/api/sessions/${id}/documents`)).documents.map(
    ({ name }) => name,
  );
const asks =
  (name: string, args: JsonObject): ScriptedProviderSource =>
  (request) =>
    request.messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : { calls: [{ name, arguments: args }] };
/** What a run's only call came to. */
const resultOf = async (server: Server, id: string): Promise<string> => {
  const stream = await server.call('GET', `/api/sessions/${id}/events`);
  await server.json('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'Look it up.' });
  const result = (await eventsUntil(stream, 'turn_end')).find(({ type }) => type === 'tool_result')?.data['result'];
  return (result as { data: string }).data;
};

describe('documents of a session', () => {
  it('are found by rag_search in their own session and in no other, without an index of the folder', async () => {
    verifies('E2');
    const server = await testServer(asks('rag_search', { query: 'when does the ferry leave' }), { documents: true });
    const [first, second] = [await begin(server), await begin(server)];
    const added = await put(server, first, 'ferry.md', '# Ferry\n\nThe ferry leaves at seven.\n');
    expect(added.status).toBe(201);
    expect(await added.json()).toMatchObject({ document: { name: 'ferry.md', lines: 3 } });
    const hits = JSON.parse(await resultOf(server, first)) as { path: string; text: string }[];
    expect(hits).toMatchObject([{ path: '@documents/ferry.md', text: expect.stringContaining('leaves at seven') }]);
    expect(await resultOf(server, second)).toMatch(/^This chat has no documents yet/);
  });

  it('are read by the model under their name, without being asked about', async () => {
    const server = await testServer(asks('read_file', { path: '@documents/ferry.md' }), { documents: true });
    const id = await begin(server);
    await put(server, id, 'ferry.md', 'The ferry leaves at seven.\n');
    expect(await resultOf(server, id)).toContain('The ferry leaves at seven.');
  });

  it('are looked up before a message where no tools are allowed', async () => {
    verifies('E10', 'E13');
    const server = await testServer({ text: 'At seven.' }, { documents: true });
    const id = await begin(server);
    await put(server, id, 'ferry.md', 'The ferry leaves at seven.\n');
    const asked = { message: 'What does the document say about the ferry?', chat_id: id, tools_allowed: false };
    const reply = await server.json<{ context?: { tool: string } }>('POST', '/api/chat', asked);
    expect(reply.context).toMatchObject({ tool: 'rag_search' });
    expect(JSON.stringify(server.provider.requests.at(-1)?.messages)).toContain('leaves at seven');
  });

  it('are listed, taken out, copied with a fork and deleted with the session', async () => {
    const server = await testServer({ text: 'Hm.' }, { documents: true });
    const id = await begin(server);
    await put(server, id, '../../one.txt', 'one word\n');
    await put(server, id, 'two words.txt', 'two words\n');
    expect(await names(server, id)).toEqual(['one.txt', 'two words.txt']);
    const { id: copy } = await server.json<{ id: string }>('POST', `/api/sessions/${id}/fork`, {});
    expect((await server.call('DELETE', `/api/sessions/${id}/documents/two%20words.txt`)).status).toBe(200);
    expect((await server.call('DELETE', `/api/sessions/${id}/documents/two%20words.txt`)).status).toBe(404);
    expect(await names(server, id)).toEqual(['one.txt']);
    expect(await names(server, copy)).toEqual(['one.txt', 'two words.txt']);
    const folder = join(server.halter.paths.sessions, `${id}.documents`);
    expect(fs.existsSync(folder)).toBe(true);
    await server.call('DELETE', `/api/sessions/${id}`);
    expect(fs.existsSync(folder)).toBe(false);
  });

  it('come with progress where the caller wants to hear of it', async () => {
    const server = await testServer({ text: 'Hm.' }, { documents: true });
    const id = await begin(server);
    const accept = { accept: 'text/event-stream' };
    const events = await eventsUntil(await put(server, id, 'a.txt', 'some words\n', accept), 'document');
    expect(events.map(({ type }) => type)).toContain('progress');
    expect(events.at(-1)?.data).toMatchObject({ name: 'a.txt' });
    const refused = await eventsUntil(await put(server, id, 'a.bin', 'a\0b', accept), 'error');
    expect(refused.at(-1)?.data).toMatchObject({ code: 'unsupported' });
  });

  it('are refused behind the same guard, with a status for each reason', async () => {
    const server = await testServer({ text: 'Hm.' }, { documents: true });
    const id = await begin(server);
    const status = async (name: string, text: string, headers = {}): Promise<number> =>
      (await put(server, id, name, text, headers)).status;
    expect(await status('a.txt', 'text', { authorization: 'Bearer wrong' })).toBe(401);
    expect(await status('a.txt', 'text', { origin: 'https://elsewhere.test' })).toBe(403);
    expect(await status('a.txt', '{}', { 'content-type': 'application/json' })).toBe(415);
    expect(await status('', 'text')).toBe(400);
    expect(await status('a.bin', 'a\0b')).toBe(415);
    expect(await status('empty.txt', '')).toBe(400);
    expect(await status('large.txt', 'a '.repeat(SEARCH_LIMITS.indexFileBytes))).toBe(413);
    expect(await status('huge.pdf', 'a'.repeat(LIMITS.indexDocumentBytes + 1))).toBe(413);
    expect(await names(server, id)).toEqual([]);
    expect((await put(server, 'no-such-session', 'a.txt', 'text')).status).toBe(404);
  });
});
