/** A title that a client asks for does not throw out what the conversation has read. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { OWN_REQUESTS, SIDE_REQUESTS } from '../../../tests/support/side-requests.ts';
import { testServer } from '../../../tests/support/test-server.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model-port.ts';
import { type After, createSideTurns } from './side-turns.ts';
import type { GatewayRecord } from './state.ts';

const TOOL = { type: 'function', function: { name: 'list', parameters: { type: 'object' } } };
const CONVERSATION: JsonObject = {
  model: 'm',
  messages: [{ role: 'user', content: 'List the files.' }],
  tools: [TOOL],
};

const isConversation = ({ messages }: ModelRequest): boolean => JSON.stringify(messages).includes('List the files.');

describe('a request beside the conversation', () => {
  it.each(SIDE_REQUESTS)('of $client waits until the turn is over', async ({ path, body }) => {
    verifies('B2');
    const order: string[] = [];
    const first = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const server = await testServer((request) => {
      order.push(isConversation(request) ? 'conversation' : 'side');
      begun.resolve();
      if (!isConversation(request)) return { text: '{"title": "Files"}' };
      const isFirst = order.length === 1;
      return isFirst ? { calls: [{ name: 'list', arguments: {} }], endGate: first.promise } : { text: 'Two files.' };
    });
    const called = server.call('POST', '/v1/chat/completions', CONVERSATION);
    await begun.promise;
    const side = server.call('POST', path, body);
    first.resolve();
    expect((await called).status).toBe(200);
    // The result of the call comes, and with it the end of the turn.
    const after = [
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: TOOL.function }] },
      { role: 'tool', tool_call_id: 'c', content: 'a b' },
    ];
    const ended = await server.call('POST', '/v1/chat/completions', {
      ...CONVERSATION,
      messages: [...(CONVERSATION['messages'] as JsonObject[]), ...after],
    });
    expect(ended.status).toBe(200);
    const answered = await side;
    expect(answered.headers.get('x-halter-guards')).toContain('side_request_waited');
    expect(order).toEqual(['conversation', 'conversation', 'side']);
  });

  it.each(OWN_REQUESTS)('is none: $body.messages', async ({ path, body }) => {
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const server = await testServer((request) => {
      begun.resolve();
      return isConversation(request) ? { text: 'x', endGate: gate.promise } : { text: 'y' };
    });
    const conversation = server.call('POST', '/v1/chat/completions', CONVERSATION);
    await begun.promise;
    const other = await server.call('POST', path, body);
    expect([other.status, other.headers.get('x-halter-guards')]).toEqual([200, null]);
    gate.resolve();
    await conversation;
  });

  it.each([false, true])('gives way to a turn that begins while it is at the model (stream: %s)', async (stream) => {
    const order: string[] = [];
    const begun = Promise.withResolvers<void>();
    const told: GatewayRecord[] = [];
    const server = await testServer(
      (request) => {
        order.push(isConversation(request) ? 'conversation' : 'side');
        if (isConversation(request)) return { text: 'Two files.' };
        begun.resolve();
        return order.length === 1 ? { text: 'Half a', endGate: new Promise(() => {}) } : { text: 'A title' };
      },
      { onGateway: (record) => told.push(record) },
    );
    const [sent] = SIDE_REQUESTS;
    const side = server.call('POST', sent?.path ?? '', { ...sent?.body, stream });
    await begun.promise;
    expect((await server.call('POST', '/v1/chat/completions', CONVERSATION)).status).toBe(200);
    const said = await (await side).text();
    expect(said).toContain('A title');
    expect(said).not.toContain('Half a');
    expect(order).toEqual(['side', 'conversation', 'side']);
    // What was begun in vain was read as well.
    expect(told.map(({ requests }) => requests)).toEqual([1, 2]);
  });

  it.each<Record<string, string>>([
    { fast: 'small' },
    { titles: 'small' },
    { titles: 'small', fast: 'other' },
    { titles: 'fast', fast: 'small' },
  ])('goes to the model that the settings name for it: %j', async (roles) => {
    const [side] = SIDE_REQUESTS;
    const server = await testServer(
      { text: 'Files' },
      { roles, models: [{ id: 'm' }, { id: 'small' }, { id: 'other' }] },
    );
    const answered = await server.call('POST', side?.path ?? '', side?.body);
    expect(answered.headers.get('x-halter-guards')).toContain('side_request_moved');
    await server.call('POST', '/v1/chat/completions', CONVERSATION);
    expect(server.provider.requests.map(({ model }) => model)).toEqual(['small', 'm']);
  });

  it('is answered without a model where nobody reads the answer', async () => {
    const server = await testServer({ text: 'x' });
    const probe = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'quota' }], metadata: {} };
    const answered = await server.call('POST', '/v1/messages', probe);
    expect(await answered.json()).toMatchObject({ type: 'message', stop_reason: 'max_tokens' });
    expect(answered.headers.get('x-halter-guards')).toBe('side_request_answered');
    expect(server.provider.requests).toEqual([]);
    const asked = await server.call('POST', '/v1/messages', probe, { 'x-halter-guards-off': 'side_request' });
    expect(asked.status).toBe(200);
    expect(server.provider.requests).toHaveLength(1);
  });
});

describe('the turns that it waits for', () => {
  /** Time stands still; what waits for it goes on when it is told to. */
  const standing = () => {
    const timers = new Set<() => void>();
    const after: After = (_ms, then) => {
      timers.add(then);
      return () => timers.delete(then);
    };
    return {
      after,
      timers,
      pass(): void {
        for (const then of [...timers]) {
          timers.delete(then);
          then();
        }
      },
    };
  };
  const never = new AbortController().signal;

  it('end with an answer, or when no result comes for a while', async () => {
    const { after, pass } = standing();
    const turns = createSideTurns(after);
    const end = turns.begin('m');
    const waiting = turns.idle('m', never);
    end(true);
    expect(await Promise.race([waiting, Promise.resolve('waits')])).toBe('waits');
    pass();
    expect(await waiting).toBe(true);
  });

  it('are those of the same model, and none is waited for that does not come', async () => {
    const { after, pass, timers } = standing();
    const turns = createSideTurns(after);
    turns.begin('other');
    const idle = turns.idle('m', never);
    pass();
    expect(await idle).toBe(false);
    expect(timers.size).toBe(0);
  });

  it('are waited for no more when the client is gone', async () => {
    const { after, timers } = standing();
    const turns = createSideTurns(after);
    turns.begin('m');
    const gone = new AbortController();
    const waiting = turns.idle('m', gone.signal);
    gone.abort();
    await waiting;
    expect(timers.size).toBe(0);
  });
});
