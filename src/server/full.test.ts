/** What is full says so in words, with a status and a time after which to ask again, and loses nothing. */
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { testServer } from '../../tests/support/test-server.ts';
import { AGENT_LIMITS } from '../agent/limits.ts';
import { createRemoteSession } from '../cluster/remote-session.ts';
import { succeed } from '../core/outcome.ts';
import type { ScriptedProviderTurn } from '../testing/index.ts';
import { fromModelError, notNow } from './api-error.ts';
import { SERVER_LIMITS } from './limits.ts';

const WORDS = `${AGENT_LIMITS.queuedMessages} messages are waiting already. Send this one again when one of them was taken.`;
const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => `message ${index}`);

/** A server whose model answers when it is let go. */
const held = async () => {
  const gate = Promise.withResolvers<void>();
  onTestFinished(() => gate.resolve());
  const server = await testServer(async (): Promise<ScriptedProviderTurn> => {
    await gate.promise;
    return { text: 'Hi.' };
  });
  const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
  return { ...server, id, letGo: () => gate.resolve() };
};
const said = async (response: Response) => ({
  status: response.status,
  error: ((await response.json()) as { error?: { code: string; message: string } }).error,
  again: Number(response.headers.get('retry-after')),
});

test.each(['send_message', 'steer'] as const)('a full queue of messages (%s)', async (type) => {
  verifies('B1');
  const { call, halter, id, letGo } = await held();
  const path = `/api/sessions/${id}/commands`;
  const taken = numbers(AGENT_LIMITS.queuedMessages + 1);
  for (const content of taken) expect((await call('POST', path, { type: 'send_message', content })).status).toBe(200);
  expect(await said(await call('POST', path, { type, content: 'one more' }))).toEqual({
    status: 429,
    error: { code: 'queue_full', message: WORDS },
    again: SERVER_LIMITS.askAgainS,
  });
  letGo();
  await expect
    .poll(async () => {
      const read = await halter.sessions.read(id);
      if (!read.ok) return [];
      return read.value.events.flatMap((event) => (event.type === 'user_message_added' ? [event.content] : []));
    })
    .toEqual(taken);
});

test('a full queue of messages for workers', async () => {
  verifies('B12');
  const { halter } = await testServer([]);
  const remote = createRemoteSession({
    id: 's',
    events: [],
    limits: halter.limits,
    queue: {
      add: async () => succeed('s/1'),
      cancelWaiting: async () => succeed(0),
      messagesWaiting: async () => succeed(0),
    },
    feed: { follow: () => () => {} },
    served: async () => succeed(new Set<string>()),
    tellWorker: () => {},
    cancelHere: async () => {},
    subscribe: () => () => {},
  });
  for (const content of numbers(AGENT_LIMITS.queuedMessages)) {
    expect(await remote.send({ type: 'send_message', content })).toEqual({ ok: true });
  }
  const refused = await remote.send({ type: 'send_message', content: 'one more' });
  expect(refused).toEqual({ ok: false, message: WORDS, reason: 'queue_full' });
  expect(notNow({ message: '', ...refused })).toMatchObject({ status: 429, code: 'queue_full' });
});

test('a full queue of messages of one conversation that two servers took', async () => {
  verifies('B12');
  const { halter } = await testServer([]);
  let added = 0;
  const server = () =>
    createRemoteSession({
      id: 's',
      events: [],
      limits: halter.limits,
      queue: {
        add: async () => succeed(`s/${++added}`),
        cancelWaiting: async () => succeed(0),
        messagesWaiting: async () => succeed(added),
      },
      feed: { follow: () => () => {} },
      served: async () => succeed(new Set<string>()),
      tellWorker: () => {},
      cancelHere: async () => {},
      subscribe: () => () => {},
    });
  const servers = [server(), server()];
  const replies = [];
  for (const [number, content] of numbers(AGENT_LIMITS.queuedMessages + 4).entries()) {
    replies.push(await servers[number % 2]?.send({ type: 'send_message', content }));
  }
  expect(replies.filter((reply) => reply?.ok)).toHaveLength(AGENT_LIMITS.queuedMessages);
  expect(replies.at(-1)).toEqual({ ok: false, message: WORDS, reason: 'queue_full' });
});

test('so many requests that no more are taken', async () => {
  const { call, id } = await held();
  const ask = (number: number) =>
    call('POST', '/api/chat', { message: 'go', mode: 'chat', chat_id: id, request_id: `r${number}` });
  const waiting = Array.from({ length: SERVER_LIMITS.chatRequests }, (_, number) => ask(number));
  const one = await ask(-1);
  expect(await said(one)).toMatchObject({ status: 503, error: { code: 'busy' }, again: SERVER_LIMITS.askAgainS });
  for (const each of waiting) each.catch(() => {});
});

test.each([
  [{ code: 'rate_limited', retry_after_seconds: 7 }, 7],
  [{ code: 'rate_limited' }, undefined],
] as const)('a model that says when to ask again: %j', (error, seconds) => {
  const { headers } = fromModelError({ message: 'Too many.', ...error });
  expect(headers['retry-after']).toBe(seconds === undefined ? undefined : String(seconds));
});
