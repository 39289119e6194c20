/** Several servers on one database: a reader moves from one to another, and the database restarts under load. */

import { expect, it } from 'vitest';
import type { Event } from '../../src/core/events.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import {
  type ScriptedCall,
  type ScriptedProviderTurn,
  type ScriptedRequest,
  type ScriptedServerTurn,
  scriptedProvider,
  startScriptedServer,
} from '../../src/testing/index.ts';
import { openTestAgent } from '../../src/testing/test-agent.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { describePostgres, PASSWORD, usePostgres } from '../support/postgres.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { type SentEvent, sentEvents } from '../support/sent-events.ts';
import { serving } from '../support/serving.ts';
import { testServer } from '../support/test-server.ts';

const postgres = usePostgres();
/** Processes and databases start and end in these: on a busy machine that takes its time. */
const PATIENT = { timeout: 120_000 };

const until = async (check: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await check())) await new Promise((next) => setTimeout(next, 20));
};

/** A `halter serve` of its own process. */
const watchable = async (options: { cwd: string; env: Record<string, string>; args: readonly string[] }) => {
  const running = await serving(options.args, options);
  const { base, call, token } = running;
  const authorization = `Bearer ${token}`;
  /** Reads the stream of a session until the server is gone or the reader leaves. */
  const watch = (id: string, lastId?: string) => {
    const seen: SentEvent[] = [];
    const leave = new AbortController();
    const headers = { authorization, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
    const over = fetch(`${base}/api/sessions/${id}/events`, { headers, signal: leave.signal })
      .then(async (response) => {
        for await (const event of sentEvents(response)) seen.push(event);
      })
      .catch(() => {});
    return { seen, over, leave: () => leave.abort() };
  };
  return { ...running, call, watch };
};

/** Ids of lines that are kept; those of progress belong to one process. */
const keptIds = (events: readonly SentEvent[]): string[] =>
  events.flatMap(({ id }) => (id === undefined || id.includes('~') ? [] : [id]));
const isOver = (events: readonly SentEvent[], times = 1): boolean =>
  events.filter(({ type }) => type === 'turn_end').length >= times;

describePostgres('several servers on one database', () => {
  it('a reader whose server is killed goes on at another, with nothing lost and nothing twice', PATIENT, async () => {
    verifies('B12', 'B1');
    let written = (): void => {};
    const isWritten = new Promise<void>((resolve) => {
      written = resolve;
    });
    await using model = await startScriptedServer({
      turns({ body, number }: ScriptedRequest): ScriptedServerTurn {
        const messages = body['messages'] as { role: string; content: string }[];
        if (messages.at(-1)?.content === 'And now?') return { text: 'Now it is done.' };
        if (messages.at(-1)?.role !== 'tool') return { calls: [{ name: 'ls', arguments: { path: '.' } }] };
        // The answer stops in its middle, for as long as the server lives.
        return { text: ['There ', 'is ', 'one file'], ...(number === 1 ? { gates: { 2: isWritten } } : {}) };
      },
    });
    const cwd = scratchFolder();
    putFiles(cwd, { 'a.txt': 'a' });
    const env = { HALTER_DATABASE_URL: await postgres().url('servers') };
    const args = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model', '--no-sandbox'];
    const first = await watchable({ cwd, env, args });
    const second = await watchable({ cwd, env, args });

    const { id } = (await (await first.call('POST', '/api/sessions')).json()) as { id: string };
    const elsewhere = second.watch(id);
    const before = first.watch(id);
    await until(() => elsewhere.seen.length > 0 && before.seen.length > 0);
    const sent = await first.call('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'What?' });
    expect(sent.status).toBe(200);
    await until(() => before.seen.some(({ type }) => type === 'text_delta'));
    // Who has it is who may write it.
    expect((await second.call('POST', `/api/sessions/${id}/commands`, { type: 'cancel' })).status).toBe(409);

    // What came of the answer is written after a moment.
    const isKept = "SELECT count(*) FROM halter.events WHERE body->>'type' = 'answer_streamed'";
    await until(async () => (await postgres().sql(isKept, 'servers')).trim() === '1');
    first.child.kill('SIGKILL');
    await before.over;
    const after = second.watch(id, before.seen.findLast((event) => event.id !== undefined)?.id);
    // The run that was cut off is brought to its end by the other server.
    await until(() => isOver(after.seen));
    written();
    const again = await second.call('POST', `/api/sessions/${id}/commands`, {
      type: 'send_message',
      content: 'And now?',
    });
    expect(again.status).toBe(200);
    await until(() => isOver(after.seen, 2) && isOver(elsewhere.seen, 2));
    expect(after.seen.findLast(({ type }) => type === 'turn_end')?.data).toMatchObject({
      exit_reason: 'answered',
      answer: 'Now it is done.',
    });

    const fresh = second.watch(id);
    await until(() => isOver(fresh.seen, 2));
    const all = keptIds(fresh.seen);
    expect(new Set(all).size).toBe(all.length);
    expect([...keptIds(before.seen), ...keptIds(after.seen)]).toEqual(all);
    expect(keptIds(elsewhere.seen)).toEqual(all);
    // What was under way is put together anew, so that nothing stands there twice.
    expect(after.seen.some(({ type }) => type === 'progress_reset')).toBe(true);

    // What came of the answer until its server was killed is one of the messages.
    const messages = fresh.seen.filter(({ type }) => type === 'user_message' || type === 'assistant_message');
    expect(messages.map(({ data }) => data['content'])).toEqual(['What?', '', 'There', 'And now?', 'Now it is done.']);
    const listed = await runHalter(['sessions', 'list', '--json'], { cwd, env });
    expect(listed.json()).toMatchObject({ sessions: [{ id, title: 'What?', message_count: 5 }] });
    for (const watcher of [after, elsewhere, fresh]) watcher.leave();
  });

  it('a restart of the database under load is a pause, and nothing that was said is lost', PATIENT, async () => {
    verifies('B12', 'B1');
    const url = await postgres().url('restarted');
    const rounds = 4;
    const server = await testServer(
      async ({ messages }) => {
        const last = messages.findLastIndex(({ role }) => role === 'user');
        return messages.length - last > rounds * 2
          ? { text: 'done' }
          : { calls: [{ name: 'get_current_time', arguments: {} }] };
      },
      { database: url },
    );
    const ids: string[] = [];
    for (let index = 0; index < 6; index += 1)
      ids.push((await server.json<{ id: string }>('POST', '/api/sessions')).id);
    const watched = ids.map((id) => {
      const seen: SentEvent[] = [];
      void (async () => {
        for await (const event of sentEvents(await server.call('GET', `/api/sessions/${id}/events`))) seen.push(event);
      })();
      return { id, seen };
    });
    let asking = true;
    const statuses: number[] = [];
    const talks = ids.map(async (id, index) => {
      const seen = watched[index]?.seen ?? [];
      for (let turn = 1; asking || turn <= 2; turn += 1) {
        const command = { type: 'send_message', content: `message ${turn}` };
        statuses.push((await server.call('POST', `/api/sessions/${id}/commands`, command)).status);
        await until(() => isOver(seen, turn));
      }
    });
    for (const how of ['fast', 'immediate'] as const) {
      const sofar = statuses.length;
      await until(() => statuses.length > sofar + ids.length);
      await postgres().stop(how);
      const reading = server.call('GET', '/api/sessions');
      await postgres().start();
      statuses.push((await reading).status);
    }
    asking = false;
    await Promise.all(talks);
    expect([...new Set(statuses)]).toEqual([200]);
    const reasons = watched.flatMap(({ seen }) =>
      seen.filter(({ type }) => type === 'turn_end').map(({ data }) => data['exit_reason']),
    );
    expect([...new Set(reasons)]).toEqual(['answered']);
    const warned = watched.flatMap(({ seen }) =>
      seen.filter(({ type }) => type === 'warning').map(({ data }) => data['code']),
    );
    expect(warned).not.toContain('session_not_written');
    for (const { id, seen } of watched) {
      const read = await server.halter.sessions.read(id);
      const events = read.ok ? read.value.events : [];
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      // The last line of an event bears its number: the reader saw each of them that has lines, once.
      const whole = keptIds(seen).filter((one) => /^\d+$/.test(one));
      expect(new Set(whole).size).toBe(whole.length);
      expect(whole).toEqual(keptIds(await again(server, id)).filter((one) => /^\d+$/.test(one)));
    }
    expect(server.defects).toEqual([]);
  });

  it('a server that lost a session shows no event that is not kept, and what is kept after that', async () => {
    verifies('B12', 'B1');
    const server = await testServer({ text: 'done' }, { database: await postgres().url('lost') });
    const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
    const seen: SentEvent[] = [];
    const reading = (async () => {
      for await (const event of sentEvents(await server.call('GET', `/api/sessions/${id}/events`))) seen.push(event);
    })();
    const send = (content: string) =>
      server.call('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content });
    await send('first');
    await until(() => isOver(seen));
    // As it is when another server took it for dead and has it now.
    await postgres().sql('UPDATE halter.sessions SET fence = fence + 1, opener = NULL', 'lost');
    await send('lost words');
    await reading;
    const kept = keptIds(seen);
    expect(seen.some(({ data }) => JSON.stringify(data).includes('lost words'))).toBe(false);
    expect(keptIds(await again(server, id))).toEqual(kept);
    // It is taken up again where it stands.
    expect((await send('third')).status).toBe(200);
    const after: SentEvent[] = [];
    for await (const event of sentEvents(
      await server.call('GET', `/api/sessions/${id}/events`, undefined, { 'last-event-id': kept.at(-1) ?? '' }),
    )) {
      after.push(event);
      if (isOver(after)) break;
    }
    const all = keptIds(await again(server, id));
    expect([...kept, ...keptIds(after)]).toEqual(all);
  });
});

/** The stream of a session as a reader gets it who comes when all is over. */
const again = async (server: Awaited<ReturnType<typeof testServer>>, id: string): Promise<SentEvent[]> => {
  const turns = server.app.server.sessions;
  const wanted = (await turns.get(id)).log().filter(({ type }) => type === 'user_message_added').length;
  const seen: SentEvent[] = [];
  for await (const event of sentEvents(await server.call('GET', `/api/sessions/${id}/events`))) {
    seen.push(event);
    if (isOver(seen, wanted)) break;
  }
  return seen;
};

const CALLS: readonly (readonly ScriptedCall[])[] = [
  [
    { id: 'c1', name: 'read_file', arguments: { path: 'a.txt' } },
    { id: 'c2', name: 'ls', arguments: { reverse: true, path: '.' } },
  ],
  [{ id: 'c3', name: 'write_file', arguments: { path: 'b.txt', content: 'new \0 ✓\n' } }],
  [{ id: 'c4', name: 'add_task', arguments: { content: 'think' } }],
  [{ id: 'c5', name: 'no_such_tool', arguments: {} }],
];

describePostgres('the same session on files and on PostgreSQL', () => {
  it('gives an equal log', async () => {
    verifies('B12');
    const folder = scratchFolder();
    putFiles(folder, { 'a.txt': 'one\ntwo\n' });
    const logOf = async (database: string | undefined): Promise<{ events: Event[]; asked: unknown[] }> => {
      putFiles(folder, { 'b.txt': 'old\n' });
      const asked: unknown[] = [];
      const provider = scriptedProvider(
        async ({ messages }): Promise<ScriptedProviderTurn> => {
          asked.push(messages);
          const calls = CALLS[messages.filter(({ role }) => role === 'assistant').length];
          return calls ? { calls } : { text: 'All \0 done.', reasoning: 'hm' };
        },
        { models: [{ id: 'm' }] },
      );
      const halter = await openTestAgent({
        folder,
        environment: { HOME: scratchFolder(), PATH: process.env['PATH'] },
        platform: process.platform,
        onWarning: () => {},
        modelProvider: provider,
        model: 'm',
        sandbox: false,
        mode: 'yolo',
        ...(database === undefined ? {} : { database }),
      });
      if (!halter.ok) throw new Error(halter.error.message);
      const session = await halter.value.openSession({ id: 'same' });
      if (!session.ok) throw new Error(session.error.message);
      await session.value.send({ type: 'send_message', content: 'Go on \0 \u2028 \ud800' });
      await session.value.idle();
      await session.value.send({ type: 'undo' });
      await session.value.idle();
      await session.value.close();
      // As another process finds it.
      const read = await halter.value.sessions.read('same');
      await halter.value.close();
      if (!read.ok) throw new Error(read.error.message);
      expect(read.value.warnings).toEqual([]);
      return { events: read.value.events, asked };
    };
    const files = await logOf(undefined);
    const database = await logOf(await postgres().url('equal'));
    expect(files.events.length).toBeGreaterThan(20);
    expect(timeless(database.asked)).toBe(timeless(files.asked));
    expect(timeless(database.events)).toBe(timeless(files.events));
  });
});

/** As text, so that the order of keys counts; without what is measured, what is counted of that, and the time of day. */
const timeless = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/(\\*"(?:at|timestamp|[a-z_]*(?:_ms|seconds|_tokens))\\*":)[\d.]+/g, '$1 0')
    // Those of what is compared by itself, with its times.
    .replaceAll(/"digests":\[[^\]]*\]/g, '"digests": 0')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/g, 'then');

