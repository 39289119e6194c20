/** What a server has counted of an answer that did not come to its end is in the usage of the chat. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ModelOutcome } from '../core/model-port.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness, type Harness } from './create-harness.ts';

const COUNTED = { prompt_tokens: 7, completion_tokens: 3 };
const text = { choices: [{ index: 0, delta: { content: 'So far. ' } }] };
/** How servers count while they answer. */
const CHUNKS: Readonly<Record<string, object>> = {
  'usage with each event': { ...text, usage: COUNTED },
  'timings with each event': { ...text, timings: { cache_n: 2, prompt_n: 5, predicted_n: 3 } },
  'nothing until the end': text,
};
const ENDS = ['the person aborts', 'the connection breaks'] as const;

type Ended = { partial: { answer: string; usage: object; finishReason: string } };
/** Chats until the first words came, ends it so, and gives its error. */
const ended = async (harness: Harness, end: () => void, signal: AbortSignal): Promise<Ended> => {
  const chat = harness.chat('Go.', { signal });
  try {
    for await (const { type } of chat) if (type === 'text_delta') end();
  } catch (error) {
    return error as Ended;
  }
  return expect.unreachable('The chat came to its end.');
};

describe('a chat that ends before its answer does', () => {
  for (const [name, chunk] of Object.entries(CHUNKS)) {
    it.each(ENDS)(`has what was counted: ${name}, %s`, async (end) => {
      let cut = (): void => {};
      const server = createServer((request, response) => {
        request.resume();
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: ${JSON.stringify(chunk)}\n\n`);
        cut = () => response.destroy();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      const harness = createHarness({ model: 'm', provider: 'openai', baseUrl });
      const abort = new AbortController();
      try {
        const { partial } = await ended(harness, end === ENDS[0] ? () => abort.abort() : () => cut(), abort.signal);
        expect(partial.answer.trim()).toBe('So far.');
        const isCounted = name !== 'nothing until the end';
        expect(partial.usage).toMatchObject(isCounted ? COUNTED : { prompt_tokens: 0, completion_tokens: 0 });
      } finally {
        await harness.close();
        server.closeAllConnections();
        server.close();
      }
    });
  }

  it.each([
    ['as its provider counts it', { ...COUNTED, seconds: 1 }, COUNTED],
    ['and no figure that is none', { ...COUNTED, seconds: 'long' }, { prompt_tokens: 0 }],
  ])('has it %s', async (_name, usage, told) => {
    const harness = createHarness({
      model: 'm',
      provider: {
        ...scriptedProvider([]),
        stream: async (_request, emit): Promise<ModelOutcome> => {
          emit({ type: 'text_delta', delta: 'So far.' });
          const error = { code: 'disconnected', message: 'It broke off.' } as const;
          return { ok: false, error, partial: true, usage } as ModelOutcome;
        },
      },
    });
    await expect(harness.chat('Go.').result()).rejects.toMatchObject({ partial: { answer: 'So far.', usage: told } });
    await harness.close();
  });
});
