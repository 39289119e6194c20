import { describe, expect, it } from 'vitest';
import { ORIGIN, TOKEN, testServer } from '../../tests/support/test-server.ts';

type Server = Awaited<ReturnType<typeof testServer>>;

const begin = async (server: Server): Promise<string> =>
  (await server.json<{ id: string }>('POST', '/api/sessions', {})).id;
const share = (server: Server, id: string) => server.json<{ token: string }>('POST', `/api/sessions/${id}/share`);
const asked = (server: Server, path: string, token: string, method = 'GET'): Promise<Response> =>
  server.app(
    new Request(`${ORIGIN}${path}`, {
      method,
      headers: { host: '127.0.0.1:7411', authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: '{}' } : {}),
    }),
  );
const textOf = async (response: Response, until: string): Promise<string> => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (reader && !text.includes(until)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  void reader?.cancel();
  return text;
};

describe('a session that is shared for reading', () => {
  it('is read by its link, as it goes on, and by that of no other', async () => {
    const server = await testServer({ text: 'An answer for others.' });
    const [id, other] = [await begin(server), await begin(server)];
    const { face } = await server.app.server.sessions.open(id);
    await server.call('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'hello' });
    await face.idle();
    expect(await server.json('GET', `/api/sessions/${id}/share`)).toEqual({ shared: false });
    const { token } = await share(server, id);
    expect(await server.json('GET', `/api/sessions/${id}/share`)).toEqual({ shared: true });
    const stream = await asked(server, '/api/shared/events', token);
    expect(stream.status).toBe(200);
    expect(await textOf(stream, 'run_completed')).toContain('An answer for others.');
    const { token: ofOther } = await share(server, other);
    expect(await textOf(await asked(server, '/api/shared/events', ofOther), 'ready')).not.toContain('for others');
  });

  it('gives by its token nothing else that there is', async () => {
    const server = await testServer({ text: 'x' });
    const id = await begin(server);
    const { token } = await share(server, id);
    for (const { method, path } of server.app.routes) {
      if (method === 'ALL' || path === '/api/shared/events') continue;
      const response = await asked(server, path.replace(':id', id), token, method);
      void response.body?.cancel();
      // Routes that need no token give to this one what they give to everybody.
      const without = await asked(server, path.replace(':id', id), 'nothing', method);
      void without.body?.cancel();
      expect([method, path, response.status]).toEqual([method, path, without.status]);
    }
    // Nor is the token of the page one of a share.
    expect((await asked(server, '/api/shared/events', TOKEN)).status).toBe(401);
  });

  it.each([
    ['it is ended', (server: Server, id: string) => server.call('DELETE', `/api/sessions/${id}/share`)],
    ['another link is made', (server: Server, id: string) => share(server, id)],
    ['the session is deleted', (server: Server, id: string) => server.call('DELETE', `/api/sessions/${id}`)],
  ])('is read no more when %s, also where it is being read', async (_, end) => {
    const server = await testServer({ text: 'x' });
    const id = await begin(server);
    const { token } = await share(server, id);
    const stream = await asked(server, '/api/shared/events', token);
    const read = textOf(stream, 'never in it');
    await end(server, id);
    await read;
    expect((await asked(server, '/api/shared/events', token)).status).toBe(401);
  });

  it('is one that there is', async () => {
    const server = await testServer({ text: 'x' });
    expect((await server.call('POST', '/api/sessions/nothing/share')).status).toBe(404);
  });
});
