/** A database that is there and does not answer: nobody waits for it for ever, it is said why, and it goes on after that. */
import net from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { everyNth, timeLimit } from '../../../tests/support/long.ts';
import { describePostgres, usePostgres } from '../../../tests/support/postgres.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import { createDeferred } from '../../core/deferred.ts';
import type { Outcome } from '../../core/outcome.ts';
import { openPostgres, type PostgresStorage, parseAddress } from '../postgres.ts';
import type { StatementLimits } from './connections.ts';
import { openDatabase } from './database.ts';
import { loadDriver } from './driver.ts';
import { LOCK_CLASS, MIGRATION_LOCK } from './locks.ts';

const postgres = usePostgres();
const PATIENT = { timeout: timeLimit(120_000) };
/** Shorter than those of halter, and far longer than a statement takes. */
const LIMITS: StatementLimits = { lockMs: 1_500, statementMs: 4_000, answerMs: 5_000, idleMs: 2_000 };
let databases = 0;
const newDatabase = async (): Promise<{ name: string; url: string }> => {
  databases += 1;
  const name = `stuck_${databases}`;
  return { name, url: await postgres().url(name) };
};
const must = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};
const open = async (url: string): Promise<PostgresStorage> => {
  const storage = must(await openPostgres({ url, limits: LIMITS, waitMs: LIMITS.answerMs }));
  onTestFinished(() => storage.close());
  return storage;
};
const eventually = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((next) => setTimeout(next, 50));
};
/** Another session of the database, such as an administrator's. */
const another = async (url: string) => {
  const { default: pg } = must(await loadDriver());
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
};

