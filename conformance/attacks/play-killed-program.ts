/** Plays the cases in which the real program is killed in the middle of a call, or its window is closed. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../src/core/json.ts';
import { SessionFiles } from '../../src/storage/session-files.ts';
import { CONFORMANCE_LIMITS } from '../limits.ts';
import { asObject, hold, onlyKnown, Unmet } from './attack-case.ts';
import { answer, MODEL, startModelServer } from './model-server.ts';
import { killed, processesWith } from './processes.ts';
import { MAIN } from './run-program.ts';
import type { Scene } from './scene.ts';

type Started = { child: ChildProcess; errors(): string };

const start = (scene: Scene, args: readonly string[], preload?: string): Started => {
  const first = preload === undefined ? [] : ['--import', preload];
  const child = spawn(process.execPath, [...first, MAIN, ...args], {
    cwd: scene.root,
    env: scene.environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  scene.onEnd(() => killed(child));
  return { child, errors: () => errors };
};

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.on('close', () => resolve()));

const until = async (holds: () => boolean, what: string): Promise<void> => {
  const end = Date.now() + CONFORMANCE_LIMITS.caseMs / 6;
  while (!holds()) {
    if (Date.now() > end) throw new Unmet(what);
    await wait(10);
  }
};

const SESSION = 'crash';
const serve = async (scene: Scene, name: string, args: JsonObject): Promise<string[]> => {
  const call = { name, arguments: JSON.stringify(args) };
  const server = await startModelServer(MODEL, (number) => (number === 0 ? answer([], [call]) : answer(['done'])));
  scene.onEnd(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', server.baseUrl, '-m', MODEL];
  return ['run', 'Do it', '--session', SESSION, '--allow', name, ...reach];
};

/** Ends the process by KILL where a temporary file is about to take the place of the real one. */
const killBeforeRename = (temporary: RegExp): string => {
  const source = `
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const rename = fs.rename;
fs.rename = (from, to) => {
  if (${temporary}.test(String(from))) process.kill(process.pid, 'SIGKILL');
  return rename(from, to);
};
syncBuiltinESMExports();`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
};

const sizeIn = (text: string): number => {
  const [, count = '', unit = ''] = /(\d+)\s*(MB|KB)/.exec(text) ?? [];
  if (count === '') throw new Unmet(`the operation "${text}" names no size`);
  return Number(count) * (unit === 'MB' ? 1024 * 1024 : 1024);
};

/** Killed when the new content is written and the old one still stands. */
export const withKilledWrite = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('when', when, ['signal']);
  onlyKnown('then', then, ['file', 'session_log', 'next_start_notice']);
  const operation = String(given['op']);
  hold(/^write_file /.test(operation), `the operation "${operation}" is not known`);
  hold(
    String(given['kill_at']) === 'between temp write and rename',
    `a kill at "${String(given['kill_at'])}" is not known`,
  );
  const [file, old] = [path.join(scene.root, 'a.txt'), 'the old content\n'];
  fs.writeFileSync(file, old);
  const args = await serve(scene, 'write_file', { path: 'a.txt', content: 'x'.repeat(sizeIn(operation)) });
  const killed = start(scene, args, killBeforeRename(/\/\.halter-\d+-[0-9a-f]+\.tmp$/));
  await ended(killed.child);
  hold(killed.child.signalCode === 'SIGKILL', `it was not killed while it wrote: ${killed.errors().slice(0, 300)}`);
  if (then['file'] === 'old content intact')
    hold(fs.readFileSync(file, 'utf8') === old, 'the old content is not whole');
  else hold(then['file'] === undefined, `"${String(then['file'])}" is not known`);
  const next = start(scene, [...args.slice(0, 1), 'And now?', ...args.slice(2)]);
  await ended(next.child);
  const log = await new SessionFiles({ folder: path.join(scene.home, '.local/share/halter/sessions') }).read(SESSION);
  const results = log.ok
    ? log.value.events.flatMap((event) => (event.type === 'tool_finished' ? [event.result] : []))
    : [];
  if (then['session_log'] !== undefined) {
    hold(then['session_log'] === 'call recorded as interrupted', `"${String(then['session_log'])}" is not known`);
    const [first] = results;
    hold(results.length === 1 && first?.metadata.reason === 'interrupted', `the log says ${JSON.stringify(first)}`);
    hold(first?.error_message?.includes('not applied') === true, `the verdict is: ${first?.error_message}`);
  }
  if (then['next_start_notice'] === true) {
    hold(/a\.txt: not applied/.test(next.errors()), `nothing is said of it: ${next.errors().slice(0, 300)}`);
  }
};

/** Killed while a command of the shell runs. */
export const withKilledShell = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('when', when, ['signal']);
  onlyKnown('then', then, ['children_left_after_ms']);
  const seconds = /^bash sleep (\d+) running$/.exec(String(given['op']))?.[1];
  if (seconds === undefined) throw new Unmet(`the operation "${String(given['op'])}" is not known`);
  // A length that nobody else sleeps, to know the process by; and one that has left the group.
  const mark = `${seconds}.${process.pid}${Date.now() % 100_000}`;
  const command = `(setsid sleep ${mark} &) ; sleep ${mark}`;
  const sleeping = (): number => processesWith('cmdline', (text) => text.includes(`sleep\0${mark}`));
  const running = start(scene, await serve(scene, 'bash', { command }));
  await until(() => sleeping() >= 2, `the command does not run: ${running.errors().slice(0, 300)}`);
  running.child.kill('SIGKILL');
  await ended(running.child);
  for (const [left, milliseconds] of Object.entries(asObject(then['children_left_after_ms']))) {
    await wait(Number(milliseconds));
    const still = sleeping();
    hold(still <= Number(left), `${still} processes are left after ${milliseconds} ms`);
  }
};
