/**
 * Kills of workers, servers and PostgreSQL in turn while conversations run: what is lost or doubled, and how long a
 * conversation stands still. `node bench/scale/kills.ts [--kills 200 --conversations 50 --pause 2500]`
 *
 * Messages are sent from this process, which nobody kills; readers follow at the servers and connect again elsewhere. A
 * tool writes a line each time it runs, so that a second time is seen.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { OpenSession } from '../../src/agent/session.ts';
import { handToWorkers } from '../../src/cluster/index.ts';
import type { Event } from '../../src/core/events.ts';
import { type ScriptedRequest, startScriptedServer } from '../../src/testing/index.ts';
import { openTestAgent } from '../../src/testing/test-agent.ts';
import { startPostgres } from '../../tests/support/postgres-server.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    conversations: { type: 'string', default: '50' },
    pause: { type: 'string', default: '2500' },
  },
});
const KILLS = Number(values.kills);
const CONVERSATIONS = Number(values.conversations);
const PAUSE_MS = Number(values.pause);
const WORKERS = 3;
const SERVERS = 2;
const READERS = Math.min(10, CONVERSATIONS);
const CALLS = 3;
const MODEL_MS = 400;
const GOAL_S = 10;
const TOKEN = 'a-token-of-the-bench-that-is-long-enough';
/** The built program, which starts more quickly; it is started often here. */
const BUILT = new URL('../../dist/', import.meta.url).pathname;
const MAIN = join(BUILT, 'cli/main.js');
if (!existsSync(MAIN)) throw new Error('Build the program first: npm run build.');

const folder = mkdtempSync(join(tmpdir(), 'halter-bench-kills-'));
const home = join(folder, 'home');
const notes = join(folder, 'notes');
const plugins = join(home, '.config/halter/plugins');
mkdirSync(plugins, { recursive: true });
writeFileSync(
  join(plugins, 'note.mjs'),
  `import fs from 'node:fs';
import { defineTool } from ${JSON.stringify(join(BUILT, 'index.js'))};
export const plugin = { name: 'note', tools: [defineTool({
  name: 'note', description: 'Writes a line.', risk: 'safe', effects: 'process',
  parameters: { type: 'object', properties: { line: { type: 'string' } }, required: ['line'] },
  run: ({ line }) => { fs.appendFileSync(${JSON.stringify(notes)}, line + '\\n'); return 'written'; },
})] };
`,
);

const model = await startScriptedServer({
  async turns({ body }: ScriptedRequest) {
    await sleep(MODEL_MS * (0.5 + Math.random()));
    const messages = body['messages'] as { role: string; content: unknown }[];
    const last = messages.findLastIndex(({ role }) => role === 'user');
    const said = /work \S+/.exec(String(messages[last]?.content))?.[0] ?? '';
    const done = messages.slice(last).filter(({ role }) => role === 'tool').length;
    return done < CALLS
      ? { calls: [{ name: 'note', arguments: { line: `${said} ${done}` } }] }
      : { text: `done ${said}` };
  },
});
const postgres = await startPostgres();
const url = await postgres.url('kills');
const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '--model', 'test-model'];

type Supervised = { child: ChildProcess; said: string; isUp: boolean; running: Set<string> };
/** By session: when its jobs went back into the queue, and when workers began with them. */
const requeuedAt = new Map<string, number[]>();
const beganAt = new Map<string, number[]>();
const note = (at: Map<string, number[]>, session: string): void => {
  at.set(session, [...(at.get(session) ?? []), performance.now()]);
};
const all: Supervised[] = [];
/** No new message is sent; what was begun comes to its end. */
let isEnough = false;
let isOver = false;
/** Starts it again whenever it ends, as whoever runs a service does. */
const supervise = (args: readonly string[]): Supervised => {
  const one: Supervised = { child: undefined as unknown as ChildProcess, said: '', isUp: false, running: new Set() };
  const start = (): void => {
    if (isOver) return;
    one.said = '';
    one.isUp = false;
    one.running = new Set();
    one.child = spawn(process.execPath, [MAIN, ...args, '--database', url, '-C', folder, ...reach], {
      env: { HOME: home, PATH: process.env['PATH'], HALTER_TOKEN: TOKEN },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    one.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      one.said += chunk;
      if (one.said.includes('?token=')) one.isUp = true;
    });
    let rest = '';
    one.child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.startsWith('{')) continue;
        const { event, session_id, job_id } = JSON.parse(line) as Record<string, string | undefined>;
        if (event === 'working') one.isUp = true;
        if (event === 'recovered') note(requeuedAt, job_id?.split('/')[0] ?? '');
        if (session_id === undefined) continue;
        if (event === 'began') {
          one.running.add(session_id);
          note(beganAt, session_id);
        } else if (event === 'ended') one.running.delete(session_id);
      }
    });
    one.child.once('close', start);
  };
  start();
  all.push(one);
  return one;
};
const workers = Array.from({ length: WORKERS }, () => supervise(['worker', '--allow', 'note', '--log-format', 'json']));
const servers = Array.from({ length: SERVERS }, () =>
  supervise(['serve', '--workers', '--port', '0', '--log-format', 'json']),
);

