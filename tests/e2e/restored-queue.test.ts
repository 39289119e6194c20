/**
 * Messages wait for a worker, a backup is made, and the fleet answers them. Where that backup is restored nobody knows of
 * it: what waited then is not done a second time, and whoever sent it reads why.
 */
import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { OpenSession } from '../../src/agent/session.ts';
import { SCHEMA } from '../../src/cluster/sdk.ts';
import type { Command } from '../../src/core/events.ts';
import { verifies } from '../requirements.ts';
import { runHalter, startHalter } from '../support/halter-process.ts';
import { timeLimit } from '../support/long.ts';
import { describePostgres, POSTGRES_PROGRAMS, usePostgres } from '../support/postgres.ts';
import { scratchFolder } from '../support/scratch.ts';
import { type Team, team, until } from '../support/workers.ts';

const postgres = usePostgres();
const run = promisify(execFile);
const LIMIT = { timeout: timeLimit(180_000) };
const NOT_ANSWERED = /restored from a backup that was made while this message waited.*cannot be known.*send it again/;
let number = 0;

const sent = async (session: OpenSession, command: Command): Promise<void> => {
  expect(await session.send(command)).toEqual({ ok: true });
};
const say = (content: string): Command => ({ type: 'send_message', content });

type Turns = Parameters<typeof team>[1];
const ANSWERED: Turns = () => ({ text: 'answered' });

/** The team before, and one on what `pg_dump` and `pg_restore` made of its database once `then` was done. */
const teams = async (
  prepare: (t: Team) => Promise<void>,
  then: (t: Team) => Promise<void>,
  turns: Turns = ANSWERED,
) => {
  number += 1;
  const names = [`queue_old_${number}`, `queue_new_${number}`] as const;
  const [from, to] = [await postgres().url(names[0]), await postgres().url(names[1])];
  const folder = scratchFolder();
  const before = await team(from, turns, {}, folder);
  await prepare(before);
  const backup = join(scratchFolder(), 'backup');
  await run(join(POSTGRES_PROGRAMS, 'pg_dump'), ['--format=custom', `--file=${backup}`, from]);
  await then(before);
  await run(join(POSTGRES_PROGRAMS, 'pg_restore'), ['--no-owner', '--exit-on-error', `--dbname=${to}`, backup]);
  return { before, to, database: names[1], folder, after: () => team(to, turns, {}, folder) };
};

const answeredBy = async (t: Team, ...ids: string[]): Promise<void> => {
  const worker = await t.worker();
  for (const id of ids) await until(await t.session(id), 'run_completed');
  worker.child.kill('SIGTERM');
  await worker.finished;
};

describePostgres('what waited for a worker when the backup was made', () => {
  test.each([
    ['nobody had begun it', undefined],
    ['a worker had just taken it', `UPDATE ${SCHEMA}.workflow_status SET status = 'PENDING', executor_id = 'halter-1'`],
    ['it was put off', `UPDATE ${SCHEMA}.workflow_status SET status = 'DELAYED', delay_until_epoch_ms = 1`],
  ])('is not answered a second time, and stands in the session with why: %s', LIMIT, async (_, state) => {
    verifies('B12');
    const { database, after } = await teams(
      async (t) => {
        await sent(await t.session('one'), say('first'));
        await sent(await t.session('one'), say('second'));
        await sent(await t.session('two'), { type: 'steer', content: 'other' });
        await sent(await t.session('two'), { type: 'rename', title: 'A name' });
      },
      (t) => answeredBy(t, 'one', 'two'),
    );
    if (state !== undefined) await postgres().sql(state, database);
    const t = await after();
    await t.worker();
    const [one, two] = [await t.session('one'), await t.session('two')];
    await until(one, 'run_stopped', 2);
    await until(two, 'run_stopped');
    await until(two, 'session_renamed');
    expect(one.log().flatMap((event) => (event.type === 'user_message_added' ? [event.content] : []))).toEqual([
      'first',
      'second',
    ]);
    for (const event of [...one.log(), ...two.log()])
      if (event.type === 'run_stopped') expect(event).toMatchObject({ message: expect.stringMatching(NOT_ANSWERED) });
    expect(t.model.requests).toHaveLength(0);
    // The conversation goes on, and what is sent now is answered once.
    await sent(one, say('and now?'));
    await until(one, 'run_completed');
    expect(t.model.requests).toHaveLength(1);
    expect(await t.halter.queue?.depth()).toMatchObject({ waiting: 0 });
  });

  test('is marked by a worker too, once, whoever looked into the database before', LIMIT, async () => {
    verifies('B12');
    const { before, to, folder, after } = await teams(
      async (t) => sent(await t.session('one'), say('first')),
      (t) => answeredBy(t, 'one'),
    );
    const asked = before.model.requests.length;
    for (const command of ['sessions list', 'worker failed'])
      expect((await runHalter([...command.split(' '), '--database', to])).code).toBe(0);
    const reach = ['--provider', 'openai', '--base-url', before.model.openaiUrl, '--model', 'test-model'];
    const worker = startHalter(['worker', '--database', to, '-C', folder, ...reach]);
    await worker.said('done with one');
    worker.child.kill('SIGTERM');
    await worker.finished;
    expect(before.model.requests).toHaveLength(asked);
    const t = await after();
    const one = await t.session('one');
    expect(one.log().at(-1)).toMatchObject({ type: 'run_stopped', message: expect.stringMatching(NOT_ANSWERED) });
    // What is sent after the restore, and waits while nobody is there, is answered as ever.
    await sent(one, say('later'));
    await t.worker();
    await until(one, 'run_completed');
    expect(one.log().filter(({ type }) => type === 'run_stopped')).toHaveLength(1);
    expect(t.model.requests).toHaveLength(1);
  });

  test('is asked again where it was the answer to a question', LIMIT, async () => {
    verifies('B12');
    const allowed = (id: string): Command => ({
      type: 'resolve_permission',
      tool_call_id: id,
      decision: 'allow_once',
    });
    let call = '';
    const { folder, after } = await teams(
      async (t) => {
        const worker = await t.worker();
        const one = await t.session('one');
        await sent(one, say('write it'));
        call = (await until(one, 'permission_requested')).tool_call_id;
        worker.child.kill('SIGTERM');
        await worker.finished;
        await sent(one, allowed(call));
      },
      (t) => answeredBy(t, 'one'),
      ({ body }) =>
        (body['messages'] as { role: string }[]).some(({ role }) => role === 'tool')
          ? { text: 'written' }
          : { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'a' } }] },
    );
    rmSync(join(folder, 'a.txt'));
    const t = await after();
    const one = await t.session('one');
    const warned = new Promise<string>((resolve) => {
      one.subscribe((update) => update.type === 'warning' && update.code === 'not_now' && resolve(update.message));
    });
    await t.worker();
    expect(await warned).toMatch(/restored from a backup.*resolve permission.*cannot be known/);
    expect(existsSync(join(folder, 'a.txt'))).toBe(false);
    await sent(one, allowed(call));
    await until(one, 'run_completed');
    expect(existsSync(join(folder, 'a.txt'))).toBe(true);
  });
});
