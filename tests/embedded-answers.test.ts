/**
 * The starter model answers ordinary questions about a folder: it picks a tool, calls it, and the answer holds what is
 * really there. The folders are made at random, so that nothing can be known beforehand.
 */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ModelMessage } from '../src/core/message.ts';
import { composeSystemPrompt } from '../src/core/system-prompt.ts';
import { toolSchema } from '../src/core/tool.ts';
import { createEmbeddedProvider, type EmbeddedProvider } from '../src/providers/embedded/index.ts';
import { BUILT_IN_TOOLS } from '../src/tools/index.ts';
import { verifies } from './requirements.ts';
import { starterModel, type TestModel } from './support/embedded-model.ts';
import { everyNth } from './support/long.ts';
import type { Random } from './support/random.ts';
import { putFiles, scratchFolder } from './support/scratch.ts';
import { seededRandom } from './support/seeded-random.ts';
import { callTool, createTestContext } from './support/tool-context.ts';

const model: TestModel = await starterModel();
let provider: EmbeddedProvider;

/** What a person is offered who has set nothing up: no index, no search service, no image service. */
const OFFERED = BUILT_IN_TOOLS.filter((tool) => tool.unavailable?.({}) === undefined);

const WORDS =
  'amber basil cedar delta ember fjord grove heron iris jade koala lemon maple nectar olive pearl quartz river slate tulip'.split(
    ' ',
  );
const ENDINGS = ['txt', 'md', 'json', 'csv', 'log'];

const shuffled = <T>(list: readonly T[], random: Random): T[] =>
  list
    .map((item): [number, T] => [random(), item])
    .sort((a, b) => a[0] - b[0])
    .map(([, item]) => item);

type Scene = { folder: string; files: Record<string, string>; name: string; needle: string };

/** Three to five files of random names and contents; one of them holds the needle. */
const makeScene = (): Scene => {
  const random = seededRandom();
  const folder = scratchFolder();
  const words = shuffled(WORDS, random);
  const files: Record<string, string> = {};
  const count = 3 + Math.floor(random() * 3);
  for (let index = 0; index < count; index += 1) {
    const name = `${words[index]}.${ENDINGS[index % ENDINGS.length]}`;
    files[name] = `${words[index + 6]} ${Math.floor(random() * 100_000)}\n${words[index + 12]}\n`;
  }
  const name = Object.keys(files)[1] ?? '';
  const needle = `${words[18]}${Math.floor(random() * 1000)}`;
  files[name] += `here is ${needle}\n`;
  putFiles(folder, files);
  return { folder, files, name, needle };
};

type Conversation = { tools: string[]; answer: string };

const converse = async (folder: string, request: string): Promise<Conversation> => {
  const context = await createTestContext({ root: folder });
  const messages: ModelMessage[] = [
    { role: 'system', content: composeSystemPrompt({ size: 'small' }) },
    { role: 'user', content: request },
  ];
  const tools: string[] = [];
  try {
    for (let iteration = 0; iteration < 3; iteration += 1) {
      let text = '';
      const outcome = await provider.stream(
        { model: 'starter', messages, tools: OFFERED.map(toolSchema), sampling: {} },
        (part) => {
          if (part.type === 'text_delta') text += part.delta;
        },
        new AbortController().signal,
      );
      if (!outcome.ok) throw new Error(outcome.error.message);
      const calls = outcome.answer.calls.map((call, index) => ({ ...call, id: `call_${iteration}_${index}` }));
      messages.push({ role: 'assistant', content: text, tool_calls: calls, finish: outcome.answer.finish });
      if (calls.length === 0) return { tools, answer: text };
      for (const call of calls) {
        tools.push(`${call.name} ${JSON.stringify(call.arguments)}`);
        const tool = BUILT_IN_TOOLS.find((candidate) => candidate.name === call.name);
        if (tool === undefined) throw new Error(`no tool ${call.name}`);
        const result = await callTool(tool, call.arguments, context);
        messages.push({
          role: 'tool',
          tool_call_id: call.id,
          name: call.name,
          content: JSON.stringify(result),
          result,
        });
      }
    }
    return { tools, answer: '' };
  } finally {
    context.close();
  }
};

type Check = (answer: string, scene: Scene, said: string) => void;
const namesAllFiles: Check = (answer, { files }, said) => {
  for (const name of Object.keys(files)) expect(answer, said).toContain(name);
};
const quotesTheFile: Check = (answer, { files, name }, said) => {
  for (const line of (files[name] ?? '').trimEnd().split('\n')) expect(answer, said).toContain(line);
};
const tellsTheDay: Check = (answer, _scene, said) =>
  expect(answer, said).toContain(new Date().toISOString().slice(0, 10));
const tellsThePlace: Check = (answer, { folder }, said) => expect(answer, said).toContain(folder);
const findsTheNeedle: Check = (answer, { name, needle }, said) => {
  expect(answer, said).toContain(name);
  expect(answer, said).toContain(needle);
};

