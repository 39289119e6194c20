import { expect, it } from 'vitest';
import { testServer } from '../../tests/support/test-server.ts';
import type { ToldStatistics } from './statistics.ts';

it('tells what models did in this folder, and says it anew when something was said', async () => {
  const usage = { prompt_tokens: 100, cached_tokens: 40, completion_tokens: 7 };
  const server = await testServer({ text: 'x', usage } as never);
  const { id } = await server.json<{ id: string }>('POST', '/api/sessions', {});
  const { face } = await server.app.server.sessions.open(id);
  const say = async (): Promise<ToldStatistics> => {
    await server.call('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'hello' });
    await face.idle();
    return server.json<ToldStatistics>('GET', '/api/statistics?days=2');
  };
  expect(await server.json('GET', '/api/statistics')).toMatchObject({ rows: [], has_more: false });
  const once = await say();
  expect(once).toMatchObject({ rows: [{ model: 'm', answers: 1, prompt_tokens: 100, cached_tokens: 40 }] });
  expect((await say()).rows).toMatchObject([{ answers: 2, completion_tokens: 14, day: once.rows[0]?.day }]);
});
