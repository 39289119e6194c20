/**
 * `npm run bench:message [-- EVENTS]`: how long a long session takes until a new message is at the model, when it was open
 * nowhere before: on files and on PostgreSQL, each message in a process of its own that has answered another session first.
 * The clock runs from the opening of the session to the request at the model.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { halterPaths } from '../src/storage/paths.ts';
import { openStorage } from '../src/storage/storage.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { openTestAgent } from '../src/testing/test-agent.ts';
import { NO_POSTGRES, startPostgres } from '../tests/support/postgres-server.ts';
import { EVENTS_A_TURN, longLog } from './long-log.ts';

const EVENTS = Number(process.argv[2] ?? 20_000);
const RUNS = 5;
const GOAL_S = 0.5;
const WINDOW_TOKENS = 131_072;
const CHARACTERS_A_RESULT = 1_500;
const ID = 'long';

const must = <T>(outcome: { ok: true; value: T } | { ok: false; error: { message: string } }): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};

const RESULT = 'A line of what a tool found, with "quotes" and a path\n'.repeat(CHARACTERS_A_RESULT / 54);
const TURNS = Math.ceil((EVENTS - EVENTS_A_TURN) / EVENTS_A_TURN);

const [, , , folder = '', database = ''] = process.argv;
const open = (onAsked: () => void, place: string, url: string) =>
  openTestAgent({
    folder: place,
    environment: { HOME: join(place, 'home') },
    platform: process.platform,
    onWarning: () => {},
    sandbox: false,
    mode: 'yolo',
    model: 'm',
    modelProvider: scriptedProvider(
      async () => {
        onAsked();
        return { text: 'done' };
      },
      { models: [{ id: 'm', context_length: WINDOW_TOKENS }] },
    ),
    ...(url === '' ? {} : { database: url }),
  });

type Taken = { ms: number; cpuMs: number; opened: number; ended: number };
/** One message to a session that this process has never seen; milliseconds until it is at the model. */
const say = async (place: string, url: string): Promise<Taken> => {
  let askedAt = 0;
  let used = 0;
  const onAsked = (): void => {
    askedAt ||= performance.now();
    const { user, system } = process.cpuUsage();
    used ||= (user + system) / 1_000;
  };
  const halter = must(await open(onAsked, place, url));
  const message = async (id: string): Promise<Taken> => {
    askedAt = 0;
    used = 0;
    const { user, system } = process.cpuUsage();
    const from = performance.now();
    const session = must(await halter.openSession({ id, goesOn: true }));
    const opened = performance.now() - from;
    await session.send({ type: 'send_message', content: 'And what now?' });
    await session.idle();
    const ended = performance.now() - from;
    await session.leave();
    if (askedAt === 0) throw new Error(JSON.stringify(session.log().at(-1)));
    return { ms: askedAt - from, cpuMs: used - (user + system) / 1_000, opened, ended };
  };
  await message(`short-${process.pid}`);
  const taken = await message(ID);
  await halter.close();
  return taken;
};

if (folder !== '') {
  process.stdout.write(JSON.stringify(await say(folder, database === '-' ? '' : database)));
} else {
  const postgres = NO_POSTGRES === undefined ? await startPostgres() : undefined;
  const places = [['files', '']];
  if (postgres) places.push(['PostgreSQL', await postgres.url('bench')]);
  else process.stdout.write(`${NO_POSTGRES}\n`);
  for (const [name, url = ''] of places) {
    const place = mkdtempSync(join(tmpdir(), 'halter-bench-message-'));
    const storage = must(
      await openStorage({
        folders: halterPaths({ HOME: join(place, 'home') }, process.platform),
        ...(url === '' ? {} : { database: url }),
      }),
    );
    must(await storage.sessions.create(ID, longLog({ id: ID, workspace: place, turns: TURNS, data: RESULT })));
    await storage.close();
    const runs = Array.from({ length: RUNS + 1 }, () => {
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        [import.meta.filename, String(EVENTS), place, url === '' ? '-' : url],
        { encoding: 'utf8', maxBuffer: 1e8 },
      );
      if (status !== 0) throw new Error(stderr);
      return JSON.parse(stdout) as Taken;
    });
    const [first, ...rest] = runs;
    const sorted = rest.map(({ ms }) => ms / 1000).sort((a, b) => a - b);
    const median = sorted[sorted.length >> 1] ?? 0;
    const used = rest.map(({ cpuMs }) => cpuMs / 1000).sort((a, b) => a - b)[rest.length >> 1] ?? 0;
    process.stdout.write(
      `${name}: a session of ${EVENTS} events takes a message in ${median.toFixed(2)} s (${used.toFixed(2)} s of the processor, slowest ${(sorted.at(-1) ?? 0).toFixed(2)} s, the first, which makes room, ${((first?.ms ?? 0) / 1000).toFixed(2)} s); goal ${GOAL_S} s: ${median <= GOAL_S ? 'ok' : 'NOT REACHED'}\n`,
    );
    if (process.env['VERBOSE']) process.stdout.write(`${JSON.stringify(runs)}\n`);
    rmSync(place, { recursive: true, force: true });
  }
  await postgres?.remove();
}
