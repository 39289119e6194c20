/** Plan mode from the start offers only tools that read; switched on later, the list stays and the refusal says the mode. */
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { builtinTools, createHarness } from '../../src/index.ts';
import { scriptedProvider, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { openApp } from '../support/app-in-pty.ts';
import { runHalter } from '../support/halter-process.ts';
import { scratchFolder } from '../support/scratch.ts';
import { sentEvents } from '../support/sent-events.ts';
import { serving } from '../support/serving.ts';
import { testServer } from '../support/test-server.ts';

type Sent = { function: { name: string } };
const namesIn = (body: unknown): string[] =>
  ((body as { tools?: Sent[] }).tools ?? []).map((tool) => tool.function.name);
const WRITING = ['write_file', 'edit_file', 'write_job', 'replace_lines', 'insert_lines', 'generate_image'];
const expectReading = (names: readonly string[], preset: readonly string[] = []): void => {
  expect(names).toContain('read_file');
  // The document of the preset has no tool that runs commands.
  expect(names.includes('bash')).toBe(preset.length === 0);
  for (const name of WRITING) expect(names).not.toContain(name);
};
/** A window that has room for the description of every tool. */
const LARGE = { id: 'test-model', context_length: 131_072, loaded_context_length: 131_072 };
const write = { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'a' } }] };

it.each([[[]], [['--preset', 'local-harness']]])('halter run --plan %j', async (preset) => {
  verifies('H4');
  const server = await startScriptedServer({ turns: [{ text: 'Done.' }], models: [LARGE] });
  onTestFinished(() => server.close());
  const ran = await runHalter([
    'run',
    '--plan',
    'go',
    '--provider',
    'openai',
    '--base-url',
    server.openaiUrl,
    ...preset,
  ]);
  expect(ran.code, ran.err).toBe(0);
  expectReading(namesIn(server.requests[0]?.body), preset);
});

it.each([
  [['--session', 'work'], []],
  [['-c'], []],
  [
    ['--session', 'work'],
    ['--preset', 'local-harness'],
  ],
])('halter run %j --plan %j keeps the tools of a session that began otherwise', async (session, preset) => {
  verifies('H4');
  const server = await startScriptedServer({
    turns: [{ text: 'First.' }, write, { text: 'Second.' }],
    models: [LARGE],
  });
  onTestFinished(() => server.close());
  const place = { cwd: scratchFolder(), home: scratchFolder() };
  const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, ...preset];
  const run = async (...flags: string[]) => {
    const ran = await runHalter(['run', 'go', ...reach, ...flags], place);
    expect(ran.code, ran.err).toBe(0);
  };
  await run(...session.filter((flag) => flag !== '-c'));
  await run(...session, '--plan');
  const [first, second, third] = server.requests.map(({ body }) => body);
  expect(namesIn(first)).toContain('write_file');
  expect(second?.['tools']).toEqual(first?.['tools']);
  expect(JSON.stringify(third?.['messages'])).toContain('plan mode is read-only');
  // One that begins in it offers no more for being resumed in it.
  const begun = await startScriptedServer({ turns: () => ({ text: 'Done.' }), models: [LARGE] });
  onTestFinished(() => begun.close());
  for (const _ of [1, 2])
    await runHalter(['run', 'go', '--plan', '--session', 'new', ...reach, '--base-url', begun.openaiUrl], place);
  for (const { body } of begun.requests) expectReading(namesIn(body), preset);
  expect(begun.requests).toHaveLength(2);
});

it.each([[[]], [['--preset', 'local-harness']]])('halter serve --plan %j', async (preset) => {
  verifies('H4');
  const server = await startScriptedServer({ turns: () => ({ text: 'Done.' }), models: [LARGE] });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, ...preset];
  const { call } = await serving(['--plan', ...reach]);
  expect((await call('POST', '/api/chat', { message: 'go', mode: 'agent' })).status).toBe(200);
  expectReading(namesIn(server.requests[0]?.body), preset);
});

it.skipIf(process.platform === 'win32')('the terminal with --plan, until the person leaves the mode', async () => {
  verifies('H4');
  const server = await startScriptedServer({ turns: [{ text: 'First.' }, { text: 'Second.' }], models: [LARGE] });
  onTestFinished(() => server.close());
  const flags = ['--plan', '--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'];
  const app = openApp(flags, { folder: scratchFolder(), home: scratchFolder() });
  onTestFinished(async () => {
    app.close();
    await app.ended;
  });
  await app.until('test-model ·');
  app.type('one\r');
  await app.until('First.');
  expectReading(namesIn(server.requests[0]?.body));
  app.forget();
  app.type('\u001b[Z');
  await app.until('ask ');
  app.type('two\r');
  await app.until('Second.');
  expect(namesIn(server.requests[1]?.body)).toContain('write_file');
});

it('the library, with commands that only read', async () => {
  verifies('H4');
  const commands = ['cat a.txt', 'touch b.txt'].map((command) => ({ name: 'bash', arguments: { command } }));
  const turns = [...commands.map((call) => ({ calls: [call] })), { text: 'Done.' }];
  const provider = scriptedProvider(turns, { models: [{ id: 'm', context_length: 131_072 }] });
  const workspace = scratchFolder();
  writeFileSync(path.join(workspace, 'a.txt'), 'the first line\n');
  const harness = createHarness({
    provider,
    model: 'm',
    workspace,
    tools: builtinTools,
    permissions: { plan: true },
    // Only where there is no sandbox is anybody asked.
    onPermission: () => 'allow_once',
  });
  onTestFinished(() => harness.close());
  await harness.chat('go');
  const offered = provider.requests[0]?.tools ?? [];
  expectReading(offered.map((tool) => tool.function.name));
  const bash = offered.find((tool) => tool.function.name === 'bash');
  expect(bash?.function.description).toContain('only commands that only read');
  const [read = '', wrote = ''] = provider.requests.slice(1).map(({ messages }) => JSON.stringify(messages.at(-1)));
  expect(read).toContain('the first line');
  expect(wrote).toContain('plan mode is read-only');
  expect(existsSync(path.join(workspace, 'b.txt'))).toBe(false);
});

it('switched on in the middle, the list stays and a call is refused by the mode', async () => {
  verifies('H4');
  const models = [{ id: 'm', context_length: 131_072 }];
  const server = await testServer([{ text: 'First.' }, write, { text: 'Second.' }], { models });
  const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
  const events = sentEvents(await server.call('GET', `/api/sessions/${id}/events`));
  const command = (body: object) => server.json('POST', `/api/sessions/${id}/commands`, body);
  const told: string[] = [];
  const untilEnd = async (): Promise<void> => {
    for await (const { type, data } of { [Symbol.asyncIterator]: () => ({ next: () => events.next() }) }) {
      if (type === 'tool_result') told.push(JSON.stringify(data));
      if (type === 'turn_end') return;
    }
  };
  await command({ type: 'send_message', content: 'one' });
  await untilEnd();
  await command({ type: 'change_mode', mode: 'plan' });
  await command({ type: 'send_message', content: 'two' });
  await untilEnd();
  const [first, second] = server.provider.requests;
  expect(second?.tools).toEqual(first?.tools);
  expect(first?.tools.map((tool) => tool.function.name)).toContain('write_file');
  expect(told.join()).toContain('plan mode is read-only');
});
