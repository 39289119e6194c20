/** The program `halter serve`, from outside: its line, its signals, its children, and the same call on every way in. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { ToolResult } from '../../src/core/tool-result.ts';
import { builtinTools, createHarness } from '../../src/index.ts';
import type { ChatReply } from '../../src/server/chat/chat-result.ts';
import { scriptedProvider, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { fakeIo } from '../support/fake-io.ts';
import { cleanEnvironment, runHalter, startHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { sentEvents } from '../support/sent-events.ts';
import { serving } from '../support/serving.ts';
import { ORIGIN, TOKEN, testServer } from '../support/test-server.ts';

/** So that the process is found again, in whatever namespace it lives. */
const SECONDS = 100_000 + (process.pid % 100_000);
const sleepers = (): string[] =>
  fs.readdirSync('/proc').filter((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`sleep\0${SECONDS}`);
    } catch {
      return false;
    }
  });

const LINE = /^http:\/\/127\.0\.0\.1:(\d+)\/\?token=([\w-]{40,})\n$/;

describe('halter serve', () => {
  it('is reached by an allowed name, encrypted, with a token of a file, and believes no proxy that it does not know', async () => {
    const folder = scratchFolder();
    const token = 'a-token-that-several-servers-share-0123456789';
    putFiles(folder, { token: `${token}\n` });
    const [cert, key] = [`${folder}/cert.pem`, `${folder}/key.pem`];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=halter.test',
        '-keyout',
        key,
        '-out',
        cert,
      ],
      { stdio: 'ignore' },
    );
    const running = startHalter([
      'serve',
      '--port',
      '0',
      '--allowed-host',
      'halter.test',
      '--token-file',
      `${folder}/token`,
      '--tls-cert',
      cert,
      '--tls-key',
      key,
    ]);
    let out = '';
    running.child.stdout?.on('data', (text: string) => {
      out += text;
    });
    await running.said('://');
    // Standard output is no terminal here, so it may be a log.
    const [, port = ''] = /^https:\/\/halter\.test:(\d+)\/\n$/.exec(out) ?? [];
    expect(out).not.toContain(token);
    const status = (headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const request = https.request(
          {
            host: '127.0.0.1',
            port,
            path: '/api/tools',
            rejectUnauthorized: false,
            headers: { authorization: `Bearer ${token}`, ...headers },
          },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        );
        request.on('error', reject);
        request.end();
      });
    expect(await status({ host: `halter.test:${port}`, origin: `https://halter.test:${port}` })).toBe(200);
    expect(await status({ host: `halter.test:${port}`, origin: `http://halter.test:${port}` })).toBe(403);
    expect(await status({ host: `other.test:${port}` })).toBe(403);
    expect(await status({ host: `other.test:${port}`, 'x-forwarded-host': 'halter.test' })).toBe(403);
    running.child.kill('SIGTERM');
    expect((await running.finished).err).not.toContain(token);
  });

  it.each([
    [['--allowed-host', 'halter.test'], {}, /^http:\/\/halter\.test:\d+\/#token=[\w-]{40,}\n$/],
    [
      ['--trusted-proxy', '127.0.0.1', '--allowed-host', 'halter.test'],
      {},
      /^https:\/\/halter\.test\/#token=[\w-]{40,}\n$/,
    ],
    [
      ['--allowed-host', 'halter.test'],
      { HALTER_TOKEN: 'a-token-that-was-given-to-it-0123456789' },
      /^http:\/\/halter\.test:\d+\/\n$/,
    ],
  ])('tells its token to no log: with %j and %j', async (args, env, line) => {
    verifies('L3', 'H12');
    const server = await serving(args, { env });
    server.child.kill('SIGTERM');
    const { out, err } = await server.finished;
    expect(out).toMatch(line);
    for (const given of Object.values(env)) expect(err).not.toContain(given);
  });

  it.each([
    [[], {}],
    [[], { HALTER_TOKEN: 'a-token-that-was-given-to-it-0123456789' }],
    [['--token-file', 'token'], {}],
  ])('opens the page with the line that it prints, where nobody else reaches it: with %j and %j', async (args, env) => {
    verifies('H12');
    const folder = scratchFolder();
    putFiles(folder, { token: 'b-token-that-was-given-to-it-0123456789' });
    const server = await serving(args, { env, cwd: folder });
    expect(server.line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32,}\n$/);
    const page = await fetch(server.line.trim(), { redirect: 'manual' });
    expect(page.headers.get('location')).toMatch(/^\/\?key=/);
    server.child.kill('SIGTERM');
    await server.finished;
  });

  it('opens the page without showing its token to who can list processes', async () => {
    const programs = scratchFolder();
    const told = `${programs}/told`;
    fs.writeFileSync(`${programs}/xdg-open`, `#!/bin/sh\necho "$@" > "${told}.part" && mv "${told}.part" "${told}"\n`, {
      mode: 0o755,
    });
    const env = { PATH: `${programs}:${process.env['PATH']}` };
    const server = await serving(['--open'], { env });
    await vi.waitUntil(() => fs.existsSync(told), { timeout: 20_000 });
    const argument = fs.readFileSync(told, 'utf8').trim();
    expect(argument).toMatch(/^file:/);
    expect(argument).not.toContain(server.token);
    const file = fileURLToPath(argument);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readFileSync(file, 'utf8')).toContain(server.line.trim());
    server.child.kill('SIGTERM');
    await server.finished;
    expect(fs.existsSync(file)).toBe(false);
  });

  it('gives the browser what a desktop needs, and no key', async () => {
    verifies('S25');
    const programs = scratchFolder();
    const told = `${programs}/told`;
    fs.writeFileSync(`${programs}/xdg-open`, `#!/bin/sh\nenv > "${told}.part" && mv "${told}.part" "${told}"\n`, {
      mode: 0o755,
    });
    const desktop = { DISPLAY: ':7', XAUTHORITY: '/run/user/7/auth', XDG_ACTIVATION_TOKEN: 'of-the-desktop' };
    const keys = {
      HALTER_TOKEN: 'a-token-that-was-given-to-it-0123456789',
      OPENAI_API_KEY: 'a-key-of-the-person',
      COPIED: 'a-key-of-the-person',
    };
    const env = { PATH: `${programs}:${process.env['PATH']}`, ...desktop, ...keys };
    const server = await serving(['--open'], { env });
    await vi.waitUntil(() => fs.existsSync(told), { timeout: 20_000 });
    const seen = fs.readFileSync(told, 'utf8').split('\n');
    expect(seen).toEqual(expect.arrayContaining(Object.entries(desktop).map(([name, value]) => `${name}=${value}`)));
    expect(seen.filter((line) => Object.values(keys).some((key) => line.includes(key)))).toEqual([]);
    server.child.kill('SIGTERM');
    await server.finished;
  });

  it('prints one line that opens the page, and answers', async () => {
    verifies('L3', 'U1');
    const server = await serving();
    expect(server.line).toMatch(LINE);
    const page = await fetch(server.line.trim());
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).not.toContain(server.token);
    expect((await server.call('GET', '/api/tools')).status).toBe(200);
    expect((await fetch(`${server.base}/api/tools`)).status).toBe(401);
  });

  it('goes on with the model of a session after a restart with --model, and tells it before', async () => {
    const model = await startScriptedServer({
      turns: () => ({ text: 'Yes.' }),
      models: [{ id: 'usual' }, { id: 'second' }],
      serves: ['openai'],
    });
    onTestFinished(() => model.close());
    const flags = ['--provider', 'openai', '--base-url', model.openaiUrl, '--model', 'usual'];
    const places = { cwd: scratchFolder(), home: scratchFolder() };
    const first = await serving(flags, places);
    const { id } = (await (await first.call('POST', '/api/sessions', {})).json()) as { id: string };
    const path = `/api/sessions/${id}`;
    const chosen = await first.call('POST', `${path}/commands`, { type: 'change_model', model: 'second' });
    expect(chosen.status).toBe(200);
    first.child.kill('SIGTERM');
    await first.finished;
    const again = await serving([...flags, '--mode', 'auto'], places);
    const told = async () => (await again.call('GET', path)).json();
    expect(await told()).toMatchObject({ model: 'second', mode: 'auto' });
    await again.call('POST', `${path}/commands`, { type: 'send_message', content: 'go on' });
    await expect.poll(told).toMatchObject({ running: false, usage: expect.anything() });
    expect(await told()).toMatchObject({ model: 'second', mode: 'auto' });
  });

  it('starts without a model and says so, as every request does', async () => {
    const away = await startScriptedServer();
    await away.close();
    const server = await serving(['--base-url', away.openaiUrl]);
    await server.said('refused for now');
    const messages = [{ role: 'user', content: 'Hello' }];
    const told = await server.call('POST', '/api/chat', { model: 'default', messages });
    expect([told.status, await told.json()]).toEqual([503, { error: expect.stringContaining('--base-url') }]);
  });

  it.runIf(fs.existsSync('/proc/self/cmdline'))(
    'ends in order on TERM: the run is cancelled, streams end, no child is left, and the log is whole',
    async () => {
      verifies('E11');
      const model = await startScriptedServer({
        turns: () => ({ calls: [{ name: 'bash', arguments: { command: `sleep ${SECONDS}` } }] }),
        serves: ['openai'],
      });
      onTestFinished(() => model.close());
      const [cwd, home] = [scratchFolder(), scratchFolder()];
      const server = await serving(['--provider', 'openai', '--base-url', model.openaiUrl, '--yolo'], { cwd, home });
      const { id } = (await (await server.call('POST', '/api/sessions', {})).json()) as { id: string };
      const stream = await server.call('GET', `/api/sessions/${id}/events`);
      await server.call('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'go' });
      const types: string[] = [];
      let signalled = false;
      for await (const { type, data } of sentEvents(stream)) {
        types.push(type === 'turn_end' ? String(data['exit_reason']) : type);
        if (type === 'tool_start' && !signalled) {
          signalled = true;
          // The test's own limit of time is the only clock.
          while (sleepers().length === 0) await new Promise((resolve) => setImmediate(resolve));
          server.child.kill('SIGTERM');
        }
      }
      expect(types.at(-1)).toBe('interrupted');
      const ended = await server.finished;
      expect(ended.code).toBe(0);
      expect(sleepers()).toEqual([]);
      const log = await runHalter(['sessions', 'show', id, '--json'], { cwd, home });
      expect(log.lines().at(-1)).toMatchObject({ type: 'tool_finished' });
    },
  );

  it('says what to do when the port is taken, and what is wrong with a flag', async () => {
    const first = await serving();
    const second = await runHalter(['serve', '--port', new URL(first.base).port]);
    expect(second).toMatchObject({ code: 1, out: '' });
    expect(second.err).toContain('--port 0');
    expect((await runHalter(['serve', '--port', '70000'])).code).toBe(2);
  });
});

