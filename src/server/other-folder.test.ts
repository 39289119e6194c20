import { describe, expect, it } from 'vitest';
import { keepSession } from '../../tests/browser/support/keep-session.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { testServer } from '../../tests/support/test-server.ts';

describe('a session of another folder', () => {
  it('is listed where all are asked for, and read, but nothing is done in it here', async () => {
    const elsewhere = scratchFolder();
    const server = await testServer({ text: 'x' });
    const sessions = server.halter.paths.sessions;
    await keepSession(sessions, 'elsewhere', 2, 'An answer.', elsewhere);
    await keepSession(sessions, 'here', 2, 'An answer.', server.halter.root);
    const ids = async (query: string) =>
      (await server.json<{ sessions: { id: string }[] }>('GET', `/api/sessions${query}`)).sessions.map(({ id }) => id);
    expect(await ids('')).toEqual(['here']);
    expect((await ids('?all=true')).sort()).toEqual(['elsewhere', 'here']);
    expect((await server.call('GET', '/api/sessions/elsewhere')).status).toBe(200);
    const send = (id: string, body: object) => server.call('POST', `/api/sessions/${id}/commands`, body);
    for (const command of [
      { type: 'send_message', content: 'go on' },
      { type: 'regenerate' },
      { type: 'undo' },
      { type: 'resolve_changes', path: 'a.txt', hash: null, decision: 'undo' },
    ]) {
      const refused = await send('elsewhere', command);
      expect(refused.status, command.type).toBe(409);
      expect(await refused.json()).toMatchObject({ error: { code: 'other_folder' } });
    }
    expect((await send('elsewhere', { type: 'rename', title: 'Tea' })).status).toBe(200);
    expect((await send('here', { type: 'send_message', content: 'go on' })).status).toBe(200);
  });
});
