/**
 * What halter relies on of DBOS beyond its documented interface. A new version of it that changes any of this fails here,
 * before a fleet does.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { ROOT } from '../../tests/source-files.ts';
import { timeLimit } from '../../tests/support/long.ts';
import { describePostgres, usePostgres } from '../../tests/support/postgres.ts';
import { OUTSIDE_PACKAGES } from '../core/outside-packages.ts';
import { openJobQueue } from './job-queue.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { Outage } from './outage.ts';
import { forAWhile, openPool } from './queue-pool.ts';
import { JOB_FORMAT, loadSdk, quietLogger, SCHEMA } from './sdk.ts';

const postgres = usePostgres();
const must = <T>(outcome: { ok: true; value: T } | { ok: false; error: { message: string } }): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};
const sdk = async () => must(await loadSdk());

test('the version that is named to people is the one that is tested', () => {
  const read = <T>(folder: string): T => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as T;
  const { version } = read<{ version: string }>('node_modules/@dbos-inc/dbos-sdk');
  const own = read<Record<string, Record<string, string>>>('.');
  expect(OUTSIDE_PACKAGES.queue.version).toBe(version);
  for (const kind of ['peerDependencies', 'devDependencies']) expect(own[kind]?.['@dbos-inc/dbos-sdk']).toBe(version);
});

test('of what lies behind its interface these exist and take what they are given', async () => {
  const { DBOSExecutor, ensureSystemDatabase, GlobalLogger } = await sdk();
  // Takes up the jobs of processes that are gone; the documented way knows one executor only.
  expect(DBOSExecutor.prototype.recoverPendingWorkflows).toBeTypeOf('function');
  expect(DBOSExecutor.prototype.recoverPendingWorkflows.toString()).toContain('executorIDs');
  expect(DBOSExecutor.toString()).toContain('static globalInstance');
  // What a worker's own number of conversations stands on.
  expect(DBOSExecutor.prototype.dispatchDequeuedWorkflows).toHaveLength(2);
  const { SystemDatabase } = await import('@dbos-inc/dbos-sdk/internal/system_database');
  expect(SystemDatabase.prototype.countRunningWorkflowsForQueue).toHaveLength(1);
  expect(SystemDatabase.prototype.findAndMarkStartablePartitionedWorkflows.toString()).toMatch(
    /^async findAndMarkStartablePartitionedWorkflows\(queue, executorID, appVersion, maxTasks = Infinity,/,
  );
  // Makes the tables under our lock, on our connections and in our schema.
  expect(ensureSystemDatabase.length).toBeGreaterThanOrEqual(2);
  // How long it waits before it sends a statement again.
  expect((await sdk()).dbRetryConfig).toEqual(CLUSTER_LIMITS.queueRetry);
  const told: string[] = [];
  new GlobalLogger(undefined, { logger: quietLogger((text) => told.push(text)) }).warn('heard');
  expect(told).toEqual(['heard']);
});

describePostgres('the tables of DBOS', () => {
  test('are in our schema, and hold what is read of a job', async () => {
    const url = await postgres().url('contract');
    const { queue } = must(await openJobQueue(await sdk(), url));
    const id = must(await queue.add({ session: 's', command: { type: 'send_message', content: 'hello' } }));
    // Added again under its id it is there once.
    must(await queue.add({ session: 's', command: { type: 'send_message', content: 'hello' } }, { id }));
    expect(await queue.find(id)).toEqual({ session: 's', command: { type: 'send_message', content: 'hello' } });
    expect(await queue.counts()).toMatchObject({ waiting: 1, running: 0, byFolder: new Map([[undefined, 1]]) });
    const row = await postgres().sql(
      `SELECT status, queue_name, queue_partition_key, application_version FROM ${SCHEMA}.workflow_status`,
      'contract',
    );
    expect(row).toBe(`ENQUEUED|conversations|s|${JOB_FORMAT}`);
    // A job that says its folder is in the queue of that folder, with or without strange names.
    for (const folder of ['/srv/work', '/srv/a b/é']) {
      must(await queue.add({ session: 's', folder, command: { type: 'compact' } }, { id: `s/${folder}` }));
      expect((await queue.counts()).byFolder.get(folder)).toBe(1);
      must(await queue.cancelWaiting('s', (job) => job.folder === folder));
    }
    expect((await queue.counts()).byFolder).toEqual(new Map([[undefined, 1]]));
    // Messages are counted where they are, whatever stands in them and in other jobs.
    const quoted = '{"type":"send_message"} "type":"steer"';
    must(
      await queue.add({ session: 's', command: { type: 'steer', content: quoted } }, { id: 's/steer', delayS: 600 }),
    );
    must(await queue.add({ session: 's', command: { type: 'rename', title: quoted } }, { id: 's/rename' }));
    must(await queue.add({ session: 'sx', command: { type: 'send_message', content: quoted } }, { id: 'sx/1' }));
    must(await queue.add({ session: 's_', command: { type: 'send_message', content: quoted } }));
    must(await queue.add({ session: 's%', command: { type: 'send_message', content: quoted } }));
    expect([must(await queue.messagesWaiting('s')), must(await queue.messagesWaiting('s_'))]).toEqual([2, 1]);
    must(await queue.cancelWaiting('s', ({ command }) => command.type !== 'send_message'));
    // None of the others means the session of these jobs.
    for (const other of ['s_', 's%', 'sx']) expect(must(await queue.cancelWaiting(other, () => true))).toBe(1);
    // The jobs of a process are found by the name that it has there.
    await postgres().sql(
      `UPDATE ${SCHEMA}.workflow_status SET status = 'PENDING', executor_id = 'halter-7' WHERE status = 'ENQUEUED'`,
      'contract',
    );
    expect(await queue.executors()).toEqual(['halter-7']);
    expect(await queue.jobsOf('halter-7')).toEqual([{ id, session: 's' }]);
    await queue.close();
  });

  test('are asked again after every error that a database that is away can cause', async () => {
    const pool = await openPool(await postgres().url('contract_errors'));
    const client = (await pool.connect()) as unknown as {
      query(text: string): Promise<unknown>;
      connection: { stream: { destroy(error: Error): void } };
      release(broken: boolean): void;
      on(event: 'error', listener: () => void): void;
    };
    client.on('error', () => {});
    const asked = client.query('SELECT pg_sleep(60)');
    client.connection.stream.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await expect(asked).rejects.toMatchObject({ code: 'ECONNRESET' });
    client.release(true);
    await pool.end();
    const nowhere = await openPool('postgres://halter@localhost/x?host=/nonexistent');
    await expect(nowhere.query('SELECT 1')).rejects.toMatchObject({ code: 'ECONNRESET' });
    await nowhere.end();
  });

  /** Shorter than those of halter, and far longer than a statement takes. */
  const LIMITS = { lockMs: 1_500, statementMs: 4_000, answerMs: 5_000, idleMs: 2_000 };

  test('are asked again where the database is there and does not answer, and that is told once', {
    timeout: timeLimit(60_000),
  }, async () => {
    verifies('B12');
    const url = await postgres().url('contract_stuck');
    const told: string[] = [];
    const pool = await openPool(url, new Outage((text) => told.push(text)), LIMITS);
    await pool.query('CREATE TABLE wanted AS SELECT 1 AS one');
    const other = await openPool(url);
    const holder = await other.connect();
    await holder.query('BEGIN; LOCK TABLE wanted IN ACCESS EXCLUSIVE MODE');
    const words = /another session holds a lock/;
    const wanted = (): Promise<unknown> => pool.query('SELECT one FROM wanted');
    for (let tries = 0; tries < 2; tries += 1) {
      await expect(wanted()).rejects.toMatchObject({ code: 'ECONNRESET', message: expect.stringMatching(words) });
      // What others ask is answered meanwhile.
      await pool.query('SELECT 2');
    }
    const over = expect.stringMatching(words);
    await expect(forAWhile(wanted)).rejects.toMatchObject({ code: 'QUEUE_OVER', message: over });
    expect(told).toEqual([over]);
    await holder.query('ROLLBACK');
    holder.release();
    await wanted();
    expect(told).toEqual([over, expect.stringMatching(/^the database answers again after \d+ s$/)]);
    await other.end();
    await pool.end();
  });

  test('are waited for as whoever asked said, also where another one gave its connection back', async () => {
    verifies('B12');
    const pool = await openPool(await postgres().url('contract_full'));
    const stuck = "DO $$ BEGIN RAISE EXCEPTION 'no lock' USING ERRCODE = 'lock_not_available'; END $$";
    const holders = await Promise.all(Array.from({ length: CLUSTER_LIMITS.workerConnections }, () => pool.connect()));
    const ofJob = pool.query(stuck);
    const ofPerson = forAWhile(() => pool.query(stuck));
    const ended = Promise.allSettled([ofJob, ofPerson]);
    await forAWhile(async () => holders[0]?.release());
    expect(await ended).toMatchObject([{ reason: { code: 'ECONNRESET' } }, { reason: { code: 'QUEUE_OVER' } }]);
    for (const holder of holders.slice(1)) holder.release();
    await pool.end();
  });

  test('are asked on another connection where one does not answer', { timeout: timeLimit(60_000) }, async () => {
    verifies('B12');
    const pool = await openPool(await postgres().url('contract_silent'), undefined, LIMITS);
    const client = await pool.connect();
    client.on('error', () => {});
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const pid = Number(rows[0]?.pid);
    process.kill(pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(pid, 'SIGCONT'));
    // As DBOS does it, which gives it back as if it were good.
    await expect(client.query('BEGIN')).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(client.query('ROLLBACK')).rejects.toMatchObject({ code: 'ECONNRESET' });
    client.release();
    expect((await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid).not.toBe(pid);
    await pool.end();
  });

  test('say that a job was not added where they cannot be written, and it is not added later', {
    timeout: timeLimit(60_000),
  }, async () => {
    verifies('B12');
    const url = await postgres().url('contract_locked');
    const { queue, pool } = must(await openJobQueue(await sdk(), url, { limits: LIMITS }));
    const holder = await pool.connect();
    await holder.query(
      `BEGIN; LOCK TABLE ${SCHEMA}.workflow_status IN ACCESS EXCLUSIVE MODE; SET LOCAL idle_in_transaction_session_timeout = 0`,
    );
    const job = { session: 's', command: { type: 'send_message', content: 'hello' } } as const;
    const refused = {
      ok: false,
      error: { reason: 'unreachable', message: expect.stringContaining('another session holds a lock') },
    };
    expect(await queue.add(job)).toMatchObject(refused);
    expect(await queue.messagesWaiting('s')).toMatchObject(refused);
    await expect(queue.counts()).rejects.toThrow('another session holds a lock');
    await holder.query('ROLLBACK');
    holder.release();
    expect(await queue.counts()).toMatchObject({ waiting: 0 });
    must(await queue.add(job));
    expect(await queue.counts()).toMatchObject({ waiting: 1 });
    await queue.close();
  });

  test('are made by one process, also where several come at once', async () => {
    const url = await postgres().url('contract_many');
    const opened = await Promise.all(Array.from({ length: 4 }, async () => must(await openJobQueue(await sdk(), url))));
    for (const { queue } of opened) await queue.close();
  });
});