const opened = await openTestAgent({
  folder,
  environment: { HOME: home },
  platform: process.platform,
  documents: true,
  onWarning: () => {},
  provider: 'openai',
  baseUrl: model.openaiUrl,
  model: 'test-model',
  database: url,
});
if (!opened.ok) throw new Error(opened.error.message);
const shared = await handToWorkers({ halter: opened.value, url });
if (!shared.ok) throw new Error(shared.error.message);
const halter = shared.value;

/** Whatever the end. */
const ENDS: ReadonlySet<string> = new Set<Event['type']>(['run_completed', 'run_stopped', 'run_cancelled']);

/** `ended`: runs that came to an end, counted as they do; fifty logs are not read through again and again. */
type Conversation = { session: OpenSession; sent: number; ended: number; lastAt: number };
const conversations: Conversation[] = [];
const converse = async (number: number): Promise<void> => {
  const begun = await halter.openSession({ id: `c${number}` });
  if (!begun.ok) throw new Error(begun.error.message);
  const session = begun.value;
  const one: Conversation = { session, sent: 0, ended: 0, lastAt: performance.now() };
  conversations.push(one);
  session.subscribe((update) => {
    if (update.seq === undefined) return;
    one.lastAt = performance.now();
    if (ENDS.has(update.type)) one.ended += 1;
  });
  while (!isEnough) {
    const reply = await session.send({ type: 'send_message', content: `work c${number}-${one.sent}` });
    if (!reply.ok) throw new Error(reply.message);
    one.sent += 1;
    while (one.ended < one.sent) await sleep(20);
  }
};

type Heard = (seq: number, line: string, connection: string) => void;
/** What a reader at the servers hears of a session: the number of each event, the id of its line, and by which connection. */
const read = async (id: string, until: AbortSignal, from: string | undefined, heard: Heard) => {
  let last = from;
  for (let tries = 0; !until.aborted; tries += 1) {
    const base = /http:\/\/[^/]+/.exec(servers[tries % SERVERS]?.said ?? '')?.[0];
    const connection = `${base} from ${last}`;
    try {
      if (base === undefined) throw new Error('not there');
      const headers = { authorization: `Bearer ${TOKEN}`, ...(last === undefined ? {} : { 'last-event-id': last }) };
      const response = await fetch(`${base}/api/sessions/${id}/events`, { headers, signal: until });
      let rest = '';
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const frames = `${rest}${chunk}`.split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          const data = /^data: ?(.*)$/m.exec(frame)?.[1];
          const line = /^id: ?(.*)$/m.exec(frame)?.[1];
          last = line ?? last;
          const { seq } = (data === undefined ? {} : JSON.parse(data)) as { seq?: number };
          if (seq !== undefined && line !== undefined) heard(seq, line, connection);
        }
      }
    } catch {
      await sleep(100);
    }
  }
};

const pool = new pg.Pool({ connectionString: url, max: 2 });
pool.on('error', () => {});
/** Which process has each session open, once the database answers. */
const openers = async (): Promise<Map<string, number | null>> => {
  for (;;) {
    try {
      const { rows } = await pool.query<{ id: string; opener: number | null }>(
        'SELECT id, opener FROM halter.sessions',
      );
      return new Map(rows.map(({ id, opener }) => [id, opener]));
    } catch {
      await sleep(50);
    }
  }
};

