import { describe, expect, it } from 'vitest';
import { TOKEN, testServer } from '../../tests/support/test-server.ts';
import type { OwnSettings } from '../core/own-settings.ts';

type Server = Awaited<ReturnType<typeof testServer>>;

const begin = async (server: Server, settings?: OwnSettings): Promise<string> =>
  (await server.json<{ id: string }>('POST', '/api/sessions', settings === undefined ? {} : { settings })).id;
const command = (server: Server, id: string, body: object): Promise<Response> =>
  server.call('POST', `/api/sessions/${id}/commands`, body);
const change = (server: Server, id: string, settings: object): Promise<Response> =>
  command(server, id, { type: 'change_settings', settings });
/** Sends a message and waits for the end of its run. */
const ask = async (server: Server, id: string, content = 'hello'): Promise<void> => {
  const { face } = await server.app.server.sessions.open(id);
  await command(server, id, { type: 'send_message', content });
  await face.idle();
};
const shown = async (server: Server, id: string): Promise<OwnSettings> =>
  (await server.json<{ settings: OwnSettings }>('GET', `/api/sessions/${id}`)).settings;
const systemOf = (server: Server): string => {
  const [first] = server.provider.requests.at(-1)?.messages ?? [];
  return first?.role === 'system' ? String(first.content) : '';
};
const toolsOf = (server: Server): string[] =>
  (server.provider.requests.at(-1)?.tools ?? []).map((tool) => tool.function.name);

describe('the settings of a session', () => {
  it('hold from its first message where it begins with them', async () => {
    const server = await testServer({ text: 'Aye.' });
    const id = await begin(server, { instructions: 'Speak like a sailor.', temperature: 0.3, tools_off: ['bash'] });
    await ask(server, id);
    expect(systemOf(server)).toMatch(/You are halter[\s\S]*Speak like a sailor\.$/);
    expect(server.provider.requests.at(-1)?.sampling).toMatchObject({ temperature: 0.3 });
    expect(toolsOf(server)).toContain('read_file');
    expect(toolsOf(server)).not.toContain('bash');
    expect(await shown(server, id)).toEqual({
      instructions: 'Speak like a sailor.',
      temperature: 0.3,
      tools_off: ['bash'],
    });
  });

  it('can be changed in its middle, and taken back', async () => {
    const server = await testServer({ text: 'Yes.' });
    const id = await begin(server);
    await ask(server, id);
    const usual = systemOf(server);
    expect((await change(server, id, { instructions: 'Answer in French.', top_p: 0.5, think: false })).status).toBe(
      200,
    );
    await ask(server, id, 'again');
    expect(systemOf(server)).toBe(`${usual}\n\nAnswer in French.`);
    expect(server.provider.requests.at(-1)?.sampling).toMatchObject({ top_p: 0.5, think: false });
    expect(server.provider.requests.at(-1)?.messages.filter(({ role }) => role === 'user')).toHaveLength(2);
    expect((await change(server, id, {})).status).toBe(200);
    await ask(server, id, 'and again');
    expect(systemOf(server)).toBe(usual);
    expect(server.provider.requests.at(-1)?.sampling).toEqual({});
  });

  it.each([
    ['instructions', { type: 'change_settings', settings: { instructions: 'Be short.' } }],
    ['another model', { type: 'change_model', model: 'scripted/m' }],
  ])('change and leave the mode that the person chose: %s', async (_, body) => {
    const server = await testServer({ text: 'Yes.' });
    const id = await begin(server);
    await ask(server, id);
    await command(server, id, { type: 'change_mode', mode: 'plan' });
    expect((await command(server, id, body)).status).toBe(200);
    const modes = (
      await server.json<{ events: { type: string; mode?: string }[] }>('GET', `/api/sessions/${id}`)
    ).events
      .filter(({ type }) => type === 'mode_changed')
      .map(({ mode }) => mode);
    expect(modes.at(-1)).toBe('plan');
  });

  it('are there when halter is started again', async () => {
    const server = await testServer({ text: 'Yes.' });
    const id = await begin(server, { instructions: 'Be short.', max_iterations: 2, temperature: 0 });
    await ask(server, id);
    await server.close();
    const again = { ...server, ...(await server.open()) };
    const view = await again.app(
      new Request(`http://127.0.0.1:7411/api/sessions/${id}`, {
        headers: { host: '127.0.0.1:7411', authorization: `Bearer ${TOKEN}` },
      }),
    );
    expect(await view.json()).toMatchObject({ settings: { instructions: 'Be short.', max_iterations: 2 } });
    const opened = await again.halter.openSession({ id });
    if (!opened.ok) throw new Error(opened.error.message);
    await opened.value.send({ type: 'send_message', content: 'more' });
    await opened.value.idle();
    await opened.value.close();
    expect(systemOf(server)).toMatch(/Be short\.$/);
    expect(server.provider.requests.at(-1)?.sampling).toMatchObject({ temperature: 0 });
  });

  it('end a run at the iterations that were set', async () => {
    const server = await testServer(() => ({ calls: [{ name: 'get_current_time', arguments: {} }] }));
    const id = await begin(server, { max_iterations: 2 });
    await ask(server, id, 'what time is it, again and again');
    expect(server.provider.requests).toHaveLength(2);
    await change(server, id, { max_iterations: 1 });
    await ask(server, id, 'once more');
    expect(server.provider.requests).toHaveLength(3);
  });

  it('refuse a call of a tool that was turned off, whatever the model writes', async () => {
    const server = await testServer((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? { text: 'Then not.' }
        : { calls: [{ name: 'get_current_time', arguments: {} }] },
    );
    const id = await begin(server, { tools_off: ['get_current_time'] });
    await ask(server, id);
    const results = server.provider.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
    expect(JSON.stringify(results)).toContain('not on offer');
  });

  it.each([
    { temperature: 3 },
    { temperature: 'hot' },
    { top_p: -1 },
    { max_iterations: 0 },
    { instructions: 7 },
    { unknown: 1 },
    { tools_off: 'bash' },
  ])('are refused as a whole where one does not fit: %j', async (settings) => {
    const server = await testServer({ text: 'Yes.' });
    const id = await begin(server, { temperature: 0.1 });
    expect((await change(server, id, settings)).status).toBe(400);
    expect((await server.call('POST', '/api/sessions', { settings })).status).toBe(400);
    expect(await shown(server, id)).toEqual({ temperature: 0.1 });
  });

  it('name no tool that is not there, and wait for the end of a run', async () => {
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const server = await testServer(async () => {
      await gate;
      return { text: 'Done.' };
    });
    const id = await begin(server);
    const unknown = await change(server, id, { tools_off: ['no_such_tool'] });
    expect([unknown.status, await unknown.text()]).toEqual([409, expect.stringContaining('no_such_tool')]);
    const running = ask(server, id);
    await expect.poll(() => server.provider.requests.length).toBe(1);
    expect((await change(server, id, { temperature: 1 })).status).toBe(409);
    go();
    await running;
    expect((await change(server, id, { temperature: 1 })).status).toBe(200);
  });

  it('are changed by nobody without the token, nor from another page', async () => {
    const server = await testServer({ text: 'Yes.' });
    const id = await begin(server);
    const path = `/api/sessions/${id}/commands`;
    const body = { type: 'change_settings', settings: { temperature: 1 } };
    expect((await server.call('POST', path, body, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await server.call('POST', path, body, { origin: 'https://evil.test' })).status).toBe(403);
    expect(await shown(server, id)).toEqual({});
  });
});
