/** What `messages()` gave, and what `fromUIMessages` makes, begins another harness: whatever happened before. */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rounds } from '../../tests/support/long.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import type { ModelMessage } from '../core/message.ts';
import type { ModelProvider } from '../core/model-port.ts';
import { defineTool } from '../core/tool/define-tool.ts';
import { fromUIMessages } from '../dialects/ai-sdk.ts';
import { type ScriptedProviderSource, type ScriptedProviderTurn, scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';
import type { HistoryMessage } from './history.ts';
import type { HarnessOptions } from './options.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const NUMBERS = { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] } as const;
const tools = [
  defineTool({ name: 'double', description: 'd', risk: 'safe', parameters: NUMBERS, run: ({ x }) => ({ y: 2 * x }) }),
  defineTool({ name: 'pay', description: 'p', risk: 'high', parameters: NUMBERS, run: ({ x }) => x }),
  defineTool({
    name: 'break',
    description: 'b',
    risk: 'safe',
    parameters: NUMBERS,
    run: () => {
      throw new Error('broken');
    },
  }),
  defineTool({
    name: 'show',
    description: 's',
    risk: 'safe',
    parameters: NUMBERS,
    run: ({ x }) => ({ rows: [x, x, x] }),
    toModelOutput: (_value, { x }) => [
      { type: 'text', text: `${x} in a picture` },
      { type: 'image', mime_type: 'image/png', data_base64: PIXEL },
    ],
  }),
  defineTool({
    name: 'count',
    description: 'c',
    risk: 'safe',
    parameters: NUMBERS,
    run: ({ x }) => [x, x],
    toModelOutput: (value) => `${value.length} rows`,
  }),
];

const open = (turns: ScriptedProviderSource[] | ScriptedProviderSource, options: Partial<HarnessOptions> = {}) => {
  const provider = scriptedProvider(turns as ScriptedProviderSource[]);
  const harness = createHarness({
    model: 'scripted',
    provider,
    workspace: scratchFolder(),
    tools,
    onPermission: () => 'deny',
    ...options,
  });
  return { harness, provider };
};

/** What is wrong with a prompt, by the rules that APIs and templates have. */
const refusedFor = (messages: readonly ModelMessage[]): string | undefined => {
  const ids = new Set<string>();
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const last = messages[index - 1];
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id)) return `${index}: a result of no call`;
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) return `${index}: a call without a result`;
    if (message.role === 'system' && index > 0) return `${index}: a system message in the middle`;
    if (message.role === 'user' && (last?.role === 'user' || (last?.role === 'tool' && !message.of_results)))
      return `${index}: out of turn`;
    if (message.role !== 'assistant') continue;
    if (last?.role === 'assistant' || last?.role === 'system') return `${index}: out of turn`;
    open = message.tool_calls.map(({ id }) => id);
    if (open.some((id) => ids.has(id)) || new Set(open).size < open.length) return `${index}: an id twice`;
    for (const id of open) ids.add(id);
  }
  return open.length > 0 ? 'a call without a result' : undefined;
};

/** Takes what was stored as JSON, as a program does. */
const resumed = async (given: readonly HistoryMessage[], options: Partial<HarnessOptions> = {}) => {
  const messages = JSON.parse(JSON.stringify(given)) as HistoryMessage[];
  const { harness, provider } = open([{ text: 'Going on.' }], { ...options, messages });
  const before = await harness.messages();
  const { answer } = await harness.chat('Go on.');
  expect(answer).toBe('Going on.');
  const after = await harness.messages();
  expect(after.slice(0, before.length)).toEqual(before);
  await harness.close();
  expect(refusedFor(provider.requests[0]?.messages ?? [])).toBeUndefined();
  return { before, sent: provider.requests[0]?.messages ?? [] };
};

