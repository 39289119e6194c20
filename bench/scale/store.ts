/**
 * Sessions in PostgreSQL: what keeping a step costs, what of it is PostgreSQL itself, and what it takes in rows and bytes.
 * `node bench/scale/store.ts [step append size list follow]`
 *
 * Times are of the clock and of this machine's disk, so each stands beside the same work without what is measured, in
 * turns: a conversation that is not kept, files, and a bare INSERT of the same text on as many connections.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '../../src/agent/create-agent.ts';
import type { Event } from '../../src/core/events.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { scriptedProvider } from '../../src/testing/index.ts';
import { openTestAgent, type TestAgentOptions } from '../../src/testing/test-agent.ts';
import { startPostgres } from '../../tests/support/postgres-server.ts';

const STEPS = 30;
const FILE_LINES = 30;
const ROUNDS = 5;
const APPENDS = 400;
const CONNECTIONS = [1, 4, 10] as const;
const LISTED = 10_000;
const FOLLOWED = 200;
const GOAL_MS = 15;

const folder = mkdtempSync(join(tmpdir(), 'halter-bench-store-'));
const postgres = await startPostgres();
const url = await postgres.url('bench');

const tell = (what: string, value: string, beside = ''): void => {
  process.stdout.write(`${value.padStart(12)}  ${what}${beside === '' ? '' : `  (${beside})`}\n`);
};
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const share = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;
const must = <T>(outcome: { ok: true; value: T } | { ok: false; error: { message: string } }): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};

/** One step: a model call, and the call of a tool that reads a small file. */
const fileOf = (number: number): string => `file-${number}.txt`;
for (let number = 0; number < STEPS; number += 1) {
  writeFileSync(join(folder, fileOf(number)), 'A line of a file, as long as lines of files are.\n'.repeat(FILE_LINES));
}

const openHalter = async (more: Partial<TestAgentOptions>): Promise<Agent> =>
  must(
    await openTestAgent({
      folder,
      environment: { HOME: join(folder, 'home') },
      platform: process.platform,
      onWarning: () => {},
      sandbox: false,
      mode: 'yolo',
      maxIterations: STEPS + 1,
      model: 'm',
      modelProvider: scriptedProvider(
        async ({ messages }) => {
          const done = messages.filter(({ role }) => role === 'tool').length;
          return done < STEPS
            ? { calls: [{ name: 'read_file', arguments: { path: fileOf(done) } }] }
            : { text: 'done' };
        },
        { models: [{ id: 'm' }] },
      ),
      ...more,
    }),
  );
const converse = async (halter: Agent, keep: boolean): Promise<number> => {
  const session = must(await halter.openSession({ keep }));
  const began = performance.now();
  await session.send({ type: 'send_message', content: 'go' });
  await session.idle();
  const took = performance.now() - began;
  if (session.log().at(-1)?.type !== 'run_completed') throw new Error('the conversation did not come to its end');
  await session.close();
  return took;
};

const step = async (): Promise<void> => {
  const files = await openHalter({});
  const database = await openHalter({ database: url });
  const times = { nothing: [] as number[], files: [] as number[], database: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const taken = {
      nothing: await converse(files, false),
      files: await converse(files, true),
      database: await converse(database, true),
    };
    // The first round warms up.
    if (round > 0) for (const name of ['nothing', 'files', 'database'] as const) times[name].push(taken[name]);
  }
  const each = (name: 'files' | 'database'): number => (median(times[name]) - median(times.nothing)) / STEPS;
  tell('ms that keeping a step costs in PostgreSQL', each('database').toFixed(2), `goal ≤ ${GOAL_MS}`);
  tell('ms that keeping a step costs in files', each('files').toFixed(2));
  tell('ms of a step that is not kept', (median(times.nothing) / STEPS).toFixed(2));
  await files.close();
  await database.close();
  if (each('database') > GOAL_MS) process.exitCode = 1;
};

const event = (seq: number, content = 'a line of what a tool found. '.repeat(20)): Event => ({
  seq,
  at: 1_700_000_000_000,
  type: 'user_message_added',
  content,
});

const append = async (): Promise<void> => {
  const { default: pg } = await import('pg');
  await postgres.sql('CREATE TABLE bare (session bigint, seq bigint, body json, PRIMARY KEY (session, seq))', 'bench');
  const storage = must(await openPostgres({ url }));
  let run = 0;
  for (const connections of CONNECTIONS) {
    const rates: { bare: number[]; store: number[] } = { bare: [], store: [] };
    const waits: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      run += 1;
      const pool = new pg.Pool({ connectionString: url, max: connections });
      const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()));
      const text = JSON.stringify(event(1));
      let began = performance.now();
      await Promise.all(
        clients.map(async (client, index) => {
          for (let seq = 1; seq <= APPENDS / connections; seq += 1) {
            const values = [run * 100 + index, seq, text];
            await client.query({ name: 'bare', text: 'INSERT INTO bare VALUES ($1, $2, $3)', values });
          }
        }),
      );
      rates.bare.push(APPENDS / ((performance.now() - began) / 1000));
      for (const client of clients) client.release();
      await pool.end();

      const logs = await Promise.all(
        clients.map(async (_, index) => must(await storage.sessions.open(`s${run}-${index}`)).log),
      );
      began = performance.now();
      await Promise.all(
        logs.map(async (log) => {
          for (let seq = 1; seq <= APPENDS / connections; seq += 1) {
            const from = performance.now();
            must(await log.append(event(seq)));
            waits.push(performance.now() - from);
          }
        }),
      );
      rates.store.push(APPENDS / ((performance.now() - began) / 1000));
      for (const log of logs) await log.close();
    }
    const [store, bare] = [median(rates.store), median(rates.bare)];
    tell(
      `appends a second, ${connections} session${connections === 1 ? '' : 's'} at once`,
      store.toFixed(0),
      `bare INSERT ${bare.toFixed(0)}, ratio ${(store / bare).toFixed(2)}; one append ${share(waits, 0.5).toFixed(1)} ms, of 100 the slowest ${share(waits, 0.99).toFixed(1)}`,
    );
  }
  await storage.close();
};

