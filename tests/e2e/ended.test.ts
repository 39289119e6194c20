/**
 * halter is ended by SIGTERM or a closed terminal while a tool runs. The resumed session says what was in flight and
 * whether it took effect, as after kill -9: to the person and to the model.
 */
import { once } from 'node:events';
import fs from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedServer, type ScriptedServerTurn, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { openApp } from '../support/app-in-pty.ts';
import { runHalter, startHalter } from '../support/halter-process.ts';
import { inTurn } from '../support/long.ts';
import { AS_PACKAGE, AS_PACKAGE_ENV, MAIN } from '../support/program.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { serving } from '../support/serving.ts';

const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;
const COMMAND = 'echo printed before; touch begun; sleep 600';

const untilThere = async (file: string): Promise<void> => {
  while (!fs.existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 10));
};

type Place = { server: ScriptedServer; cwd: string; home: string; flags: string[] };
const place = async (first: ScriptedServerTurn, more: string[] = []): Promise<Place> => {
  const server = await startScriptedServer({ turns: [first, { text: 'I see.' }] });
  onTestFinished(() => server.close());
  const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model', '--no-sandbox', ...more];
  return { server, cwd: scratchFolder(), home: scratchFolder(), flags };
};
const bash = { calls: [{ name: 'bash', arguments: { command: COMMAND } }] };
const bashAsText = { text: JSON.stringify({ name: 'bash', arguments: { command: COMMAND } }) };

/** What the next message hears of it, in the same session. */
const resumed = async ({ server, cwd, home, flags }: Place, session: string): Promise<string> => {
  const next = await runHalter(['run', 'And now?', '--session', session, ...flags], { cwd, home });
  expect(next, next.err).toMatchObject({ code: 0, out: 'I see.\n' });
  const shown = (await runHalter(['sessions', 'show', session], { cwd, home })).out;
  const told = server.requests[1]?.text ?? '';
  for (const text of [told, shown]) {
    expect(text).toContain('halter was ended while this ran. bash: whether it took effect cannot be known');
    expect(text).toContain('printed before');
  }
  expect(shown).toContain('halter was ended in the middle of this run.');
  expect(shown).not.toContain('Ended by the person.');
  return shown;
};

/** `zoo-keeper` is the preset whose documents know of every tool. */
describe.each([
  { what: 'outside a preset', preset: [], turn: bash },
  { what: 'in the preset zoo-keeper', preset: ['--preset', 'zoo-keeper'], turn: bashAsText },
])('$what', ({ preset, turn }) => {
  const turnOf = preset.length === 0 ? 0 : 1;

  it.each(inTurn(SIGNALS, turnOf, 2))('halter run that is ended by %s while a command runs', async (signal) => {
    verifies('B5');
    const at = await place(turn, preset);
    const args = ['run', 'go', '--session', 's', '--allow', 'bash', '--format', 'stream-json', ...at.flags];
    const running = startHalter(args, at);
    // What it prints stands in the call too, which is told before it runs.
    await untilThere(path.join(at.cwd, 'begun'));
    running.child.kill(signal);
    const ran = await running.finished;
    expect(ran.code).toBe(130);
    expect(ran.lines().at(-1)).toMatchObject({ type: 'turn_end', exit_reason: 'interrupted' });
    await resumed(at, 's');
  });

  it.each(inTurn(SIGNALS, 1 - turnOf, 2))('halter serve that is ended by %s while a command runs', async (signal) => {
    verifies('B5');
    const at = await place(turn, preset);
    const running = await serving(['--allow', 'bash', ...at.flags], at);
    const asked = running.call('POST', '/api/chat', { message: 'go', mode: 'agent', chat_id: 's' }).then(
      (response) => response.text(),
      () => '',
    );
    await untilThere(path.join(at.cwd, 'begun'));
    running.child.kill(signal);
    expect((await running.finished).code).toBe(0);
    await asked;
    await resumed(at, 's');
  });
});

it('halter run whose --max-time is over says what was in flight, and that no person ended it', async () => {
  verifies('B5');
  const at = await place(bash);
  const how = ['--max-time', '1.5', '--format', 'stream-json'];
  const ran = await runHalter(['run', 'go', '--session', 's', '--allow', 'bash', ...how, ...at.flags], at);
  expect(ran.code).toBe(4);
  // A limit is no failure, and is said once.
  const ends = ran.lines().filter(({ type }) => ['limit', 'error', 'turn_end'].includes(String(type)));
  expect(ends).toMatchObject([
    { type: 'limit', name: 'max_time', message: 'Stopped after 1.5 s, the limit of --max-time.' },
    { type: 'turn_end', exit_reason: 'limit' },
  ]);
  const shown = (await runHalter(['sessions', 'show', 's'], at)).out;
  expect(shown).toContain('The time limit was reached in the middle of this run.');
  expect(shown).toMatch(/The time limit was reached (?:while|before) this ran\. bash: /);
  expect(shown).not.toContain('halter was ended');
  expect(shown).not.toMatch(/Ended by the person|Cancelled\.|CANCELLED/);
});

