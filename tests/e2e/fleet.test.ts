/** A fleet of real workers when things go wrong: nothing to start on, a conversation that kills, a worker that hangs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { OpenSession } from '../../src/agent/session.ts';
import type { Event } from '../../src/core/events.ts';
import type { ScriptedRequest } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { type Running, runHalter, startHalter } from '../support/halter-process.ts';
import { onlyLong, timeLimit } from '../support/long.ts';
import { describePostgres, usePostgres } from '../support/postgres.ts';
import { scratchFolder } from '../support/scratch.ts';
import { endOf, team, until } from '../support/workers.ts';

const postgres = usePostgres();
const LONG = { timeout: timeLimit(240_000) };
/** Longer than it takes to kill a worker. */
const BESIDE_MS = 1_000;
const FROZEN_TAKEOVER_MS = 15_000;
let databases = 0;
const database = (): Promise<string> => {
  databases += 1;
  return postgres().url(`fleet_${databases}`);
};

type FailedJob = { job: string; session: string; deaths: number };

const results = ({ body }: ScriptedRequest): number =>
  (body['messages'] as { role: string }[]).filter(({ role }) => role === 'tool').length;
const calling = (name: string) => ({ calls: [{ name, arguments: {} }] });
const ask = async (session: OpenSession, content: string): Promise<void> => {
  expect(await session.send({ type: 'send_message', content })).toEqual({ ok: true });
};
/** What it told in JSON so far, once it told of that. */
const linesOf = async (worker: Running, event: string): Promise<Record<string, unknown>[]> => {
  await worker.said(`"event":"${event}"`);
  return worker
    .told()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};
const last = (log: readonly Event[]): Event | undefined => log.at(-1);
const wordsOf = ({ body }: ScriptedRequest): string => JSON.stringify(body['messages']);
/** Keeps so many workers alive, as a supervisor does; says how many it had to start. */
const supervised = async (start: () => Promise<Running>, count: number) => {
  let started = 0;
  let stopped = false;
  const keep = async (): Promise<void> => {
    while (!stopped) {
      started += 1;
      const worker = await start();
      await worker.finished;
    }
  };
  const all = Array.from({ length: count }, keep);
  for (const each of all) each.catch(() => {});
  return {
    started: () => started,
    stop: () => {
      stopped = true;
    },
  };
};

/** Two more than without the two workers that died with nothing in work. */
const KILLS_PASSED = 5;

