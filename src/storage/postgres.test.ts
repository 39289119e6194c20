/** What only a database can do and suffer: dead openers, restarts, readers elsewhere. What every store does is in tests/conformance. */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { programFile } from '../../scripts/built-programs.ts';
import { verifies } from '../../tests/requirements.ts';
import { rounds, timeLimit } from '../../tests/support/long.ts';
import { describePostgres, PASSWORD, usePostgres } from '../../tests/support/postgres.ts';
import type { Event } from '../core/events.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { StoredRule } from '../core/storage-port.ts';
import { openPostgres, type PostgresOptions, type PostgresStorage } from './postgres.ts';

const postgres = usePostgres();
/** Processes and databases start and end in these: on a busy machine that takes its time. */
const PATIENT = { timeout: timeLimit(120_000) };
let databases = 0;
const newDatabase = async (): Promise<{ name: string; url: string }> => {
  databases += 1;
  const name = `kept_${databases}`;
  return { name, url: await postgres().url(name) };
};
const must = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};
const open = async (url: string, options: Partial<PostgresOptions> = {}): Promise<PostgresStorage> => {
  const storage = must(await openPostgres({ url, ...options }));
  onTestFinished(() => storage.close());
  return storage;
};
const message = (seq: number, content = `message ${seq}`): Event => ({
  seq,
  at: 1_000 + seq,
  type: 'user_message_added',
  content,
});
const iteration = (seq: number): Event => ({ seq, at: 1_000 + seq, type: 'iteration_completed', iteration: seq });
/** Resolves when the check holds; it is made again whenever something may have changed. */
const until = async (check: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await check())) await new Promise((next) => setTimeout(next, 20));
};

const modulePath = programFile(new URL('./postgres.ts', import.meta.url));

