/** What a program gives in the shape of another library is refused where it is given, with the shape that is meant. */
import { describe, expect, it } from 'vitest';
import { createHarness, type HistoryMessage } from '../index.ts';
import { scriptedProvider } from '../testing/index.ts';

const harness = (messages: readonly unknown[] = []) =>
  createHarness({ model: 'm', provider: scriptedProvider([{ text: 'x' }]), messages: messages as HistoryMessage[] });

const text = { type: 'text', text: 'Hi' };
const CONTENT: readonly [string, unknown, string][] = [
  ['a picture of the AI SDK', [{ type: 'image', image: 'https://a.test/b.png' }], 'message[0] cannot be shown'],
  ['a picture of OpenAI', [text, { type: 'image_url', image_url: { url: 'data:,' } }], 'message[1] cannot be shown'],
  ['a text without words', [{ type: 'text' }], 'message[0] cannot be shown'],
  ['a message', { role: 'user', content: 'Hi' }, 'message is no content'],
  ['nothing', undefined, 'message is no content'],
];
const HISTORY: readonly [string, unknown, string][] = [
  ['a message of useChat', { role: 'user', parts: [text] }, 'messages[0] is a message of the AI SDK'],
  ['an answer in parts', { role: 'assistant', content: [text] }, 'messages[0].content must be text, of the assistant'],
  ['a result in parts', { role: 'tool', content: [{ type: 'tool-result' }] }, 'messages[0].content must be text'],
  ['a picture of OpenAI', { role: 'user', content: [{ type: 'image_url' }] }, 'messages[0].content[0] cannot be shown'],
  ['a system prompt', { role: 'system', content: 'Be kind' }, 'the option `systemPrompt`'],
  ['no message', null, 'messages[0] is no message'],
];

describe('what is given to a harness', () => {
  it.each(CONTENT)('is refused where it is %s', async (_what, given, words) => {
    const agent = harness();
    expect(() => agent.chat(given as string)).toThrow(words);
    await expect(agent.steer(given as string)).rejects.toThrow(words);
    await agent.close();
  });

  it.each(HISTORY)('is refused as a history where it is %s', async (_what, given, words) => {
    const agent = harness([given]);
    await expect(agent.chat('Hi').result()).rejects.toThrow(words);
    await agent.close();
  });
});
