/** What is kept of a session beside its words (its name, its model, its pin) through every way that copies or removes one. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { runHalter } from './support/halter-process.ts';
import { putFiles, scratchFolder } from './support/scratch.ts';
import { testServer } from './support/test-server.ts';

type Listed = { id: string; title: string; model: string };

const world = async () => {
  const server = await startScriptedServer({ turns: () => ({ text: 'well' }), models: [{ id: 'one' }, { id: 'two' }] });
  onTestFinished(() => server.close());
  const cwd = scratchFolder();
  const at = (home: string) => ({
    halter: (...args: string[]) => runHalter(args, { home, cwd }),
    listed: async (): Promise<Listed[]> =>
      ((await runHalter(['sessions', 'list', '--json'], { home, cwd })).json() as { sessions: Listed[] }).sessions,
  });
  const home = scratchFolder();
  const say = (...args: string[]) =>
    at(home).halter('run', 'Hello there', ...args, '--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'two');
  return { home, cwd, at, say, ...at(home) };
};
type World = Awaited<ReturnType<typeof world>>;

/** How it came to its name, and what it is called from then on. */
const NAMES: readonly [how: string, make: (here: World) => Promise<unknown>, word: string, name: string][] = [
  ['--session NAME', (here) => here.say('--session', 'release'), 'release', 'release'],
  [
    'rename behind --session NAME',
    async (here) => {
      await here.say('--session', 'release');
      await here.halter('sessions', 'rename', 'release', 'Spring release');
    },
    'release',
    'Spring release',
  ],
];

const textOf = async (here: World, word: string, format: string): Promise<string> => {
  const file = path.join(here.cwd, `out.${format}`);
  const ran = await here.halter('sessions', 'export', word, '--format', format, '-o', file);
  expect(ran.code, ran.err).toBe(0);
  return file;
};

/** The name of the copy and its model, found again by that name. */
const WAYS: Readonly<Record<string, (here: World, word: string) => Promise<{ listed: Listed[]; mark: string }>>> = {
  'export as JSON, import into another home': async (here, word) => {
    const other = here.at(scratchFolder());
    await other.halter('sessions', 'import', await textOf(here, word, 'json'));
    return { listed: await other.listed(), mark: '' };
  },
  'export as lines, import into another home': async (here, word) => {
    const other = here.at(scratchFolder());
    await other.halter('sessions', 'import', await textOf(here, word, 'jsonl'));
    return { listed: await other.listed(), mark: '' };
  },
  'its own file, imported into another home': async (here, word) => {
    const other = here.at(scratchFolder());
    await other.halter('sessions', 'import', path.join(here.home, `.local/share/halter/sessions/${word}.jsonl`));
    return { listed: await other.listed(), mark: '' };
  },
  'export, delete, import': async (here, word) => {
    const file = await textOf(here, word, 'jsonl');
    await here.halter('sessions', 'delete', word);
    await here.halter('sessions', 'import', file);
    return { listed: await here.listed(), mark: '' };
  },
  'import twice': async (here, word) => {
    const file = await textOf(here, word, 'jsonl');
    await here.halter('sessions', 'delete', word);
    await here.halter('sessions', 'import', file);
    expect((await here.halter('sessions', 'import', file, '--json')).json()).toMatchObject({ known: true });
    return { listed: await here.listed(), mark: '' };
  },
  fork: async (here, word) => {
    await here.halter('sessions', 'fork', word);
    return { listed: (await here.listed()).filter(({ id }) => id !== word), mark: ' (fork)' };
  },
  'run --fork': async (here, word) => {
    await here.say('--session', word, '--fork');
    return { listed: (await here.listed()).filter(({ id }) => id !== word), mark: ' (fork)' };
  },
  'import over HTTP': async (here, word) => {
    const text = readFileSync(await textOf(here, word, 'jsonl'), 'utf8');
    const server = await testServer({ text: 'well' });
    await server.json('POST', '/api/sessions/import', { text });
    const { sessions } = await server.json<{ sessions: Listed[] }>('GET', '/api/sessions');
    return { listed: sessions, mark: '' };
  },
};

describe('a session keeps its name and its model', () => {
  const cases = NAMES.flatMap(([how, make, word, name]) =>
    Object.keys(WAYS).map((way) => ({ how, way, make, word, name })),
  );
  it.each(cases)('$how: $way', async ({ way, make, word, name }) => {
    verifies('L6', 'B11');
    const here = await world();
    await make(here);
    const { listed, mark } = (await WAYS[way]?.(here, word)) ?? { listed: [], mark: '' };
    expect(listed.map(({ title, model }) => ({ title, model }))).toEqual([
      { title: `${name}${mark}`, model: expect.stringContaining('two') },
    ]);
  });

  it('an id that halter made, and an id that is no name, are none', async () => {
    const here = await world();
    await here.say('--session', 'release');
    const lines = readFileSync(await textOf(here, 'release', 'jsonl'), 'utf8');
    for (const id of ['../up', '4f07e76a-1c2d-4e3f-8a9b-0c1d2e3f4a5b']) {
      const other = here.at(scratchFolder());
      putFiles(here.cwd, { 'odd.jsonl': lines.replaceAll('"release"', JSON.stringify(id)) });
      expect((await other.halter('sessions', 'import', 'odd.jsonl')).code).toBe(0);
      expect((await other.listed()).map(({ title }) => title)).toEqual(['Hello there']);
    }
  });
});

describe('a pin', () => {
  let pins = '';
  const PINNED = JSON.stringify({ version: 1, sessions: ['release', 'other'] });
  beforeAll(() => {
    pins = '.local/share/halter/pinned-sessions.json';
  });
  it('goes with the session that is deleted: another one of its name does not stand in front', async () => {
    verifies('L6');
    const here = await world();
    await here.say('--session', 'release');
    putFiles(here.home, { [pins]: PINNED });
    expect((await here.halter('sessions', 'delete', 'release')).code).toBe(0);
    const file = path.join(here.home, pins);
    expect(existsSync(file) && JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ sessions: ['other'] });
  });
});
