import { expect, it } from 'vitest';
import { testServer } from '../../../tests/support/test-server.ts';
import type { JsonObject } from '../../core/json.ts';
import type { EmbedRequest } from '../../core/model-port.ts';
import { embeddingsUnsupported } from '../../providers/embeddings.ts';
import { scriptedProvider } from '../../testing/index.ts';

const embedding = async () => {
  const asked: EmbedRequest[] = [];
  const provider = {
    ...scriptedProvider([], { models: [{ id: 'm' }] }),
    embed: async (request: EmbedRequest) => {
      asked.push(request);
      return { ok: true as const, vectors: request.texts.map(({ length }) => [length, 0.5]), prompt_tokens: 7 };
    },
  };
  return { asked, ...(await testServer({ text: 'x' }, { modelProvider: provider })) };
};

it.each<[path: string, body: JsonObject, told: JsonObject]>([
  [
    '/v1/embeddings',
    { input: ['one', 'three'] },
    { data: [{ embedding: [3, 0.5] }, { embedding: [5, 0.5] }], usage: { prompt_tokens: 7 } },
  ],
  [
    '/api/embed',
    { input: ['one', 'three'] },
    {
      embeddings: [
        [3, 0.5],
        [5, 0.5],
      ],
      prompt_eval_count: 7,
    },
  ],
  ['/api/embed', { input: 'one' }, { embeddings: [[3, 0.5]] }],
  ['/api/embeddings', { prompt: 'one', options: { num_ctx: 9 }, keep_alive: '5m' }, { embedding: [3, 0.5] }],
])('%s makes vectors of texts', async (path, body, told) => {
  const { json } = await embedding();
  expect(await json('POST', path, { model: 'm', ...body })).toMatchObject(told);
});

it.each<JsonObject>([{}, { prompt: '' }, { prompt: null }])(
  '/api/embeddings answers %j with no vector and without the model, as Ollama does when it loads one',
  async (body) => {
    const { json, asked } = await embedding();
    expect(await json('POST', '/api/embeddings', { model: 'm', ...body })).toEqual({ embedding: [] });
    expect(asked).toEqual([]);
  },
);

it.each<[path: string, body: JsonObject]>([
  ['/v1/embeddings', { input: 'x' }],
  ['/api/embed', { input: 'x' }],
  ['/api/embeddings', { prompt: 'x' }],
])('%s is 501 where the server has no such route, and says what to do', async (path, body) => {
  const error = embeddingsUnsupported('The model server', 'http://localhost answered 404.');
  const provider = {
    ...scriptedProvider([], { models: [{ id: 'm' }] }),
    embed: async () => ({ ok: false as const, error }),
  };
  const { call } = await testServer({ text: 'x' }, { modelProvider: provider });
  const response = await call('POST', path, { model: 'm', ...body });
  expect(response.status).toBe(501);
  expect(await response.text()).toMatch(/makes no embeddings.*--embeddings/);
});

it.each<[input: unknown, told: RegExp]>([
  ['', /input.*at least 1 character/],
  [[], /input.*at least 1 item/],
  [[1, 2], /input.*0.*must be string, not integer/],
  [[[1, 2]], /input.*0.*must be string, not array/],
  [7, /input/],
])('/v1/embeddings says what is wrong with the input %j', async (input, told) => {
  const { call, asked } = await embedding();
  const response = await call('POST', '/v1/embeddings', { model: 'm', input });
  expect([response.status, await response.text(), asked]).toEqual([400, expect.stringMatching(told), []]);
});

it.each(['/v1/embeddings', '/api/embed'])('%s makes no vectors of another length than was asked for', async (path) => {
  const { call, asked } = await embedding();
  const response = await call('POST', path, { model: 'm', input: 'x', dimensions: 3 });
  expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(/dimensions.*of 2 numbers/)]);
  expect(asked).toMatchObject([{ dimensions: 3 }]);
  expect((await call('POST', path, { model: 'm', input: 'x', dimensions: 2 })).status).toBe(200);
});
