import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFakeEngine, loadFake } from '../../../tests/support/fake-engine.ts';
import { ggufBytes } from '../../../tests/support/gguf-bytes.ts';
import { detectDialect } from '../../dialects/index.ts';
import { STARTER_MODEL } from '../../providers/embedded/model-store.ts';
import { scriptedNetwork } from '../../testing/scripted-server/network.ts';
import { catalogueShape, MODEL_CATALOGUE, templateFamily } from './advise/catalogue.ts';
import { describeMachine, type SystemFacts } from './advise/machine.ts';
import { type Advice, adviseModels } from './advise.ts';

const GB = 1e9;
const FACTS: SystemFacts = {
  platform: 'linux',
  arch: 'x64',
  totalBytes: 16 * GB,
  freeBytes: 12 * GB,
  cores: 4,
  processor: 'A processor',
};
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halter-advise-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const signal = new AbortController().signal;
type Programs = Readonly<Record<string, string>>;
const processesWith = (programs: Programs) => ({
  run: async ({ command }: { command: readonly string[] }) => {
    const stdout = programs[command[0] ?? ''];
    return stdout === undefined
      ? ({ ok: false, error: { error_type: 'not_found', message: 'no such program' } } as const)
      : ({
          ok: true,
          value: { exitCode: 0, signal: null, stdout, stderr: '', output: stdout, timedOut: false, cancelled: false },
        } as const);
  },
});
let time = 0;
const advise = async (more: Partial<Parameters<typeof adviseModels>[0]> = {}): Promise<Advice> => {
  const advice = await adviseModels({
    network: scriptedNetwork(() => ({ status: 404 })),
    processes: processesWith({}),
    clock: { now: () => 0, monotonic: () => (time += 10) },
    environment: {},
    modelsFolder: folder,
    cacheFolder: folder,
    signal,
    facts: FACTS,
    ...more,
  });
  if (!advice.ok) throw new Error(advice.error.message);
  return advice.value;
};

