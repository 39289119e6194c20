/**
 * Workers on a shared database: what a second one brings, what a step costs more than on files, what a conversation that
 * waits for a person costs. `node bench/scale/workers.ts [speed step waiting]`
 *
 * Speed and step are of the clock, so a busy machine moves them; both are ratios or differences of runs that took turns.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '../../src/agent/create-agent.ts';
import type { OpenSession } from '../../src/agent/session.ts';
import { handToWorkers } from '../../src/cluster/index.ts';
import type { Event } from '../../src/core/events.ts';
import { type ScriptedRequest, startScriptedServer } from '../../src/testing/index.ts';
import { openTestAgent, type TestAgentOptions } from '../../src/testing/test-agent.ts';
import { startPostgres } from '../../tests/support/postgres-server.ts';

/** A quick answer of a model. */
const MODEL_MS = 2_000;
const CONVERSATIONS = 16;
const CONCURRENCY = 4;
const ROUNDS = 3;
const STEPS = 8;
const STEP_CONVERSATIONS = 6;
const WAITING = 1_000;
/** Until then the worker is still compiling what it runs. */
const WAITING_FIRST = 300;
const WAITING_CONCURRENCY = 20;
const LOOKS = 4;

const folder = mkdtempSync(join(tmpdir(), 'halter-bench-workers-'));
const home = join(folder, 'home');
let modelMs = 0;
const results = ({ body }: ScriptedRequest): number =>
  (body['messages'] as { role: string }[]).filter(({ role }) => role === 'tool').length;
const model = await startScriptedServer({
  async turns(request) {
    await sleep(modelMs);
    const text = JSON.stringify(request.body['messages']);
    if (text.includes('please wait')) {
      return { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'a' } }] };
    }
    const steps = text.includes('please step') ? STEPS : 1;
    return results(request) < steps ? { calls: [{ name: 'get_current_time', arguments: {} }] } : { text: 'done' };
  },
});
const postgres = await startPostgres();
const url = await postgres.url('bench');
const reach = { provider: 'openai', baseUrl: model.openaiUrl, model: 'test-model' };

const open = async (more: Partial<TestAgentOptions>): Promise<Agent> => {
  const opened = await openTestAgent({
    folder,
    environment: { HOME: home },
    platform: process.platform,
    documents: true,
    onWarning: () => {},
    ...reach,
    ...more,
  });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
};
const shared = await handToWorkers({ halter: await open({ database: url }), url });
if (!shared.ok) throw new Error(shared.error.message);
const halter = shared.value;
const onFiles = await open({});

const children = new Set<ChildProcess>();
const startWorker = async (concurrency = CONCURRENCY, heapFile?: string): Promise<ChildProcess> => {
  const preload = heapFile ? ['--import', new URL('./heap-on-signal.mjs', import.meta.url).href] : [];
  const main = new URL('../../src/cli/main.ts', import.meta.url).pathname;
  const flags = ['--provider', 'openai', '--base-url', model.openaiUrl, '--model', 'test-model'];
  const child = spawn(
    process.execPath,
    [...preload, main, 'worker', '--database', url, '-C', folder, '--concurrency', String(concurrency), ...flags],
    { env: { ...process.env, HOME: home, HEAP_FILE: heapFile ?? '' }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  children.add(child);
  child.once('close', () => children.delete(child));
  let text = '';
  child.stderr?.setEncoding('utf8');
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk: string) => {
      text = `${text}${chunk}`.slice(-4_000);
      if (text.includes('working in')) resolve();
    });
    child.once('close', () => reject(new Error(text)));
  });
  return child;
};
const end = async (child: ChildProcess): Promise<void> => {
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
};
let sessions = 0;
const openSession = async (from: Agent): Promise<OpenSession> => {
  sessions += 1;
  const opened = await from.openSession({ id: `bench-${sessions}` });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
};
const until = (session: OpenSession, type: Event['type']): Promise<void> =>
  new Promise((resolve, reject) => {
    const look = (): void => {
      if (session.log().some((event) => event.type === type)) resolve();
      const stopped = session.log().find((event) => event.type === 'run_stopped');
      if (stopped?.type === 'run_stopped') reject(new Error(stopped.message));
    };
    session.subscribe(look);
    look();
  });
const say = async (session: OpenSession, content: string): Promise<void> => {
  const sent = await session.send({ type: 'send_message', content });
  if (!sent.ok) throw new Error(sent.message);
};
const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
const tell = (what: string, figure: string, wanted: string): void =>
  console.log(`${what.padEnd(62)} ${figure.padStart(12)}   ${wanted}`);

