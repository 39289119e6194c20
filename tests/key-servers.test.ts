/** A key is sent to the server that it is for, and to no other: each way that a key comes in, each way that a server is named. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelOptions } from '../src/agent/create-agent/options.ts';
import { createHarness } from '../src/harness/create-harness.ts';
import { type ScriptedServer, scriptedProvider, startScriptedServer } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { runHalter } from './support/halter-process.ts';
import { inTurn } from './support/long.ts';
import { putFiles, scratchFolder } from './support/scratch.ts';

const KEY = 'sk-of-one-server';
const OTHER_KEY = 'sk-of-the-flag';

const startServer = async (): Promise<ScriptedServer> => {
  const server = await startScriptedServer({ turns: () => ({ text: 'Hello.' }), models: [{ id: 'm' }] });
  onTestFinished(() => server.close());
  return server;
};

type World = { own: ScriptedServer; other: ScriptedServer };
type Config = Record<string, string | undefined>;

/** How a key stands in the settings, for the server `own`. */
const SOURCES: Readonly<Record<string, (world: World) => Config>> = {
  'kept by the page': ({ own }) => ({ api_key_file: 'model-key', api_key_for: own.openaiUrl }),
  'in a file': ({ own }) => ({ api_key_file: 'own-key', base_url: own.openaiUrl }),
  'in a variable': ({ own }) => ({ api_key_env: 'OWN_KEY', base_url: own.openaiUrl }),
  'printed by a command': ({ own }) => ({ api_key_command: `echo ${KEY}`, base_url: own.openaiUrl }),
  'in a variable, for the server of a provider': ({ own }) => ({
    api_key_env: 'OWN_KEY',
    provider: 'ollama',
    base_url: own.url,
  }),
};

const run = (args: readonly string[], config: Config, env: Record<string, string> = {}) => {
  const home = scratchFolder();
  const folder = '.config/halter';
  putFiles(home, { [`${folder}/config.json`]: JSON.stringify(config) });
  for (const name of ['model-key', 'own-key'])
    writeFileSync(path.join(home, folder, name), `${KEY}\n`, { mode: 0o600 });
  const cwd = scratchFolder();
  putFiles(cwd, { 'a.md': '# A heading\n\nwith words about foxes\n' });
  return runHalter(args, { home, cwd, env: { OWN_KEY: KEY, FLAG_KEY: OTHER_KEY, ...env } });
};

/** Ways to name another server than that of the settings. */
type Elsewhere = readonly [name: string, args: (world: World) => string[], more?: (world: World) => More];
type More = { env: Record<string, string>; config?: Config };
const ELSEWHERE: readonly Elsewhere[] = [
  ['run --base-url', ({ other }) => ['run', '--base-url', other.openaiUrl, '-m', 'm', 'hi']],
  [
    'run --provider openai --base-url',
    ({ other }) => ['run', '--provider', 'openai', '--base-url', other.openaiUrl, 'hi'],
  ],
  [
    'run --provider llama-cpp --base-url',
    ({ other }) => ['run', '--provider', 'llama-cpp', '--base-url', other.openaiUrl, 'hi'],
  ],
  [
    'run --provider ollama --base-url',
    ({ other }) => ['run', '--provider', 'ollama', '--base-url', other.url, '-m', 'm', 'hi'],
  ],
  [
    'a pool that holds another',
    ({ own, other }) => ['run', '--base-url', `${own.openaiUrl},${other.openaiUrl}`, '-m', 'm', 'hi'],
  ],
  ['models list --base-url', ({ other }) => ['models', 'list', '--base-url', other.openaiUrl]],
  ['models probe --base-url', ({ other }) => ['models', 'probe', 'm', '--base-url', other.openaiUrl]],
  ['models load --base-url', ({ other }) => ['models', 'load', 'm', '--provider', 'ollama', '--base-url', other.url]],
  ['doctor --base-url', ({ other }) => ['doctor', '--base-url', other.openaiUrl]],
  [
    'an embedding model of another provider',
    () => ['index'],
    ({ other }) => ({
      env: { OLLAMA_HOST: other.url },
      config: { embedding_model: 'ollama/m', provider: 'openai', model: 'm' },
    }),
  ],
  [
    'another port of the same host',
    ({ other }) => ['run', '--base-url', other.openaiUrl.replace('/v1', ''), '-m', 'm', 'hi'],
  ],
];

const KEYS = Object.entries(SOURCES).map(([name, config], index) => [name, config, index] as const);

