/**
 * Every function of a part that a program hands in whole: a tool that it made of another, a provider, a dialect. Each is
 * played with everything wrong that it can do, as `every-callback.test.ts` does with functions that stand alone.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isTest, listFiles, ROOT } from '../../tests/source-files.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import {
  deniesHarm,
  deniesPreviewed,
  harm,
  look,
  own,
  type Place,
  PREVIEWS,
  playWrong,
  type Setup,
} from '../../tests/support/wrong-callbacks.ts';
import type { ModelProvider } from '../core/model-port.ts';
import { TOOL_FIELDS } from '../core/tool/tool-fields.ts';
import type { Tool } from '../core/tool.ts';
import { ok } from '../core/tool-result.ts';
import type { PromptWriter } from '../dialects/index.ts';
import { createHarness } from './create-harness.ts';

type Callbacks<T> = { [K in keyof T]-?: NonNullable<T[K]> extends (...given: never[]) => unknown ? K : never }[keyof T];

/** A tool that is made of another: its functions are the program's own, and nothing stands before them. */
const ofTool = (part: keyof Tool, more: object = {}) => ({
  given: (callback: unknown): Setup => ({
    options: { tools: [{ ...look(more), [part]: callback }, harm], ...deniesHarm },
  }),
});

const OF_TOOL: Readonly<Record<Callbacks<Tool>, Place>> = {
  run: { ...ofTool('run'), good: async () => ok('a lake'), told: /look (?:gave back what is no result|failed)/ },
  preview: {
    given: (callback) => ({
      options: {
        tools: [{ ...look({ risk: 'medium' }), preview: callback }, harm],
        ...deniesPreviewed,
      },
    }),
    ...PREVIEWS,
  },
  summarize: {
    given: (callback) => ({
      options: { results: 'summary', tools: [{ ...look(), summarize: callback }, harm], ...deniesHarm },
    }),
    good: () => ['water'],
    right: ['gives an empty list', 'gives words'],
    isSync: true,
    told: /summarize of look (?:must return a list of texts|failed)/,
  },
  identity: {
    ...ofTool('identity'),
    good: () => 'mine',
    right: ['gives an empty text', 'gives a word'],
    isSync: true,
    told: /identity of look (?:must return a text|failed)/,
  },
  unavailable: {
    ...ofTool('unavailable'),
    good: () => undefined,
    right: ['gives undefined', 'gives null', 'gives a word', 'gives an empty text'],
    isSync: true,
    told: /unavailable of look (?:must return a text, or nothing|failed)/,
  },
};

const ofProvider = (part: keyof ModelProvider, more: object = {}, first?: Parameters<typeof own>[0]) => ({
  given: (callback: unknown): Setup => ({
    options: { ...more, provider: { ...own(first), name: 'mine', [part]: callback } },
  }),
});
/** Once the first answer is given, it is as any other. */
const answers = (answer: object) => async () => ({ ok: true, ...answer });
const BROKEN = /broke its contract|failed in/;

/** A chat asks for these alone of what other work asks for too; `own-provider.test.ts` of the agent has the others. */
const OF_PROVIDER: Readonly<Record<Exclude<Callbacks<ModelProvider>, 'models' | 'decodeToolCall' | 'embed'>, Place>> = {
  stream: {
    ...ofProvider('stream'),
    good: async (_request: unknown, emit: (part: object) => void) => {
      emit({ type: 'text_delta', delta: 'Here.' });
      return { ok: true, answer: { calls: [], finish: 'stop' } };
    },
    throwsOn: true,
    told: BROKEN,
  },
  describe: {
    ...ofProvider('describe', { model: { name: 'm', describe: true } }),
    good: answers({ model: { id: 'm' } }),
    told: BROKEN,
  },
  countTokens: {
    ...ofProvider('countTokens', { contextLength: 2048, systemPrompt: 'Be kind. '.repeat(450) }),
    good: async () => 5,
    throwsOn: true,
    right: ['gives undefined', 'promises undefined', 'gives a number', 'promises a number'],
    told: /countTokens resolved with must be a number/,
  },
  // Told when the harness closes, and to nobody else.
  close: { ...ofProvider('close'), good: async () => {}, isLate: true },
};

const PROMPT: PromptWriter = { offer: () => 'Tools.', calls: () => 'CALL', result: () => 'RESULT' };
const ofPrompt = (part: keyof PromptWriter, good: () => string) => ({
  given: (callback: unknown): Setup => ({
    options: {
      tools: { available: [look(), harm] },
      dialect: 'mine',
      provider: own(),
      model: {
        name: 'm',
        toolStrategy: 'text',
        dialects: [{ format: { name: 'mine', calls: [] }, prompt: { ...PROMPT, [part]: callback } }],
      },
    },
  }),
  good,
  isSync: true as const,
  right: ['gives a word', 'gives an empty text'],
  told: /prompt\.\w+ of the dialect mine must return a text/,
});

const OF_DIALECT: Readonly<Record<keyof PromptWriter, Place>> = {
  offer: ofPrompt('offer', PROMPT.offer as () => string),
  calls: ofPrompt('calls', PROMPT.calls as () => string),
  result: ofPrompt('result', PROMPT.result as () => string),
};

const named = (of: string, places: Readonly<Record<string, Place>>): Record<string, Place> =>
  Object.fromEntries(Object.entries(places).map(([name, place]) => [`${name} of ${of}`, place]));

test('each function that the fields of a tool may hold has its rows', () => {
  const functions = Object.keys(TOOL_FIELDS).filter((name) => !TOOL_FIELDS[name]?.problem(() => 1));
  expect(functions.filter((name) => !(name in OF_TOOL) && !['toModelOutput', 'parameters'].includes(name))).toEqual([]);
});

test('a tool that cannot say whether it can be used is told of once, and no model hears of it', async () => {
  const warnings: string[] = [];
  const provider = own({ text: 'Here.' });
  const harness = createHarness({
    model: 'm',
    provider,
    workspace: scratchFolder(),
    tools: [{ ...look(), unavailable: () => Promise.reject(new Error('later')) as never }, harm],
    io: { onWarning: (code, message) => void warnings.push(`${code}: ${message}`) },
  });
  onTestFinished(() => harness.close());
  for (const text of ['Go', 'Again']) await harness.chat(text);
  expect(warnings).toEqual([
    'tool: unavailable of look must return a text, or nothing, not a Promise. look is not offered.',
  ]);
  expect(provider.requests.flatMap(({ tools }) => tools.map((tool) => tool.function.name))).toEqual(['harm', 'harm']);
});

test('nothing else asks a tool what it says of itself', () => {
  const asks = listFiles('src')
    .filter((file) => !isTest(file) && !file.startsWith('src/tools/') && file !== 'src/core/tool/said-of-itself.ts')
    .filter((file) => /\b(?:unavailable|\w\.identity)(?:\?\.)?\(/.test(fs.readFileSync(path.join(ROOT, file), 'utf8')));
  expect(asks).toEqual([]);
});

playWrong({
  ...named('a tool', OF_TOOL),
  ...named('a provider', OF_PROVIDER),
  ...named('a dialect', OF_DIALECT),
});