const CALL = fc.record({
  name: fc.constantFrom('double', 'pay', 'break', 'show', 'count', 'unknown'),
  arguments: fc.constantFrom<unknown>({ x: 1 }, { x: 2 }, { x: 'no' }, '{bad'),
  id: fc.constantFrom(undefined, 'same', 'other'),
});
const ANSWER = fc.record({ text: fc.constantFrom('Yes.', 'A long answer. '.repeat(150)) });
const TURN = fc.oneof(
  ANSWER,
  fc.record({ text: fc.constantFrom('', 'Let me see.'), calls: fc.array(CALL, { minLength: 1, maxLength: 4 }) }),
  fc.record({
    text: fc.constantFrom('', 'Half an ans'),
    error: fc.constant({ code: 'bad_request', message: 'refused' } as const),
  }),
  fc.constant('cancel' as const),
  fc.constant('steer' as const),
);
const CONVERSATION = fc.array(fc.array(TURN, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
type Turn = typeof TURN extends fc.Arbitrary<infer T> ? T : never;

/** Lives through such a conversation and returns what `messages()` gives then. */
const lived = async (conversation: readonly Turn[][], options: Partial<HarnessOptions>): Promise<ModelMessage[]> => {
  let due: Turn[] = [];
  let abort = new AbortController();
  const next = async (): Promise<ScriptedProviderTurn> => {
    const turn = due.shift() ?? { text: 'Done.' };
    if (turn === 'cancel') abort.abort();
    if (turn === 'steer') await harness.steer('And this.');
    return turn === 'cancel' || turn === 'steer' ? { text: 'Hm.' } : (turn as ScriptedProviderTurn);
  };
  const { harness } = open(next, options);
  for (const [index, turns] of conversation.entries()) {
    due = [...turns];
    abort = new AbortController();
    // How it ends does not matter here.
    await harness
      .chat(`Question ${index}. ${'word '.repeat(60)}`, { signal: abort.signal })
      .result()
      .then(undefined, () => {});
  }
  const messages = await harness.messages();
  await harness.close();
  return messages;
};

describe('a history that messages() gave', () => {
  test('is taken as it is, also of a server that counts no tokens', async () => {
    const turns: ScriptedProviderSource[] = [{ calls: [{ name: 'count', arguments: { x: 1 } }] }, { text: 'Two.' }];
    const scripted = scriptedProvider(turns);
    const uncounted: ModelProvider = {
      ...scripted,
      async stream(request, onPart, signal) {
        const outcome = await scripted.stream(request, onPart, signal);
        return outcome.ok ? { ...outcome, answer: { ...outcome.answer, usage: undefined } } : outcome;
      },
    };
    const { harness } = open([], { provider: uncounted });
    await harness.chat('Count.');
    const messages = await harness.messages();
    await harness.close();
    expect(messages).toStrictEqual(JSON.parse(JSON.stringify(messages)));
    const { harness: next, provider } = open([{ text: 'Going on.' }], { messages });
    expect((await next.chat('Go on.')).answer).toBe('Going on.');
    expect(provider.requests[0]?.messages.filter(({ role }) => role !== 'system')).toHaveLength(5);
    await next.close();
  });

  test('begins another harness with the same messages and a prompt in turns, whatever happened', async () => {
    await fc.assert(
      fc.asyncProperty(CONVERSATION, fc.constantFrom(undefined, 2_048), async (conversation, contextLength) => {
        const given = await lived(conversation, contextLength === undefined ? {} : { contextLength });
        const { before } = await resumed(given);
        expect(before).toEqual(JSON.parse(JSON.stringify(given)));
      }),
      { numRuns: rounds(15, 400) },
    );
  });

  test('has all that was said, also what was left out of the window', async () => {
    const long = { text: 'blah '.repeat(500) };
    const conversation: Turn[][] = Array.from({ length: 12 }, () => [long]);
    const given = await lived(conversation, { contextLength: 4_096 });
    expect(given.map(({ role }) => role)).toEqual(conversation.flatMap(() => ['user', 'assistant']));
    expect(String(given[0]?.content)).toMatch(/^Question 0\. word/);
    const { before, sent } = await resumed(given, { contextLength: 4_096 });
    expect(before).toEqual(given);
    expect(sent.length).toBeLessThan(given.length);
  });

  test('may hold more calls, steps and repeated rounds than the next harness allows', async () => {
    const call = { name: 'double', arguments: { x: 1 } };
    const round = { calls: [call, call, call] };
    const given = await lived(
      [[{ calls: [call] }, { calls: [call] }, round, { calls: [call, call] }, round]] as Turn[][],
      {},
    );
    const { before } = await resumed(given, { limits: { iterations: 1, toolCallsPerIteration: 1 } });
    expect(before).toEqual(given);
  });

  test('in the middle of a run leaves out the calls that still run', async () => {
    const seen: ModelMessage[][] = [];
    const look = defineTool({
      name: 'look',
      description: 'l',
      risk: 'safe',
      parameters: { type: 'object', properties: {} },
      run: async () => {
        seen.push(await harness.messages());
        return 'looked';
      },
    });
    const { harness } = open([{ calls: [{ name: 'look', arguments: {} }] }, { text: 'Done.' }], { tools: [look] });
    onTestFinished(() => harness.close());
    await harness.chat('Look');
    expect(seen[0]?.map(({ role }) => role)).toEqual(['user']);
    await resumed(seen[0] ?? []);
  });
});

const call = (id: string, name = 'double') => ({
  id,
  name,
  arguments: { x: 1 },
  source: 'native' as const,
  repairs: [],
});
const calling = (...ids: string[]): HistoryMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map((id) => call(id)),
});
const result = (tool_call_id: string): HistoryMessage => ({ role: 'tool', tool_call_id, content: tool_call_id });
const user = (content: string): HistoryMessage => ({ role: 'user', content });
const answer = (content: string): HistoryMessage => ({ role: 'assistant', content });

