/** What a program gives in the shape of another library is refused where it is given, with the shape that is meant. */
import { describe, expect, it } from 'vitest';
import { createHarness, defineTool, type HarnessOptions, type HistoryMessage } from '../index.ts';
import { scriptedProvider } from '../testing/index.ts';

const harness = (messages: readonly unknown[] = []) =>
  createHarness({ model: 'm', provider: scriptedProvider([{ text: 'x' }]), messages: messages as HistoryMessage[] });

const text = { type: 'text', text: 'Hi' };
const CONTENT: readonly [string, unknown, string][] = [
  ['a picture of the AI SDK', [{ type: 'image', image: 'https://a.test/b.png' }], 'message[0] must be { type:'],
  ['a picture of OpenAI', [text, { type: 'image_url', image_url: { url: 'data:,' } }], 'message[1] must be { type:'],
  ['a text without words', [{ type: 'text' }], 'message[0] must be { type:'],
  ['a message', { role: 'user', content: 'Hi' }, 'message must be text, or a list'],
  ['nothing', undefined, 'message must be text, or a list'],
];
const HISTORY: readonly [string, unknown, string][] = [
  ['a message of useChat', { role: 'user', parts: [text] }, 'messages[0] is a message of the AI SDK'],
  [
    'an answer in parts',
    { role: 'assistant', content: [{ type: 'file' }] },
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
  ['no message', null, 'messages[0] must be an object, not null'],
];

describe('what is given to a harness', () => {
  it.each(CONTENT)('is refused where it is %s', async (_what, given, words) => {
    const agent = harness();
    expect(() => agent.chat(given as string)).toThrow(words);
    await expect(agent.steer(given as string)).rejects.toThrow(words);
    await agent.close();
  });

  it.each(HISTORY)('is refused as a history where it is %s', async (_what, given, words) => {
    // What has no place in a history is known when the whole of it is.
    const answer = async (): Promise<unknown> => harness([given]).chat('Hi').result();
    await expect(answer()).rejects.toThrow(words);
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