describe.each(KEYS)('a key %s', (_source, config, index) => {
  // Usually a third of the ways for each key; each way is gone with one key at least.
  it.each(inTurn(ELSEWHERE, index % 3, 3).map(([name, ...way]) => ({ name, way })))(
    'does not go to another server: $name',
    async ({ way: [args, more] }) => {
      verifies('S24');
      const world = { own: await startServer(), other: await startServer() };
      const { env, config: further } = more?.(world) ?? {};
      const ran = await run(args(world), { ...config(world), ...further }, env);
      expect(world.other.paths.length, ran.err).toBeGreaterThan(0);
      expect(world.other.authorizations).toEqual([]);
    },
  );

  it('goes to its own server', async () => {
    const world = { own: await startServer(), other: await startServer() };
    const settings = config(world);
    const args = settings['base_url'] === undefined ? ['--base-url', world.own.openaiUrl] : [];
    await run(['run', ...args, '-m', 'm', 'hi'], settings);
    expect(world.own.requests.map(({ headers }) => headers['authorization'])).toEqual([`Bearer ${KEY}`]);
  });

  it('does not go where a flag names a key', async () => {
    const world = { own: await startServer(), other: await startServer() };
    await run(
      ['run', '--base-url', world.other.openaiUrl, '--api-key-env', 'FLAG_KEY', '-m', 'm', 'hi'],
      config(world),
    );
    expect(new Set(world.other.authorizations)).toEqual(new Set([`Bearer ${OTHER_KEY}`]));
  });
});

const UNBOUND = { api_key_env: 'OWN_KEY', api_key_file: 'own-key', api_key_command: `echo ${KEY}` };
describe.each(Object.entries(UNBOUND))('a key of the setting %s, without an address', (name, value) => {
  it('is for the server of the run, as the flag is', async () => {
    const server = await startServer();
    await run(['run', '--base-url', server.openaiUrl, '-m', 'm', 'hi'], { [name]: value });
    expect(new Set(server.authorizations)).toEqual(new Set([`Bearer ${KEY}`]));
  });

  it('does not go to another provider than that of the settings', async () => {
    const server = await startServer();
    await run(['run', '-m', 'ollama/m', 'hi'], { [name]: value, provider: 'llama-cpp' }, { OLLAMA_HOST: server.url });
    expect(server.requests).toHaveLength(1);
    expect(server.authorizations).toEqual([]);
  });
});

it.each<[string, readonly string[]]>([
  ['is found', []],
  ['a flag names', ['--provider', 'ollama']],
])('a key that the page kept before keys had an address does not go to the server that %s', async (_name, args) => {
  const found = await startServer();
  await run(['run', ...args, '-m', 'm', 'hi'], { api_key_file: 'model-key' }, { OLLAMA_HOST: found.url });
  expect(found.requests).toHaveLength(1);
  expect(found.authorizations).toEqual([]);
});

it('a refusal says for which server the key is', async () => {
  const [own, other] = [await startServer(), await startScriptedServer({ turns: [], apiKey: OTHER_KEY })];
  onTestFinished(() => other.close());
  const config = { api_key_env: 'OWN_KEY', base_url: own.openaiUrl };
  const ran = await run(['run', '--base-url', other.openaiUrl, '-m', 'm', 'hi'], config);
  expect(ran.err).toContain(`Your key was not sent here, since it is for ${own.openaiUrl}.`);
  const unknown = await run(['run', '--base-url', other.openaiUrl, '-m', 'm', 'hi'], { api_key_file: 'model-key' });
  expect(unknown.err).toContain('Your key was not sent here, since no setting says that it is for this server.');
});

it.each<[string, Pick<ModelOptions, 'name' | 'baseUrl' | 'apiKeyFor'>, string | undefined]>([
  ['found by its provider', { name: 'ollama/m' }, undefined],
  [
    'and one that its key names too',
    { name: 'ollama/m', apiKeyFor: ['http://127.0.0.1:1', 'https://mine.test'] },
    undefined,
  ],
])(
  'is not handed to a model of another provider in the same program, beside a server %s',
  async (_name, model, handed) => {
    verifies('S24');
    const own = await startServer();
    const given: unknown[] = [];
    const mine = ({ apiKey }: { apiKey?: string | undefined }) => {
      given.push(apiKey);
      return scriptedProvider(() => ({ text: 'Hello.' }), { models: [{ id: 'm' }] });
    };
    const harness = createHarness({
      model: { ...model, apiKey: KEY, providers: { mine }, roles: { fast: 'mine/m' } },
      workspace: scratchFolder(),
      tools: [],
      io: { environment: { OLLAMA_HOST: own.url } },
    });
    onTestFinished(() => harness.close());
    await harness.chat('hi');
    await harness.chat('hi', { model: 'fast' });
    expect(given).toEqual([handed]);
    expect(new Set(own.authorizations)).toEqual(new Set(model.apiKeyFor ? [] : [`Bearer ${KEY}`]));
  },
);
