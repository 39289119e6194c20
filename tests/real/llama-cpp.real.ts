/** What halter promises of a llama.cpp server, against the real one with the starter model. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolWay } from '../../src/agent/models/tool-way.ts';
import type { ModelMessage } from '../../src/core/message.ts';
import type { ModelPart, ModelProvider, ModelRequest } from '../../src/core/model-port.ts';
import type { ToolSchema } from '../../src/core/tool.ts';
import { validateArguments } from '../../src/core/validate-arguments.ts';
import { createNetwork } from '../../src/io/network.ts';
import { detectEndpoints } from '../../src/providers/detect.ts';
import { createEmbeddedProvider } from '../../src/providers/embedded/index.ts';
import { createProvider } from '../../src/providers/index.ts';
import { ledProvider } from '../../src/providers/led/provider.ts';
import { starterModel } from '../support/embedded-model.ts';
import { loraBytes } from '../support/gguf-bytes.ts';
import { type LlamaServer, startLlamaServer } from './llama-server.ts';

const WINDOW = 2_048;
const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const never = new AbortController().signal;
const network = createNetwork({ environment: {} });

let file = '';
let server: LlamaServer;
let provider: ModelProvider;
let model = '';
beforeAll(async () => {
  const found = await starterModel();
  if (found.file === undefined) throw new Error(found.problem);
  file = found.file;
  server = await startLlamaServer(file, ['-c', String(2 * WINDOW), '-np', '2', '-t', '1', '--alias', 'starter-135m']);
  provider = createProvider('llama-cpp', { network, clock, baseUrl: server.url });
  const listed = await provider.models(never);
  model = listed.ok ? (listed.models[0]?.id ?? '') : '';
});
afterAll(async () => {
  await provider?.close();
  await server?.close();
  network.close();
});

const user = (content: string): ModelMessage => ({ role: 'user', content });
const request = (content: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  model,
  messages: [user(content)],
  tools: [],
  sampling: { temperature: 0, max_tokens: 24 },
  ...more,
});
/** With `stop`, the answer is interrupted at its first word. */
const told = async (asked: ModelRequest, by: ModelProvider = provider, stop?: AbortController) => {
  const parts: ModelPart[] = [];
  const hear = (part: ModelPart): void => {
    parts.push(part);
    if (part.type === 'text_delta') stop?.abort();
  };
  const outcome = await by.stream(asked, hear, stop?.signal ?? never);
  const text = parts.map((part) => (part.type === 'text_delta' ? part.delta : '')).join('');
  return { outcome, parts, text };
};
const words = (count: number): string => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');
const tool = (name: string, description: string, properties = {}, required: string[] = []): ToolSchema => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required } },
});

