/** What a program gives in the shape of another library is refused where it is given, with the shape that is meant. */
import { describe, expect, it } from 'vitest';
import { createHarness, defineTool, type HarnessOptions, type HistoryMessage } from '../index.ts';
import { scriptedProvider } from '../testing/index.ts';

const harness = (messages: readonly unknown[] = []) =>
  createHarness({ model: 'm', provider: scriptedProvider([{ text: 'x' }]), messages: messages as HistoryMessage[] });

const text = { type: 'text', text: 'Hi' };
const picture = (more: object) => ({ type: 'image', mime_type: 'image/png', data_base64: 'AAAA', ...more });
const CONTENT: readonly [string, unknown, string][] = [
  ['a picture of the AI SDK', [{ type: 'image', image: 'https://a.test/b.png' }], 'message[0] must be { type:'],
  ['a picture of OpenAI', [text, { type: 'image_url', image_url: { url: 'data:,' } }], 'message[1] must be { type:'],
  ['a text without words', [{ type: 'text' }], 'message[0] must be { type:'],
  [
    'texts that say nothing',
    [
      { type: 'text', text: '' },
      { type: 'text', text: ' ' },
    ],
    'The message is empty',
  ],
  ['no base64', [picture({ data_base64: '???' })], 'message[0].data_base64 must be base64'],
  ['an empty picture', [picture({ data_base64: '' })], 'message[0].data_base64 must be base64'],
  ['a data URL', [picture({ data_base64: 'data:image/png;base64,AAAA' })], 'without "data:" before it'],
  ['a picture of no kind', [text, picture({ mime_type: '' })], 'message[1].mime_type must be a kind such as image/png'],
  ['a page as a picture', [picture({ mime_type: 'text/html' })], 'image/png, not "text/html"'],
  ['a message', { role: 'user', content: 'Hi' }, 'message must be text, or a list'],
  ['nothing', undefined, 'message must be text, or a list'],
];
const calling = (args: object, more: object = {}) => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'c', name: 'x', arguments: args, ...more }],
});
const cyclic: Record<string, unknown> = {};
cyclic['a'] = cyclic;
const deep = Array.from({ length: 20_000 }).reduce<object>((inner) => ({ inner }), {});
const HISTORY: readonly [string, unknown, string][] = [
  ['a message of useChat', { role: 'user', parts: [text] }, 'messages[0] is a message of the AI SDK'],
  [
    'an answer in parts',
    { role: 'assistant', content: [{ type: 'thing' }] },
    'messages[0].content of the assistant must be text, not a list',
  ],
  [
    'a result in parts',
    { role: 'tool', content: [{ type: 'result' }] },
    'messages[0].content of the tool must be text',
  ],
  ['a picture of OpenAI', { role: 'user', content: [{ type: 'image_url' }] }, 'messages[0].content[0] must be { type:'],
  ['a system prompt', { role: 'system', content: 'Be kind' }, 'the option `systemPrompt`'],
  [
    'a call of OpenAI whose arguments are no JSON',
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'x', arguments: '{' } }],
    },
    'messages[0]: tool_calls[0] is no call: { id, name, arguments }',
  ],
  [
    'a call with its arguments as text',
    { role: 'assistant', content: '', tool_calls: [{ id: 'c', name: 'x', arguments: '{}' }] },
    'arguments is an object',
  ],
  [
    'no base64',
    { role: 'user', content: [picture({ data_base64: '???' })] },
    'messages[0].content[0].data_base64 must be',
  ],
  ['no role', { content: 'x' }, 'messages[0].role must be one of: user, assistant, tool, not undefined'],
  [
    'an unknown role',
    { role: 'robot', content: 'x' },
    'messages[0].role must be one of: user, assistant, tool, not "robot"',
  ],
  ['an older role of OpenAI', { role: 'function', name: 'x', content: 'y' }, 'messages[0].role must be one of'],
  ['a number as a role', { role: 5, content: 'x' }, 'messages[0].role must be one of'],
  ['instructions of a developer', { role: 'developer', content: 'x' }, 'the option `systemPrompt`'],
  ['a result of no call', { role: 'tool', tool_call_id: 'c', content: 'x' }, 'no open call has the id c'],
  ['a call without a result', calling({}), 'its call c has no result'],
  ['a call without a name', calling({}, { name: '' }), 'tool_calls[0] is no call'],
  ['a call without an id', calling({}, { id: '' }), 'tool_calls[0] is no call'],
  [
    'a function as an argument',
    calling({ a: () => 1 }),
    'messages[0].tool_calls[0].arguments.a must be a JSON value, not a function',
  ],
  ['a bigint as an argument', calling({ a: 5n }), 'arguments.a must be a JSON value, not 5n'],
  ['no number as an argument', calling({ a: [Number.NaN] }), 'arguments.a[0] must be a JSON value, not NaN'],
  ['a Map as an argument', calling({ a: new Map() }), 'arguments.a must be a JSON value, not a Map'],
  ['a Date as an argument', calling({ a: new Date(0) }), 'arguments.a must be a JSON value, not a Date'],
  ['an argument that holds itself', calling(cyclic), 'must be a value that does not hold itself'],
  ['a very deep argument', calling(deep), 'must be a value of at most 64 levels'],
  ['no message', null, 'messages[0] must be an object, not null'],
];