describe.skipIf(process.platform === 'win32')('the terminal', () => {
  it.each(SIGNALS)('that is ended by %s while a command runs', async (signal) => {
    verifies('B5');
    const at = await place(bash);
    const app = openApp(['--session', 's', '--allow', 'bash', ...at.flags], { folder: at.cwd, home: at.home });
    onTestFinished(async () => {
      app.close();
      await app.ended;
    });
    await app.until('test-model ·');
    app.type('go\r');
    await untilThere(path.join(at.cwd, 'begun'));
    await app.until('printed before');
    process.kill(app.pid, signal);
    await app.ended;
    await resumed(at, 's');
  });
});

/** The signal comes in the moment before the new file takes the place of the old one; the tool then goes on. */
const SIGNAL_IN_THE_MIDDLE = `data:text/javascript,${encodeURIComponent(`
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const rename = fs.rename;
fs.rename = async (from, to) => {
  if (/\\.halter-\\d+-[0-9a-f]+\\.tmp$/.test(String(from))) {
    process.kill(process.pid, 'SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  await rename(from, to);
};
syncBuiltinESMExports();`)}`;

it('says of a write that was in flight what the file holds', async () => {
  verifies('B5');
  const write = { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'new\n' } }] };
  const at = await place(write, ['--allow', 'write_file']);
  putFiles(at.cwd, { 'a.txt': 'old\n' });
  const command = [process.execPath, '--import', SIGNAL_IN_THE_MIDDLE, MAIN];
  await runHalter(['run', 'Write it', '--session', 's', ...at.flags], { ...at, command });
  const content = fs.readFileSync(path.join(at.cwd, 'a.txt'), 'utf8');
  const next = await runHalter(['run', 'And now?', '--session', 's', ...at.flags], at);
  expect(next.code, next.err).toBe(0);
  const shown = (await runHalter(['sessions', 'show', 's'], at)).out;
  expect(content).toBe('new\n');
  expect(shown).toMatch(/\[Tool: write_file\][\s\S]*(Status: ✅ SUCCESS|a\.txt: applied)/);
});

const PLUGIN = `import { writeFileSync } from 'node:fs';
import { defineTool, fail, registerTool } from 'halter';
const begin = () => writeFileSync('begun', '');
const ended = (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
const slow = (name, then) => defineTool({ name, description: 'Slow', parameters: { type: 'object', properties: {} }, risk: 'safe', timeout_ms: 0,
  run: async (_args, { signal }) => { begin(); await ended(signal); return then(); } });
export const plugin = { name: 'slow', tools: [
  slow('throws', () => { throw new DOMException('This operation was aborted', 'AbortError'); }),
  slow('tells', () => fail('io_error', 'The service did not answer in time.', { reason: 'timeout' })),
  registerTool('calculates', 'Slow', [], () => { begin(); return new Promise(() => {}); }, [], { timeout_ms: 600_000 }),
] };`;
const SERVER = `import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';
const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  if (method === 'tools/list') say(id, { tools: [{ name: 'waits', inputSchema: { type: 'object' } }] });
  if (method === 'tools/call') writeFileSync('begun', '');
});`;

it.each(['throws', 'tells', 'calculates', 'mcp__s__waits'])(
  'says of %s, which fails by itself when it is told to end, that nobody knows what it did',
  async (name) => {
    verifies('B5');
    const at = await place({ calls: [{ name, arguments: {} }] }, ['--allow', name]);
    const s = { command: process.execPath, args: [path.join(at.home, 'server.mjs')] };
    putFiles(at.home, {
      '.config/halter/plugins/slow.mjs': PLUGIN,
      '.config/halter/mcp.json': JSON.stringify({ mcpServers: { s } }),
      'server.mjs': SERVER,
    });
    const options = { ...at, env: AS_PACKAGE_ENV, command: [process.execPath, ...AS_PACKAGE, MAIN] };
    const running = startHalter(['run', 'go', '--session', 's', ...at.flags], options);
    await untilThere(path.join(at.cwd, 'begun'));
    running.child.kill('SIGTERM');
    await running.finished;
    await runHalter(['run', 'And now?', '--session', 's', ...at.flags], options);
    const told = `halter was ended while this ran. ${name}: whether it took effect cannot be known.`;
    expect(at.server.requests[1]?.text).toContain(told);
  },
);

it('says of a tool that only reads that nothing was changed', async () => {
  verifies('B5');
  const asked = Promise.withResolvers<void>();
  const silent = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const at = await place({ calls: [{ name: 'web_fetch', arguments: { url } }] }, ['--allow', 'web_fetch']);
  putFiles(at.home, { '.config/halter/config.json': '{"allow_private":"127.0.0.1"}' });
  const running = startHalter(['run', 'go', '--session', 's', ...at.flags], at);
  await asked.promise;
  running.child.kill('SIGTERM');
  await running.finished;
  await runHalter(['run', 'And now?', '--session', 's', ...at.flags], at);
  expect(at.server.requests[1]?.text).toContain('web_fetch only reads, so nothing was changed');
});
