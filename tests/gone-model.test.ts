/** A session whose model is not there any more goes on with another one, and every surface tells its person so, once. */
import { methods } from '@agentclientprotocol/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { createHarness } from '../src/index.ts';
import { type ScriptedServer, startScriptedServer } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { say, spoken, withEditor } from './support/acp-editor.ts';
import { openApp } from './support/app-in-pty.ts';
import { runHalter } from './support/halter-process.ts';
import { everyNth } from './support/long.ts';
import { scratchFolder } from './support/scratch.ts';
import { serving } from './support/serving.ts';

const TOLD = 'was with the model gone, which is not there now. It goes on with other';

const start = async (model: string): Promise<ScriptedServer> => {
  const server = await startScriptedServer({ turns: () => ({ text: 'Well.' }), models: [{ id: model }] });
  onTestFinished(() => server.close());
  return server;
};

/** A session `kept` that was with the model `gone`, and a server that has another. */
const world = async () => {
  const [home, cwd] = [scratchFolder(), scratchFolder()];
  const at = (server: ScriptedServer): string[] => ['--provider', 'openai', '--base-url', server.openaiUrl];
  const begun = await runHalter(['run', 'hello', '--session', 'kept', ...at(await start('gone'))], { home, cwd });
  expect(begun.code).toBe(0);
  const server = await start('other');
  return { home, cwd, server, at: at(server) };
};
type World = Awaited<ReturnType<typeof world>>;

const timesIn = (text: string): number => text.split(TOLD).length - 1;
const run = async ({ home, cwd, at }: World, ...args: string[]) =>
  runHalter(['run', 'again', ...args, ...at], { home, cwd });

const withServer = async (
  { home, cwd, at }: World,
  work: (server: Awaited<ReturnType<typeof serving>>) => Promise<string>,
): Promise<string> => {
  const server = await serving(at, { home, cwd });
  const told = await work(server);
  server.child.kill('SIGTERM');
  await server.finished;
  return told;
};

/** What the stream of updates tells until the run is over. */
const updatesUntilEnd = async (server: Awaited<ReturnType<typeof serving>>): Promise<string> => {
  const stream = await server.call('GET', '/api/sessions/kept/events?form=updates');
  await server.call('POST', '/api/sessions/kept/commands', { type: 'send_message', content: 'again' });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.split('"type":"run_completed"').length > 2) break;
  }
  return text;
};

/** Each resolves with all that its person or program is told. */
const SURFACES: Record<string, (world: World) => Promise<string>> = {
  'run -c': async (one) => (await run(one, '-c')).err,
  'run --session': async (one) => (await run(one, '--session', 'kept')).err,
  'run --fork': async (one) => (await run(one, '-c', '--fork')).err,
  'run --format json': async (one) => JSON.stringify((await run(one, '-c', '--format', 'json')).json()['warnings']),
  'run --format stream-json': async (one) => {
    const lines = (await run(one, '-c', '--format', 'stream-json')).lines();
    return JSON.stringify(lines.filter(({ type }) => type === 'warning'));
  },
  terminal: async ({ home, cwd, at }) => {
    const app = openApp(['-c', ...at], { folder: cwd, home });
    onTestFinished(async () => {
      app.close();
      await app.ended;
    });
    await app.until('which is not there now');
    return TOLD;
  },
  'ACP session/load': (one) => loaded(one, 'load'),
  'ACP session/resume': (one) => loaded(one, 'resume'),
  'POST /api/chat': (one) =>
    withServer(one, async (server) => {
      const answer = await server.call('POST', '/api/chat', { message: 'again', chat_id: 'kept' });
      return JSON.stringify(((await answer.json()) as { warnings?: unknown }).warnings);
    }),
  'POST /api/chat, streamed': (one) =>
    withServer(one, async (server) => {
      const answer = await server.call('POST', '/api/chat', { message: 'again', chat_id: 'kept', stream: true });
      const lines = (await answer.text()).split('\n').filter((line) => line.includes('"type":"warning"'));
      return lines.join('\n');
    }),
  'the stream of the page': (one) => withServer(one, updatesUntilEnd),
  library: async ({ home, cwd, server }) => {
    const warnings: string[] = [];
    const harness = await createHarness({
      model: { provider: 'openai', baseUrl: server.openaiUrl, name: 'other', resumeWith: 'own' },
      workspace: { root: cwd },
      storage: 'files',
      session: 'kept',
      io: { environment: { HOME: home }, onWarning: (_code, message) => warnings.push(message) },
    });
    onTestFinished(() => harness.close());
    const result = await harness.chat('again');
    expect(timesIn(warnings.join('\n'))).toBe(1);
    return JSON.stringify(result.warnings);
  },
};

const loaded = ({ home, cwd, server }: World, way: 'load' | 'resume'): Promise<string> =>
  withEditor(
    server,
    () => undefined,
    async (editor, { updates }) => {
      const params = { sessionId: 'kept', cwd, mcpServers: [] };
      await editor.request(methods.agent.session[way], params);
      await expect.poll(() => timesIn(spoken(updates, 'agent_message_chunk'))).toBe(1);
      await editor.request(methods.agent.session.prompt, { sessionId: 'kept', prompt: say('again') });
      return spoken(updates, 'agent_message_chunk');
    },
    home,
  );

it.each(everyNth(Object.entries(SURFACES), 3))('is told by %s', async (_name, surface) => {
  verifies('B5', 'B10', 'B11', 'L6');
  const one = await world();
  expect(timesIn(await surface(one))).toBe(1);
});
