/** The names that requests may give are the names that clients are told, whichever API they ask by. */
import { describe, expect, it } from 'vitest';
import { testServer } from '../../../tests/support/test-server.ts';
import { WIRES } from '../../../tests/support/wire-cases.ts';
import type { JsonObject } from '../../core/json.ts';

const ANTHROPIC = { 'anthropic-version': '2023-06-01' };
const NAMES = ['default', 'halter', 'fast', 'scripted/m', 'scripted/small'];

const open = () =>
  testServer(async () => ({ text: 'x' }), {
    models: [{ id: 'm', context_length: 4_096 }, { id: 'small' }],
    roles: { fast: 'small' },
  });

describe('the list of models', () => {
  it.each<[api: string, path: string, headers: Record<string, string>, field: string, name: string]>([
    ["OpenAI's", '/v1/models', {}, 'data', 'id'],
    ["Anthropic's", '/v1/models', ANTHROPIC, 'data', 'id'],
    ["Ollama's", '/api/tags', {}, 'models', 'model'],
  ])('has every name that a request may give, in %s words', async (_api, path, headers, field, name) => {
    const { call } = await open();
    const listed = ((await (await call('GET', path, undefined, headers)).json()) as JsonObject)[field] as JsonObject[];
    expect(new Set(listed.map((entry) => entry[name]))).toEqual(new Set(NAMES));
    // Whoever takes the first takes the one that halter was started with.
    expect(listed[0]?.[name]).toBe('scripted/m');
  });

  it.each(NAMES)('tells of %s alone, and answers as it on every wire', async (name) => {
    const { call } = await open();
    const one = async (headers = {}) => (await call('GET', `/v1/models/${name}`, undefined, headers)).json();
    expect(await one()).toMatchObject({ id: name, object: 'model', owned_by: 'scripted' });
    expect(await one(ANTHROPIC)).toMatchObject({ id: name, type: 'model', display_name: name });
    expect((await call('POST', '/api/show', { model: name })).status).toBe(200);
    for (const wire of WIRES)
      expect((await call('POST', wire.path, { ...wire.body({}), model: name })).status).toBe(200);
  });

  it("has its page's ends in Anthropic's words, and its errors too", async () => {
    const { call } = await open();
    const listed = await (await call('GET', '/v1/models', undefined, ANTHROPIC)).json();
    expect(listed).toMatchObject({ has_more: false, first_id: 'scripted/m', last_id: 'fast' });
    for (const path of ['/v1/models/none', '/v1/files']) {
      const missing = await call('GET', path, undefined, ANTHROPIC);
      expect([missing.status, await missing.json()]).toMatchObject([
        404,
        { type: 'error', error: { type: 'not_found_error' } },
      ]);
    }
  });

  it('has the names for the one that halter was started with where its server is away', async () => {
    const { call } = await testServer(
      { text: 'x' },
      { modelProvider: undefined, provider: 'openai', baseUrl: 'http://127.0.0.1:1/v1' },
    );
    const { data } = (await (await call('GET', '/v1/models')).json()) as { data: JsonObject[] };
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['default', 'halter']));
  });
});
