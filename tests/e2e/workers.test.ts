/** Conversations of a shared database, run by real workers that are killed in the middle. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { OpenSession } from '../../src/agent/session.ts';
import type { Event } from '../../src/core/events.ts';
import { createApp } from '../../src/server/index.ts';
import type { ScriptedRequest } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { NO_POSTGRES, usePostgres } from '../support/postgres.ts';
import { sentEvents } from '../support/sent-events.ts';
import { ORIGIN, TOKEN } from '../support/test-server.ts';
import { team, until } from '../support/workers.ts';

const postgres = usePostgres();
const TAKEOVER_MS = 10_000;
const LONG_MS = 120_000;
let databases = 0;
const database = (): Promise<string> => {
  databases += 1;
  return postgres().url(`workers_${databases}`);
};

/** What the model is asked in answer to: the number of results that it has been given. */
const results = ({ body }: ScriptedRequest): number =>
  (body['messages'] as { role: string }[]).filter(({ role }) => role === 'tool').length;
const count = (log: readonly Event[], type: Event['type']): number => log.filter((event) => event.type === type).length;
const ask = async (session: OpenSession, content = 'go'): Promise<void> => {
  expect(await session.send({ type: 'send_message', content })).toEqual({ ok: true });
};
const ended = async (session: OpenSession): Promise<number> => {
  const from = performance.now();
  await until(session, 'run_completed');
  return performance.now() - from;
};