/** Seconds from a kill of a worker, for each of its conversations. */
const taken = { requeued: [] as number[], began: [] as number[], lock: [] as number[], event: [] as number[] };
/** What of it is waiting in the queue. */
const queued: number[] = [];
const measure = async (ids: ReadonlySet<string>): Promise<void> => {
  const from = performance.now();
  const before = await openers();
  const open = new Set([...ids].filter((id) => before.get(id) != null));
  const since = (): number => (performance.now() - from) / 1_000;
  const lock = async (): Promise<void> => {
    const left = new Set(open);
    while (left.size > 0 && !isOver) {
      const now = await openers();
      for (const id of left) {
        if (now.get(id) === before.get(id)) continue;
        left.delete(id);
        taken.lock.push(since());
      }
      await sleep(100);
    }
  };
  const each = async (one: Conversation): Promise<void> => {
    const { id } = one.session;
    const first = (map: ReadonlyMap<string, number[]>, since: number) => map.get(id)?.find((at) => at >= since);
    while (one.lastAt < from && !isOver) await sleep(20);
    if (one.lastAt < from) return;
    taken.event.push((one.lastAt - from) / 1_000);
    const requeued = first(requeuedAt, from);
    const began = requeued === undefined ? undefined : first(beganAt, requeued);
    if (requeued === undefined || began === undefined) return;
    taken.requeued.push((requeued - from) / 1_000);
    taken.began.push((began - from) / 1_000);
    queued.push((began - requeued) / 1_000);
  };
  await Promise.all([lock(), ...conversations.filter(({ session }) => open.has(session.id)).map(each)]);
};

const kill = async (number: number): Promise<void> => {
  const turn = Math.floor(number / 3);
  if (number % 3 === 2) {
    await postgres.stop('immediate');
    await postgres.start();
    return;
  }
  const group = number % 3 === 0 ? workers : servers;
  const target = group[turn % group.length] as Supervised;
  const ids = new Set(target.running);
  const closed = once(target.child, 'close');
  target.child.kill('SIGKILL');
  await closed;
  if (group === workers) void measure(ids);
};

/** One thing is missing at a time: whoever was killed is back before the next one is. */
const ready = async (): Promise<void> => {
  while (all.some(({ isUp }) => !isUp)) await sleep(50);
};
const from = performance.now();
await ready();
const talking = Array.from({ length: CONVERSATIONS }, (_, number) => converse(number));
for (const each of talking) each.catch((error: unknown) => console.error(error));
while (conversations.filter(({ ended }) => ended > 0).length < CONVERSATIONS) await sleep(50);
const reading = new AbortController();
const heard = Array.from({ length: READERS }, () => ({ seqs: new Set<number>(), lines: new Map<string, string>() }));
/** Which lines came twice, by which connections. */
const twice: string[] = [];
const readers = heard.map(({ seqs, lines }, number) =>
  read(`c${number}`, reading.signal, undefined, (seq, line, connection) => {
    const before = lines.get(line);
    if (before !== undefined) twice.push(`c${number}: line ${line} by ${before}, then by ${connection}`);
    seqs.add(seq);
    lines.set(line, connection);
  }),
);
for (let number = 0; number < KILLS; number += 1) {
  await kill(number);
  await sleep(PAUSE_MS);
  await ready();
  if ((number + 1) % 20 === 0) console.log(`${number + 1} kills, ${Math.round((performance.now() - from) / 1_000)} s`);
}
isEnough = true;
await Promise.all(talking);