/** A real process that appends when it is told to, and says what came of it. */
const startWriter = (url: string, id: string, endless = false) => {
  const script = `
    const { openPostgres } = await import(${JSON.stringify(modulePath)});
    const storage = (await openPostgres({ url: process.env.DATABASE })).value;
    const opened = await storage.sessions.open(${JSON.stringify(id)});
    if (!opened.ok) throw new Error(opened.error.message);
    let seq = opened.value.events.at(-1)?.seq ?? 0;
    const append = async () => {
      seq += 1;
      const done = await opened.value.log.append({ seq, at: 1, type: 'user_message_added', content: 'x'.repeat(2000) });
      process.stdout.write((done.ok ? seq : 'failed ' + done.error.reason) + '\\n');
      return done.ok;
    };
    if (${endless}) while (await append());
    process.stdout.write('open\\n');
    for await (const _ of process.stdin) await append();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, DATABASE: url },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  return {
    child,
    lines,
    said: (line: string) => until(() => lines.includes(line)),
    append: () => child.stdin.write('go\n'),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
};

describePostgres('one opener at a time, over processes', () => {
  it(
    'takes a session over within seconds from a process that was killed, and loses nothing of it',
    PATIENT,
    async () => {
      verifies('B12', 'B5');
      const { url } = await newDatabase();
      const storage = await open(url);
      let known = 0;
      for (let round = 0; round < 2; round += 1) {
        const writer = startWriter(url, 's', true);
        await writer.said(String(known + 20));
        expect(await storage.sessions.open('s')).toMatchObject({ ok: false, error: { reason: 'in_use' } });
        await writer.kill();
        const began = performance.now();
        const { log, events } = must(await storage.sessions.open('s'));
        expect(performance.now() - began).toBeLessThan(8_000);
        const acknowledged = Number(writer.lines.at(-1));
        // The very last one may have been kept and not been acknowledged any more.
        expect([acknowledged, acknowledged + 1]).toContain(events.length);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
        known = events.length;
        await log.close();
      }
    },
  );

  it('lets a process that was taken for dead write nothing more', async () => {
    verifies('B12');
    const { name, url } = await newDatabase();
    const writer = startWriter(url, 's');
    await writer.said('open');
    writer.append();
    await writer.said('1');
    // Stopped, and its connections gone: as a machine that the network lost.
    writer.child.kill('SIGSTOP');
    const mine = await open(url);
    await postgres().sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
    );
    const { log, events } = must(await mine.sessions.open('s'));
    expect(events).toHaveLength(1);
    // It comes back while nothing was written here yet: only the fencing token is in its way.
    writer.child.kill('SIGCONT');
    writer.append();
    await writer.said('failed lost');
    for (const seq of [2, 3]) must(await log.append(message(seq, 'mine')));
    await log.close();
    expect(must(await mine.sessions.read('s')).events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });
});

describePostgres('a database that goes away', () => {
  it.each(['fast', 'immediate'] as const)(
    'is waited for, and loses nothing it acknowledged (%s)',
    PATIENT,
    async (how) => {
      verifies('B12');
      const { url } = await newDatabase();
      const storage = await open(url);
      const other = await open(url);
      const heard: number[] = [];
      const logs = await Promise.all(
        ['a', 'b', 'c'].map(async (id) => ({ id, log: must(await storage.sessions.open(id)).log, acknowledged: 0 })),
      );
      other.feed.follow('a', 0, { onEvents: (events) => heard.push(...events.map(({ seq }) => seq)) });
      let writing = true;
      const work = logs.map(async (one) => {
        while (writing || one.acknowledged < 50) {
          must(await one.log.append(message(one.acknowledged + 1)));
          one.acknowledged += 1;
        }
      });
      for (let round = 0; round < 2; round += 1) {
        const before = logs.map(({ acknowledged }) => acknowledged);
        await until(() => logs.every(({ acknowledged }, index) => acknowledged > (before[index] ?? 0) + 5));
        await postgres().stop(how);
        const listing = storage.sessions.list();
        await postgres().start();
        expect(
          must(await listing)
            .map(({ id }) => id)
            .sort(),
        ).toEqual(['a', 'b', 'c']);
      }
      writing = false;
      await Promise.all(work);
      for (const { id, acknowledged } of logs) {
        const { events, warnings } = must(await storage.sessions.read(id));
        expect([id, events, warnings]).toEqual([
          id,
          Array.from({ length: acknowledged }, (_, index) => message(index + 1)),
          [],
        ]);
      }
      // Who follows from elsewhere hears everything, in order and once, over the restarts too.
      await until(() => heard.length >= (logs[0]?.acknowledged ?? 0));
      expect(heard).toEqual(Array.from({ length: logs[0]?.acknowledged ?? 0 }, (_, index) => index + 1));
      // The session is still ours.
      expect(await other.sessions.open('a')).toMatchObject({ ok: false, error: { reason: 'in_use' } });
      for (const { log } of logs) await log.close();
    },
  );

  it('gets again what it lost in a crash because nobody had to wait for it', async () => {
    verifies('B12', 'B5');
    const { name, url } = await newDatabase();
    const storage = await open(url);
    const { log } = must(await storage.sessions.open('s'));
    const events: Event[] = [message(1), iteration(2), iteration(3), message(4), iteration(5), iteration(6)];
    for (const event of events) must(await log.append(event));
    // As a crash leaves it: what was flushed is there, and nothing after it.
    await postgres().sql('DELETE FROM halter.events WHERE seq > 4; UPDATE halter.sessions SET last_seq = 4', name);
    for (const event of [iteration(7), message(8)]) must(await log.append(event));
    await log.close();
    expect(must(await storage.sessions.read('s')).events).toEqual([...events, iteration(7), message(8)]);
    expect(must(await storage.sessions.list())).toMatchObject([{ message_count: 3, updated_at: 1_008 }]);
  });

  it('is a failure after the time that it was given, and never says the address', async () => {
    verifies('B12', 'H10');
    const { url } = await newDatabase();
    const storage = await open(url, { waitMs: 200 });
    const { log } = must(await storage.sessions.open('s'));
    must(await log.append(message(1)));
    await postgres().stop();
    const failed = [
      await log.append(message(2)),
      await storage.sessions.read('s'),
      await storage.sessions.open('t'),
      await storage.sessions.list(),
      await storage.sessions.ids(),
    ];
    await postgres().start();
    for (const outcome of failed) expect(outcome).toMatchObject({ ok: false, error: { reason: 'unreachable' } });
    expect(JSON.stringify(failed)).not.toContain(PASSWORD);
    // What failed left the log as it was.
    must(await log.append(message(2)));
    await log.close();
    expect(must(await storage.sessions.read('s')).events).toEqual([message(1), message(2)]);
  });
});

describePostgres('the tables', () => {
  it('are made once, however many come at the same time', async () => {
    verifies('B12');
    const { url } = await newDatabase();
    const all = await Promise.all(Array.from({ length: 6 }, () => open(url)));
    await Promise.all(all.map(async ({ sessions }, index) => must(await sessions.create(`s${index}`, [message(1)]))));
    expect(must((await all[0]?.sessions.list()) ?? failure('not_found', ''))).toHaveLength(6);
  });

  it('of a newer halter are left alone, and so is a session of one', async () => {
    verifies('B12', 'U1');
    const { name, url } = await newDatabase();
    const storage = await open(url);
    must(await storage.sessions.create('s', [message(1)]));
    await postgres().sql(`UPDATE halter.sessions SET version = 2`, name);
    for (const outcome of [await storage.sessions.read('s'), await storage.sessions.open('s')]) {
      expect(outcome).toMatchObject({ ok: false, error: { error_type: 'parse_error', reason: 'newer_version' } });
    }
    await postgres().sql('INSERT INTO halter.migrations (version) VALUES (99)', name);
    const refused = await openPostgres({ url });
    expect(refused).toMatchObject({ ok: false, error: { reason: 'newer_version' } });
    const said = refused.ok ? '' : refused.error.message;
    for (const words of [name, 'version 99', 'Start that halter again', 'backup']) expect(said).toContain(words);
  });

  it('give back what can be read of a log that somebody damaged, and say what was left out', async () => {
    verifies('B12', 'B5');
    const { name, url } = await newDatabase();
    const storage = await open(url, { eventBytes: 1_000 });
    must(
      await storage.sessions.create(
        's',
        [1, 2, 3, 4, 5].map((seq) => message(seq)),
      ),
    );
    await postgres().sql(
      `UPDATE halter.events SET body = '[1]' WHERE seq = 2;
       UPDATE halter.events SET body = '{"seq":7,"at":1,"type":"user_message_added","content":"moved"}' WHERE seq = 3;
       UPDATE halter.events SET body = ('{"seq":4,"at":1,"type":"user_message_added","content":"' || repeat('x', 1000) || '"}')::json WHERE seq = 4`,
      name,
    );
    const { events, warnings } = must(await storage.sessions.read('s'));
    expect(events.map(({ seq }) => seq)).toEqual([1, 5]);
    expect(warnings.map((warning) => /event (\d+) was left out, because (.*);/.exec(warning)?.slice(1))).toEqual([
      ['2', 'it is no event'],
      ['3', 'its number is another one'],
      ['4', 'it is too long'],
    ]);
    const { log } = must(await storage.sessions.open('s'));
    must(await log.append(message(6)));
    await log.close();
    // A follower is not held up by them.
    const heard: number[] = [];
    storage.feed.follow('s', 1, { onEvents: (found) => heard.push(...found.map(({ seq }) => seq)) });
    await until(() => heard.includes(6));
    expect(heard).toEqual([5, 6]);
  });

  it('give long events a few at a time, and all of them', async () => {
    verifies('B12');
    const { url } = await newDatabase();
    const storage = await open(url);
    const events = Array.from({ length: 20 }, (_, index) => message(index + 1, `${index}`.repeat(500_000)));
    must(await storage.sessions.create('s', [...events, message(21)]));
    expect(must(await storage.sessions.read('s')).events).toEqual([...events, message(21)]);
  });

  it('want UTF-8', async () => {
    verifies('B12');
    await newDatabase();
    await postgres().sql(`CREATE DATABASE narrow ENCODING 'SQL_ASCII' TEMPLATE template0`);
    const opened = await openPostgres({
      url: await postgres()
        .url('postgres')
        .then((url) => url.replace('/postgres?', '/narrow?')),
    });
    expect(opened).toMatchObject({ ok: false, error: { error_type: 'validation_failed' } });
  });
});

describePostgres('what was said', () => {
  it('is found by the beginnings of its words, whatever characters stand around them', PATIENT, async () => {
    const { url } = await newDatabase();
    const { sessions } = await open(url);
    const said: Record<string, string> = {
      plain: 'The Whale swims',
      path: 'see src/agent/whale.ts:12\nnext_line "quoted"',
      nul: 'a\0b whale\\nfoo \ud800',
      wide: 'größe हिन्दी 鯨',
      long: `${'different words '.repeat(60_000)} ${Array.from({ length: 30_000 }, (_none, at) => `w${at}`).join(' ')}`,
    };
    for (const [id, content] of Object.entries(said)) must(await sessions.create(id, [message(1, content)]));
    const found = async (...words: string[]) =>
      [...(must((await sessions.holding?.(words)) ?? succeed(undefined)) ?? [])].sort();
    expect(await found('whale')).toEqual(['nul', 'path', 'plain']);
    expect(await found('whale', 'swim')).toEqual(['plain']);
    expect(await found('whale.ts')).toEqual(['path']);
    expect(await found('line', 'quoted')).toEqual(['path']);
    expect(await found('grö')).toEqual(['wide']);
    expect(await found('हिन्दी')).toEqual(['wide']);
    expect(await found('different')).toEqual(['long']);
    expect(await found("'; --", '!')).toEqual([]);
  });

  it('is searched for quickly among many sessions', PATIENT, async () => {
    const { url, name } = await newDatabase();
    const { sessions } = await open(url);
    await postgres().sql(
      `INSERT INTO halter.sessions (id, version, created_at, updated_at, last_seq)
       SELECT 's' || n, 1, n, n, 20 FROM generate_series(1, ${rounds(1_000, 5_000)}) AS n;
       INSERT INTO halter.events (session, seq, body)
       SELECT number, seq, ('{"seq":' || seq || ',"at":1,"type":"user_message_added","content":"message ' || seq ||
         ' of conversation' || number || ' with some words that people write"}')::json
       FROM halter.sessions, generate_series(1, 20) AS seq; ANALYZE halter.events`,
      name,
    );
    const times: number[] = [];
    for (let run = 0; run < 10; run += 1) {
      const from = performance.now();
      expect(
        must((await sessions.holding?.([`conversation${100 + run}`])) ?? succeed(undefined))?.size,
      ).toBeGreaterThan(0);
      times.push(performance.now() - from);
    }
    // Two hundred times less than reading them all, on a machine as busy as it may be.
    expect(Math.min(...times)).toBeLessThan(100);
  });
});

describePostgres('following a session', () => {
  it('hears what any process writes, from any place on, in order and once, and that it was removed', async () => {
    verifies('B12');
    const { url } = await newDatabase();
    const [writer, reader] = [await open(url), await open(url)];
    const { log } = must(await writer.sessions.open('s'));
    for (let seq = 1; seq <= 3; seq += 1) must(await log.append(message(seq)));
    const heard = new Map<number, number[]>();
    let removed = 0;
    for (const after of [0, 2, 3]) {
      heard.set(after, []);
      reader.feed.follow('s', after, {
        onEvents: (events) => heard.get(after)?.push(...events.map(({ seq }) => seq)),
        onRemoved: () => {
          removed += 1;
        },
      });
    }
    const stop = reader.feed.follow('s', 0, { onEvents: () => heard.set(-1, []) });
    stop();
    for (let seq = 4; seq <= 40; seq += 1) must(await log.append(message(seq)));
    await until(() => [...heard.values()].every((seqs) => seqs.at(-1) === 40));
    for (const [after, seqs] of heard) {
      expect(seqs).toEqual(Array.from({ length: 40 - after }, (_, index) => after + index + 1));
    }
    await log.close();
    must(await writer.sessions.remove('s'));
    await until(() => removed === 3);
  });
});

describePostgres('what is kept beside sessions', () => {
  it('remembers rules for a workspace, the newest word on a thing once', async () => {
    verifies('B12', 'Z8');
    const { url } = await newDatabase();
    const { policies } = await open(url);
    const rule = (more: Partial<StoredRule>): StoredRule => ({
      tool: 'bash',
      decision: 'allow',
      workspace: '/w',
      created_at: 5,
      ...more,
    });
    must(await policies.add(rule({ pattern: 'git log *' })));
    must(await policies.add(rule({})));
    must(await policies.add(rule({ workspace: '/other' })));
    must(await policies.add(rule({ pattern: 'git log *', decision: 'deny', bound_to: 'x', created_at: 6 })));
    expect(await (await open(url)).policies.load('/w')).toEqual({
      rules: [rule({}), rule({ pattern: 'git log *', decision: 'deny', bound_to: 'x', created_at: 6 })],
      warnings: [],
    });
    // A rule that cannot be kept as it is is not kept as another one.
    expect(await policies.add(rule({ pattern: 'a\0b' }))).toMatchObject({ ok: false });
    expect((await policies.load('/w')).rules).toHaveLength(2);
    expect(policies.path).not.toContain(PASSWORD);
  });

  it('puts old contents aside, checks them, and makes room for newer ones', async () => {
    verifies('B12', 'B6');
    const { name, url } = await newDatabase();
    const { undo } = await open(url, { undo: { maxBytes: 1_000, maxFiles: 100 } });
    const contents = Array.from({ length: 30 }, (_, index) => Buffer.alloc(100, index));
    const hashes = contents.map((bytes) => createHash('sha256').update(bytes).digest('hex'));
    for (const [index, bytes] of contents.entries()) must(await undo.keep(hashes[index] ?? '', bytes));
    expect(Buffer.from(must(await undo.read(hashes[29] ?? '')))).toEqual(contents[29]);
    expect(await undo.read(hashes[0] ?? '')).toMatchObject({ ok: false, error: { error_type: 'not_found' } });
    expect(Number(await postgres().sql('SELECT sum(size) FROM halter.undo', name))).toBeLessThanOrEqual(1_200);
    await postgres().sql(`UPDATE halter.undo SET content = 'other'`, name);
    expect(await undo.read(hashes[29] ?? '')).toMatchObject({ ok: false, error: { reason: 'damaged' } });
    expect(await undo.keep('no hash', Buffer.from('x'))).toMatchObject({ ok: false });
  });

  it('keeps long results with their session, for a copy of it too, and no longer than it', async () => {
    verifies('B12', 'H9');
    const { name, url } = await newDatabase();
    const storage = await open(url);
    must(await storage.sessions.create('s', [message(1)]));
    must(await storage.sessions.create('copy', [message(1)]));
    must(await storage.results('s').keep('call_1.txt', 'a\0b ✓'));
    await storage.copyKept('s', 'copy');
    for (const id of ['s', 'copy']) {
      expect(await storage.results(id).names()).toEqual(['call_1.txt']);
      expect(Buffer.from(must(await storage.results(id).read('call_1.txt'))).toString()).toBe('a\0b ✓');
    }
    expect(await storage.results('s').read('../x')).toMatchObject({ ok: false });
    expect(await storage.results('none').keep('a.txt', '')).toMatchObject({ ok: false });
    must(await storage.sessions.remove('s'));
    expect(await postgres().sql('SELECT count(*) FROM halter.results', name)).toBe('1');
  });

  it('takes only those for gone who show no life, whatever the leases of others say', PATIENT, async () => {
    verifies('B12');
    const { name, url } = await newDatabase();
    const storage = await open(url);
    const self = must(await storage.members.self([]));
    const [dead, frozen, reconnecting, killed, ofBefore] = [1, 2, 3, 4, 5].map((more) => self + 1_000 + more);
    // Locks and leases count for nothing just after the database started.
    const age = () => postgres().sql("SELECT now() - pg_postmaster_start_time() > interval '13 s'", name);
    await until(async () => (await age()) === 'true');
    await postgres().sql(
      `INSERT INTO halter.leases (number, renewed_at, application)
       SELECT number, renewed_at, application FROM (VALUES
         (${frozen}, now() - interval '1 hour', NULL),
         (${reconnecting}, now() + interval '1 hour', (SELECT application FROM halter.leases WHERE number = ${self})),
         (${killed}, now() + interval '1 hour', 'halter of a process whose connections are gone'),
         (${ofBefore}, now() + interval '1 hour', NULL)
       ) AS lease (number, renewed_at, application)`,
      name,
    );
    const asked = [self, dead, frozen, reconnecting, killed, ofBefore] as number[];
    const gone = async () => must(await storage.members.gone(asked));
    expect(await gone(), 'seen once, it may be on its way back').toEqual([]);
    await until(async () => (await gone()).length > 0);
    expect(await gone()).toEqual([dead, frozen, killed]);
    // What one look found, an opening need not find again.
    const ids = Array.from({ length: 30 }, (_, number) => `s${number}`);
    for (const id of ids) must(await storage.sessions.create(id, [message(1)]));
    await postgres().sql(`UPDATE halter.sessions SET opener = ${killed}`, name);
    for (const opened of await Promise.all(ids.map((id) => storage.sessions.open(id)))) must(opened);
  });
});