describe('a history that a program wrote', () => {
  test.each<[string, HistoryMessage[]]>([
    ['two calls in a message', [user('a'), calling('1', '2'), result('1'), result('2'), answer('b')]],
    ['results in another order', [user('a'), calling('1', '2', '3'), result('3'), result('1'), result('2')]],
    ['two messages of the person', [user('a'), user('b'), answer('c')]],
    ['three of them at its end', [user('a'), answer('b'), user('c'), user('d'), user('e')]],
    ['a message after results', [user('a'), calling('1'), result('1'), user('b'), answer('c')]],
    ['results at its end', [user('a'), calling('1'), result('1')]],
    ['two answers', [user('a'), answer('b'), answer('c')]],
    ['an answer at its beginning', [answer('Welcome.'), user('a'), answer('b')]],
    ['an id in two messages', [user('a'), calling('1'), result('1'), calling('1'), result('1'), answer('b')]],
    ['an id twice in a message', [user('a'), calling('1', '1'), result('1'), result('1'), answer('b')]],
    [
      'a call that takes the result of another',
      [
        user('a'),
        {
          role: 'assistant',
          content: '',
          tool_calls: [call('1'), { ...call('2'), arguments: { x: { $result: '1' } } }],
        },
        result('2'),
        result('1'),
      ],
    ],
    [
      'calls in an answer that broke off',
      [user('a'), { ...calling('1'), finish: 'disconnected' } as never, result('1')],
    ],
  ])('with %s is taken', async (_what, history) => {
    const { before } = await resumed(history);
    // Once taken, it stays as it is.
    expect((await resumed(before)).before).toEqual(before);
  });

  test.each<[string, unknown[], RegExp]>([
    [
      'a call without a result',
      [user('a'), calling('1'), user('b')],
      /messages\[2\] has no place: the call 1 before it/,
    ],
    ['one at its end', [user('a'), calling('1')], /messages\[1\] has no place: its call 1 has no result/],
    [
      'arguments that are none',
      [user('a'), { ...calling(), tool_calls: [{ id: '1', name: 'x' }] }],
      /^messages\[1\]: /,
    ],
    [
      'a result that is none',
      [user('a'), calling('1'), { ...result('1'), result: { success: 1 } }],
      /^messages\[2\]: /,
    ],
  ])('with %s is refused by the place of the message', async (_what, history, words) => {
    const answer = async (): Promise<unknown> => {
      const { harness } = open([{ text: 'never' }], { messages: history as HistoryMessage[] });
      onTestFinished(() => harness.close());
      return await harness.chat('Go on');
    };
    await expect(answer()).rejects.toThrow(words);
  });
});