const size = async (): Promise<void> => {
  const number = async (text: string): Promise<number> => Number(await postgres.sql(text, 'sizes'));
  const halter = await openHalter({ database: await postgres.url('sizes') });
  const conversations = 20;
  const measure = async () => ({
    rows: await number('SELECT count(*) FROM halter.events'),
    text: await number('SELECT coalesce(sum(octet_length(body::text)), 0) FROM halter.events'),
    heap: await number(`SELECT pg_table_size('halter.events')`),
    index: await number(`SELECT pg_indexes_size('halter.events')`),
    sessions: await number(`SELECT pg_total_relation_size('halter.sessions')`),
    wal: await number(`SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')`),
  });
  // What is written of every page for the first time after a checkpoint is no cost of a step.
  await converse(halter, true);
  const before = await measure();
  for (let index = 0; index < conversations; index += 1) await converse(halter, true);
  const after = await measure();
  const steps = conversations * STEPS;
  const each = (name: keyof typeof before): string =>
    ((after[name] - before[name]) / steps).toFixed(name === 'rows' ? 1 : 0);
  tell('rows a step', each('rows'));
  tell(
    'bytes of table and index a step',
    String(Number(each('heap')) + Number(each('index'))),
    `text ${each('text')}, table ${each('heap')}, index ${each('index')}`,
  );
  tell('bytes of write-ahead log a step', each('wal'));
  // The server tells its counts once its processes are idle.
  await new Promise((next) => setTimeout(next, 1_500));
  const inPlace = await number(
    `SELECT 100.0 * n_tup_hot_upd / n_tup_upd FROM pg_stat_user_tables WHERE schemaname = 'halter' AND relname = 'sessions'`,
  );
  tell(`of 100 changes of a session's row leave its indexes alone`, inPlace.toFixed(0));
  await halter.close();
};

const list = async (): Promise<void> => {
  const name = 'listed';
  const storage = must(await openPostgres({ url: await postgres.url(name) }));
  await postgres.sql(
    `INSERT INTO halter.sessions (id, version, created_at, updated_at, last_seq, message_count, workspace, model, first_words)
     SELECT 's' || n, 1, n, n * 7919 % 1000003, 9, 4, '/w' || n % 10, 'm', 'what was said first in ' || n FROM generate_series(1, ${LISTED}) AS n;
     ANALYZE halter.sessions`,
    name,
  );
  const times: number[] = [];
  for (let round = 0; round < 30; round += 1) {
    const began = performance.now();
    if (must(await storage.sessions.list({ workspace: '/w3', limit: 50 })).length !== 50)
      throw new Error('a list is short');
    times.push(performance.now() - began);
  }
  tell(`ms for the newest 50 of a folder's ${LISTED / 10} sessions, of ${LISTED} in all`, median(times).toFixed(1));
  await storage.close();
};

const follow = async (): Promise<void> => {
  const writer = must(await openPostgres({ url }));
  const reader = must(await openPostgres({ url }));
  const { log } = must(await writer.sessions.open('followed'));
  const heardAt: number[] = [];
  const keptAt: number[] = [];
  reader.feed.follow('followed', 0, {
    onEvents(events) {
      for (const { seq } of events) heardAt[seq] = performance.now();
    },
  });
  for (let seq = 1; seq <= FOLLOWED; seq += 1) {
    must(await log.append(event(seq)));
    keptAt[seq] = performance.now();
    // A conversation does not write without a pause.
    await new Promise((next) => setTimeout(next, 5));
  }
  while (heardAt.length <= FOLLOWED) await new Promise((next) => setTimeout(next, 5));
  const waits = keptAt.slice(1).map((at, index) => Math.max(0, (heardAt[index + 1] ?? 0) - at));
  tell(
    'ms from kept to heard by another process',
    share(waits, 0.5).toFixed(1),
    `of 100 the slowest ${share(waits, 0.99).toFixed(1)}`,
  );
  await log.close();
  await writer.close();
  await reader.close();
};

const parts = { step, append, size, list, follow };
const chosen = process.argv.slice(2).filter((name): name is keyof typeof parts => name in parts);
try {
  for (const name of chosen.length > 0 ? chosen : (Object.keys(parts) as (keyof typeof parts)[])) await parts[name]();
} finally {
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
}