describe('a llama.cpp server', () => {
  it('is found, and tells its model, window, size and template', async () => {
    const endpoint = { title: 'llama.cpp', provider: 'llama-cpp', baseUrl: `${server.url}/v1` } as const;
    expect(await detectEndpoints(network, never, [endpoint])).toMatchObject([{ models: [model] }]);
    const described = await provider.describe(model, never);
    expect(described).toMatchObject({ ok: true, model: { context_length: WINDOW } });
    if (!described.ok) return;
    expect(described.model.size_bytes).toBeGreaterThan(50_000_000);
    expect(described.model.chat_template).toContain('<|im_start|>');
  });

  it('answers to any name, and says what its model is called', async () => {
    expect(await provider.describe('gpt-9', never)).toMatchObject({ ok: true, model: { answers_as: model } });
    expect(await provider.describe('starter', never)).not.toHaveProperty('model.answers_as');
  });

  it('answers in pieces, and says what it read and wrote', async () => {
    const { outcome, text, parts } = await told(request('Say hello.'));
    expect(outcome).toMatchObject({ ok: true, answer: { calls: [] } });
    expect(text.length).toBeGreaterThan(0);
    expect(parts.filter(({ type }) => type === 'text_delta').length).toBeGreaterThan(1);
    const usage = outcome.ok ? outcome.answer.usage : undefined;
    expect(usage?.prompt_tokens).toBeGreaterThan(10);
    expect(usage?.completion_tokens).toBeGreaterThan(0);
  });

  it('tells how far it has read the prompt, and what of it was read before', async () => {
    const long = `${words(250)}. Say yes.`;
    const { parts } = await told(request(long));
    const progress = parts.filter((part) => part.type === 'prefill');
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.at(-1)?.processed).toBe(progress.at(-1)?.total);
    const again = await told(request(long));
    const usage = again.outcome.ok ? again.outcome.answer.usage : undefined;
    expect(usage?.cached_tokens).toBeGreaterThan((usage?.prompt_tokens ?? 0) * 0.9);
  });

  it('counts a prompt before it is sent as it counts it after', async () => {
    const asked = request('How many tokens are these?');
    const counted = await provider.countTokens?.(asked, never);
    const { outcome } = await told(asked);
    expect(outcome.ok && outcome.answer.usage?.prompt_tokens).toBe(counted);
  });

  it('refuses a prompt that is longer than its window, with both figures', async () => {
    const { outcome } = await told(request(words(1_500)));
    expect(outcome).toMatchObject({ ok: false, error: { code: 'context_overflow', window_tokens: WINDOW } });
    expect(outcome.ok ? 0 : outcome.error.prompt_tokens).toBeGreaterThan(WINDOW);
  });

  it('stops at once on cancel, and is free for the next request', async () => {
    const asked = request('Tell a long story.', { sampling: { max_tokens: 1_000 } });
    const { outcome } = await told(asked, provider, new AbortController());
    expect(outcome).toMatchObject({ ok: false, error: { code: 'cancelled' }, partial: true });
    expect((await told(request('Say hello.'))).outcome.ok).toBe(true);
  });

  it('answers two requests at a time', async () => {
    const both = await Promise.all([told(request('Say one.')), told(request('Say two.'))]);
    expect(both.every(({ outcome }) => outcome.ok)).toBe(true);
  });

  it('holds an answer to a schema', async () => {
    const schema = {
      type: 'object',
      properties: { colour: { enum: ['red', 'blue'] }, count: { type: 'integer' } },
      required: ['colour', 'count'],
    };
    const { text } = await told(request('Describe a ball.', { response_schema: schema, sampling: { max_tokens: 60 } }));
    expect(validateArguments(schema, JSON.parse(text), 'strict')).toMatchObject({ ok: true });
  });

  it('ends an answer at a marker of its template that the model writes as text', async () => {
    const described = await provider.describe(model, never);
    if (!described.ok) throw new Error(described.error.message);
    const settings = { dialect: undefined, preset: undefined, toolStrategy: undefined };
    const { stop } = toolWay(settings, { provider, model, info: described.model });
    expect(stop).toContain('<|im_end|>');
    const repeat = request('Write: apples', { sampling: { temperature: 0, max_tokens: 40 } });
    const whole = (await told(repeat)).text;
    const mark = whole.slice(3, 6);
    const { text, outcome } = await told({ ...repeat, stop: [mark] });
    expect(text).toBe(whole.slice(0, whole.indexOf(mark)));
    expect(outcome).toMatchObject({ ok: true, answer: { finish: 'stop' } });
  });

  it('takes a budget of thinking', async () => {
    const { outcome } = await told(request('Say hello.', { sampling: { think_budget: 8, max_tokens: 8 } }));
    expect(outcome).toMatchObject({ ok: true });
  });

  it('says why it makes no vectors where it was not started for them', async () => {
    const embedded = await provider.embed?.({ model, texts: ['a'] }, never);
    expect(embedded?.ok === true || (embedded?.error.message.length ?? 0) > 10).toBe(true);
  });
});

