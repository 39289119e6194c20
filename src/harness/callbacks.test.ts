/** Every function that a program hands in may be slow, fail, give what it must not, or never come back. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { defineTool, type ToolDefinition } from '../core/tool/define-tool.ts';
import { type ScriptedProviderSource, scriptedProvider } from '../testing/index.ts';
import type { ChatOptions } from './chat-options.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

type Callback = (...given: unknown[]) => unknown;
type Parameters = { type: 'object'; properties: Record<never, never> };

const lookWith = (more: Partial<ToolDefinition<Parameters>> = {}) =>
  defineTool({
    name: 'look',
    description: 'Look',
    risk: 'safe',
    parameters: { type: 'object', properties: {} },
    run: () => 'a sea',
    ...more,
  });
const CALL = { calls: [{ name: 'look', arguments: {} }] };
const TURNS: ScriptedProviderSource[] = [CALL, { text: 'Done.' }];

type Setup = { tools?: HarnessOptions['tools']; options?: Partial<HarnessOptions>; chat?: ChatOptions };
type Told = { failure: string; result: string; read: string; finish: string; warnings: string[] };

/** What came of a message in which the model calls `look` and then answers. */
const chatWith = async ({ tools = [lookWith()], options = {}, chat = {} }: Setup): Promise<Told> => {
  const provider = scriptedProvider(TURNS, { models: [{ id: 'm' }] });
  const warnings: string[] = [];
  const harness = createHarness({
    model: 'm',
    provider,
    workspace: scratchFolder(),
    tools,
    io: { onWarning: (code, message) => void warnings.push(`${code}: ${message}`) },
    ...options,
  });
  onTestFinished(() => harness.close());
  const ended = await harness.chat('Go', chat).then(
    (result) => ({ ...result, failure: '' }),
    (error: Error) => ({
      ...(error as Error & { partial?: Awaited<ReturnType<typeof harness.chat>> }).partial,
      failure: `${error.name}: ${error.message}`,
    }),
  );
  const [call] = ended.toolCalls ?? [];
  return {
    failure: ended.failure,
    result: String(call?.result.data ?? call?.result.error_message),
    read: String(provider.requests[1]?.messages.findLast(({ role }) => role === 'tool')?.content),
    finish: String(ended.finishReason),
    warnings: [...warnings, ...(ended.warnings ?? []).map(({ code, message }) => `${code}: ${message}`)],
  };
};

type Row = {
  name: string;
  /** The harness and the chat that have the function. */
  given(callback: Callback): Setup;
  /** What the function may give, and what shows that it was taken. */
  good: unknown;
  taken: Partial<Record<keyof Told, unknown>>;
  /** What comes of a function that throws or rejects with `no idea`. */
  failed: Partial<Record<keyof Told, unknown>>;
  wrong: readonly unknown[];
  /** What comes of a value that it must not give. */
  refused: Partial<Record<keyof Told, unknown>>;
};
const words = (pattern: RegExp) => expect.stringMatching(pattern);
const warned = (pattern: RegExp) => ({ warnings: expect.arrayContaining([words(pattern)]), failure: '' });

