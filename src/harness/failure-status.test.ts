/** The status of a refusal reaches the program, whatever the refusal means. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { inTurn } from '../../tests/support/long.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { ModelFailure } from '../core/errors.ts';
import { createHarness } from './create-harness.ts';

const STATUSES = [
  ...[400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 413, 414, 415, 418, 421, 422, 424, 426, 429, 431, 451],
  ...[500, 501, 502, 503, 504, 507, 520, 529],
];
const BODIES: Readonly<Record<string, unknown>> = {
  empty: '',
  'a page': '<html><h1>No</h1></html>',
  'of an unknown model': { error: { message: 'The model `m` does not exist', code: 'model_not_found' } },
  'of a prompt that is too long': { error: { message: 'too long', code: 'context_length_exceeded' } },
  'of a model that did not load': { error: { message: 'failed to load model' } },
  'of tools': { error: { message: 'm does not support tools' } },
};
const PROVIDERS = ['openai', 'llama-cpp', 'ollama'];

const startRefusing = async (status: number, body: unknown): Promise<string> => {
  const server = createServer((request, response) => {
    request.resume();
    const lists: Readonly<Record<string, unknown>> = {
      '/v1/models': { data: [{ id: 'm' }] },
      '/api/tags': { models: [{ name: 'm' }] },
      '/api/show': { model_info: {} },
      '/api/ps': { models: [] },
    };
    const list = lists[request.url ?? ''];
    // Waiting that long is not worth it, so that each refusal is told at once.
    response.writeHead(list === undefined ? status : 200, { 'retry-after': '86400' });
    response.end(typeof body === 'string' && list === undefined ? body : JSON.stringify(list ?? body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Usually each provider gives each status with one body, and each body with every sixth status. */
const SHARES = Object.keys(BODIES).length;
const ROWS = PROVIDERS.flatMap((provider, first) =>
  Object.keys(BODIES).map(
    (body, index) => [provider, body, inTurn(STATUSES, (first + index) % SHARES, SHARES)] as const,
  ),
);

test.each(ROWS)('of %s, with a body that is %s', async (provider, body, statuses) => {
  const told = await Promise.all(
    statuses.map(async (status) => {
      const address = await startRefusing(status, BODIES[body]);
      const baseUrl = provider === 'ollama' ? address : `${address}/v1`;
      const harness = createHarness({ model: 'm', provider, baseUrl, tools: [], workspace: scratchFolder() });
      onTestFinished(() => harness.close());
      const error = await harness.chat('Go').then(undefined, (thrown: unknown) => thrown);
      return error instanceof ModelFailure ? error.status : String(error);
    }),
  );
  expect(told).toEqual(statuses);
});
