/** A real worker that is stopped (SIGSTOP), taken over and goes on (SIGCONT) does nothing to the shared folder any more. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { OpenSession } from '../../src/agent/session.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { detectSandbox } from '../../src/sandbox/index.ts';
import { verifies } from '../requirements.ts';
import type { Running } from '../support/halter-process.ts';
import { NO_POSTGRES, usePostgres } from '../support/postgres.ts';
import { type Team, team, until } from '../support/workers.ts';

const postgres = usePostgres();
const LONG = { timeout: 180_000 };
const SOON = { timeout: 60_000, interval: 50 };
let databases = 0;

/** A team whose model makes these calls, one after the other. */
const teamWith = async (...calls: { name: string; arguments: JsonObject }[]) => {
  databases += 1;
  const name = `frozen_${databases}`;
  const url = await postgres().url(name);
  const t = await team(url, ({ body }) => {
    const done = (body['messages'] as { role: string }[]).filter(({ role }) => role === 'tool').length;
    const call = calls[done];
    return call === undefined ? { text: 'done' } : { calls: [call] };
  });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return { t, client, url };
};
/** A time by which a process is known. */
const MARK = '613.75';
const isRunning = (command: string): boolean =>
  readdirSync('/proc').some((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === command;
    } catch {
      return false;
    }
  });
const FLAGS = ['--yolo', '--log-format', 'json'] as const;

const freeze = (worker: Running): void => {
  worker.child.kill('SIGSTOP');
  onTestFinished(() => void worker.child.kill('SIGCONT'));
};
/** It goes on until it knows that its work is another's, and ends. */
const goOn = async (worker: Running): Promise<void> => {
  worker.child.kill('SIGCONT');
  await worker.said('no longer');
  worker.child.kill('SIGTERM');
  await worker.finished;
};
/** The statements of others on this table wait until it is called. */
const hold = async (client: pg.Client, table: string): Promise<() => Promise<unknown>> => {
  await client.query('BEGIN');
  await client.query(`LOCK TABLE halter.${table} IN ACCESS EXCLUSIVE MODE`);
  return () => client.query('COMMIT');
};
/** The append of the next event of this type waits until it is called. */
const holdAppend = async (client: pg.Client, type: string): Promise<() => Promise<unknown>> => {
  await client.query('SELECT pg_advisory_lock(4242)');
  await client.query(`CREATE FUNCTION halter.held() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(4242); RETURN NEW; END $$`);
  await client.query(`CREATE TRIGGER held BEFORE INSERT ON halter.events FOR EACH ROW
    WHEN (NEW.body ->> 'type' = '${type}') EXECUTE FUNCTION halter.held()`);
  return () => client.query('SELECT pg_advisory_unlock(4242)');
};
/** Somebody waits for a lock: on that table, or for the append. */
const waits = async (url: string, table?: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const waiting = async () => {
    const { rows } = await client.query(
      `SELECT 1 FROM pg_locks WHERE NOT granted
        AND CASE WHEN $1::text IS NULL THEN locktype = 'advisory' AND objid = 4242 ELSE relation = $1::regclass END`,
      [table === undefined ? null : `halter.${table}`],
    );
    return rows.length;
  };
  await expect.poll(waiting, SOON).toBeGreaterThan(0);
};
const send = async (session: OpenSession, content = 'go'): Promise<void> => {
  expect(await session.send({ type: 'send_message', content })).toEqual({ ok: true });
};
const takenOver = async (t: Team): Promise<Running> => {
  const second = await t.worker(...FLAGS);
  await second.said('"event":"took_over"');
  return second;
};
const sandbox = await detectSandbox();
const CANNOT = NO_POSTGRES ?? (sandbox.kind === 'bubblewrap' ? undefined : 'bubblewrap does not work here');

describe.skipIf(CANNOT !== undefined)(`a frozen worker${CANNOT ? ` (${CANNOT})` : ''}`, () => {
  test("between the note of a command's changes and their place", LONG, async () => {
    verifies('B12');
    const { t, client, url } = await teamWith({ name: 'bash', arguments: { command: 'sleep 1; echo new > a' } });
    const first = await t.worker(...FLAGS);
    const session = await t.session('note');
    const release = await holdAppend(client, 'change_recorded');
    await send(session);
    // Its last event before the files is in the database when it is frozen, and it does not know yet.
    await waits(url);
    freeze(first);
    await release();
    await takenOver(t);
    await until(session, 'run_completed');
    await goOn(first);
    expect(existsSync(join(t.folder, 'a'))).toBe(false);
  });

  test('with a command in the background', LONG, async () => {
    verifies('B12');
    const { t } = await teamWith(
      { name: 'bash', arguments: { command: `sleep 20; echo new > a; sleep ${MARK}`, background: true } },
      { name: 'slow_write', arguments: {} },
    );
    const first = await t.worker(...FLAGS);
    const session = await t.session('job');
    await send(session);
    await t.ran('slow_write');
    freeze(first);
    expect(isRunning(`sleep ${MARK}`)).toBe(false);
    await takenOver(t);
    await until(session, 'run_completed');
    // Its process is not frozen, and has written by then.
    await expect.poll(() => isRunning(`sleep ${MARK}`), SOON).toBe(true);
    // At its end it looks once more for what the command wrote.
    first.child.kill('SIGCONT');
    first.child.kill('SIGTERM');
    await first.finished;
    expect(existsSync(join(t.folder, 'a'))).toBe(false);
  });

  test('in the middle of an undo', LONG, async () => {
    verifies('B6', 'B12');
    const { t, client, url } = await teamWith(
      { name: 'read_file', arguments: { path: 'a' } },
      {
        name: 'edit_file',
        arguments: { path: 'a', old_text: 'old', new_text: 'new' },
      },
    );
    const file = join(t.folder, 'a');
    writeFileSync(file, 'old\n');
    const first = await t.worker(...FLAGS);
    const session = await t.session('undo');
    await send(session);
    await until(session, 'run_completed');
    const release = await hold(client, 'undo');
    expect(await session.send({ type: 'undo' })).toEqual({ ok: true });
    await waits(url, 'undo');
    freeze(first);
    await release();
    await takenOver(t);
    await until(session, 'change_undone');
    expect(readFileSync(file, 'utf8')).toBe('old\n');
    // The person takes it up again by hand, as the frozen one has seen it.
    writeFileSync(file, 'new\n');
    await goOn(first);
    expect(readFileSync(file, 'utf8')).toBe('new\n');
  });

  test('with a yes to what a command changed that comes late', LONG, async () => {
    verifies('B12');
    const { t } = await teamWith({
      name: 'bash',
      arguments: { command: 'mkdir -p .vscode; echo {} > .vscode/tasks.json' },
    });
    const first = await t.worker(...FLAGS);
    const session = await t.session('yes');
    await send(session);
    const { tool_call_id } = await until(session, 'permission_requested');
    freeze(first);
    expect(await session.send({ type: 'resolve_permission', tool_call_id, decision: 'allow_once' })).toEqual({
      ok: true,
    });
    await takenOver(t);
    await until(session, 'run_completed');
    const there = existsSync(join(t.folder, '.vscode/tasks.json'));
    await goOn(first);
    expect(existsSync(join(t.folder, '.vscode/tasks.json'))).toBe(there);
  });
});
