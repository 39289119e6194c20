import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeEngine } from '../../../tests/support/fake-engine.ts';
import type { Engine, LaneState, Token } from './engine.ts';
import { keepStates } from './keep-states.ts';
import { modelDigest } from './model-digest.ts';
import { openPromptStates, sameTokens } from './prompt-states.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'halter-states-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const counted = (length: number, from = 0): Token[] => Array.from({ length }, (_, index) => from + index);
/** An engine whose cache is a list of tokens, and whose states are that list as JSON. */
const engineOn = () => {
  const fake = createFakeEngine({ texts: Array.from({ length: 20 }, () => 'ok') });
  let held: readonly Token[] = [];
  const reads: number[] = [];
  const loads: string[] = [];
  const lane: LaneState = {
    build: 'fake',
    tokens: () => held,
    bytes: () => 1,
    save: (file) => writeFile(file, JSON.stringify(held)),
    async load(file) {
      loads.push(file);
      held = JSON.parse(await readFile(file, 'utf8')) as Token[];
    },
    async clear() {
      held = [];
    },
  };
  const engine: Engine = {
    ...fake,
    generate: async (request) => {
      const same = sameTokens(held, request.prompt);
      reads.push(request.prompt.length - same);
      held = [...request.prompt];
      return { ...(await fake.generate(request)), cachedTokens: same };
    },
  };
  return { engine, lane, reads, loads };
};
const signal = new AbortController().signal;
const ask = (engine: Engine, prompt: readonly Token[]) =>
  engine.generate({ lane: 'conversation', prompt, maxTokens: 1, signal });
const open = (key = 'model') => {
  const own = engineOn();
  return { ...own, keeping: keepStates(own.engine, own.lane, openPromptStates(folder, key)) };
};
const files = async (): Promise<string[]> => {
  const all = await readdir(folder, { recursive: true });
  return all.filter((name) => /\.(?:state|json)$/.test(name)).map((name) => path.join(folder, name));
};

describe('an engine that keeps what it read', () => {
  it('reads only what is new after a restart', async () => {
    const first = open();
    await ask(first.keeping, counted(700));
    await first.keeping.close();
    const second = open();
    expect(await ask(second.keeping, counted(720))).toMatchObject({ cachedTokens: 700 });
    expect(second.reads).toEqual([20]);
  });

  it('reads a conversation again neither when another one was in between, nor what both begin with', async () => {
    const { keeping, reads } = open();
    const [one, other] = [
      [...counted(300), ...counted(300, 10_000)],
      [...counted(300), ...counted(300, 20_000)],
    ];
    await ask(keeping, one);
    await ask(keeping, other);
    await ask(keeping, [...one, 1]);
    await ask(keeping, [...other, 1]);
    expect(reads).toEqual([600, 300, 1, 1]);
  });

  it('keeps the head beside the sessions that begin with it, and one state of each session', async () => {
    const { keeping } = open();
    await ask(keeping, counted(100));
    await keeping.keep('head');
    await ask(keeping, counted(400));
    await keeping.keep('session');
    await ask(keeping, counted(900));
    await keeping.close();
    const records = (await files()).filter((name) => name.endsWith('.json'));
    const lengths = await Promise.all(
      records.map(async (name) => (JSON.parse(await readFile(name, 'utf8')) as { tokens: Token[] }).tokens.length),
    );
    expect(lengths.sort((one, two) => one - two)).toEqual([100, 900]);
  });

  it('does not write again what was deleted', async () => {
    const states = path.join(folder, 'states');
    const kept = async (): Promise<string[]> =>
      (await readdir(states, { recursive: true }).catch(() => [])).filter((name) => name.endsWith('.state'));
    const own = engineOn();
    const keeping = keepStates(own.engine, own.lane, openPromptStates(states, 'model'));
    await ask(keeping, counted(400));
    await keeping.keep('session');
    await ask(keeping, counted(600));
    await rm(states, { recursive: true });
    // Another process began anew meanwhile.
    await openPromptStates(states, 'model').wasDeleted();
    await ask(keeping, counted(100, 5_000));
    expect(await kept()).toEqual([]);
    await keeping.close();
    expect(await kept()).toHaveLength(1);
    await rm(states, { recursive: true });
    await keeping.close();
    expect(await kept()).toEqual([]);
  });

  it('keeps nothing of a few tokens, and nothing twice', async () => {
    const { keeping, lane } = open();
    await ask(keeping, counted(20));
    await keeping.close();
    expect(await files()).toEqual([]);
    await ask(keeping, counted(200));
    await keeping.keep('session');
    const [before] = await files();
    await lane.load(before?.replace(/\.json$/, '.state') ?? '');
    await keeping.keep('session');
    expect(await files()).toHaveLength(2);
  });
});