/** Milliseconds until all of these conversations are over. */
const work = async (conversations = CONVERSATIONS): Promise<number> => {
  const all = await Promise.all(Array.from({ length: conversations }, () => openSession(halter)));
  const from = performance.now();
  await Promise.all(all.map((session) => say(session, 'please work')));
  await Promise.all(all.map((session) => until(session, 'run_completed')));
  const took = performance.now() - from;
  await Promise.all(all.map((session) => session.close()));
  return took;
};

const speed = async (): Promise<void> => {
  modelMs = MODEL_MS;
  const one = await startWorker();
  await work();
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone = await work();
    const two = await startWorker();
    // Its first conversations load what it runs.
    await work(2 * CONCURRENCY);
    const together = await work();
    await end(two);
    ratios.push(alone / together);
  }
  await end(one);
  tell(
    `work of two workers to that of one (${CONVERSATIONS} conversations)`,
    median(ratios).toFixed(2),
    'at least 1.8',
  );
};

/** Of a run, by the clock of whoever ran it. */
const perStep = (log: readonly Event[]): number => {
  const from = log.find(({ type }) => type === 'user_message_added')?.at ?? 0;
  const to = log.find(({ type }) => type === 'run_completed')?.at ?? 0;
  return (to - from) / (2 * STEPS + 1);
};

const step = async (): Promise<void> => {
  modelMs = 0;
  const worker = await startWorker();
  const durable: number[] = [];
  const plain: number[] = [];
  for (let turn = 0; turn <= STEP_CONVERSATIONS; turn += 1) {
    for (const [from, into] of [[halter, durable] as const, [onFiles, plain] as const]) {
      const session = await openSession(from);
      await say(session, 'please step');
      await until(session, 'run_completed');
      // The first of each warms up.
      if (turn > 0) into.push(perStep(session.log()));
      await session.close();
    }
  }
  await end(worker);
  tell('milliseconds a step, on files', median(plain).toFixed(2), '');
  tell('milliseconds a step, in a worker', median(durable).toFixed(2), '');
  tell('milliseconds that durability costs a step', (median(durable) - median(plain)).toFixed(2), 'at most 15');
};

/** The least of several looks: what is on its way to being let go of is not held. */
const heapOf = async (worker: ChildProcess, file: string): Promise<number> => {
  const seen: number[] = [];
  while (seen.length < LOOKS) {
    await sleep(500);
    rmSync(file, { force: true });
    worker.kill('SIGUSR2');
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(20);
    seen.push(Number(readFileSync(file, 'utf8')));
  }
  return Math.min(...seen);
};

const waiting = async (): Promise<void> => {
  modelMs = 0;
  const heapFile = join(folder, 'heap');
  const worker = await startWorker(WAITING_CONCURRENCY, heapFile);
  const ids: string[] = [];
  const begin = async (count: number): Promise<void> => {
    const session = await openSession(halter);
    ids.push(session.id);
    await say(session, 'please wait');
    await until(session, 'permission_requested');
    await session.close();
    if (count > 1) await begin(count - 1);
  };
  const together = async (count: number): Promise<void> => {
    await Promise.all(Array.from({ length: WAITING_CONCURRENCY }, () => begin(count / WAITING_CONCURRENCY)));
  };
  await together(WAITING_FIRST);
  const before = await heapOf(worker, heapFile);
  await together(WAITING - WAITING_FIRST);
  const after = await heapOf(worker, heapFile);
  await end(worker);
  const each = Math.max(0, after - before) / (WAITING - WAITING_FIRST);
  tell(`KB that each of ${WAITING} waiting conversations costs a worker`, (each / 1000).toFixed(2), 'less than 10');
  const again = await startWorker();
  const opened = await halter.openSession({ id: ids[WAITING >> 1] as string });
  if (!opened.ok) throw new Error(opened.error.message);
  const asked = opened.value.log().find(({ type }) => type === 'permission_requested');
  const tool_call_id = asked?.type === 'permission_requested' ? asked.tool_call_id : '';
  const from = performance.now();
  await opened.value.send({ type: 'resolve_permission', tool_call_id, decision: 'deny' });
  await until(opened.value, 'tool_finished');
  tell('milliseconds until one of them goes on, in another worker', (performance.now() - from).toFixed(0), '');
  await end(again);
};

const parts = { speed, step, waiting };
const chosen = process.argv.slice(2).filter((name): name is keyof typeof parts => name in parts);
try {
  for (const name of chosen.length > 0 ? chosen : (Object.keys(parts) as (keyof typeof parts)[])) await parts[name]();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  await halter.close();
  await onFiles.close();
  await model.close();
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
}