describe('a server that saves its slots', () => {
  type Ask = (asked: ModelRequest, stop?: AbortController) => ReturnType<typeof told>;
  /** Halter and the server as they are after both were started. */
  const started = async (folder: string, work: (ask: Ask) => Promise<void>): Promise<void> => {
    const saving = await startLlamaServer(file, ['-c', String(2 * WINDOW), '-np', '2', '--slot-save-path', folder]);
    const by = createProvider('llama-cpp', { network, clock, baseUrl: saving.url, statesFolder: folder });
    try {
      await work((asked, stop) => told(asked, by, stop));
    } finally {
      await by.close();
      await saving.close();
    }
  };
  const asking = (about: string, ...more: string[]): ModelRequest =>
    request('', {
      messages: [
        { role: 'system', content: `You know ${words(120)}.` },
        ...[`${about}: ${words(60)}`, ...more].map(user),
      ],
      sampling: { temperature: 0, max_tokens: 4 },
    });
  const notReadAgain = ({ outcome }: Awaited<ReturnType<typeof told>>): number => {
    const usage = outcome.ok ? outcome.answer.usage : undefined;
    return (usage?.cached_tokens ?? 0) / (usage?.prompt_tokens ?? 1);
  };

  it('reads as good as nothing again of each conversation, nor of one that was interrupted', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'halter-slots-'));
    try {
      await started(folder, async (ask) => {
        await ask(asking('the sea'));
        await ask(asking('the hills'));
        expect(notReadAgain(await ask(asking('the sea', 'And?')))).toBeGreaterThan(0.95);
        const long = { ...asking('the hills', 'Go on.'), sampling: { temperature: 0, max_tokens: 500 } };
        expect(await ask(long, new AbortController())).toMatchObject({ outcome: { ok: false, partial: true } });
      });
      await started(folder, async (ask) => {
        for (const about of ['the sea', 'the hills']) {
          const again = await ask(asking(about, about === 'the sea' ? 'And?' : 'Go on.', 'And now?'));
          expect(again.parts.filter(({ type }) => type === 'warning')).toEqual([]);
          expect(notReadAgain(again)).toBeGreaterThan(0.95);
        }
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('the starter behind it, led in steps', () => {
  const TOOLS = [
    tool('list_files', 'List the files of a folder.', { path: { type: 'string' } }),
    tool('read_file', 'Read a text file.', { path: { type: 'string' } }, ['path']),
    tool('get_weather', 'Get the weather of a city.', { city: { type: 'string' } }, ['city']),
    tool(
      'book_hotel',
      'Book a hotel in a city for some nights.',
      { city: { type: 'string' }, nights: { type: 'integer' } },
      ['city', 'nights'],
    ),
  ];
  const led = (): ModelProvider => ledProvider(provider, { isSmall: true, monotonic: clock.monotonic });
  const callOf = async (asked: string, by = led()) => {
    const { outcome } = await told(request(asked, { tools: TOOLS }), by);
    if (!outcome.ok) throw new Error(outcome.error.message);
    return outcome.answer.calls[0];
  };

  it('is chosen by its template and its size, and said', async () => {
    const described = await provider.describe(model, never);
    if (!described.ok) throw new Error(described.error.message);
    const way = toolWay(
      { dialect: undefined, preset: undefined, toolStrategy: undefined },
      { provider, model, info: described.model },
    );
    expect(way).toMatchObject({ toolMode: 'native', notice: { code: 'tools_led' } });
  });

  it.each([
    ['List the files.', 'list_files', {}],
    ['Read the file docs/plan.md', 'read_file', { path: 'docs/plan.md' }],
    ['What is the weather in Rome?', 'get_weather', { city: 'Rome' }],
    ['Book a hotel in Oslo for 3 nights', 'book_hotel', { city: 'Oslo', nights: 3 }],
  ])('calls a tool for %j', async (asked, name, args) => {
    expect(await callOf(asked)).toMatchObject({ name, arguments: args, source: 'constrained' });
  });

  it('calls none for small talk, and answers in words', async () => {
    const { outcome, text } = await told(request('Hello, how are you?', { tools: TOOLS }), led());
    expect(outcome).toMatchObject({ ok: true, answer: { calls: [] } });
    expect(text.trim().length).toBeGreaterThan(0);
  });

  it('writes what the engine in this process writes', async () => {
    const embedded = createEmbeddedProvider({ modelFile: file, threads: 1 });
    try {
      for (const asked of [
        'What is the weather like in the city of Porto today?',
        'Book a hotel in Lima for 12 nights',
      ]) {
        const [here, there] = [await callOf(asked, embedded), await callOf(asked)];
        expect(there?.arguments).toEqual(here?.arguments);
      }
    } finally {
      await embedded.close();
    }
  });

  it('is led by a schema alone where the server takes no grammar', async () => {
    const { led: _, ...plain } = provider as ModelProvider & { led?: unknown };
    const by = ledProvider(plain, { isSmall: true, monotonic: clock.monotonic });
    expect(await callOf('Book a hotel in Oslo for 3 nights', by)).toMatchObject({
      name: 'book_hotel',
      arguments: { city: 'Oslo', nights: 3 },
    });
  });
});

describe('a server that was started with an adapter', () => {
  it('goes by it as much as a request says', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'halter-lora-'));
    const adapter = path.join(folder, 'mine.gguf');
    const changes = [0, 9, 19, 29].map((layer) => [`blk.${layer}.attn_output.weight`, 576, 576] as const);
    await writeFile(adapter, loraBytes({ changes }));
    const other = await startLlamaServer(file, ['-c', '1024', '-t', '1', '--lora', adapter]);
    try {
      const texts: string[] = [];
      for (const scale of [0, 1, 0]) {
        const adapters = [{ file: '/elsewhere/mine.gguf', scale }];
        const by = createProvider('llama-cpp', { network, clock, baseUrl: other.url, adapters });
        texts.push((await told(request('Say: the boats lay in a row.'), by)).text);
      }
      const plain = (await told(request('Say: the boats lay in a row.'))).text;
      expect(texts[0]).toBe(plain);
      expect(texts[2]).toBe(plain);
      expect(texts[1]).not.toBe(plain);
      const unknown = [{ file: 'yours.gguf', scale: 1 }];
      const by = createProvider('llama-cpp', { network, clock, baseUrl: other.url, adapters: unknown });
      const { outcome } = await told(request('Say yes.'), by);
      expect(outcome).toMatchObject({ ok: false, error: { message: expect.stringContaining('It has mine.gguf.') } });
    } finally {
      await other.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('a server that was started for vectors', () => {
  it('makes them', async () => {
    const other = await startLlamaServer(file, ['-c', '512', '--embeddings', '--pooling', 'mean', '-t', '1']);
    try {
      const embedder = createProvider('llama-cpp', { network, clock, baseUrl: other.url });
      const made = await embedder.embed?.({ model, texts: ['a cat', 'a dog'] }, never);
      expect(made).toMatchObject({ ok: true });
      if (made?.ok) expect(made.vectors.map(({ length }) => length)).toEqual([576, 576]);
    } finally {
      await other.close();
    }
  });
});