/** Between halter and the database. What it was told to hold back never arrives. */
const proxy = async (url: string) => {
  const socket = path.join(new URL(url).searchParams.get('host') ?? '', '.s.PGSQL.5432');
  const folder = scratchFolder();
  const held = new Set<net.Socket>();
  const all = new Set<net.Socket>();
  let isSilent = false;
  const server = net.createServer((near) => {
    const far = net.connect(socket);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      all.add(from);
      if (isSilent) held.add(from);
      from.on('data', (bytes) => void (held.has(from) ? 0 : to.write(bytes)));
      from.on('error', () => {});
      // The other end does not hear of it.
      from.on('close', () => void (held.has(from) ? 0 : to.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(path.join(folder, '.s.PGSQL.5432'), resolve));
  onTestFinished(() => {
    for (const one of all) one.destroy();
    server.close();
  });
  const address = new URL(url);
  address.searchParams.set('host', folder);
  return {
    url: address.href,
    /** Connections that are there, as a firewall that forgot them. */
    forget: (): void => {
      for (const one of all) held.add(one);
    },
    /** As a pooler that takes all and passes nothing on. */
    swallow(): void {
      this.forget();
      isSilent = true;
    },
    passOn: (): void => {
      isSilent = false;
    },
  };
};

type Stuck = { url: string; name: string; direct: string };
/** What makes the database not answer; gives back what ends that. */
type Cause = (stuck: Stuck, way: Awaited<ReturnType<typeof proxy>>) => Promise<() => Promise<void> | void>;
const CAUSES: [what: string, said: RegExp, cause: Cause][] = [
  [
    'another session holds a lock',
    /does not answer in time: another session holds a lock .*pg_terminate_backend/,
    async ({ direct }) => {
      const other = await another(direct);
      await other.query('BEGIN; LOCK TABLE halter.sessions IN ACCESS EXCLUSIVE MODE');
      return () => void other.query('ROLLBACK');
    },
  ],
  [
    'a statement comes to no end',
    /does not answer in time: a statement took too long/,
    async ({ name }) => {
      await postgres().sql('ALTER TABLE halter.sessions RENAME TO kept', name);
      await postgres().sql(
        'CREATE VIEW halter.sessions AS SELECT kept.* FROM halter.kept, LATERAL (SELECT pg_sleep(600)) AS long',
        name,
      );
      return async () => {
        await postgres().sql('DROP VIEW halter.sessions; ALTER TABLE halter.kept RENAME TO sessions', name);
      };
    },
  ],
  [
    'its process is stopped, and stays so',
    /does not answer in time: it takes connections, and a statement had no answer/,
    async ({ name }) => {
      const found = await postgres().sql(
        `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'halter%' AND datname = '${name}'`,
      );
      const processes = found.split('\n').map(Number);
      for (const one of processes) process.kill(one, 'SIGSTOP');
      onTestFinished(() => {
        for (const one of processes) process.kill(one, 'SIGCONT');
      });
      return () => {};
    },
  ],
  [
    'what lies between forgot the connection',
    /does not answer in time: it takes connections, and a statement had no answer/,
    async (_, way) => {
      way.forget();
      return () => {};
    },
  ],
  [
    'what lies between takes connections and passes nothing on',
    /does not answer in time: it takes connections, and a statement had no answer/,
    async (_, way) => {
      way.swallow();
      return () => way.passOn();
    },
  ],
];

describePostgres('a database that is there and does not answer', () => {
  it.each(everyNth(CAUSES, 2))('is told, and asked again after that: %s', PATIENT, async (_, said, cause) => {
    verifies('B12');
    const { name, url: direct } = await newDatabase();
    const way = await proxy(direct);
    const storage = await open(way.url);
    const end = await cause({ url: way.url, name, direct }, way);
    expect(await storage.sessions.list()).toMatchObject({
      ok: false,
      error: { reason: 'unreachable', message: expect.stringMatching(said) },
    });
    await end();
    await eventually(async () => (await storage.sessions.list()).ok);
  });

  it('is told as one that cannot be reached where not even a connection is answered', PATIENT, async () => {
    verifies('B12');
    const { url: direct } = await newDatabase();
    const way = await proxy(direct);
    way.swallow();
    expect(await openPostgres({ url: way.url, limits: LIMITS })).toMatchObject({
      ok: false,
      error: { reason: 'unreachable', message: expect.stringContaining('cannot be reached') },
    });
  });

  it('ends the transaction of a process that is frozen in it, and gives its locks to others', PATIENT, async () => {
    verifies('B12');
    const { url } = await newDatabase();
    await open(url);
    const address = must(parseAddress(url));
    const database = openDatabase(must(await loadDriver()), address, undefined, LIMITS);
    const impatient = await another(url);
    const thawed = createDeferred<void>();
    const tries: boolean[] = [];
    const done = database.transaction(async (ask, repeated) => {
      tries.push(repeated);
      await ask({ text: 'LOCK TABLE halter.policies IN ACCESS EXCLUSIVE MODE' });
      if (tries.length === 1) await thawed.promise;
      return ask({ text: 'SELECT 1' });
    });
    await eventually(async () => tries.length > 0);
    await impatient.query('SELECT * FROM halter.policies');
    thawed.resolve();
    expect((await done).ok).toBe(true);
    expect(tries).toEqual([false, true]);
    await database.close();
  });

  it('hears what others write again where its connection was cut and nobody said so', PATIENT, async () => {
    verifies('B12');
    const { url: direct } = await newDatabase();
    const way = await proxy(direct);
    const [here, there] = [await open(way.url), await open(direct)];
    must(await here.members.self([]));
    must(await there.members.self([]));
    const heard = new Set<string>();
    here.members.subscribe((message) => heard.add(message));
    const hears = (text: string) =>
      eventually(async () => {
        there.members.publish(text);
        return heard.has(text);
      });
    await hears('before');
    way.forget();
    await hears('after');
  });

  it('is waited for longer where another process makes the tables', PATIENT, async () => {
    verifies('B12');
    const { name, url } = await newDatabase();
    const other = await another(url);
    await other.query('SELECT pg_advisory_lock($1, $2)', [LOCK_CLASS, MIGRATION_LOCK]);
    const opened = openPostgres({ url, limits: LIMITS });
    const waits = `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = '${name}'
      AND now() - query_start > interval '${LIMITS.lockMs + 500} milliseconds'`;
    await eventually(async () => (await postgres().sql(waits)) === '1');
    await other.query('SELECT pg_advisory_unlock_all()');
    await must(await opened).close();
  });
});
