/** Requests that need a model by its name wait for the server that loads it. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { SIDE_REQUESTS } from '../../tests/support/side-requests.ts';
import { testServer } from '../../tests/support/test-server.ts';
import { LOADING } from '../core/model-port.ts';
import { scriptedProvider } from '../testing/index.ts';

/** `small` is loaded after so many looks at it. */
const loadingServer = async (looks: number, roles: Record<string, string> = {}) => {
  const scripted = scriptedProvider(async () => ({ text: 'Files' }), {
    models: [{ id: 'm' }, { id: 'small', context_length: 4_096 }, { id: 'other' }],
  });
  let seen = 0;
  const looked = Promise.withResolvers<void>();
  const asked: typeof scripted.describe = async (model, signal) => {
    if (model !== 'small') return scripted.describe(model, signal);
    seen += 1;
    looked.resolve();
    const error = { code: 'server_error', reason: LOADING, message: 'Loading model' } as const;
    return seen > looks ? scripted.describe(model, signal) : { ok: false, error };
  };
  const server = await testServer([], { modelProvider: { ...scripted, describe: asked }, roles });
  return { ...server, scripted, looked: looked.promise };
};

const newSession = async (server: Awaited<ReturnType<typeof loadingServer>>): Promise<string> => {
  const { id } = await server.json<{ id: string }>('POST', '/api/sessions', {});
  return `/api/sessions/${id}`;
};
const modelOf = async (server: Awaited<ReturnType<typeof loadingServer>>, path: string): Promise<unknown> =>
  (await server.json(`GET`, path))['model'];
const choose = (model: string) => ({ type: 'change_model', model });

describe('a model that its server still loads', () => {
  it('is waited for where it is described', async () => {
    verifies('B4');
    const server = await loadingServer(1);
    const answered = await server.call('GET', '/api/models/describe?model=small');
    expect(answered.status).toBe(200);
    expect(await answered.json()).toMatchObject({ model: { context_length: 4_096 } });
  });

  it('is waited for where a session is to take it', async () => {
    verifies('B4');
    const server = await loadingServer(1);
    const path = await newSession(server);
    expect((await server.call('POST', `${path}/commands`, choose('small'))).status).toBe(200);
    expect(await modelOf(server, path)).toContain('small');
  });

  it('is given up where another one is chosen meanwhile', async () => {
    verifies('B4');
    const server = await loadingServer(Number.POSITIVE_INFINITY);
    const path = await newSession(server);
    const first = server.call('POST', `${path}/commands`, choose('small'));
    await server.looked;
    expect((await server.call('POST', `${path}/commands`, choose('other'))).status).toBe(200);
    const given = await first;
    expect([given.status, await given.text()]).toEqual([409, expect.stringContaining('Another model was chosen')]);
    expect(await modelOf(server, path)).toContain('other');
  });

  it('is waited for where a title is for it', async () => {
    verifies('B2');
    const server = await loadingServer(1, { titles: 'small' });
    const [side] = SIDE_REQUESTS;
    const answered = await server.call('POST', side?.path ?? '', side?.body);
    expect(answered.headers.get('x-halter-guards')).toContain('side_request_moved');
    expect(server.scripted.requests.map(({ model }) => model)).toEqual(['small']);
  });
});