const PARAPHRASES: [string, Check][] = [
  ['What files are here?', namesAllFiles],
  ['Which files are in this directory?', namesAllFiles],
  ['Show all files of the project', namesAllFiles],
  ["I'd like to see a list of the documents in this folder", namesAllFiles],
  ['What does {name} contain?', quotesTheFile],
  ['Display {name} for me', quotesTheFile],
  ['Could you open {name} and show me what is inside?', quotesTheFile],
  ["Tell me what's in {name}", quotesTheFile],
  ['What is the current time?', tellsTheDay],
  ["Can you give me today's date?", tellsTheDay],
  ['Which day is today?', tellsTheDay],
  ["What's the time right now?", tellsTheDay],
  ['What is the path of this workspace?', tellsThePlace],
  ['Print the current directory', tellsThePlace],
  ['Which directory are we working in?', tellsThePlace],
  ['Give me the absolute path of the working folder', tellsThePlace],
  ['Search the files for {needle}', findsTheNeedle],
  ['Which files contain the text {needle}?', findsTheNeedle],
  ['Find {needle} in the project files', findsTheNeedle],
  ["Look for the string '{needle}' in all files", findsTheNeedle],
];

const IN_WORDS = ['Hello, how are you?', 'Good evening!', 'Thank you very much!', 'Write a poem about the sea'];

describe.skipIf(model.file === undefined)(`the starter model in this process (${model.problem ?? 'found'})`, () => {
  beforeAll(() => {
    provider = createEmbeddedProvider({ modelFile: model.file ?? '', threads: 1 });
    return async () => provider.close();
  });

  it.each(everyNth(PARAPHRASES, 25))('answers "%s" from the folder', async (question, check) => {
    verifies('K8');
    const scene = makeScene();
    const request = question.replaceAll('{name}', scene.name).replaceAll('{needle}', scene.needle);
    const { tools, answer } = await converse(scene.folder, request);
    expect(tools.length, `no tool was called: ${answer}`).toBeGreaterThan(0);
    check(answer, scene, `${request} → ${tools.join(', ')}`);
  });

  it.each(everyNth(IN_WORDS, 9))('answers "%s" without a tool', async (question) => {
    verifies('K8');
    const { tools, answer } = await converse(makeScene().folder, question);
    expect(tools).toEqual([]);
    expect(answer.trim()).not.toBe('');
  });

  it('evaluates only what is new in the second turn', async () => {
    verifies('K8', 'B4');
    const messages: ModelMessage[] = [
      { role: 'system', content: composeSystemPrompt({ size: 'small' }) },
      { role: 'user', content: 'Hello, I am Anna.' },
    ];
    const ask = async () => {
      let text = '';
      const outcome = await provider.stream(
        { model: 'starter', messages, tools: [], sampling: { max_tokens: 24 } },
        (part) => {
          if (part.type === 'text_delta') text += part.delta;
        },
        new AbortController().signal,
      );
      if (!outcome.ok || outcome.answer.usage === undefined) throw new Error('no answer');
      messages.push({ role: 'assistant', content: text, tool_calls: [], finish: 'stop' });
      return outcome.answer.usage;
    };
    const first = await ask();
    messages.push({ role: 'user', content: 'And who are you?' });
    const second = await ask();
    // All of the first prompt is in the cache; the answer may be cut into other tokens when it comes back as text.
    expect(second.cached_tokens ?? 0).toBeGreaterThanOrEqual(first.prompt_tokens - 1);
    expect(second.prompt_tokens - (second.cached_tokens ?? 0)).toBeLessThan(60);
  });

  it('stops at once when cancelled in the middle of an answer', async () => {
    const stop = new AbortController();
    const parts: string[] = [];
    const outcome = await provider.stream(
      {
        model: 'starter',
        messages: [{ role: 'user', content: 'Tell me a very long story.' }],
        tools: [],
        sampling: {},
      },
      (part) => {
        if (part.type !== 'text_delta') return;
        parts.push(part.delta);
        if (parts.length === 3) stop.abort();
      },
      stop.signal,
    );
    expect(outcome).toMatchObject({ ok: false, error: { code: 'cancelled' }, partial: true });
    expect(parts).toHaveLength(3);
  });

  it('says what is wrong with a damaged model file', async () => {
    verifies('K8');
    const folder = scratchFolder();
    const whole = fs.readFileSync(model.file ?? '').subarray(0, 3_000_000);
    putFiles(folder, { 'cut.gguf': whole, 'other.gguf': 'this is no model, only some text', 'empty.gguf': '' });
    for (const name of ['cut.gguf', 'other.gguf', 'empty.gguf']) {
      const broken = createEmbeddedProvider({ modelFile: path.join(folder, name), threads: 1 });
      const outcome = await broken.describe('m', new AbortController().signal);
      expect(outcome, name).toMatchObject({ ok: false, error: { code: 'load_failed' } });
      if (!outcome.ok) expect(outcome.error.hint).toContain('pull');
      await broken.close();
    }
  });
});