/** A call, as four callers make it, and what they get. */
const FILES = { 'a.txt': 'one\ntwo\n', 'src/b.ts': 'export const b = 1;\n' };
const CALLS: readonly [string, Record<string, unknown>][] = [
  ['ls', { path: 'src' }],
  ['get_working_directory', {}],
  ['get_file_tree', {}],
  ['read_file', { path: 'a.txt' }],
  ['read_file', { path: 'missing.txt' }],
  ['read_file', { path: '../outside.txt' }],
  ['grep_search', { pattern: 'export', unknown_argument: 1 }],
  ['write_file', { path: 'new.txt', content: 'x' }],
  ['update_task', { task_id: 'task_7', status: 'completed' }],
  ['bash', { command: 'echo hello; exit 3' }],
  ['nothing_of_this_name', {}],
];
const ALLOW = ['read_file', 'grep_search', 'bash(echo *; exit *)', 'bash'];

/** Times aside. */
const comparable = (result: ToolResult): ToolResult => ({
  ...result,
  metadata: { ...result.metadata, execution_time_ms: 0, timestamp: 0 },
});

const callOverMcp = async (app: (request: Request) => Promise<Response>, name: string, args: object) => {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
    fetch: (url, { signal: _signal, ...init } = {}) => {
      const headers = new Headers(init.headers);
      headers.set('host', '127.0.0.1:7411');
      headers.set('authorization', `Bearer ${TOKEN}`);
      return app(new Request(url, { ...init, headers }));
    },
  });
  await client.connect(transport);
  const { structuredContent } = await client.callTool({ name, arguments: { ...args } });
  await client.close();
  return structuredContent as unknown as ToolResult;
};