const lines = (existsSync(notes) ? readFileSync(notes, 'utf8') : '').split('\n').filter((line) => line !== '');
const times = new Map<string, number>();
for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1);
const wrong = {
  lostEvents: 0,
  doubledEvents: 0,
  lostMessages: 0,
  doubledMessages: 0,
  lostWrites: 0,
  failedRuns: 0,
  misread: 0,
};
let events = 0;
let unknown = 0;
const reasons = new Set<string>();
/** How many calls hold each line. */
const asked = new Map<string, number>();
for (const { session, sent } of conversations) {
  const kept = await halter.sessions.read(session.id);
  if (!kept.ok) throw new Error(kept.error.message);
  const log = kept.value.events;
  events += log.length;
  for (const [index, { seq }] of log.entries()) if (seq !== index + 1) wrong.lostEvents += 1;
  if (session.log().length !== log.length) wrong.misread += 1;
  const said = log.flatMap((event) => (event.type === 'user_message_added' ? [JSON.stringify(event.content)] : []));
  wrong.doubledMessages += said.length - new Set(said).size;
  wrong.lostMessages += sent - new Set(said).size;
  for (const event of log) {
    if (event.type !== 'run_stopped') continue;
    wrong.failedRuns += 1;
    reasons.add(`${event.reason} ${event.name}: ${event.message}`);
  }
  const calls = new Map(
    log.flatMap((event) =>
      event.type === 'assistant_message_added'
        ? event.message.tool_calls.map((call) => [call.id, String(call.arguments['line'])] as const)
        : [],
    ),
  );
  for (const line of calls.values()) asked.set(line, (asked.get(line) ?? 0) + 1);
  for (const event of log) {
    if (event.type !== 'tool_finished') continue;
    if (!event.result.success) unknown += 1;
    else if (!times.has(calls.get(event.tool_call_id) ?? '')) wrong.lostWrites += 1;
  }
}
// The model may ask for the same line again, as where a compaction left out that it was written; then that is a call of its own.
const doubledWrites = [...times].filter(([line, count]) => count > (asked.get(line) ?? 0)).length;
const askedAgain = [...asked.values()].filter((each) => each > 1).length;
// A reader that begins now hears every event once; those that were there all the time must have heard the same.
await sleep(2_000);
reading.abort();
await Promise.all(readers);
wrong.doubledEvents = twice.length;
for (const [number, { seqs }] of heard.entries()) {
  const fresh = new Set<number>();
  const leave = new AbortController();
  const end =
    conversations
      .find(({ session }) => session.id === `c${number}`)
      ?.session.log()
      .at(-1)?.seq ?? 0;
  void read(`c${number}`, leave.signal, undefined, (seq) => {
    fresh.add(seq);
    if (seq >= end) leave.abort();
  });
  for (const until = performance.now() + 5_000; !leave.signal.aborted && performance.now() < until; ) await sleep(50);
  leave.abort();
  wrong.lostEvents += [...fresh].filter((seq) => !seqs.has(seq)).length;
}

const spread = (seconds: readonly number[]): { late: number; text: string } => {
  const sorted = seconds.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const late = at(0.95);
  const text = `half at most ${at(0.5).toFixed(1)} s, 95 of 100 ${late.toFixed(1)} s, longest ${at(1).toFixed(1)} s (${sorted.length} times)`;
  return { late, text };
};
console.log(
  `${KILLS} kills of ${WORKERS} workers, ${SERVERS} servers and PostgreSQL in turn, ${CONVERSATIONS} conversations, ${Math.round((performance.now() - from) / 1_000)} s`,
);
console.log(
  `${events} events, ${lines.length} writes; of ${unknown} calls the model was told that they failed or are not known; ${askedAgain} lines were asked for more than once`,
);
console.log(`lost or doubled: ${JSON.stringify({ ...wrong, doubledWrites })}`);
const { late, text: lockText } = spread(taken.lock);
console.log('of conversations that a killed worker had open, from the kill until');
console.log(`  the job is back in the queue: ${spread(taken.requeued).text}`);
console.log(
  `  another worker begins with it: ${spread(taken.began).text}; of that in the queue: ${spread(queued).text}`,
);
console.log(`  another worker has the lock of the session: ${lockText}; goal ${GOAL_S} s`);
console.log(`  its next event is kept: ${spread(taken.event).text}`);
console.log(
  `load of the machine (1, 5, 15 minutes): ${loadavg()
    .map((each) => each.toFixed(1))
    .join(', ')}`,
);
for (const each of reasons) console.log(`stopped: ${each}`);
for (const each of twice) console.log(`sent twice: ${each}`);
if ([...Object.values(wrong), doubledWrites].some((each) => each > 0) || late > GOAL_S) process.exitCode = 1;
isOver = true;
for (const { child } of all) child.kill('SIGKILL');
await halter.close();
await pool.end();
await model.close();
await postgres.remove();
rmSync(folder, { recursive: true, force: true });