describe('a state on disk', () => {
  const keepOne = async (): Promise<string> => {
    const { keeping } = open();
    await ask(keeping, counted(700));
    await keeping.close();
    return (await files()).find((name) => name.endsWith('.state')) ?? '';
  };

  it('is nobody else’s to read', async () => {
    await keepOne();
    for (const name of await files()) expect((await stat(name)).mode & 0o777, name).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(folder)) expect((await stat(path.join(folder, name))).mode & 0o777).toBe(0o700);
  });

  it.each<[string, (file: string) => Promise<unknown>]>([
    ['its bytes were changed', (file) => writeFile(file, JSON.stringify(counted(700, 1)).slice(0, 3_000))],
    ['it was cut', (file) => writeFile(file, '[1')],
    ['it is gone', (file) => rm(file)],
    ['its record is damaged', (file) => writeFile(file.replace(/\.state$/, '.json'), '{"version":1}')],
    [
      'its record is of another version',
      async (file) => {
        const record = file.replace(/\.state$/, '.json');
        await writeFile(record, (await readFile(record, 'utf8')).replace('"version":1', '"version":2'));
      },
    ],
    [
      'its record names other tokens than it holds',
      async (file) => {
        const record = file.replace(/\.state$/, '.json');
        await writeFile(record, (await readFile(record, 'utf8')).replace(',690,691,', ',690,99,'));
      },
    ],
  ])('is thrown away where %s, and the prompt is read', async (_name, damage) => {
    const file = await keepOne();
    await damage(file);
    const { keeping, reads } = open();
    await ask(keeping, counted(700));
    expect(reads).toEqual([700]);
    expect((await files()).filter((name) => name === file)).toEqual([]);
  });

  it('counts for the very model, engine and window it was made with', async () => {
    await keepOne();
    const { keeping, loads } = open('another model');
    expect(await ask(keeping, counted(700))).toMatchObject({ cachedTokens: 0 });
    expect(loads).toEqual([]);
  });

  it('is thrown away where the engine refuses it', async () => {
    await keepOne();
    const own = engineOn();
    const lane = { ...own.lane, load: () => Promise.reject(new Error('no')) };
    const keeping = keepStates(own.engine, lane, openPromptStates(folder, 'model'));
    expect(await ask(keeping, counted(700))).toMatchObject({ cachedTokens: 0 });
    expect(own.reads).toEqual([700]);
  });

  it('is not kept where it cannot be written, and nobody is troubled by it', async () => {
    const own = engineOn();
    const lane = { ...own.lane, save: () => Promise.reject(new Error('ENOSPC')) };
    const keeping = keepStates(own.engine, lane, openPromptStates(folder, 'model'));
    await ask(keeping, counted(700));
    await keeping.close();
    const left = await readdir(folder, { recursive: true });
    expect(left.filter((name) => name.includes('.tmp'))).toEqual([]);
    expect(await files()).toEqual([]);
  });
});

it('a model file has another digest when a piece of it changes, and the same one elsewhere', async () => {
  const file = path.join(folder, 'model.gguf');
  const bytes = Buffer.alloc(3_000_000, 1);
  await writeFile(file, bytes);
  const before = await modelDigest(file);
  expect(await modelDigest(file)).toBe(before);
  const copy = path.join(folder, 'copy.gguf');
  await writeFile(copy, bytes);
  expect(await modelDigest(copy)).toBe(before);
  bytes[0] = 2;
  await writeFile(file, bytes);
  expect(await modelDigest(file)).not.toBe(before);
  expect(await modelDigest(path.join(folder, 'none.gguf'))).toBeUndefined();
});