describe('one call', () => {
  it.each(CALLS)(
    '%s %j comes to the same over the loop, the library, HTTP, MCP and the command line',
    async (name, args) => {
      verifies('L3', 'H12');
      const folder = scratchFolder();
      const home = scratchFolder();
      putFiles(folder, FILES);
      const turns = (request: { messages: readonly { role: string }[] }) =>
        request.messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : { calls: [{ name, arguments: args as never }] };
      const server = await testServer(turns, { folder, allow: ALLOW });

      const executed = await server.json<{ tool_result: ToolResult }>('POST', '/api/tools/execute', {
        tool_name: name,
        arguments: args,
      });
      const looped = await server.json<ChatReply>('POST', '/api/chat', { message: 'go', mode: 'agent' });

      // A server of its own: a result that is known already would say so.
      const spoken = await callOverMcp((await testServer(turns, { folder, allow: ALLOW })).app, name, args);

      const allow = ALLOW.flatMap((rule) => ['--allow', rule]);
      const io = fakeIo({ cwd: folder, env: cleanEnvironment(home) });
      await runCommandLine(['tools', 'call', name, JSON.stringify(args), ...allow], io);

      const harness = createHarness({
        model: 'm',
        provider: scriptedProvider(turns, { models: [{ id: 'm' }] }),
        tools: builtinTools,
        workspace: folder,
        permissions: { allow: ALLOW },
      });
      onTestFinished(() => harness.close());
      const chat = await harness.chat('go').result();

      const results = {
        http: executed.tool_result,
        mcp: spoken,
        command_line: JSON.parse(io.out()) as ToolResult,
        library: chat.toolCalls[0]?.result as ToolResult,
        loop: looped.tool_events[0]?.result as ToolResult,
      };
      const [first, ...others] = Object.values(results).map((result) => comparable(withoutAsking(result)));
      for (const [index, other] of others.entries()) expect(other, Object.keys(results)[index + 1]).toEqual(first);
    },
  );
});

/** Where a person can be asked, the question and its answer stand in the words of who was asked; the refusal is one. */
const withoutAsking = (result: ToolResult): ToolResult =>
  result.error_type === 'permission_denied'
    ? { ...result, error_message: 'refused', metadata: { ...result.metadata, reason: 'refused' } }
    : result;
