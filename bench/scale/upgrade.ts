/**
 * A rolling upgrade with two builds: the one of a commit whose tables are those of 0.1.0, and this one. Old and new
 * workers and servers share a database while conversations run; then each takes over from the other, and the old build is
 * started anew and refuses. `node bench/scale/upgrade.ts [--from COMMIT] [--conversations 12]`; a test plays it too
 * (`tests/e2e/rolling-upgrade.test.ts`).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Event } from '../../src/core/events.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { type ScriptedRequest, startScriptedServer } from '../../src/testing/index.ts';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { MAIN as NEW } from '../../tests/support/program.ts';

const { values } = parseArgs({
  options: {
    /** The last commit with the first version of the tables. */
    from: { type: 'string', default: '1129a557' },
    /** A folder in which the old program is built already. */
    built: { type: 'string' },
    conversations: { type: 'string', default: '12' },
  },
});
const CONVERSATIONS = Number(values.conversations);
const MODEL_MS = 300;
const STEP_MS = 120_000;
const SHARE_TRIES = 10;
const SETTLE_MS = 500;
const TOKEN = 'a-token-of-the-bench-that-is-long-enough';
const ROOT = new URL('../../', import.meta.url).pathname;

const folder = mkdtempSync(join(tmpdir(), 'halter-bench-upgrade-'));
const run = (command: string, args: readonly string[], cwd: string): void => {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
};
/** The old build, from the history of this repository. */
const buildOld = (): string => {
  const old = join(folder, 'old');
  mkdirSync(old);
  run('sh', ['-c', `git -C "$1" archive "$2" | tar x -C "$3"`, 'sh', ROOT, values.from, old], ROOT);
  symlinkSync(join(ROOT, 'node_modules'), join(old, 'node_modules'));
  run(process.execPath, ['scripts/build.mjs'], old);
  return join(old, 'dist/cli/main.js');
};
const OLD = values.built === undefined ? buildOld() : join(values.built, 'dist/cli/main.js');

const home = join(folder, 'home');
const work = join(folder, 'work');
for (const each of [home, work]) mkdirSync(each);
const told = join(folder, 'told.txt');
/** What each answer of the model waits for, and how many wait. */
let gate: Promise<void> = Promise.resolve();
let held = 0;
const model = await startScriptedServer({
  async turns({ body }: ScriptedRequest) {
    await sleep(MODEL_MS);
    held += 1;
    await gate;
    held -= 1;
    const messages = body['messages'] as { role: string; content: unknown }[];
    const last = messages.findLastIndex(({ role }) => role === 'user');
    const done = messages.slice(last).filter(({ role }) => role === 'tool').length;
    return done < 2 ? { calls: [{ name: 'get_current_time', arguments: {} }] } : { text: 'done' };
  },
});
const postgres = await startPostgres();
const url = await postgres.url('upgrade');
const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '--model', 'test-model'];

/** `number`: the one that stands at the sessions it has open. */
type Process = { child: ChildProcess; number: number; said: string; began: Set<string>; ended: Promise<number | null> };
const all: Process[] = [];
const start = async (main: string, args: readonly string[], ready: string): Promise<Process> => {
  const child = spawn(process.execPath, [main, ...args, '--database', url, '-C', work, ...reach], {
    env: { HOME: home, PATH: process.env['PATH'], HALTER_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const one: Process = {
    child,
    number: 0,
    said: '',
    began: new Set(),
    ended: once(child, 'close').then(([code]) => code),
  };
  all.push(one);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      one.said += text;
      appendFileSync(told, text);
      for (const [, id = ''] of text.matchAll(/began with (\S+)/g)) one.began.add(id);
    });
  }
  let isOver = false;
  void one.ended.then(() => {
    isOver = true;
  });
  while (!one.said.includes(ready) && !isOver) await sleep(50);
  one.number = Number(await postgres.sql('SELECT last_value FROM halter.openers', 'upgrade'));
  return one;
};
const worker = (main: string) => start(main, ['worker'], 'working in');
const server = (main: string) => start(main, ['serve', '--workers', '--port', '0'], '?token=');

