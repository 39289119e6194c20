/** What goes out: offline nothing but this machine, seen from below every library; and the ledger of what was tried. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { type ScriptedServerOptions, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { scratchFolder } from '../support/scratch.ts';

const serve = async (turns: ScriptedServerOptions['turns']) => {
  const server = await startScriptedServer(turns ? { turns } : {});
  onTestFinished(() => server.close());
  return server;
};
const SPY = pathToFileURL(path.join(import.meta.dirname, '../support/network-spy.mjs')).href;

const spied = () => {
  const file = path.join(scratchFolder(), 'spy.jsonl');
  fs.writeFileSync(file, '');
  const lines = (): { what: string; where: string }[] =>
    fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { what: string; where: string });
  return {
    env: { NODE_OPTIONS: `--import=${SPY}`, NETWORK_SPY_FILE: file },
    /** Everything that is not this machine. */
    outside: () =>
      lines().filter(({ what, where }) => what !== 'spy' && !/^(?:127\.|localhost|::1|\[::1\])/.test(where)),
    count: () => lines().length,
  };
};
const calls: { name: string; arguments: JsonObject }[] = [
  { name: 'web_fetch', arguments: { url: 'https://example.com/' } },
  { name: 'web_fetch', arguments: { url: 'http://93.184.216.34/' } },
  { name: 'web_search', arguments: { query: 'foxes' } },
  { name: 'generate_image', arguments: { prompt: 'a fox' } },
];

describe('halter --offline', () => {
  it('tries nothing but this machine, whatever the model asks for', async () => {
    verifies('U1');
    const server = await serve([{ calls }, { text: 'Nothing could be fetched.' }]);
    const spy = spied();
    const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '--offline', '--yolo', '--format', 'json'];
    const env = { ...spy.env, TAVILY_API_KEY: 'k', HALTER_IMAGE_URL: 'https://images.example.com/v1' };
    const ran = await runHalter(['run', 'Look it up', ...flags], { env });
    expect(ran.code).toBe(0);
    const made = ran.json()['tool_calls'] as { name: string; result: { success: boolean; error_message: string } }[];
    expect(made.map(({ name }) => name)).toEqual(calls.map(({ name }) => name));
    for (const { result } of made) expect(result.error_message).toMatch(/offline/i);
    expect(spy.count()).toBeGreaterThan(1);
    expect(spy.outside()).toEqual([]);
  });

  it('looks for no model elsewhere, and its doctor asks nobody else', async () => {
    const spy = spied();
    expect((await runHalter(['run', 'Hello', '--offline'], { env: spy.env })).code).toBe(5);
    await runHalter(['doctor', '--offline'], { env: spy.env });
    expect(spy.count()).toBeGreaterThan(2);
    expect(spy.outside()).toEqual([]);
  });

  it('is what the spy would have seen through otherwise', async () => {
    const spy = spied();
    const ran = await runHalter(['tools', 'call', 'web_fetch', '{"url": "http://no-such-name.invalid/"}', '--yolo'], {
      env: spy.env,
    });
    expect(ran.code).toBe(1);
    expect(spy.outside()).toEqual([{ what: 'dns', where: 'no-such-name.invalid' }]);
  });
});

describe('halter egress', () => {
  it('lists what the model and the tools of a session tried, and what cannot be known', async () => {
    const server = await serve([
      {
        calls: [
          { name: 'web_fetch', arguments: { url: 'http://169.254.169.254/latest/meta-data/?token=secret' } },
          { name: 'bash', arguments: { command: 'true' } },
        ],
      },
      { text: 'Done.' },
    ]);
    const home = scratchFolder();
    const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '--yolo', '--format', 'json'];
    const ran = await runHalter(['run', 'Go', ...flags], { home });
    expect(ran.code).toBe(0);
    const session = String(ran.json()['session_id']);
    const listed = await runHalter(['egress', session, '--json'], { home });
    const { entries } = listed.json() as { entries: Record<string, unknown>[] };
    const port = Number(new URL(server.url).port);
    expect(entries.filter(({ who }) => who === 'model')).toMatchObject([
      { verdict: 'connected', host: '127.0.0.1', port, address: '127.0.0.1', method: 'POST', session },
      { verdict: 'connected', host: '127.0.0.1', port, session },
    ]);
    for (const entry of entries.filter(({ who }) => who === 'model')) {
      expect(entry['received']).toBeGreaterThan(0);
      expect(entry['sent']).toBeGreaterThan(0);
    }
    expect(entries.find(({ who }) => who === 'web_fetch')).toMatchObject({
      verdict: 'refused',
      host: '169.254.169.254',
      port: 80,
      reason: expect.stringContaining('link-local'),
    });
    expect(entries.find(({ who }) => who === 'bash')).toMatchObject({ type: 'command' });
    // Only the place is kept: the rest of an address may hold a secret.
    expect(listed.out).not.toContain('secret');
    const all = await runHalter(['egress'], { home });
    expect(all.out).toMatch(/web_fetch +refused +http:\/\/169\.254\.169\.254:80 – /);
    expect(all.out).toMatch(/halter +connected/);
    expect(all.err).toContain('1 refused');
    expect(all.err).toContain('connect by themselves and are not listed');
    for (const form of [[], ['--json']]) {
      const unknown = await runHalter(['egress', 'no-such-session', ...form], { home });
      expect(unknown.code).toBe(1);
      expect(unknown.err).toContain('no-such-session');
      expect(unknown.err).not.toContain('0 connected');
    }
  });
});
