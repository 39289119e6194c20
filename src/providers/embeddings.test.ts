import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scriptedNetwork } from '../testing/scripted-server/network.ts';
import { createOllamaProvider, createOpenAIProvider } from './index.ts';

const clock = { now: () => 0, monotonic: () => 0 };
const never = new AbortController().signal;
const asked = { model: 'm', texts: ['a', 'b'] };

it('reads one vector for each text, in their order, from either kind of server', async () => {
  verifies('B2');
  const network = scriptedNetwork(({ url }) => {
    const answer = url.endsWith('/api/embed')
      ? { embeddings: [[1], [2]], prompt_eval_count: 4 }
      : {
          data: [
            { index: 1, embedding: [2] },
            { index: 0, embedding: [1] },
          ],
          usage: { prompt_tokens: 4 },
        };
    return { chunks: [JSON.stringify(answer)] };
  });
  const wanted = { ok: true, vectors: [[1], [2]], prompt_tokens: 4 };
  expect(await createOllamaProvider({ network, clock }).embed?.(asked, never)).toEqual(wanted);
  expect(await createOpenAIProvider({ network, clock }).embed?.(asked, never)).toEqual(wanted);
  expect(network.requests.map(({ body }) => JSON.parse(String(body)))).toMatchObject([
    { model: 'm', input: ['a', 'b'] },
    { model: 'm', input: ['a', 'b'] },
  ]);
});

it.each([
  [{ data: [] }],
  [{ data: [{ embedding: [1] }] }],
  [{ data: [{ embedding: [] }, { embedding: ['x'] }] }],
  [{}],
])('takes %j for no answer', async (answer) => {
  const network = scriptedNetwork(() => ({ chunks: [JSON.stringify(answer)] }));
  const outcome = await createOpenAIProvider({ network, clock }).embed?.(asked, never);
  expect(outcome).toMatchObject({ ok: false, error: { code: 'protocol' } });
});

it.each<[status: number, body: string]>([
  [404, '{}'],
  [404, 'Not Found'],
  [405, '{"detail":"Method Not Allowed"}'],
  [
    501,
    '{"error":{"code":501,"message":"This server does not support embeddings. Start it with `--embeddings`","type":"not_supported_error"}}',
  ],
  [400, '{"error":"this model does not support embeddings"}'],
  [500, '{"error":"this model does not support embeddings"}'],
])('knows a server that makes none: %i %s', async (status, body) => {
  const network = scriptedNetwork(() => ({ status, chunks: [body] }));
  for (const provider of [createOllamaProvider({ network, clock }), createOpenAIProvider({ network, clock })]) {
    const error = { code: 'bad_request', reason: 'embeddings_unsupported', status: 501 };
    expect(await provider.embed?.(asked, never)).toMatchObject({ ok: false, error });
  }
});

it.each<[status: number, body: string, code: string]>([
  [404, '{"error":"model \\"m\\" not found, try pulling it first"}', 'model_not_found'],
  [400, '{"error":{"message":"encoding_format is unknown"}}', 'bad_request'],
  [503, '{"error":{"message":"Loading model"}}', 'server_error'],
])('leaves other failures as they are: %i %s', async (status, body, code) => {
  const network = scriptedNetwork(() => ({ status, chunks: [body] }));
  const outcome = await createOpenAIProvider({ network, clock }).embed?.(asked, never);
  expect(outcome).toMatchObject({ ok: false, error: { code } });
  expect(outcome).not.toMatchObject({ error: { reason: 'embeddings_unsupported' } });
});