describePostgres('a fleet', () => {
  test('four workers start at once on an empty database', LONG, async () => {
    const url = await database();
    const folder = scratchFolder();
    const workers = Array.from({ length: 4 }, () =>
      startHalter(['worker', '--database', url, '-C', folder, '--provider', 'openai', '-m', 'x'], {}),
    );
    await Promise.all(workers.map((worker) => worker.said('working in')));
    for (const { child } of workers) child.kill('SIGTERM');
    for (const { finished } of workers) expect((await finished).code).toBe(0);
  });

  test('a message that kills its worker is stopped after two recoveries, and others go on', LONG, async () => {
    const url = await database();
    const t = await team(url, async (request) => {
      if (wordsOf(request).includes('harmless')) return { text: 'fine' };
      // It has no answer yet each time that the other one kills.
      if (wordsOf(request).includes('beside')) {
        await sleep(BESIDE_MS);
        return { text: 'still here' };
      }
      return results(request) === 0 ? calling('die') : { text: 'survived' };
    });
    const beside = await t.session('beside');
    await ask(beside, 'beside');
    const poisoned = await t.session('poisoned');
    await ask(poisoned, 'die');
    const workers = await supervised(() => t.worker(), 1);
    const stopped = await until(poisoned, 'run_stopped');
    expect(stopped).toMatchObject({ reason: 'error', name: 'run_failed' });
    expect(stopped.message).toContain('while die ran');
    expect(t.times('die')).toBe(3);
    await until(poisoned, 'tool_finished');
    // The deaths were not its own.
    expect(await endOf(beside)).toMatchObject({ type: 'run_completed' });

    const healthy = await t.session('healthy');
    await ask(healthy, 'harmless');
    await until(healthy, 'run_completed');

    const env = { HALTER_DATABASE_URL: url };
    /** The list is written after the log says it. */
    const listed = async (): Promise<FailedJob[]> =>
      JSON.parse((await runHalter(['worker', 'failed', '--json'], { env })).out) as FailedJob[];
    const failedOnes = (): Promise<FailedJob[]> =>
      vi.waitUntil(() => listed().then((jobs) => (jobs.length > 0 ? jobs : undefined)), {
        timeout: 60_000,
        interval: 200,
      });
    const [failed] = await failedOnes();
    expect(failed).toMatchObject({ session: 'poisoned', deaths: 3, text: 'die' });
    expect((await runHalter(['worker', 'failed'], { env })).out).toContain('poisoned');
    // Tried again, it kills again, and comes back to the list.
    expect((await runHalter(['worker', 'retry', failed?.job ?? ''], { env })).code).toBe(0);
    await until(poisoned, 'run_stopped', 2);
    expect(t.times('die')).toBe(6);
    const again = await failedOnes();
    expect(again).toHaveLength(1);
    expect((await runHalter(['worker', 'discard', again[0]?.job ?? ''], { env })).code).toBe(0);
    expect(JSON.parse((await runHalter(['worker', 'failed', '--json'], { env })).out)).toEqual([]);
    workers.stop();
  });

  test('kills from outside end no message that was killed once in a trial of its own', LONG, async () => {
    const url = await database();
    const t = await team(url, (request) => (results(request) === 0 ? calling('hold') : { text: 'done' }));
    const names = ['left', 'right'];
    const both = await Promise.all(names.map((name) => t.session(name)));
    for (const session of both) await ask(session, 'go');
    const onTrial = (): Promise<string> =>
      postgres().sql('SELECT max(job) FROM halter.trials', new URL(url).pathname.slice(1));
    const tried: string[] = [];
    /**
     * Starts a worker, and kills it while both are in it and the one on trial was not killed in a trial before. False where
     * that one is on trial for ever, since nobody waits for the end of it any more.
     */
    const killed = async (kills: number): Promise<boolean> => {
      const worker = await t.worker();
      // That it began with a message is said before it has its conversation: a kill then is one beside nothing.
      await vi.waitUntil(() => t.times('hold') === both.length * kills, { timeout: 60_000, interval: 50 });
      const job = await onTrial();
      if (tried.includes(job)) return false;
      if (job !== '') tried.push(job);
      worker.child.kill('SIGKILL');
      await worker.finished;
      return true;
    };
    expect([await killed(1), tried]).toEqual([true, []]);
    expect([await killed(2), tried]).toEqual([true, [expect.stringMatching(/^(left|right)\//)]]);
    const isAlive = !(await killed(3));
    t.letGo();
    if (!isAlive) await t.worker();
    for (const session of both) expect(await endOf(session)).toMatchObject({ type: 'run_completed' });
  });

  test(
    'a message that is killed exactly in its trial goes on, and the death is told from those of others',
    LONG,
    async () => {
      verifies('B12');
      const answer = Promise.withResolvers<void>();
      const url = await database();
      const t = await team(url, async (request) => {
        if (!wordsOf(request).includes('beside')) return results(request) === 0 ? calling('hold') : { text: 'done' };
        await answer.promise;
        return { text: 'done' };
      });
      const sql = (text: string): Promise<string> => postgres().sql(text, new URL(url).pathname.slice(1));
      const tried = await t.session('tried');
      const beside = await t.session('beside');
      await ask(tried, 'go');
      await ask(beside, 'beside');
      for (let kills = 1; kills <= 2; kills += 1) {
        const worker = await t.worker();
        for (const { id } of [tried, beside]) await worker.said(`began with ${id}`);
        await vi.waitUntil(
          async () =>
            t.times('hold') === kills &&
            t.model.requests.filter((one) => wordsOf(one).includes('beside')).length === kills,
          { timeout: 60_000, interval: 50 },
        );
        expect(await sql('SELECT count(*) FROM halter.trials')).toBe(String(kills - 1));
        worker.child.kill('SIGKILL');
        await worker.finished;
      }
      t.letGo();
      answer.resolve();
      await t.worker();
      for (const session of [tried, beside]) expect(await endOf(session)).toMatchObject({ type: 'run_completed' });
      expect(await sql('SELECT session, in_trial FROM halter.deaths ORDER BY session, at')).toBe(
        ['beside|false', 'beside|false', 'tried|false', 'tried|true'].join('\n'),
      );
    },
  );

  test('a message goes on after kills of its workers where others were killed without it', LONG, async () => {
    verifies('B12');
    const t = await team(await database(), (request) => (results(request) === 0 ? calling('hold') : { text: 'done' }));
    const idle = [await t.worker(), await t.worker()];
    for (const { child, finished } of idle) {
      child.kill('SIGKILL');
      await finished;
    }
    const session = await t.session('held');
    await ask(session, 'go');
    for (let kills = 1; kills <= KILLS_PASSED; kills += 1) {
      const worker = await t.worker();
      await vi.waitUntil(() => t.times('hold') === kills, { timeout: 60_000, interval: 50 });
      worker.child.kill('SIGKILL');
      await worker.finished;
    }
    t.letGo();
    await t.worker();
    expect(await endOf(session)).toMatchObject({ type: 'run_completed' });
  });

  test(
    'a model server gets so many requests from all workers together, and whoever waits is told the place',
    LONG,
    async () => {
      let together = 0;
      let most = 0;
      type Gates = Map<string, PromiseWithResolvers<void>>;
      const held: Gates = new Map();
      const asked: Gates = new Map();
      const gate = (of: Gates, name: string): PromiseWithResolvers<void> => {
        const known = of.get(name) ?? Promise.withResolvers<void>();
        of.set(name, known);
        return known;
      };
      const names = ['whale', 'heron', 'otter'];
      const t = await team(
        await database(),
        async (request) => {
          together += 1;
          most = Math.max(most, together);
          const name = names.find((one) => wordsOf(request).includes(one)) ?? '';
          gate(asked, name).resolve();
          await gate(held, name).promise;
          together -= 1;
          return { text: 'done' };
        },
        { 'models.max_requests': 1 },
      );
      // One conversation at a time each, so that every worker has one.
      const workers = [await t.worker('--concurrency', '1'), await t.worker('--concurrency', '1')];
      const begin = async (name: string) => {
        const session = await t.session(name);
        const positions: number[] = [];
        session.subscribe((update) => {
          if (update.type === 'loading' && update.queue_position !== undefined) positions.push(update.queue_position);
        });
        await ask(session, name);
        return { session, positions };
      };
      const first = await begin('whale');
      await gate(asked, 'whale').promise;
      const second = await begin('heron');
      await vi.waitUntil(() => second.positions.includes(1), { timeout: 60_000 });
      gate(held, 'whale').resolve();
      await until(first.session, 'run_completed');
      await gate(asked, 'heron').promise;
      // What passes by has no order with the log: it is waited for by itself.
      await vi.waitUntil(() => second.positions.includes(0), { timeout: 60_000 });
      gate(held, 'heron').resolve();
      await until(second.session, 'run_completed');
      expect(second.positions).toEqual([1, 0]);
      // One that dies with its request does not keep its place.
      const third = await begin('otter');
      await gate(asked, 'otter').promise;
      for (const { child } of workers) child.kill('SIGKILL');
      await t.worker();
      gate(held, 'otter').resolve();
      await until(third.session, 'run_completed');
      expect(most).toBe(1);
    },
  );

  test('a worker says whether it can work, what it did, and keeps its log in JSON', LONG, async () => {
    const url = await database();
    const t = await team(url, (request) =>
      results(request) === 0
        ? calling('get_current_time')
        : { text: 'It is late.', usage: { prompt_tokens: 9, completion_tokens: 4 } },
    );
    const worker = await t.worker('--http-port', '0', '--log-format', 'json');
    const session = await t.session('counted');
    await ask(session, 'What time is it?');
    await until(session, 'run_completed');
    await session.close();
    const told = await linesOf(worker, 'ended');
    expect(told).toContainEqual(expect.objectContaining({ event: 'began', session_id: 'counted' }));
    const { url: base } = told.find(({ event }) => event === 'listening') as { url: string };
    expect(await (await fetch(`${base}/healthz`)).json()).toEqual({ status: 'ok' });
    const ready = await fetch(`${base}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', checks: { database: 'ok', queue: 'ok', model: 'ok' } },
    ]);
    const headers = { accept: 'application/openmetrics-text' };
    const figures = await (await fetch(`${base}/metrics`, { headers })).text();
    const endpoint = `endpoint="${t.model.openaiUrl}"`;
    for (const line of [
      'halter_steps_total 2',
      'halter_tool_calls_total{outcome="ok"} 1',
      'halter_runs_total{outcome="completed"} 1',
      `halter_model_requests_total{${endpoint},outcome="ok"} 2`,
      `halter_model_request_seconds_count{${endpoint}} 2`,
      'halter_jobs_total{event="ended"} 1',
      'halter_queue_jobs{state="waiting"} 0',
      'halter_database_up 1',
      'halter_failed_jobs 0',
    ]) {
      expect(figures).toContain(`${line}\n`);
    }
    expect(figures.endsWith('# EOF\n')).toBe(true);
    expect(await (await fetch(`${base}/anything`)).json()).toMatchObject({ error: { code: 'not_found' } });
    // Without its model it is there, and not ready.
    await t.model.close();
    await vi.waitUntil(async () => (await fetch(`${base}/readyz`)).status === 503, { timeout: 30_000, interval: 200 });
  });

  test('a worker that others reach wants a token for its figures', LONG, async () => {
    const refused = await runHalter([
      'worker',
      '--database',
      await database(),
      '--http-port',
      '0',
      '--host',
      '0.0.0.0',
    ]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('--token-file');
  });

  test('a run is cancelled where there is no worker any more', LONG, async () => {
    const t = await team(await database(), () => calling('slow_read'));
    const worker = await t.worker();
    const session = await t.session('cancelled');
    await ask(session, 'go');
    await until(session, 'tool_started');
    worker.child.kill('SIGKILL');
    await worker.finished;
    expect(await session.send({ type: 'cancel' })).toEqual({ ok: true });
    await until(session, 'run_cancelled');
    await until(session, 'tool_finished');
    await session.idle();
  });

  test.each(['SIGSTOP', ...onlyLong(['spin'])])(
    'a worker that hangs (%s) is taken over from, and its late writes are refused',
    LONG,
    async (how) => {
      const tool = how === 'spin' ? 'spin' : 'slow_read';
      const t = await team(await database(), (request) => (results(request) === 0 ? calling(tool) : { text: 'done' }));
      const first = await t.worker();
      const session = await t.session('hanging');
      await ask(session, 'go');
      await until(session, 'tool_started');
      await t.ran(tool);
      if (how === 'SIGSTOP') first.child.kill('SIGSTOP');
      const from = performance.now();
      const second = await t.worker();
      await second.said('taking over');
      await second.said('began with hanging');
      expect(performance.now() - from).toBeLessThan(FROZEN_TAKEOVER_MS);
      if (how === 'spin') {
        // Every worker that takes it hangs in its turn.
        first.child.kill('SIGKILL');
        return;
      }
      await until(session, 'run_completed');
      const before = session.log().length;
      first.child.kill('SIGCONT');
      const next = await t.session('next');
      await ask(next, 'go');
      await until(next, 'run_completed');
      expect(session.log()).toHaveLength(before);
      expect(last(session.log())?.type).toBe('run_completed');
      const kept = await t.halter.sessions.read('hanging');
      expect(kept.ok && kept.value.events.map(({ seq }) => seq)).toEqual(session.log().map(({ seq }) => seq));
    },
  );
});
