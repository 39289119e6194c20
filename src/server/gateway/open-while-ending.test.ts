/** A request that waits for a model that is loaded ends with the server, on every route. */
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { LOADING } from '../../core/model-port.ts';
import { GATEWAY_ROUTES } from '../routes/gateway.ts';
import { OLLAMA_ROUTES } from '../routes/ollama.ts';

const messages = [{ role: 'user', content: 'Hi' }];
it.each([
  ['/v1/embeddings', { model: 'm', input: 'a' }],
  ['/v1/messages/count_tokens', { model: 'm', max_tokens: 1, messages }],
  ['/api/show', { model: 'm' }],
  ['/api/embed', { model: 'm', input: 'a' }],
])('%s', async (path, body) => {
  verifies('B4');
  const failed = { ok: false, error: { code: 'server_error', reason: LOADING, message: 'Loading model' } };
  const ending = new AbortController();
  const open = async () => {
    ending.abort();
    return failed;
  };
  const server = { halter: { models: { open } }, now: Date.now, signal: ending.signal };
  const route = [...GATEWAY_ROUTES, ...OLLAMA_ROUTES].find((one) => one.path === path && one.method === 'POST');
  const given = { body, server, signal: new AbortController().signal, query: new URLSearchParams() };
  await expect(route?.handle(given as never)).rejects.toMatchObject({ status: 503 });
});