const PART = fc.oneof(
  fc.constant({ type: 'step-start' }),
  fc.record({ type: fc.constant('text'), text: fc.constantFrom('', 'Words.') }),
  fc.record({
    type: fc.constantFrom('tool-double', 'tool-pay', 'dynamic-tool'),
    toolName: fc.constant('count'),
    toolCallId: fc.constantFrom('1', '2', '3'),
    state: fc.constantFrom('input-available', 'output-available', 'output-error', 'output-denied'),
    input: fc.constantFrom<unknown>({ x: 1 }, undefined, 'text'),
    output: fc.constantFrom<unknown>({ y: 2 }, 'text', undefined),
    errorText: fc.constantFrom(undefined, 'It failed.'),
  }),
);
const UI_MESSAGE = fc.record({
  role: fc.constantFrom('user', 'assistant', 'system'),
  parts: fc.array(PART, { maxLength: 6 }),
});

test('whatever fromUIMessages makes begins a harness', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(UI_MESSAGE, { maxLength: 6 }), async (messages) => {
      const last = { role: 'user', parts: [{ type: 'text', text: 'Go on.' }] };
      await resumed(fromUIMessages([...messages, last]).history as HistoryMessage[]);
    }),
    { numRuns: rounds(40, 400) },
  );
});

test.each<[unknown, RegExp]>([
  [undefined, /^messages must be a list/],
  [{}, /^messages must be a list/],
  [[null], /^messages\[0\] is no message of useChat: it has no role/],
  [[{ role: 'user', content: 'x' }], /^messages\[0\] is no message of useChat: it has no list of parts/],
  [[{ role: 'user', parts: 'x' }], /^messages\[0\] is no message of useChat: it has no list of parts/],
  [[{ role: 'user', parts: [{ type: 'text', text: 'x' }, null] }], /^messages\[0\]\.parts\[1\] has no type/],
  [[{ role: 'user', parts: [{ text: 'x' }] }], /^messages\[0\]\.parts\[0\] has no type/],
])('fromUIMessages refuses %j by its place', (given, words) => {
  expect(() => fromUIMessages(given as never)).toThrow(expect.objectContaining({ name: 'TypeError' }));
  expect(() => fromUIMessages(given as never)).toThrow(words);
});

test.each([
  [
    'output-denied',
    { approval: { id: 'a', approved: false, reason: 'too dear' } },
    'The person denied this call: too dear',
  ],
  ['output-denied', { approval: { id: 'a', approved: false } }, 'The person denied this call.'],
  ['output-denied', {}, 'The person denied this call.'],
  ['approval-responded', { approval: { id: 'a', approved: false, reason: '' } }, 'The person denied this call.'],
  ['approval-responded', { approval: { id: 'a', approved: true } }, 'The call was broken off and has no result.'],
  ['approval-requested', { approval: { id: 'a' } }, 'The call was broken off and has no result.'],
  ['input-available', {}, 'The call was broken off and has no result.'],
  ['output-error', { errorText: 'no money' }, 'no money'],
])('a call of useChat in the state %s with %j reads as it ended', (state, more, words) => {
  const call = { type: 'tool-pay', toolCallId: 'c1', state, input: { x: 1 }, ...more };
  const { history } = fromUIMessages([
    { role: 'assistant', parts: [call] },
    { role: 'user', parts: [{ type: 'text', text: 'And?' }] as never },
  ]);
  const [, result] = history;
  const error_type = words.startsWith('The person') ? 'permission_denied' : 'io_error';
  expect(result).toMatchObject({ content: words, result: { success: false, error_message: words, error_type } });
});
