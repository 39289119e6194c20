/**
 * A part of `npm run bench:sessions`: a list, a search and the opening of a session among many in PostgreSQL, as a server
 * that runs already does them. Of each the 95th of 100 is held to the goal.
 */
import { searchSessions } from '../src/agent/session/search-sessions.ts';
import { openPostgres } from '../src/storage/postgres.ts';
import { NO_POSTGRES, startPostgres } from '../tests/support/postgres-server.ts';

const COUNT = Number(process.argv[2] ?? 10_000);
const MESSAGES = 10;
const RUNS = 100;
const GOAL_MS = 100;
const DATABASE = 'sessions';

const must = <T>(outcome: { ok: true; value: T } | { ok: false; error: { message: string } }): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};

if (NO_POSTGRES !== undefined) {
  process.stdout.write(`${NO_POSTGRES}\n`);
  process.exit(0);
}
const postgres = await startPostgres();
try {
  const storage = must(await openPostgres({ url: await postgres.url(DATABASE) }));
  await postgres.sql(
    `INSERT INTO halter.sessions (id, version, created_at, updated_at, last_seq, message_count, workspace, model, first_words)
     SELECT 's' || n, 1, n, n * 7919 % 1000003, ${MESSAGES + 1}, ${MESSAGES}, '/w', 'm', 'Message 1 of conversation' || n
     FROM generate_series(1, ${COUNT}) AS n;
     INSERT INTO halter.events (session, seq, body)
     SELECT number, seq, CASE WHEN seq = 1
       THEN json_build_object('seq', 1, 'at', 1, 'type', 'session_started', 'version', 1, 'session_id', id, 'workspace', '/w', 'model', 'm')::text
       ELSE '{"seq":' || seq || ',"at":' || seq || ',"type":"user_message_added","content":"Message ' || seq || ' of conversation'
         || substr(id, 2) || ': ' || repeat('some words that people write ', 10) || '"}' END::json
     FROM halter.sessions, generate_series(1, ${MESSAGES + 1}) AS seq;
     ANALYZE`,
    DATABASE,
  );
  const { sessions } = storage;
  const name = (run: number): string => `s${((run * 7_919) % COUNT) + 1}`;
  const parts: readonly [string, (run: number) => Promise<void>][] = [
    [
      'list',
      async () => {
        if (must(await sessions.list({ workspace: '/w', limit: 50 })).length !== 50) throw new Error('a list is short');
      },
    ],
    [
      'search',
      async (run) => {
        const all = must(await sessions.list({ workspace: '/w' }));
        const found = await searchSessions(sessions, all, [`conversation${name(run).slice(1)}`], { limit: 20 });
        if (found.length === 0) throw new Error('nothing was found');
      },
    ],
    [
      'open',
      async (run) => {
        const { log, events } = must(await sessions.open(name(run)));
        if (events.length !== MESSAGES + 1) throw new Error('events are missing');
        await log.close();
      },
    ],
  ];
  process.stdout.write(`${COUNT} sessions of ${MESSAGES} messages in PostgreSQL\n`);
  for (const [what, work] of parts) {
    // The first loads what it runs, and the cache of the database.
    await work(RUNS);
    const times: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const from = performance.now();
      await work(run);
      times.push(performance.now() - from);
    }
    times.sort((a, b) => a - b);
    const late = times[Math.floor(RUNS * 0.95)] as number;
    const median = times[RUNS >> 1] as number;
    const verdict = late <= GOAL_MS ? 'ok' : 'NOT REACHED';
    process.stdout.write(
      `${what}: ${median.toFixed(1)} ms, 95 of 100 within ${late.toFixed(1)} ms; goal ${GOAL_MS} ms: ${verdict}\n`,
    );
  }
  await storage.close();
} finally {
  await postgres.remove();
}