describe('what is given to a harness', () => {
  it.each(CONTENT)('is refused where it is %s', async (_what, given, words) => {
    const agent = harness();
    expect(() => agent.chat(given as string)).toThrow(words);
    await expect(agent.steer(given as string)).rejects.toThrow(words);
    await agent.close();
  });

  it.each(HISTORY)('is refused as a history, at once, where it is %s', (_what, given, words) => {
    expect(() => harness([given])).toThrow(words);
    const before = [{ role: 'user', content: 'Hi' }];
    expect(() => harness([...before, given])).toThrow(words.replace('messages[0]', 'messages[1]'));
  });

  it('is refused as a history where it has holes', () => {
    // biome-ignore lint/suspicious/noSparseArray: a program may hand on such a list
    expect(() => harness([, { role: 'user', content: 'Hi' }])).toThrow('messages[0] must be an object, not undefined');
  });
});

const ELSEWHERE: readonly [string, () => unknown, string][] = [
  ['maxSteps', () => createHarness({ model: 'm', maxSteps: 3 } as HarnessOptions), 'limits: { iterations }'],
  ['temperature', () => createHarness({ model: 'm', temperature: 0 } as HarnessOptions), 'sampling: { temperature }'],
  ['system', () => createHarness({ model: 'm', system: 'x' } as HarnessOptions), 'systemPrompt'],
  ['no model', () => createHarness({} as HarnessOptions), 'A harness needs a model'],
  [
    'abortSignal',
    () => harness().chat('x', { abortSignal: AbortSignal.abort() } as object),
    'Here it is signal of chat()',
  ],
  ['tools for a chat', () => harness().chat('x', { tools: [] } as object), 'chat() has no "tools"'],
  ['a number of steps', () => harness().chat('x', { stopWhen: 3 } as object), 'stopWhen of chat() must be a function'],
  ['execute', () => defineTool({ name: 'x', description: 'x', execute: () => 'x' } as never), 'run execute'],
];

describe('an option that another library has', () => {
  it.each(ELSEWHERE)('is refused with what it is here: %s', (_what, made, words) => {
    expect(made).toThrow(words);
  });

  it('is refused in what prepareStep returns', async () => {
    const agent = harness();
    const chat = agent.chat('Hi', { prepareStep: () => ({ toolChoice: 'none' }) as object });
    await expect(chat.result()).rejects.toThrow(/prepareStep returned has no "toolChoice"/);
    await agent.close();
  });
});
