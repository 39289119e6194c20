import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { type ScriptedResponse, scriptedNetwork } from '../../testing/scripted-server/network.ts';
import { createOpenAIProvider } from './openai.ts';

const clock = { now: () => 0, monotonic: () => 0 };
const NOT_FOUND: ScriptedResponse = { status: 404, chunks: ['{"error":"no such route"}'] };
const REQUEST = { model: 'm', messages: [{ role: 'user' as const, content: 'hello' }], tools: [] };
const never = new AbortController().signal;

const open = (baseUrl: string, answer: (path: string) => ScriptedResponse) => {
  const network = scriptedNetwork((request) => answer(new URL(request.url).pathname));
  const paths = (): string[] => network.requests.map(({ url }) => new URL(url).pathname);
  const bodies = (): unknown[] => network.requests.map(({ body }) => JSON.parse(String(body)));
  return { provider: createOpenAIProvider({ network, clock, baseUrl }), paths, bodies };
};

it('asks vLLM in its own way, and from then on in that way alone', async () => {
  verifies('B7');
  const { provider, paths } = open('http://h:1/v1', (path) =>
    path === '/tokenize' ? { chunks: ['{"count":12,"max_model_len":4096,"tokens":[]}'] } : NOT_FOUND,
  );
  expect(await provider.countTokens?.(REQUEST, never)).toBe(12);
  expect(await provider.countTokens?.(REQUEST, never)).toBe(12);
  expect(paths()).toEqual(['/apply-template', '/tokenize', '/tokenize']);
});

it('does not ask a server again that has neither way, and a hosted one not at all', async () => {
  const plain = open('http://h:1/v1', () => NOT_FOUND);
  expect(await plain.provider.countTokens?.(REQUEST, never)).toBeUndefined();
  expect(await plain.provider.countTokens?.(REQUEST, never)).toBeUndefined();
  expect(plain.paths()).toEqual(['/apply-template', '/tokenize']);
  const hosted = open('https://h/v1', () => NOT_FOUND);
  expect(await hosted.provider.countTokens?.(REQUEST, never)).toBeUndefined();
  expect(hosted.paths()).toEqual([]);
});

it('names the model to llama.cpp, which may serve several', async () => {
  verifies('B7');
  const { provider, bodies } = open('http://h:1/v1', (path) =>
    path === '/apply-template' ? { chunks: ['{"prompt":"p"}'] } : { chunks: ['{"tokens":[1,2,3]}'] },
  );
  expect(await provider.countTokens?.(REQUEST, never)).toBe(3);
  expect(bodies()).toMatchObject([{ model: 'm' }, { model: 'm', content: 'p' }]);
});
