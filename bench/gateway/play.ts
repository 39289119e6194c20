/** One client in front of one trap, alone or through `halter serve`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { cleanEnvironment } from '../../tests/support/halter-process.ts';
import { type Client, MODEL, prepareClient, readCall } from './clients.ts';
import { type ModelRequest, type ModelServer, type Reply, startModel } from './model.ts';
import { ANSWER, plainCall, QUESTION, type Result, SECRET, type Trap } from './traps.ts';

/** Clients repeat what failed, some of them for many minutes. */
export const CLIENT_S = 60;
/** How long a client's last words may take after its end. */
const DRAIN_MS = 2_000;
/** A model that was told its mistake so often gives up. */
const PATIENCE_TURNS = 5;
const ENDLESS_TURNS = 60;
export const TOKEN = 'token-of-the-gateway-bench-0123456789';

export type Through = 'alone' | 'halter';
export type Gateway = { url: string; pid: number; stop(): Promise<void> };

/** `halter serve` as people start it, in a home of its own. */
export const startGateway = async (program: string, modelUrl: string): Promise<Gateway> => {
  const home = mkdtempSync(join(tmpdir(), 'halter-bench-'));
  const child = spawn(
    process.execPath,
    [program, 'serve', '--port', '0', '--provider', 'openai', '--base-url', `${modelUrl}/v1`, '--model', MODEL],
    { cwd: home, env: { ...cleanEnvironment(home), HALTER_TOKEN: TOKEN }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    child.stdout.on('data', (chunk: Buffer) => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(chunk.toString('utf8'));
      if (found) resolve(found[0]);
    });
    child.once('exit', (code) => reject(new Error(`halter serve ended with ${code}: ${said}`)));
  });
  const stop = async (): Promise<void> => {
    child.removeAllListeners('exit');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
  return { url, pid: child.pid as number, stop };
};

export const withModel = async <T>(use: (model: ModelServer) => Promise<T>): Promise<T> => {
  const model = await startModel();
  try {
    return await use(model);
  } finally {
    await model.close();
  }
};

/** The model's side: the trap first, the file's words once they were heard. */
const replies = (trap: Trap, client: Client, folder: string): ModelServer['reply'] => {
  let turn = 0;
  const file = join(folder, 'hello.txt');
  return (request: ModelRequest): Reply => {
    // Titles and summaries are no part of the row.
    if (request.tools.length === 0 && trap.group !== 'server') return { deltas: [{ content: 'A title' }] };
    const heard = JSON.stringify(request.messages.filter(({ role }) => role !== 'system'));
    const isKnown = heard.includes(SECRET);
    if (trap.isEndless ? turn >= ENDLESS_TURNS : turn >= PATIENCE_TURNS && !isKnown) {
      return { deltas: [{ content: 'I give up.' }] };
    }
    const scene = { client, folder, file, turn, request };
    turn += 1;
    if (isKnown && !trap.isEndless) {
      return { deltas: [{ content: heard.includes('and papaya') ? `${ANSWER} It says and papaya.` : ANSWER }] };
    }
    return trap.reply(scene) ?? plainCall(readCall(client, file));
  };
};

export type Played = {
  passed: boolean;
  /** The client was ended, since it took longer than a row may. */
  isLate: boolean;
  seconds: number;
  result: Result;
};

export const playTrap = async (
  trap: Trap,
  client: Client,
  model: ModelServer,
  endpoint: string,
  limitS: number,
): Promise<Played> => {
  const place = mkdtempSync(join(tmpdir(), 'halter-bench-'));
  const [home, folder] = [join(place, 'home'), join(place, 'work')];
  try {
    for (const each of [home, folder]) mkdirSync(each);
    writeFileSync(join(folder, 'hello.txt'), `The secret word is ${SECRET}.\n`);
    writeFileSync(join(folder, 'second.txt'), 'and papaya\n');
    model.requests.length = 0;
    model.reply = replies(trap, client, folder);
    const given = { url: endpoint, token: TOKEN, model: MODEL };
    const program = await prepareClient(client, home, given);
    const ended = await runClient(program, client, trap.question ?? QUESTION, true, { home, folder, given, limitS });
    const { output, code, isLate, seconds } = ended;
    const requests = model.requests.filter(({ tools }) => tools.length > 0).length;
    const result = { output, code, folder, requests };
    return { passed: !isLate && (trap.passed ?? isAnswered)(result), isLate, seconds, result };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};

const isAnswered = ({ output }: Result): boolean => output.includes(SECRET);

type Setting = { home: string; folder: string; given: { url: string; token: string; model: string }; limitS: number };
type Ended = { output: string; code: number | null; isLate: boolean; seconds: number };

/** What it said on both streams, and how it ended. */
export const runClient = async (
  program: string,
  client: Client,
  question: string,
  isFirst: boolean,
  { home, folder, given, limitS }: Setting,
): Promise<Ended> => {
  const began = performance.now();
  const child = spawn(program, client.args(question, isFirst), {
    cwd: folder,
    env: { ...cleanEnvironment(home), ...client.env(given) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  }
  let isLate = false;
  const end = (): void => {
    isLate = true;
    endGroup(child);
  };
  const timer = setTimeout(end, limitS * 1_000);
  const closed = new Promise((resolve) => child.once('close', resolve));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  endGroup(child);
  // What left the group may hold the streams for ever.
  await Promise.race([closed, setTimeoutPromise(DRAIN_MS, undefined, { ref: false })]);
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  return { output, code, isLate, seconds: (performance.now() - began) / 1_000 };
};

/** Clients leave children behind. */
const endGroup = (child: ChildProcess): void => {
  try {
    process.kill(-(child.pid as number), 'SIGKILL');
  } catch {
    // All of them have ended.
  }
};
