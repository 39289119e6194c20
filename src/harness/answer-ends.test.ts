/** How an answer ended: one word for it in the result, in the events and in what a page of `useChat` reads. */
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { defineTool } from '../core/index.ts';
import type { RunEvent } from '../dialects/ai-sdk/ui-messages.ts';
import { toUIMessageStream } from '../dialects/ai-sdk.ts';
import { type ScriptedServerTurn, startScriptedServer } from '../testing/index.ts';
import type { Chat } from './chat.ts';
import { createHarness } from './create-harness.ts';

type Options = Pick<Parameters<typeof createHarness>[0], 'limits' | 'onPermission'>;
const look = defineTool({
  name: 'look',
  description: 'Looks',
  parameters: { type: 'object', properties: {} },
  risk: 'safe',
  run: () => 'a sea',
});
const done = defineTool({ ...look, name: 'done', parameters: { type: 'object', properties: {} }, endsRun: true });
const calling = (name: string): ScriptedServerTurn => ({ calls: [{ name, arguments: {} }] });

const over = async (turns: readonly ScriptedServerTurn[], options: Options = {}) => {
  const server = await startScriptedServer({ turns: ({ number }) => turns[Math.min(number, turns.length - 1)] ?? {} });
  const model = { name: 'test-model', provider: 'openai', baseUrl: server.openaiUrl } as const;
  const harness = createHarness({ model, tools: [look, done], workspace: scratchFolder(), ...options });
  onTestFinished(async () => {
    await harness.close();
    await server.close();
  });
  return harness;
};

/** The chat's events, and the same told to a page. */
const told = async (chat: Chat) => {
  const events: RunEvent[] = [];
  const seen: AsyncIterable<RunEvent> = {
    async *[Symbol.asyncIterator]() {
      for await (const event of chat) {
        events.push(event);
        yield event;
      }
    },
  };
  const chunks: Record<string, unknown>[] = [];
  for await (const chunk of toUIMessageStream(seen)) chunks.push(chunk);
  return { end: events.findLast(({ type }) => type === 'turn_end'), chunks };
};

const ENDS: readonly (readonly [string, readonly ScriptedServerTurn[], string, string | undefined, string])[] = [
  ['its own end', [{ text: 'Whole.' }], 'stop', undefined, 'stop'],
  ['its own end after calls', [calling('look'), { text: 'Whole.' }], 'stop', undefined, 'stop'],
  ['the token limit', [{ text: 'Ha', finish: 'length' }], 'length', 'length', 'length'],
  ['a filter', [{ text: 'Ha', finish: 'content_filter' }], 'content_filter', 'content_filter', 'content-filter'],
  [
    'a filter, in another word',
    [{ text: 'Ha', finish: 'SAFETY' }],
    'content_filter',
    'content_filter',
    'content-filter',
  ],
  ['a word that nobody knows', [{ text: 'Ha', finish: 'banana' }], 'other', 'other', 'other'],
  [
    'a filter behind calls',
    [{ ...calling('look'), finish: 'content_filter' }, { text: 'x' }],
    'stop',
    undefined,
    'stop',
  ],
  ['a tool that ends the run', [{ text: 'I end.', ...calling('done') }], 'tool_end', undefined, 'tool-calls'],
];

test.each(ENDS)('an answer with %s', async (_what, turns, finishReason, finish_reason, page) => {
  verifies('B11');
  expect((await (await over(turns)).chat('Go')).finishReason).toBe(finishReason);
  const { end, chunks } = await told((await over(turns)).chat('Go'));
  expect(end?.['finish_reason']).toBe(finish_reason);
  expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: page });
});

test('what was cut before is not said of the next message', async () => {
  const harness = await over([
    { text: 'Ha', finish: 'length' },
    { status: 400, body: '{}' },
  ]);
  await harness.chat('Go');
  const { end, chunks } = await told(harness.chat('And now?'));
  expect(end?.['finish_reason']).toBe(undefined);
  expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'error' });
});

const loop = { limits: { iterations: 1 } };
const BROKEN: readonly (readonly [string, readonly ScriptedServerTurn[], Options])[] = [
  ['the connection', [{ text: 'Half of it', pieceCharacters: 2, cutAfterWrites: 3 }], {}],
  ['the connection, before a word', [{ cutAtOnce: true }], {}],
  ['the server', [{ status: 401, body: '{}' }], {}],
  ['a limit of the run', [calling('look'), calling('look'), { text: 'So far.' }], loop],
];
test.each(BROKEN)(
  'an answer that %s ended is an error of the page, and no end of its own',
  async (_what, turns, options) => {
    const { chunks } = await told((await over(turns, options)).chat('Go'));
    expect(chunks.filter(({ type }) => type === 'error')).toEqual([{ type: 'error', errorText: 'An error occurred.' }]);
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'error' });
  },
);

test('an answer that the program stopped is an abort of the page, and nothing comes after it', async () => {
  const harness = await over([{ text: 'The sea is wide and blue.', hangAfterWrites: 5 }]);
  const stop = new AbortController();
  const chunks: Record<string, unknown>[] = [];
  for await (const chunk of toUIMessageStream(harness.chat('Go', { signal: stop.signal }))) {
    chunks.push(chunk);
    if (chunk.type === 'text-delta') stop.abort();
  }
  expect(chunks.slice(-2)).toEqual([{ type: 'text-end', id: 'part-1' }, { type: 'abort' }]);
});
