/**
 * A model server that dies in the middle of an answer is an error in the clients of others, as they come from npm: what
 * they got is never taken for a whole answer (B2).
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { streamText } from 'ai';
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelError } from '../../src/core/model-port.ts';
import { listen } from '../../src/server/index.ts';
import { verifies } from '../requirements.ts';
import { TOKEN, testServer } from '../support/test-server.ts';

const SAID = 'It is sunny, and then';
const ERRORS: readonly ModelError[] = [
  { code: 'disconnected', message: 'The server went away.' },
  { code: 'server_error', status: 500, message: 'The server ran out of memory.' },
  { code: 'protocol', message: 'The server wrote what nobody can read.' },
  { code: 'context_overflow', status: 400, message: 'The server has no more room.' },
];

/** Words, and then the failure. */
const dyingServer = async (error: ModelError): Promise<string> => {
  const server = await testServer([{ text: [`${SAID} `.repeat(20)], error }]);
  const listening = await listen(server.app, { host: '127.0.0.1', port: 0 });
  if (!listening.ok) throw new Error(listening.error.message);
  onTestFinished(() => listening.value.close());
  return `http://127.0.0.1:${listening.value.port}/v1`;
};

/** What it tells its program; it has to reject. */
const CLIENTS: Readonly<Record<string, (baseURL: string) => Promise<unknown>>> = {
  'openai, responses': async (baseURL) => {
    const client = new OpenAI({ baseURL, apiKey: TOKEN, maxRetries: 0 });
    for await (const _ of await client.responses.create({ model: 'm', input: 'x', stream: true }));
  },
  'openai, responses, the last response': (baseURL) =>
    new OpenAI({ baseURL, apiKey: TOKEN, maxRetries: 0 }).responses.stream({ model: 'm', input: 'x' }).finalResponse(),
  'openai, chat': async (baseURL) => {
    const client = new OpenAI({ baseURL, apiKey: TOKEN, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'x' }];
    for await (const _ of await client.chat.completions.create({ model: 'm', messages, stream: true }));
  },
  'LangChain, responses': async (baseURL) => {
    for await (const _ of await langChain(baseURL, true).stream('x'));
  },
  'LangChain, chat': async (baseURL) => {
    for await (const _ of await langChain(baseURL, false).stream('x'));
  },
  'the AI SDK, chat': async (baseURL) => {
    const model = createOpenAICompatible({ name: 'halter', baseURL, apiKey: TOKEN })('m');
    const { fullStream } = streamText({ model, prompt: 'x', maxRetries: 0, onError: () => {} });
    for await (const part of fullStream) if (part.type === 'error') throw part.error;
  },
};
const langChain = (baseURL: string, useResponsesApi: boolean): ChatOpenAI =>
  new ChatOpenAI({ model: 'm', apiKey: TOKEN, configuration: { baseURL }, useResponsesApi, maxRetries: 0 });

describe.each(Object.entries(CLIENTS))('%s', (_name, use) => {
  it.each(ERRORS.map((error) => [error.code, error] as const))('throws in its words: %s', async (_code, error) => {
    verifies('B2');
    await expect(use(await dyingServer(error))).rejects.toThrow(error.message);
  });
});
