import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsUntil } from '../../tests/support/sent-events.ts';
import { ORIGIN, testServer } from '../../tests/support/test-server.ts';
import type { SessionReview } from '../core/file-review.ts';
import type { ModelRequest } from '../core/model-port.ts';

const edits = (request: ModelRequest) =>
  request.messages.at(-1)?.role === 'tool'
    ? { text: 'Done.' }
    : { calls: [{ name: 'edit_file', arguments: { path: 'a.txt', old_text: 'one', new_text: 'two' } }] };

const edited = async () => {
  const server = await testServer(edits, { mode: 'yolo' });
  await writeFile(join(server.folder, 'a.txt'), 'one\n');
  const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
  const stream = await server.call('GET', `/api/sessions/${id}/events`);
  await server.call('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'write' });
  await eventsUntil(stream, 'turn_end');
  return { server, id, path: `/api/sessions/${id}/changes` };
};

describe('the changes of a session over HTTP', () => {
  it('are told, and taken back by a command that names what was shown', async () => {
    const { server, id, path } = await edited();
    const { files, more } = await server.json<SessionReview>('GET', path);
    expect(more).toBe(0);
    expect(files).toMatchObject([{ path: 'a.txt', hunks: [{ lines: ['-one', '+two'] }], can_undo: true }]);
    const resolve = (rest: object) =>
      server.call('POST', `/api/sessions/${id}/commands`, { type: 'resolve_changes', path: 'a.txt', ...rest });
    expect((await resolve({ hash: 'another', decision: 'undo' })).status).toBe(409);
    expect((await resolve({ hash: files[0]?.hash, decision: 'maybe' })).status).toBe(400);
    expect((await resolve({ hash: files[0]?.hash, decision: 'undo', hunks: [] })).status).toBe(400);
    expect(await readFile(join(server.folder, 'a.txt'), 'utf8')).toBe('two\n');
    expect((await resolve({ hash: files[0]?.hash, decision: 'undo' })).status).toBe(200);
    expect(await readFile(join(server.folder, 'a.txt'), 'utf8')).toBe('one\n');
    expect(await server.json('GET', path)).toEqual({ files: [], more: 0 });
  });

  it('are told to nobody without the token, and of no session that is not there', async () => {
    const { server, path } = await edited();
    const bare = await server.app(new Request(`${ORIGIN}${path}`, { headers: { host: '127.0.0.1:7411' } }));
    expect(bare.status).toBe(401);
    expect((await server.call('GET', path, undefined, { origin: 'http://elsewhere.test' })).status).toBe(403);
    expect((await server.call('GET', '/api/sessions/nothing/changes')).status).toBe(404);
  });
});