describe('the catalogue', () => {
  test.each(MODEL_CATALOGUE.models)('has a whole row with its sources for $id', (row) => {
    expect(row.sources.length).toBeGreaterThan(0);
    for (const source of row.sources) expect(MODEL_CATALOGUE.sources[source]?.url).toMatch(/^https:\/\//);
    expect(row.title).not.toBe('');
    expect(row.license).not.toBe('');
    expect(row.hub).toMatch(/^[\w.-]+\/[\w.-]+$/);
    expect(row.released ?? '2025-01').toMatch(/^20\d\d-\d\d$/);
    expect(row.window).toBeGreaterThanOrEqual(4_096);
    for (const [name, bytes] of Object.entries(row.sizes)) {
      // Of two bits to sixteen a weight; makers round the number of parameters.
      expect(bytes / row.parameters, name).toBeGreaterThan(0.25);
      expect(bytes / row.parameters, name).toBeLessThan(2.4);
      expect(catalogueShape(row, name)?.weightBytes).toBe(bytes);
    }
    if (row.active_parameters !== undefined) expect(row.active_parameters).toBeLessThan(row.parameters);
    if (row.score !== undefined) {
      expect(row.sources).toContain(row.score.asked === 'reported' ? row.sources.at(-1) : 'bfcl');
      expect(row.score.overall).toBeLessThanOrEqual(100);
    }
    expect(templateFamily(row)).toBe(row.tools ? detectDialect({ model: row.id }) : undefined);
  });

  test('names each model once', () => {
    const ids = MODEL_CATALOGUE.models.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(40);
    expect(ids).toContain(STARTER_MODEL.id);
  });
});

describe('what this machine has', () => {
  const cards = async (programs: Programs, facts: Partial<SystemFacts> = {}) =>
    (await describeMachine(processesWith(programs), signal, { ...FACTS, ...facts })).cards;

  test('is told without any program that knows graphics', async () => {
    expect(await describeMachine(processesWith({}), signal, FACTS)).toEqual({
      memoryBytes: 16 * GB,
      freeBytes: 12 * GB,
      cores: 4,
      processor: 'A processor',
      cards: [],
    });
  });

  test('counts a card of each make, and no processor that draws', async () => {
    expect(await cards({ 'nvidia-smi': 'NVIDIA GeForce RTX 3060, 12288\n' })).toEqual([
      { name: 'NVIDIA GeForce RTX 3060', by: 'cuda', memoryBytes: 12_288 * 1024 * 1024 },
    ]);
    expect(await cards({ 'nvidia-smi': 'NVIDIA-SMI has failed' })).toEqual([]);
    const rocm = '{"card0":{"VRAM Total Memory (B)":"17163091968","Card Series":"Radeon RX 7600 XT"},"system":{}}';
    expect(await cards({ 'rocm-smi': rocm })).toEqual([
      { name: 'Radeon RX 7600 XT', by: 'rocm', memoryBytes: 17_163_091_968 },
    ]);
    const vulkan = `GPU0:
	deviceType         = PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU
	deviceName         = Intel(R) Iris(R) Xe Graphics
GPU1:
	deviceType         = PHYSICAL_DEVICE_TYPE_CPU
	deviceName         = llvmpipe (LLVM 17)
`;
    expect(await cards({ vulkaninfo: vulkan })).toEqual([
      { name: 'Intel(R) Iris(R) Xe Graphics', by: 'vulkan', shared: true },
    ]);
    expect(await cards({}, { platform: 'darwin', arch: 'arm64' })).toMatchObject([{ by: 'metal', shared: true }]);
    expect(await cards({}, { platform: 'darwin', arch: 'x64' })).toEqual([]);
  });
});

describe('advice', () => {
  test('puts first what fits and calls tools, and says what is too large', async () => {
    const { models } = await advise();
    expect(models).toHaveLength(MODEL_CATALOGUE.models.length);
    expect(models[0]).toMatchObject({ fits: 'yes', tools: true });
    const order = models.map(({ fits }) => ['yes', 'tight', 'no'].indexOf(fits));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    const large = models.find(({ id }) => id === 'llama-3.3-70b-instruct');
    expect(large).toMatchObject({ fits: 'no', quantisation: 'Q4_K_M' });
    expect(models.find(({ id }) => id === 'qwen3-14b')).toMatchObject({ fits: 'yes', score: { overall: 41.03 } });
  });

  test('puts a model first that is fast enough, however good a slow one is', async () => {
    // So fast that one of 8 billion writes some tokens in a second, and one of 27 billion hardly any.
    const starter = join(folder, STARTER_MODEL.fileName);
    await writeFile(
      starter,
      ggufBytes({ 'general.architecture': 'llama', 'llama.block_count': 30 }, [
        { name: 'output.weight', shape: [32, 3_000_000], type: 8 },
      ]),
    );
    const speeds = { prefill_tokens_per_second: 100, decode_tokens_per_second: 60 };
    await writeFile(
      join(folder, 'model-speeds.json'),
      JSON.stringify({ version: 1, models: { [`embedded ${folder} starter`]: speeds } }),
    );
    const { models } = await advise({ measure: false, facts: { ...FACTS, totalBytes: 64 * GB, freeBytes: 60 * GB } });
    await rm(starter);
    const place = (id: string): number => models.findIndex((model) => model.id === id);
    expect(models[place('qwen3.5-27b')]?.writes_tokens_per_second).toBeLessThan(1);
    expect(models[place('lfm2.5-8b-a1b')]?.writes_tokens_per_second).toBeGreaterThan(3);
    expect(place('lfm2.5-8b-a1b')).toBeLessThan(place('qwen3.5-27b'));
  });

  test('counts the cache of the wanted window, and says where it is not known', async () => {
    const of = async (window: number, id: string) => (await advise({ window, model: id })).models[0]?.memory;
    const [small, large] = [await of(4_096, 'qwen3-8b'), await of(32_768, 'qwen3-8b')];
    // 36 layers, 8 heads of 128, keys and values, 2 bytes.
    expect((large?.cache ?? 0) - (small?.cache ?? 0)).toBe(36 * 8 * 128 * 2 * 2 * (32_768 - 4_096));
    expect(await of(8_192, 'glm-4.7-flash')).toMatchObject({ atLeast: true, cache: 0 });
    // A window is never larger than the model was trained for.
    expect((await advise({ window: 100_000, model: 'phi-4' })).models[0]?.window).toBe(16_384);
  });

  test('names a card that holds the model', async () => {
    const processes = processesWith({ 'nvidia-smi': 'RTX, 24576\n' });
    expect((await advise({ model: 'qwen3-14b', processes })).models[0]?.card).toBe('RTX');
    expect((await advise({ model: 'llama-3.3-70b-instruct', processes })).models[0]?.card).toBeUndefined();
  });

  test('gets a model with Ollama where that answers, and with llama.cpp where not', async () => {
    const ollama = scriptedNetwork(({ url }) =>
      url.includes('11434') ? { chunks: ['{"models":[{"name":"x","model":"x"}]}'] } : { status: 404 },
    );
    const command = async (network = scriptedNetwork(() => ({ status: 404 })), model = 'qwen3-8b') =>
      (await advise({ network, model })).models[0]?.command;
    expect(await command(ollama)).toBe('halter models pull ollama/hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M');
    expect(await command()).toBe('llama-server -hf unsloth/Qwen3-8B-GGUF:Q4_K_M --jinja');
    expect(await command(ollama, 'starter')).toBe('halter models pull starter');
  });

  test('reads a file’s own header, and takes no other file for a model', async () => {
    const file = join(folder, 'own.gguf');
    await writeFile(
      file,
      ggufBytes(
        {
          'general.architecture': 'qwen3',
          'general.name': 'Mine',
          'qwen3.block_count': 36,
          'qwen3.context_length': 40_960,
          'qwen3.embedding_length': 4_096,
          'qwen3.attention.head_count': 32,
          'qwen3.attention.head_count_kv': 8,
          'qwen3.attention.key_length': 128,
          'qwen3.attention.value_length': 128,
          'tokenizer.chat_template': '{% for tool in tools %}<tool_call>{"name": {% endfor %}',
        },
        [{ name: 'output.weight', shape: [4_096, 151_936], type: 8 }],
      ),
    );
    await expect(advise({ model: file })).rejects.toThrow('is cut short: it lacks 661');
    await truncate(file, 4_096 * 151_936 * 2);
    const [beside] = (await advise({ model: relative(process.cwd(), file) })).models;
    expect(beside?.command).toBe(`halter -m embedded/${file}`);
    const [model] = (await advise({ model: file })).models;
    expect(model).toMatchObject({
      title: 'Mine',
      tools: true,
      family: 'hermes',
      command: `halter -m embedded/${file}`,
    });
    expect(model?.memory.cache).toBe(36 * 8 * 128 * 2 * 2 * 8_192);
    const projector = join(folder, 'projector.gguf');
    await writeFile(projector, ggufBytes({ 'general.architecture': 'clip' }));
    for (const [name, type] of [
      [projector, 'parse_error'],
      [join(folder, 'none.gguf'), 'not_found'],
      ['no-such-model', 'not_found'],
    ])
      await expect(advise({ model: name })).rejects.toThrow(type === 'parse_error' ? 'language model' : 'There is no');
    await expect(advise({ model: 'https://hub/m.gguf', offline: true })).rejects.toThrow('offline');
  });

  test('says from what the speed is known: a run of the starter, its earlier answers, or the memory alone', async () => {
    const bare = await advise({ model: 'qwen3-8b' });
    expect(bare.machine.pace.from).toBe('memory');
    expect(bare.models[0]?.reads_tokens_per_second).toBeUndefined();
    const starter = join(folder, STARTER_MODEL.fileName);
    await writeFile(
      starter,
      ggufBytes({ 'general.architecture': 'llama', 'llama.block_count': 30 }, [
        { name: 'output.weight', shape: [32, 1_000], type: 8 },
      ]),
    );
    const speeds = { prefill_tokens_per_second: 100, decode_tokens_per_second: 50 };
    await writeFile(
      join(folder, 'model-speeds.json'),
      JSON.stringify({ version: 1, models: { [`embedded ${folder} starter`]: speeds } }),
    );
    const learned = await advise({ model: 'starter', measure: false });
    expect(learned.machine.pace).toMatchObject({
      from: 'learned',
      bytesPerSecond: 50 * (34 * 1_000 + 30 * 1_000_000),
      workPerSecond: 100 * 32 * 1_000 * 0.36,
    });
    const loadEngine = loadFake(createFakeEngine({ texts: ['a', 'some more text of it'], tellsProgress: true }));
    expect((await advise({ model: 'starter', loadEngine })).machine.pace).toMatchObject({ from: 'engine' });
    await rm(starter);
  });
});