const ROWS: readonly Row[] = [
  {
    name: 'stopWhen',
    given: (callback) => ({ chat: { stopWhen: callback as NonNullable<ChatOptions['stopWhen']> } }),
    good: true,
    taken: { finish: 'tool_end', failure: '' },
    failed: { failure: words(/no idea/), finish: 'error' },
    wrong: [undefined, 1, 'yes', {}, null],
    refused: { failure: words(/stopWhen must return true or false, not /), finish: 'error' },
  },
  {
    name: 'prepareStep',
    given: (callback) => ({ chat: { prepareStep: callback as NonNullable<ChatOptions['prepareStep']> } }),
    good: { tools: [] },
    taken: { result: words(/not on offer|look/), failure: '' },
    failed: { failure: words(/no idea/), finish: 'error' },
    wrong: [5, 'look', ['look'], true, { tols: [] }, { sampling: { temprature: 1 } }],
    refused: { failure: words(/What prepareStep returned/), finish: 'error' },
  },
  {
    name: 'onPermission',
    given: (callback) => ({
      tools: [lookWith({ risk: 'medium' })],
      options: { onPermission: callback as NonNullable<HarnessOptions['onPermission']> },
    }),
    good: 'allow_once',
    taken: { result: 'a sea', failure: '' },
    failed: { result: words(/no idea/), failure: '' },
    wrong: [undefined, true, 'yes', 1, { allow: true }],
    refused: { result: words(/the permission answer/), failure: '' },
  },
  {
    name: 'run of a tool',
    given: (callback) => ({ tools: [lookWith({ run: callback })] }),
    good: 'a lake',
    taken: { read: 'a lake', failure: '' },
    failed: { result: words(/no idea/), failure: '' },
    wrong: [() => 1, Symbol('x'), new Uint8Array(3)],
    refused: { result: words(/no model can read/), failure: '' },
  },
  {
    name: 'toModelOutput of a tool',
    given: (callback) => ({ tools: [lookWith({ toModelOutput: callback as never })] }),
    good: 'water',
    taken: { read: 'water', result: 'a sea', failure: '' },
    failed: { result: words(/no idea/), failure: '' },
    wrong: [undefined, 5, { text: 'water' }, [5]],
    refused: { result: words(/what the model reads is text/), failure: '' },
  },
  {
    name: 'preview of a tool',
    given: (callback) => ({
      tools: [lookWith({ risk: 'medium', preview: callback as never })],
      options: {
        onPermission: ({ preview }) =>
          preview?.summary === 'looks' ? 'allow_once' : { decision: 'deny', reason: String(preview?.summary) },
      },
    }),
    good: { summary: 'looks' },
    taken: { result: 'a sea', failure: '' },
    failed: { result: words(/no preview: no idea/), failure: '' },
    wrong: [5, 'looks', {}, { summary: 5 }, []],
    refused: { result: words(/no preview: .* summary/), failure: '' },
  },
  {
    name: 'summarize of a tool',
    given: (callback) => ({ tools: [lookWith({ summarize: callback as never })], options: { results: 'summary' } }),
    good: ['water'],
    taken: { read: words(/results: water/), failure: '' },
    failed: { read: words(/results: a sea/), ...warned(/no idea/) },
    wrong: [undefined, 'water', 5, [5]],
    refused: { read: words(/results: a sea/), ...warned(/summarize of look must return a list of texts, not /) },
  },
];

describe.each(ROWS)('$name', ({ name, given, good, taken, failed, wrong, refused }) => {
  /** For what has to answer at once, there are no promises. */
  const later = name.startsWith('summarize') ? [] : [name];
  test('is taken at once', async () => {
    expect(await chatWith(given(() => good))).toMatchObject(taken);
  });
  test.each(later)('%s is awaited', async () => {
    expect(await chatWith(given(async () => good))).toMatchObject(taken);
  });
  test('throws', async () => {
    const told = await chatWith(
      given(() => {
        throw new Error('no idea');
      }),
    );
    expect(told).toMatchObject(failed);
  });
  test.each(later)('%s rejects', async () => {
    expect(await chatWith(given(() => Promise.reject(new Error('no idea'))))).toMatchObject(failed);
  });
  test.each(wrong.map((value) => [value]))('gives %j', async (value) => {
    expect(await chatWith(given(() => value))).toMatchObject(refused);
  });
  test.each(later)('%s never comes back, and the signal ends the chat', async () => {
    const stop = new AbortController();
    const setup = given(() => {
      stop.abort();
      return new Promise(() => {});
    });
    const told = await chatWith({ ...setup, chat: { ...setup.chat, signal: stop.signal } });
    expect(told.failure).toMatch(/^AbortError/);
  });
});