const end = async (): Promise<void> => {
  for (const { child } of all) child.kill('SIGKILL');
  await model.close();
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
};
process.once('SIGTERM', () => void end().then(() => process.exit(1)));

const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
const baseOf = ({ said }: Process): string => /http:\/\/[^/]+/.exec(said)?.[0] ?? '';
const post = async (to: Process, path: string, body: object): Promise<Record<string, unknown>> => {
  const answer = await fetch(`${baseOf(to)}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
};
const say = (to: Process, id: string, content: string) =>
  post(to, `/api/sessions/${id}/commands`, { type: 'send_message', content });

let failed = false;
const tell = (what: string, isRight: boolean, detail = ''): void => {
  failed ||= !isRight;
  console.log(`${isRight ? 'yes' : 'NO '} ${what}${detail === '' ? '' : `: ${detail}`}`);
};
const version = async (): Promise<string> => postgres.sql('SELECT max(version) FROM halter.migrations', 'upgrade');

try {
  const oldWorker = await worker(OLD);
  const oldServer = await server(OLD);
  const before = await version();
  const ids: string[] = [];
  for (let number = 0; number < CONVERSATIONS; number += 1) {
    ids.push(String((await post(oldServer, '/api/sessions', {}))['id']));
  }
  const sent = new Map(ids.map((id) => [id, 0]));
  const ask = async (to: Process, some: readonly string[]): Promise<void> => {
    for (const id of some) {
      const times = (sent.get(id) ?? 0) + 1;
      sent.set(id, times);
      await say(to, id, `message ${times}`);
    }
  };
  await ask(oldServer, ids);
  // In the middle of that, the new build comes and changes the tables.
  let newWorker = await worker(NEW);
  const newServer = await server(NEW);
  tell('the new build brought the tables up', before !== (await version()), `version ${before} to ${await version()}`);
  tell(
    'the old worker and the old server live on',
    oldWorker.child.exitCode === null && oldServer.child.exitCode === null,
  );
  const [pinned = ''] = ids;
  await post(newServer, `/api/sessions/${pinned}/pin`, { pinned: true });
  const storage = await openPostgres({ url });
  if (!storage.ok) throw new Error(storage.error.message);
  const { sessions } = storage.value;
  const logOf = async (id: string): Promise<readonly Event[]> => {
    const read = await sessions.read(id);
    return read.ok ? read.value.events : [];
  };
  const count = (log: readonly Event[], type: Event['type']): number => log.filter((each) => each.type === type).length;
  const answered = async (): Promise<boolean> => {
    const end = performance.now() + STEP_MS;
    for (;;) {
      const open = [];
      for (const id of ids) if (count(await logOf(id), 'run_completed') < (sent.get(id) ?? 0)) open.push(id);
      if (open.length === 0) return true;
      if (performance.now() > end) {
        for (const id of open) console.log(`  ${id}: ${JSON.stringify((await logOf(id)).at(-1))?.slice(0, 200)}`);
        return false;
      }
      await sleep(200);
    }
  };
  tell('what the old build had begun is answered', await answered());
  for (const each of [oldWorker, newWorker]) each.began.clear();
  const hadTheirShare = (): boolean => oldWorker.began.size > 0 && newWorker.began.size > 0;
  const half = ids.length >> 1;
  await Promise.all([ask(oldServer, ids.slice(0, half)), ask(newServer, ids.slice(half))]);
  tell('messages to both servers are answered', await answered());
  await Promise.all([ask(newServer, ids.slice(0, half)), ask(oldServer, ids.slice(half))]);
  tell('and the other way round', await answered());
  // Which of the two is asked first is up to the machine.
  for (let tries = 0; tries < SHARE_TRIES && !hadTheirShare(); tries += 1) {
    await ask(oldServer, ids);
    if (!(await answered())) break;
  }
  tell(
    'both workers had their share',
    hadTheirShare(),
    `old ${oldWorker.began.size}, new ${newWorker.began.size} of ${ids.length} conversations`,
  );
  /** Kills a worker while all conversations wait for the model, which answers nothing until it is dead. */
  const killAtWork = async (victim: Process, other: Process, asked: Process): Promise<boolean> => {
    for (let tries = 0; tries < SHARE_TRIES; tries += 1) {
      const { promise, resolve: open } = Promise.withResolvers<void>();
      gate = promise;
      for (const each of [victim, other]) each.began.clear();
      await ask(asked, ids);
      const late = performance.now() + STEP_MS;
      while (held < ids.length && performance.now() < late) await sleep(SETTLE_MS);
      const opened = await postgres.sql(`SELECT id FROM halter.sessions WHERE opener = ${victim.number}`, 'upgrade');
      const isAtWork = opened.split('\n').some((id) => victim.began.has(id.trim()));
      if (isAtWork) victim.child.kill('SIGKILL');
      open();
      const isAnswered = await answered();
      if (isAtWork || !isAnswered) return isAtWork && isAnswered;
    }
    return false;
  };
  tell('the old worker takes over from the new one', await killAtWork(newWorker, oldWorker, oldServer));
  newWorker = await worker(NEW);
  // Jobs of the new server are in the queues of folders, which the old worker does not know.
  tell('the new worker takes over from the old one', await killAtWork(oldWorker, newWorker, oldServer));
  for (const [name, again] of [
    ['worker', worker],
    ['server', server],
  ] as const) {
    const second = await again(OLD);
    tell(
      `the old build's ${name}, started anew on the new tables, refuses in words`,
      (await second.ended) === 1 && /newer halter/.test(second.said),
      second.said.trim().split('\n').at(-1) ?? '',
    );
  }
  let gaps = 0;
  const doubled = { messages: 0, runs: 0 };
  for (const id of ids) {
    const log = await logOf(id);
    for (const [index, { seq }] of log.entries()) if (seq !== index + 1) gaps += 1;
    const said = (type: Event['type']): number => count(log, type) - (sent.get(id) ?? 0);
    const [messages, runs] = [said('user_message_added'), said('run_completed')];
    if (messages !== 0 || runs !== 0) {
      console.log(`  ${id}, ${sent.get(id)} sent:`);
      for (const event of log) console.log(`    ${JSON.stringify(event).slice(0, 250)}`);
    }
    doubled.messages += messages;
    doubled.runs += runs;
  }
  const list = await fetch(`${baseOf(newServer)}/api/sessions`, { headers });
  const pins = ((await list.json()) as { pinned: { id: string }[] }).pinned.map(({ id }) => id);
  tell('what the new server pinned is pinned after all of it', pins.join() === pinned, pins.join());
  const records = async (): Promise<number[]> => {
    const left = await postgres.sql(
      'SELECT (SELECT count(*) FROM halter.failed_jobs), (SELECT count(*) FROM halter.trials), (SELECT count(*) FROM halter.deaths)',
      'upgrade',
    );
    return left.split('|').map(Number);
  };
  // A trial ends after the run that it was for.
  const late = performance.now() + STEP_MS;
  let [given, trials, deaths] = await records();
  while (trials !== 0 && performance.now() < late) {
    await sleep(200);
    [given, trials, deaths] = await records();
  }
  tell(
    'deaths of workers of both builds are noted, no message was given up for them, and no trial is left',
    given === 0 && trials === 0 && (deaths ?? 0) > 0,
    `${deaths} deaths, ${given} given up, ${trials} trials`,
  );
  tell(
    'nothing is lost or doubled',
    gaps === 0 && doubled.messages === 0 && doubled.runs === 0,
    `${gaps} events, ${doubled.messages} messages, ${doubled.runs} runs`,
  );
  await storage.value.close();
} catch (error) {
  console.error(error);
  failed = true;
} finally {
  console.log(
    `load of the machine (1, 5, 15 minutes): ${loadavg()
      .map((each) => each.toFixed(1))
      .join(', ')}`,
  );
  if (failed) process.exitCode = 1;
  await end();
}
