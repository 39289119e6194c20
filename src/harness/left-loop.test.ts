/** Whoever stops listening to a chat stops it: the model's server is not kept busy for nobody. */
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { toUIMessageResponse, toUIMessageStream } from '../dialects/ai-sdk.ts';
import { type ScriptedProviderSource, scriptedProvider } from '../testing/index.ts';
import type { Chat } from './chat.ts';
import { createHarness } from './create-harness.ts';

const answer: ScriptedProviderSource = ({ messages }) =>
  messages.at(-1)?.content === 'Count' ? { text: 'One two', endGate: new Promise(() => {}) } : { text: 'Free.' };

/** Has a model that says two words and then nothing more until its request is aborted. */
const hanging = () => {
  const harness = createHarness({
    model: 'm',
    provider: scriptedProvider([answer, answer]),
    workspace: scratchFolder(),
  });
  onTestFinished(() => harness.close());
  return harness;
};

const FACES: Record<string, (chat: Chat) => Promise<void>> = {
  'break out of the loop': async (chat) => {
    for await (const { type } of chat) if (type === 'text_delta') break;
  },
  'an error in the loop': async (chat) => {
    const loop = async (): Promise<void> => {
      for await (const { type } of chat) if (type === 'text_delta') throw new Error('mine');
    };
    await expect(loop()).rejects.toThrow('mine');
  },
  'a cancelled stream of toUIMessageStream': async (chat) => {
    const reader = toUIMessageStream(chat).getReader();
    for (let part = await reader.read(); part.value?.type !== 'text-delta'; ) part = await reader.read();
    // The stream already waits for the next word.
    void reader.read().catch(() => {});
    await reader.cancel();
  },
  'a cancelled body of toUIMessageResponse': async (chat) => {
    const reader = (toUIMessageResponse(chat).body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    for (let text = ''; !text.includes('text-delta'); ) text += decoder.decode((await reader.read()).value);
    void reader.read().catch(() => {});
    await reader.cancel();
  },
  'a body that nobody reads and that is cancelled': async (chat) => {
    await toUIMessageResponse(chat).body?.cancel();
  },
};

test.each(Object.entries(FACES))('%s ends the run and frees the model', { timeout: 20_000 }, async (_name, leave) => {
  const harness = hanging();
  const chat = harness.chat('Count');
  await leave(chat as Chat);
  await expect(chat.result()).rejects.toMatchObject({ name: 'AbortError' });
  expect((await harness.chat('Still there?')).answer).toBe('Free.');
});

test('a loop that reads to its end cancels nothing', async () => {
  const harness = createHarness({
    model: 'm',
    provider: scriptedProvider([{ text: 'All.' }]),
    workspace: scratchFolder(),
  });
  onTestFinished(() => harness.close());
  const chat = harness.chat('Go');
  for await (const { type } of chat) if (type === 'turn_end') break;
  expect((await chat).answer).toBe('All.');
});
