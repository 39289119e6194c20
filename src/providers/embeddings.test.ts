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
