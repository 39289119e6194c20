/** Answers of the Responses API that are kept for a while. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { testServer } from '../../../tests/support/test-server.ts';
import { framesOf } from '../../../tests/support/wire-cases.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ModelMessage } from '../../core/message.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';

describe('a kept response', () => {
  it('goes on from a response by its id, and says when it is not kept', async () => {
    verifies('B2');
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

/** What a model was asked, as role and text. */
const askedIn = (messages: readonly ModelMessage[] | undefined): unknown[] =>
  (messages ?? []).map((message) => [
    message.role,
    message.role === 'assistant' ? [message.content, message.reasoning] : message.content,
  ]);
const THOUGHT = { text: '<think>Hm.</think>One.' };
const outputOf = async (answered: Response, stream: boolean): Promise<JsonObject[]> => {
  const body = await answered.text();
  const response = stream ? framesOf(body).at(-1)?.data['response'] : (JSON.parse(body) as JsonObject);
  return (response as JsonObject)['output'] as JsonObject[];
};

describe('instructions', () => {
  const LATER: readonly [title: string, later: string | undefined][] = [
    ['others', 'Be long.'],
    ['the same', 'Be brief.'],
    ['none', undefined],
  ];
  it.each(LATER)('are of one request: %s later', async (_title, later) => {
    const { json, provider } = await testServer(async () => ({ text: 'One.' }));
    const own = { type: 'message', role: 'system', content: 'The client speaks.' };
    const first = await json<{ id: string }>('POST', '/v1/responses', {
      model: 'm',
      input: [own, { role: 'user', content: 'Count.' }],
      instructions: 'Be brief.',
    });
    const second = await json<{ id: string }>('POST', '/v1/responses', {
      model: 'm',
      input: 'Go on.',
      previous_response_id: first.id,
      ...(later === undefined ? {} : { instructions: later }),
    });
    await json('POST', '/v1/responses', { model: 'm', input: 'More.', previous_response_id: second.id });
    const conversation = [
      ['system', 'The client speaks.'],
      ['user', 'Count.'],
      ['assistant', ['One.', undefined]],
      ['user', 'Go on.'],
    ];
    expect(askedIn(provider.requests[1]?.messages)).toEqual([
      ...(later === undefined ? [] : [['system', later]]),
      ...conversation,
    ]);
    expect(askedIn(provider.requests[2]?.messages)).toEqual([
      ...conversation,
      ['assistant', ['One.', undefined]],
      ['user', 'More.'],
    ]);
  });
});

/** As the package `@ai-sdk/openai` sends what the model said before. */
describe('a reference to an item', () => {
  it.each([false, true])('stands for what was answered (streamed: %s)', async (stream) => {
    const { call, provider } = await testServer(async () => THOUGHT);
    const ask = (input: unknown) => call('POST', '/v1/responses', { model: 'm', input, stream });
    const items = await outputOf(await ask('Count.'), stream);
    expect(items.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    const before = [{ role: 'user', content: 'Count.' }, ...items.map(({ id }) => ({ type: 'item_reference', id }))];
    // The third names what the second one only named itself.
    for (const text of ['Go on.', 'Go on.']) await ask([...before, { role: 'user', content: text }]);
    for (const request of provider.requests.slice(1))
      expect(askedIn(request.messages)).toEqual([
        ['user', 'Count.'],
        ['assistant', ['One.', 'Hm.']],
        ['user', 'Go on.'],
      ]);
    expect(provider.requests).toHaveLength(3);
  });

  it('stands for what was streamed, also where the model thought only when it was reminded of its call', async () => {
    const text = '<tool_call>{"name": "look", "arguments": {"at": "x"}}</tool_call>';
    const { call } = await testServer([{ text: "I'll now look at x." }, { reasoning: 'Hm.', text }, { text: 'Seen.' }]);
    const tools = [
      { type: 'function', name: 'look', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
    ];
    const ask = (input: unknown) => call('POST', '/v1/responses', { model: 'm', input, stream: true, tools });
    const items = await outputOf(await ask('Look.'), true);
    const made = items.find(({ type }) => type === 'function_call');
    const references = items.map(({ id }) => ({ type: 'item_reference', id }));
    const result = { type: 'function_call_output', call_id: made?.['call_id'], output: 'green' };
    expect((await ask([{ role: 'user', content: 'Look.' }, ...references, result])).status).toBe(200);
  });

  it('stands for a call, and for what was sent, and may come without its type', async () => {
    const text = '<tool_call>{"name": "look", "arguments": {"at": "x"}}</tool_call>';
    const { call, json, provider } = await testServer([{ text }, { text: 'Seen.' }]);
    const first = await json<{ id: string; output: JsonObject[] }>('POST', '/v1/responses', {
      model: 'm',
      input: 'Look.',
      tools: [{ type: 'function', name: 'look', parameters: { type: 'object' } }],
    });
    const sent = await (await call('GET', `/v1/responses/${first.id}/input_items`)).json();
    const [made] = first.output;
    const input = [
      { id: (sent as { data: JsonObject[] }).data[0]?.['id'] },
      { type: 'item_reference', id: made?.['id'] },
      { type: 'function_call_output', call_id: made?.['call_id'], output: 'a tree' },
    ];
    await json('POST', '/v1/responses', { model: 'm', input });
    expect(provider.requests[1]?.messages).toMatchObject([
      { role: 'user', content: 'Look.' },
      { role: 'assistant', tool_calls: [{ name: 'look', arguments: { at: 'x' } }] },
      { role: 'tool', name: 'look', content: 'a tree' },
    ]);
  });

  it.each([
    ['in number', GATEWAY_LIMITS.references + 1, 'Count.'],
    ['by what they stand for', 40, 'x'.repeat(GATEWAY_LIMITS.referredCharacters / 32)],
  ])('is one of at most so many in a request, %s', async (_, count, said) => {
    verifies('B2');
    const { call, provider } = await testServer(async () => ({ text: said }));
    const [item] = await outputOf(await call('POST', '/v1/responses', { model: 'm', input: 'Count.' }), false);
    const refer = (times: number) =>
      call('POST', '/v1/responses', {
        model: 'm',
        input: Array.from({ length: times }, () => ({ type: 'item_reference', id: item?.['id'] })),
      });
    const refused = await refer(count);
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { message: expect.stringMatching(/^input\.\d+: .*references .*previous_response_id/) } },
    ]);
    expect(provider.requests).toHaveLength(1);
    expect((await refer(2)).status).toBe(200);
  });

  it('says what to do where its item is not kept', async () => {
    const { call, provider } = await testServer(async () => THOUGHT);
    const stored = await call('POST', '/v1/responses', { model: 'm', input: 'Count.', store: false });
    const [item] = await outputOf(stored, false);
    for (const id of [item?.['id'], 'msg_none', 7]) {
      const input = [
        { type: 'item_reference', id },
        { role: 'user', content: 'Go on.' },
      ];
      const lost = await call('POST', '/v1/responses', { model: 'm', input });
      expect([lost.status, await lost.json()]).toMatchObject([
        400,
        { error: { code: 'item_not_found', message: expect.stringMatching(/^input\.0: .*Send the item itself/) } },
      ]);
    }
    expect(provider.requests).toHaveLength(1);
  });
});
