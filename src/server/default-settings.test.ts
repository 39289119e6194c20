import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { testServer } from '../../tests/support/test-server.ts';
import { type Config, type ConfigKey, createConfigFile } from '../storage/config-file.ts';
import type { ToldDefaults } from './default-settings.ts';

const withSettings = async (started: Config = {}, held: ConfigKey[] = []) => {
  const folder = scratchFolder();
  fs.writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...started, warm_up: false }), { mode: 0o600 });
  const file = createConfigFile(folder);
  const server = await testServer(
    { text: 'Yes.' },
    {
      models: [{ id: 'm' }, { id: 'other' }],
      settings: {
        async read() {
          const read = await file.read();
          return read.ok ? { ok: true, value: read.value.config } : read;
        },
        set: (key, value) => file.set(key, value),
        started,
        held: new Set(held),
      },
    },
  );
  const kept = (): Config => JSON.parse(fs.readFileSync(join(folder, 'config.json'), 'utf8'));
  const set = (body: object): Promise<Response> => server.call('POST', '/api/settings', body);
  /** A session that begins now: what it was given, and what its first request was. */
  const begun = async (body: object = {}) => {
    const { id } = await server.json<{ id: string }>('POST', '/api/sessions', body);
    const { face, session } = await server.app.server.sessions.open(id);
    await face.send({ type: 'send_message', content: 'hello' });
    await face.idle();
    const { settings } = await server.json<{ settings: object }>('GET', `/api/sessions/${id}`);
    const [first] = server.provider.requests.at(-1)?.messages ?? [];
    const mode = session.log().findLast(({ type }) => type === 'mode_changed');
    return { settings, system: String(first?.content), model: session.state().model, mode };
  };
  return { ...server, kept, set, begun, file: join(folder, 'config.json') };
};

describe('what sessions begin with', () => {
  it('holds for those that begin from then on, without another start, and is kept', async () => {
    const server = await withSettings();
    const settings = { instructions: 'Be short.', temperature: 0.2, mode: 'plan', model: 'other' };
    const answer = await server.set(settings);
    expect(await answer.json()).toEqual({ settings, held: [], next_start: [] });
    expect(server.kept()).toEqual({
      append_system_prompt: 'Be short.',
      temperature: 0.2,
      mode: 'plan',
      model: 'other',
      warm_up: false,
    });
    const { settings: own, system, model, mode } = await server.begun();
    expect(own).toEqual({ instructions: 'Be short.', temperature: 0.2 });
    expect(system).toMatch(/Be short\.$/);
    expect(model).toBe('other');
    expect(mode).toMatchObject({ mode: 'plan' });
    expect(await server.json('GET', '/api/status')).toMatchObject({ new_sessions: { mode: 'plan', model: 'other' } });
    // What is said for one session goes before it.
    expect((await server.begun({ settings: { temperature: 1 } })).settings).toEqual({ temperature: 1 });
    await server.set({});
    expect(server.kept()).toEqual({ warm_up: false });
    expect((await server.begun()).settings).toEqual({});
  });

  it('is not what a flag or the project says, and says so', async () => {
    const server = await withSettings({}, ['temperature', 'mode']);
    const told = (await (await server.set({ temperature: 0.9, mode: 'edit', top_p: 0.5 })).json()) as ToldDefaults;
    expect(told.held).toEqual(['temperature', 'mode']);
    const { settings, mode } = await server.begun();
    expect(settings).toEqual({ top_p: 0.5 });
    expect(mode).toBeUndefined();
  });

  it('opens models with another window from the next start on', async () => {
    const server = await withSettings();
    const told = (await (await server.set({ context_length: 16_384 })).json()) as ToldDefaults;
    expect(told).toEqual({ settings: { context_length: 16_384 }, held: [], next_start: ['context_length'] });
    expect(server.kept()).toEqual({ context_length: 16_384, warm_up: false });
    expect((await server.begun()).settings).toEqual({});
    expect((await server.set({ context_length: 0 })).status).toBe(400);
  });

  it('says what counts from the next start on, and gives no instructions twice', async () => {
    const server = await withSettings({ append_system_prompt: 'Old.', temperature: 1 });
    const told = (await (await server.set({ instructions: 'New.' })).json()) as ToldDefaults;
    expect(told.next_start).toEqual(['instructions', 'temperature']);
    expect((await server.begun()).settings).toEqual({});
  });

  it.each([
    { mode: 'yolo' },
    { temperature: 9 },
    { sandbox: false },
    { api_key_command: 'x' },
    { instructions: '@/etc/passwd' },
    { instructions: ' @file' },
    { model: '' },
  ])('is refused as a whole where one does not fit: %j', async (settings) => {
    const server = await withSettings({ seed: 1 });
    expect((await server.set({ ...settings, top_p: 0.5 })).status).toBe(400);
    expect(server.kept()).toEqual({ seed: 1, warm_up: false });
  });

  it('is a failure with words where the file is damaged, and sessions begin all the same', async () => {
    const server = await withSettings();
    fs.writeFileSync(server.file, '{');
    const answer = await server.set({ seed: 1 });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('Mend it')]);
    expect(fs.readFileSync(server.file, 'utf8')).toBe('{');
    expect((await server.begun()).settings).toEqual({});
  });

  it('is nothing where no settings are kept', async () => {
    const server = await testServer({ text: 'Yes.' });
    expect((await server.call('GET', '/api/settings')).status).toBe(404);
    expect((await server.call('POST', '/api/settings', { seed: 1 })).status).toBe(404);
  });

  it.each(['GET', 'POST'])('is touched by nobody without the token, nor from another page: %s', async (method) => {
    const server = await withSettings();
    const body = method === 'POST' ? { seed: 1 } : undefined;
    expect((await server.call(method, '/api/settings', body, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await server.call(method, '/api/settings', body, { origin: 'https://evil.test' })).status).toBe(403);
    expect(server.kept()).toEqual({ warm_up: false });
  });
});