describePostgres('the address of the database', () => {
  it('stands in no log, no event, no output and no environment of a command', PATIENT, async () => {
    verifies('B12', 'H10');
    await using model = await startScriptedServer({
      turns({ body }) {
        const messages = body['messages'] as { role: string }[];
        return messages.at(-1)?.role === 'tool'
          ? { text: 'done' }
          : { calls: [{ name: 'bash', arguments: { command: 'env; cat /proc/$PPID/environ | tr "\\0" "\\n"' } }] };
      },
    });
    const url = await postgres().url('secret');
    const env = { HALTER_DATABASE_URL: url };
    const home = scratchFolder();
    const args = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model', '--yolo'];
    const ran = await runHalter(['run', ...args, '--format', 'stream-json', 'Show me'], { env, home });
    expect([ran.code, ran.err]).toEqual([0, expect.any(String)]);
    const id = String(ran.lines().find(({ type }) => type === 'session')?.['session_id']);
    const shown = await runHalter(['sessions', 'export', id, '--format', 'json'], { env, home });
    const doctor = await runHalter(['doctor', '--json'], { env, home });
    expect(shown.out).toContain('HOME=');
    for (const text of [ran.out, ran.err, shown.out, shown.err, doctor.out, doctor.err]) {
      expect(text).not.toContain(PASSWORD);
    }
    const opened = await openPostgres({ url });
    if (!opened.ok) throw new Error(opened.error.message);
    const kept = await postgres().sql('SELECT body::text FROM halter.events', 'secret');
    await opened.value.close();
    expect(kept).toContain('HOME=');
    expect(kept).not.toContain(PASSWORD);
  });
});