describe.skipIf(NO_POSTGRES !== undefined)(`workers${NO_POSTGRES ? ` (${NO_POSTGRES})` : ''}`, () => {
  test('another one goes on when one is killed while the model answers', { timeout: LONG_MS }, async () => {
    verifies('B12');
    const asked = Promise.withResolvers<void>();
    const t = await team(await database(), ({ number }) => {
      if (number > 0) return { text: 'answered' };
      asked.resolve();
      return { text: 'never heard to its end', hangAfterWrites: 4 };
    });
    const first = await t.worker();
    const session = await t.session('model');
    const heard = new Promise<string>((resolve) => {
      session.subscribe((update) => {
        if (update.type === 'text_delta') resolve(update.delta);
      });
    });
    await ask(session);
    await asked.promise;
    expect('never heard to its end').toContain(await heard);
    const second = await t.worker();
    first.child.kill('SIGKILL');
    expect(await ended(session)).toBeLessThan(TAKEOVER_MS);
    const log = session.log();
    expect(count(log, 'user_message_added')).toBe(1);
    expect(log.flatMap((event) => (event.type === 'assistant_message_added' ? [event.message.content] : []))).toEqual([
      'answered',
    ]);
    await second.said('taking over');
  });

  test('whoever reads along is told that an answer begins again, and each word once', {
    timeout: LONG_MS,
  }, async () => {
    verifies('B12');
    const answer = 'one two three four five six';
    const t = await team(await database(), ({ number }) =>
      number > 0 ? { text: answer } : { text: 'never heard to its end', hangAfterWrites: 4 },
    );
    const app = createApp({ halter: t.halter, token: TOKEN, onDefect: () => {} });
    onTestFinished(() => app.close());
    const call = (path: string, body?: object): Promise<Response> =>
      app(
        new Request(`${ORIGIN}${path}`, {
          method: body ? 'POST' : 'GET',
          headers: { host: new URL(ORIGIN).host, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          ...(body ? { body: JSON.stringify(body) } : {}),
        }),
      );
    const places: unknown[] = [];
    const stop = t.halter.storage.members?.subscribe((text) => {
      for (const [, , { type }, place] of text.startsWith('[') ? JSON.parse(text) : []) {
        if (type === 'text_delta') places.push(typeof place);
      }
    });
    onTestFinished(() => stop?.());
    const first = await t.worker();
    const session = await t.session('read');
    const readers = [
      call('/api/chat', { message: 'go', chat_id: 'read', stream: true }),
      call('/api/sessions/read/events'),
    ].map(async (response) => {
      const types: string[] = [];
      let words = '';
      for await (const { type, data } of sentEvents(await response)) {
        if (type === 'progress_reset') words = '';
        if (type === 'text_delta') words += String(data['delta']);
        types.push(type);
        if (type === 'turn_end') break;
      }
      return { words, resets: types.filter((type) => type === 'progress_reset').length };
    });
    await until(session, 'answer_streamed');
    await t.worker();
    first.child.kill('SIGKILL');
    expect(await Promise.all(readers)).toEqual(readers.map(() => ({ words: answer, resets: 1 })));
    // Without its place a piece that comes late is told twice.
    expect(new Set(places)).toEqual(new Set(['number']));
  });

  test('what only reads is done again, what writes is not, and the model is told', { timeout: LONG_MS }, async () => {
    verifies('B12');
    const t = await team(
      await database(),
      (request) =>
        [{ calls: [{ name: 'slow_read', arguments: {} }] }, { calls: [{ name: 'slow_write', arguments: {} }] }][
          results(request)
        ] ?? { text: 'done' },
    );
    const first = await t.worker();
    const session = await t.session('tools');
    await ask(session);
    await until(session, 'tool_started');
    await t.ran('slow_read');
    const second = await t.worker();
    first.child.kill('SIGKILL');
    await until(session, 'tool_finished');
    expect(t.times('slow_read')).toBe(2);
    await until(session, 'tool_started', 2);
    const third = await t.worker();
    second.child.kill('SIGKILL');
    expect(await ended(session)).toBeLessThan(TAKEOVER_MS);
    expect(t.times('slow_write')).toBe(1);
    const finished = session.log().flatMap((event) => (event.type === 'tool_finished' ? [event.result] : []));
    expect(finished.map(({ success }) => success)).toEqual([true, false]);
    expect(finished[0]?.data).toContain('ran 2 times');
    expect(finished[1]?.error_message).toContain('cannot be known. Look before you do it again');
    third.child.kill('SIGKILL');
  });

  test('nobody holds a conversation that waits for a person', { timeout: LONG_MS }, async () => {
    verifies('B12');
    const t = await team(await database(), (request) =>
      results(request) > 0
        ? { text: 'written' }
        : { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'a' } }] },
    );
    const first = await t.worker();
    const session = await t.session('waits');
    await ask(session);
    const { tool_call_id } = await until(session, 'permission_requested');
    await ask(session, 'and another message');
    first.child.kill('SIGTERM');
    expect((await first.finished).code).toBe(0);
    expect(await session.send({ type: 'resolve_permission', tool_call_id, decision: 'session' })).toEqual({ ok: true });
    await t.worker();
    await until(session, 'run_completed', 2);
    const log = session.log();
    expect(count(log, 'permission_requested')).toBe(1);
    expect(log.flatMap((event) => (event.type === 'tool_finished' ? [event.result.success] : []))).toEqual([true]);
    expect(log.flatMap((event) => (event.type === 'user_message_added' ? [event.content] : []))).toEqual([
      'go',
      'and another message',
    ]);
  });

  test('a worker that is told to end hands on what it has in hand', { timeout: LONG_MS }, async () => {
    verifies('B12');
    const answer = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const t = await team(await database(), async (request) => {
      if (results(request) > 0) return { text: 'done' };
      asked.resolve();
      await answer.promise;
      return { calls: [{ name: 'get_working_directory', arguments: {} }] };
    });
    const first = await t.worker();
    const session = await t.session('handed-on');
    await ask(session);
    await asked.promise;
    first.child.kill('SIGTERM');
    await first.said('ending');
    answer.resolve();
    expect((await first.finished).code).toBe(0);
    // That a process ended and what it wrote come by different ways.
    await until(session, 'assistant_message_added');
    expect(session.log().at(-1)?.type).toBe('assistant_message_added');
    await t.worker();
    expect(await ended(session)).toBeLessThan(TAKEOVER_MS);
    expect(t.model.requests).toHaveLength(2);
  });

  test('no command runs where many share a database and nothing keeps their commands apart', {
    timeout: LONG_MS,
  }, async () => {
    verifies('B12');
    const ran = await runHalter(
      ['tools', 'call', 'bash', JSON.stringify({ command: 'touch here' }), '--yolo', '--no-sandbox'],
      { env: { HALTER_DATABASE_URL: await database() } },
    );
    expect(ran.code).toBe(1);
    expect(ran.json()).toMatchObject({ success: false, error_type: 'permission_denied' });
    expect(ran.json()['error_message']).toContain('there is no sandbox to keep their commands apart');
  });

  test('a run is stopped at once, whoever runs it', { timeout: LONG_MS }, async () => {
    verifies('B12');
    const asked = Promise.withResolvers<void>();
    const t = await team(await database(), () => {
      asked.resolve();
      return { text: 'a long answer', hangAfterWrites: 1 };
    });
    await t.worker();
    const session = await t.session('stopped');
    await ask(session);
    await asked.promise;
    await ask(session, 'one more that is not sent');
    expect(await session.send({ type: 'cancel' })).toEqual({ ok: true });
    await until(session, 'run_cancelled');
    await session.idle();
    expect(count(session.log(), 'user_message_added')).toBe(1);
  });
});

describe('halter worker', () => {
  test('says what it needs', { timeout: LONG_MS }, async () => {
    verifies('B12');
    const [nothing, none, alone] = await Promise.all([
      runHalter(['worker']),
      runHalter(['worker', '--database', 'postgres://x', '--concurrency', '0']),
      runHalter(['serve', '--port', '0', '--workers']),
    ]);
    expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining('halter worker --database postgres://')]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('--concurrency is a number from 1')]);
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('--workers needs the database')]);
  });
});
