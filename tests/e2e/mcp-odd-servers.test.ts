/** Servers that do what they should not, or in their own way: each is a real program, and costs no more than itself. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Agent } from '../../src/agent/create-agent.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { MCP_LIMITS } from '../../src/mcp/limits.ts';
import { scriptedProvider } from '../../src/testing/index.ts';
import { openTestAgent, type TestAgentOptions } from '../../src/testing/test-agent.ts';
import { verifies } from '../requirements.ts';
import { cleanEnvironment } from '../support/halter-process.ts';
import { scratchFolder } from '../support/scratch.ts';

const PROGRAM = path.join(import.meta.dirname, '../support/odd-mcp-server.mjs');
const odd = (kind: string): JsonObject => ({ command: process.execPath, args: [PROGRAM, kind] });
const LONG = { timeout: 30_000 };

const open = async (servers: JsonObject, more: Partial<TestAgentOptions> = {}) => {
  const warnings: string[] = [];
  const opened = await openTestAgent({
    folder: scratchFolder(),
    environment: cleanEnvironment(scratchFolder()),
    platform: process.platform,
    sandbox: false,
    allow: ['mcp__*'],
    onWarning: (_code, message) => warnings.push(message),
    mcp: { servers: { mcpServers: servers } },
    ...more,
  });
  if (!opened.ok) throw new Error(opened.error.message);
  onTestFinished(() => opened.value.close());
  await opened.value.mcp.open();
  return { halter: opened.value, warnings };
};
const toolsOf = (halter: Agent, server = 's'): string[] =>
  halter.tools.map(({ name }) => name).filter((name) => name.startsWith(`mcp__${server}__`));
const text = async (halter: Agent, name: string, args: JsonObject = {}): Promise<string> => {
  const { success, data, error_message } = await halter.executeTool(name, args);
  return success ? (data ?? '') : `failed: ${error_message}`;
};

describe('an odd MCP server', () => {
  it(
    'has tools whose names stay apart from each other and from those of other servers, and no other names',
    LONG,
    async () => {
      verifies('B10');
      const { halter, warnings } = await open({ s: odd('names'), t: odd('names') });
      const names = toolsOf(halter);
      expect(names).toHaveLength(5);
      for (const name of [...names, ...toolsOf(halter, 't')]) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(new Set([...names, ...toolsOf(halter, 't')]).size).toBe(10);
      // Each is called by the name that it has at the server.
      const answers = await Promise.all(names.map((name) => text(halter, name)));
      expect(answers).toEqual(
        expect.arrayContaining(['a.b: {}', 'a_b: {}', '__proto__: {}', 'constructor: {}', 'ok: {}']),
      );
      expect(warnings).toContain('5 tools of the MCP server "s" cannot be used');
    },
  );

  it('has schemas that go round, lead nowhere, stop a clock or are none', LONG, async () => {
    verifies('B10');
    const { halter } = await open({ s: odd('schemas') });
    expect(toolsOf(halter).map((name) => name.slice(8))).toEqual(
      'circle tree self nowhere deep null text pattern'.split(' '),
    );
    const nested = { root: { value: 1, next: { value: 2 } } };
    expect(await text(halter, 'mcp__s__tree', nested)).toBe(`tree: ${JSON.stringify(nested)}`);
    expect(await text(halter, 'mcp__s__tree', { root: { value: 1, next: { value: 'two' } } })).toMatch(
      /^failed: .*value/,
    );
    expect(await text(halter, 'mcp__s__circle', { x: 1 })).toMatch(/circle/);
    expect(await text(halter, 'mcp__s__nowhere', { x: 1 })).toMatch(/^failed: .*leads nowhere/);
    expect(await text(halter, 'mcp__s__text', { any: 'thing' })).toContain('any');
    // Where an engine goes back and forth over it, this does not end.
    expect(await text(halter, 'mcp__s__pattern', { x: `${'a'.repeat(60)}!` })).toMatch(/^failed: /);
  });

  it(
    'has two hundred tools, of which a prompt holds what it has room for, the same for the whole session',
    LONG,
    async () => {
      verifies('B10');
      const provider = scriptedProvider([{ text: 'one' }, { text: 'two' }], {
        models: [{ id: 'm', context_length: 32_768 }],
      });
      const { halter } = await open({ s: odd('many') }, { modelProvider: provider, model: 'm' });
      expect(toolsOf(halter)).toHaveLength(200);
      const session = await halter.openSession({ keep: false });
      if (!session.ok) throw new Error(session.error.message);
      for (const content of ['do the thing number 77', 'and the thing number 123']) {
        await session.value.send({ type: 'send_message', content });
        await session.value.idle();
      }
      const [first, second] = provider.requests.map(({ tools }) => JSON.stringify(tools));
      expect(second).toBe(first);
      expect(first?.length).toBeLessThan(32_768);
      expect(JSON.stringify(provider.requests[0]?.messages.at(-1))).toContain('mcp__s__tool_77');
    },
  );

  it('has more tools than there is room for: the first are used, and that is said', LONG, async () => {
    verifies('B10');
    const { halter, warnings } = await open({ s: odd('flood') });
    expect(toolsOf(halter)).toHaveLength(LIMITS.mcpEntries);
    expect(warnings.join()).toContain('more tools than the limit of 1,000');
  });

  it.each([
    ['contradicting', 2],
    ['flood', 1],
  ])('is told of once, however often it lists its tools: %s', LONG, async (kind, count) => {
    verifies('B10');
    const { halter, warnings } = await open({ s: odd(kind) });
    const first = [...warnings];
    expect(first).toHaveLength(count);
    const service = await halter.mcp.open();
    for (let time = 0; time < 2; time += 1)
      expect(await service?.reconnect('s')).toMatchObject({ ok: true, value: { state: 'connected' } });
    expect(warnings).toEqual(first);
  });

  it('brings results of every kind, and of no kind, as text', LONG, async () => {
    verifies('B10');
    const { halter } = await open({ s: odd('results') });
    const said = Object.fromEntries(
      await Promise.all(toolsOf(halter).map(async (name) => [name.slice(8), await text(halter, name)] as const)),
    );
    expect(said).toEqual({
      audio: '[audio, audio/wav, 3 bytes: not shown]',
      blob: '[resource x://y, application/pdf, 3 bytes: not shown]',
      embedded: '[resource x://y]\nembedded words',
      link: '[resource x://y: a link]',
      structured: '{"n":[1,2]}',
      unknown: expect.stringContaining('[content of a kind that is not known]'),
      none: '',
      odd: '3',
      failed: 'failed: the tool failed and did not say why',
    });
  });

  it(
    'dies in a call, which says how, and is there again for the next one; floods beside the protocol cost nothing',
    LONG,
    async () => {
      verifies('B10');
      const { halter } = await open({ s: odd('dies'), loud: odd('stderr') });
      expect(await text(halter, 'mcp__s__go')).toBe('go: {}');
      const died = await halter.executeTool('mcp__s__go', {});
      expect(died).toMatchObject({
        error_type: 'io_error',
        error_message: expect.stringContaining('exit code 7'),
        metadata: { reason: 'disconnected' },
      });
      expect(halter.mcp.report().find(({ name }) => name === 's')).toMatchObject({ state: 'failed' });
      expect(await text(halter, 'mcp__s__go')).toBe('go: {}');
      expect(await text(halter, 'mcp__loud__go')).toBe('go: {}');
    },
  );

  it('is tried again after a pause that grows to a named limit, or at once when a person says so', async () => {
    verifies('B10');
    const { halter } = await open({ gone: { command: 'there-is-no-such-program-here' } });
    const service = await halter.mcp.open();
    const connection = service?.connection('gone');
    const tries = await Promise.all([connection?.tools(), connection?.tools()]);
    for (const tried of tries)
      expect(tried).toMatchObject({ ok: false, error: { message: expect.stringMatching(/The next try is in 1 s/) } });
    expect(MCP_LIMITS.mcpRetryDelayMs).toBeLessThan(MCP_LIMITS.mcpRetryDelayMsMax);
    expect(await service?.reconnect('gone')).toMatchObject({
      ok: true,
      value: { state: 'failed', detail: expect.stringContaining('not found') },
    });
  });

  it('forgets its connections over HTTP and gets another one, without a call that ran twice', async () => {
    verifies('B10');
    const server = await forgetful();
    const { halter } = await open({ s: { url: server.url } });
    expect(await text(halter, 'mcp__s__go')).toBe('went 1');
    server.forget();
    expect(await text(halter, 'mcp__s__go')).toBe('went 2');
    server.mode = 'broken';
    expect(await text(halter, 'mcp__s__go')).toMatch(/^failed: .*bad gateway/);
    server.mode = 'gone';
    expect(await text(halter, 'mcp__s__go')).toMatch(/^failed: /);
    server.mode = 'well';
    expect(await text(halter, 'mcp__s__go')).toBe('went 3');
    expect(server.connections).toBe(2);
  });
});

type Forgetful = { url: string; mode: 'well' | 'broken' | 'gone'; connections: number; forget(): void };

const forgetful = async (): Promise<Forgetful> => {
  let calls = 0;
  let known = '';
  const state: Forgetful = { url: '', mode: 'well', connections: 0, forget: () => (known = '') };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const json = (status: number, value: object, headers = {}): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    if (state.mode === 'gone') return void request.socket.destroy();
    if (state.mode === 'broken') return void response.writeHead(502).end('bad gateway');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body) as {
      id?: number;
      method: string;
      params?: { protocolVersion?: string };
    };
    const result = (value: object, headers = {}) => json(200, { jsonrpc: '2.0', id, result: value }, headers);
    if (method === 'initialize') {
      state.connections += 1;
      known = `connection-${state.connections}`;
      const protocolVersion = params?.protocolVersion ?? '';
      const serverInfo = { name: 'forgetful', version: '1' };
      return result({ protocolVersion, capabilities: { tools: {} }, serverInfo }, { 'mcp-session-id': known });
    }
    if (method === 'server/discover') return json(400, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
    if (request.headers['mcp-session-id'] !== known)
      return json(404, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } });
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/list') return result({ tools: [{ name: 'go', inputSchema: { type: 'object' } }] });
    calls += 1;
    result({ content: [{ type: 'text', text: `went ${calls}` }] });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return state;
};
