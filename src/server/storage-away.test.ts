import { describe, expect, test } from 'vitest';
import { testServer } from '../../tests/support/test-server.ts';
import { failure } from '../core/outcome.ts';

const AWAY = failure('io_error', 'PostgreSQL at db.example cannot be reached. Start PostgreSQL there.', 'unreachable');
const away = async () => AWAY;

/** A server whose sessions are in a database that went away. */
const withoutDatabase = async () => {
  const server = await testServer({ text: 'hello' });
  const { id } = await server.json<{ id: string }>('POST', '/api/sessions', {});
  const nothing = { open: away, create: away, ids: away, read: away, list: away, holding: away, remove: away };
  Object.assign(server.halter.sessions, nothing);
  Object.assign(server.halter.storage.sessions, nothing);
  return { ...server, id };
};

describe('while the database is away', () => {
  for (const [method, path, body] of [
    ['GET', '/api/sessions'],
    ['POST', '/api/sessions', {}],
    ['GET', '/api/sessions?q=words'],
    ['GET', '/api/sessions/other'],
    ['POST', '/api/sessions/other/commands', { type: 'send_message', content: 'hello' }],
    ['GET', '/api/sessions/other/events'],
    ['GET', '/api/sessions/other/export'],
    ['POST', '/api/sessions/other/fork', {}],
    ['GET', '/api/statistics'],
  ] as [string, string, object?][]) {
    test(`${method} ${path} is to be asked again, and says what to do`, async () => {
      const { call } = await withoutDatabase();
      const response = await call(method, path, body);
      const { error } = (await response.json()) as { error?: { code: string; message: string } };
      expect([response.status, error?.code]).toEqual([503, 'unreachable']);
      expect(error?.message).toContain('Start PostgreSQL');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    });
  }

  test('so is a command that could not be handed on, and no other refusal', async () => {
    const { call, halter, json } = await testServer({ text: 'hello' });
    const refusal = { message: 'It cannot be added.', reason: 'unreachable' };
    const { openSession } = halter;
    Object.assign(halter, {
      openSession: async (...given: Parameters<typeof openSession>) => {
        const opened = await openSession.apply(halter, given);
        return opened.ok
          ? {
              ok: true,
              value: { ...opened.value, log: () => opened.value.log(), send: async () => ({ ok: false, ...refusal }) },
            }
          : opened;
      },
    });
    const { id } = await json<{ id: string }>('POST', '/api/sessions', {});
    const say = () => call('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'hello' });
    expect((await say()).status).toBe(503);
    refusal.reason = 'something else';
    expect((await say()).status).toBe(409);
  });
});
