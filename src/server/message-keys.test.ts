/** A message that is sent again under its key stands in the session once, on every way into it. */
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { openedSession } from '../../tests/support/assembled.ts';
import { ORIGIN, TOKEN, testServer } from '../../tests/support/test-server.ts';
import { AGENT_LIMITS } from '../agent/limits.ts';
import { createRemoteSession } from '../cluster/remote-session.ts';
import { tellUnusable } from '../cluster/tell-unusable.ts';
import type { Command, Event } from '../core/events.ts';
import { failure, succeed } from '../core/outcome.ts';
import type { ScriptedProviderTurn } from '../testing/index.ts';

const KEY = 'key-1';
const keyed = (content: string, type: 'send_message' | 'steer' = 'send_message'): Command => ({
  type,
  content,
  idempotency_key: KEY,
});
const messages = (log: readonly Event[]): number => log.filter(({ type }) => type === 'user_message_added').length;

type Post = (path: string, body: object) => Promise<Response>;
const post =
  (app: Awaited<ReturnType<typeof testServer>>['app']): Post =>
  (path, body) =>
    app(
      new Request(`${ORIGIN}${path}`, {
        method: 'POST',
        headers: { host: new URL(ORIGIN).host, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
const command =
  (type: 'send_message' | 'steer') =>
  async (to: Post, id: string): Promise<void> => {
    expect((await to(`/api/sessions/${id}/commands`, keyed('hello', type))).status).toBe(200);
  };
/** Each sends the message once. */
const WAYS: Record<string, (to: Post, id: string) => Promise<void>> = {
  'POST /api/sessions/:id/commands': command('send_message'),
  'POST /api/sessions/:id/commands, steering': command('steer'),
  'POST /api/chat': async (to, id) => {
    const body = { message: 'hello', mode: 'chat', chat_id: id, request_id: KEY };
    expect(await (await to('/api/chat', body)).json()).toMatchObject({ answer: 'Hi.', exit_reason: 'answered' });
  },
};

test.each(Object.keys(WAYS))('%s', async (name) => {
  verifies('B12');
  const server = await testServer((): ScriptedProviderTurn => ({ text: 'Hi.' }));
  const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
  const send = WAYS[name] as (typeof WAYS)[string];
  await send(post(server.app), id);
  await send(post(server.app), id);
  await server.close();
  // Another process, to which the client went after its connection broke.
  const later = await server.open();
  await send(post(later.app), id);
  const kept = await later.halter.sessions.read(id);
  expect(kept.ok && messages(kept.value.events)).toBe(1);
});

test('a session of the library', async () => {
  const { halter } = await testServer((): ScriptedProviderTurn => ({ text: 'Hi.' }));
  const session = await openedSession(halter);
  for (let times = 0; times < 3; times += 1) {
    expect(await session.send(keyed('hello'))).toEqual({ ok: true });
    if (times === 1) await session.idle();
  }
  await session.idle();
  expect(messages(session.log())).toBe(1);
  const wrong = await session.send({ ...keyed('hello'), idempotency_key: 'two words' } as Command);
  expect(wrong).toMatchObject({ ok: false });
  expect(JSON.stringify(wrong)).toContain('idempotency key');
});

test('a session that workers run: each message is one job under its key', async () => {
  const { halter } = await testServer([]);
  const added: Command[] = [];
  let say = (_events: readonly Event[]): void => {};
  const remote = createRemoteSession({
    id: 's',
    events: [],
    limits: halter.limits,
    queue: {
      add: async ({ command }) => {
        added.push(command);
        return succeed('s/1');
      },
      cancelWaiting: async () => succeed(0),
      messagesWaiting: async () => succeed(0),
    },
    feed: {
      follow(_id, _after, { onEvents }) {
        say = onEvents;
        return () => {};
      },
    },
    served: async () => succeed(new Set<string>()),
    tellWorker: () => {},
    cancelHere: async () => {},
    subscribe: () => () => {},
  });
  await remote.send(keyed('hello'));
  await remote.send(keyed('hello'));
  say([{ seq: 1, at: 0, type: 'user_message_added', content: 'hello', idempotency_key: KEY }]);
  await remote.send(keyed('hello'));
  expect(added).toEqual([keyed('hello')]);
  // One without a key gets one, so that a worker that takes it up again knows whether it was taken.
  await remote.send({ type: 'send_message', content: 'more' });
  expect(added[1]).toMatchObject({ content: 'more', idempotency_key: expect.stringMatching(/^[0-9a-f-]{36}$/) });
});

test.each([
  ['the queue is full', { waiting: succeed(AGENT_LIMITS.queuedMessages), added: succeed('s/1') }, 'queue_full'],
  ['the database is away', { waiting: succeed(0), added: failure('io_error', 'It is away.', 'refused') }, 'refused'],
  ['it is taken', { waiting: succeed(0), added: succeed('s/1') }, undefined],
] as const)(
  'a message sent again while nobody knows yet whether workers get it: %s',
  async (_, { waiting, added }, reason) => {
    verifies('B12');
    const { halter } = await testServer([]);
    const looked = Promise.withResolvers<void>();
    let jobs = 0;
    const remote = createRemoteSession({
      id: 's',
      events: [],
      limits: halter.limits,
      queue: {
        add: async () => {
          jobs += 1;
          return added;
        },
        cancelWaiting: async () => succeed(0),
        messagesWaiting: async () => {
          await looked.promise;
          return waiting;
        },
      },
      feed: { follow: () => () => {} },
      served: async () => succeed(new Set<string>()),
      tellWorker: () => {},
      cancelHere: async () => {},
      subscribe: () => () => {},
    });
    for (const type of ['send_message', 'steer'] as const) {
      const replies = [remote.send({ ...keyed(type, type), idempotency_key: type } as Command)];
      replies.push(remote.send({ ...keyed(type, type), idempotency_key: type } as Command));
      looked.resolve();
      const [first, second] = await Promise.all(replies);
      expect(first).toMatchObject(reason === undefined ? { ok: true } : { ok: false, reason });
      expect(second).toEqual(first);
    }
    expect(jobs).toBe(reason === 'queue_full' ? 0 : 2);
  },
);

test('a message that no model can answer is kept once, however often a worker comes to it', async () => {
  const { halter } = await testServer([]);
  const session = await openedSession(halter);
  await session.close();
  const { sessions, limits } = halter;
  const parts = { sessions, limits, clock: { now: () => 1, monotonic: () => 1 } };
  const job = { session: session.id, command: keyed('hello') };
  for (let times = 0; times < 2; times += 1) {
    const told = await tellUnusable(parts, job, { code: 'unreachable', message: 'Nobody is there.' });
    expect(told.ok).toBe(true);
  }
  const kept = await sessions.read(session.id);
  expect(kept.ok && messages(kept.value.events)).toBe(1);
});
