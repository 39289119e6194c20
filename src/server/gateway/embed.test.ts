import { expect, it } from 'vitest';
import { testServer } from '../../../tests/support/test-server.ts';
import type { JsonObject } from '../../core/json.ts';
import type { EmbedRequest } from '../../core/model-port.ts';
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
