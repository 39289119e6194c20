/** Answers of the Responses API that are kept for a while. */
import { describe, expect, it } from 'vitest';
import { testServer } from '../../../tests/support/test-server.ts';
import { framesOf } from '../../../tests/support/wire-cases.ts';
import type { JsonObject } from '../../core/json.ts';

describe('a kept response', () => {
  it('goes on from a response by its id, and says when it is not kept', async () => {
    const { json, call, provider } = await testServer([{ text: 'One.' }, { text: 'Two.' }]);
    const first = await json<{ id: string }>('POST', '/v1/responses', {
      model: 'm',
      input: 'Count.',
      instructions: 'Be brief.',
    });
    await json('POST', '/v1/responses', {
      model: 'm',
      input: 'Go on.',
      previous_response_id: first.id,
      instructions: 'Be brief.',
    });
    expect(provider.requests[1]?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'Be brief.'],
      ['user', 'Count.'],
      ['assistant', 'One.'],
      ['user', 'Go on.'],
    ]);
    const lost = await call('POST', '/v1/responses', { model: 'm', input: 'x', previous_response_id: 'resp_none' });
    expect([lost.status, await lost.json()]).toMatchObject([400, { error: { code: 'previous_response_not_found' } }]);
  });

  it.each([false, true])('gives a kept response and its input again, and forgets it (streamed: %s)', async (stream) => {
    const { call } = await testServer(async () => ({ text: '<think>Hm.</think>One.' }));
    const answered = await call('POST', '/v1/responses', { model: 'm', input: 'Count.', metadata: { a: 'b' }, stream });
    const body = await answered.text();
    const given = stream ? (framesOf(body).at(-1)?.data['response'] as JsonObject) : (JSON.parse(body) as JsonObject);
    const path = `/v1/responses/${String(given['id'])}`;
    const get = async (at: string) => (await (await call('GET', at)).json()) as JsonObject;
    expect(await get(path)).toEqual(given);
    expect(await get(`${path}/input_items`)).toMatchObject({
      object: 'list',
      data: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Count.' }] }],
      has_more: false,
    });
    expect(await (await call('DELETE', path)).json()).toMatchObject({ deleted: true });
    for (const [method, at] of [
      ['GET', path],
      ['GET', `${path}/input_items`],
      ['DELETE', path],
    ] as const) {
      const gone = await call(method, at);
      expect([gone.status, await gone.json()]).toMatchObject([404, { error: { code: 'response_not_found' } }]);
    }
    const { id } = (await (
      await call('POST', '/v1/responses', { model: 'm', input: 'x', store: false })
    ).json()) as JsonObject;
    expect((await call('GET', `/v1/responses/${String(id)}`)).status).toBe(404);
  });
});
