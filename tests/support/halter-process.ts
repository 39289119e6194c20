/** Runs the real command line as a process of its own, in folders of its own, the way a person or a script does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { LONG_ONLY } from '../../scripts/long-only.ts';
import type { Output } from '../../src/cli/io.ts';
import { IS_LONG, IS_WHOLE } from './long.ts';
import { COMMAND_LINE, MAIN } from './program.ts';
import { scratchFolder } from './scratch.ts';

export const OPEN = Symbol('standard input that stays open');

export type Ran = {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
  /** Standard output as JSON, line by line. */
  lines(): Record<string, unknown>[];
  json(): Record<string, unknown>;
};
export type RunOptions = {
  /** The workspace; a fresh empty folder where absent. */
  cwd?: string;
  /** The person's home; a fresh one where absent. */
  home?: string;
  env?: Record<string, string>;
  /** Absent: `/dev/null`. OPEN: nothing is written, and it is not closed. */
  stdin?: string | Uint8Array | typeof OPEN;
  /** Another program than halter. */
  command?: readonly string[];
  /** For what only a process of its own shows: its environment, its memory, its files. */
  asProgram?: boolean;
};
export type Running = {
  child: ChildProcess;
  /** Resolves when standard output or standard error holds the text. */
  said(text: string): Promise<void>;
  /** What standard error holds so far. */
  told(): string;
  finished: Promise<Ran>;
};

const COMPILED = path.join(import.meta.dirname, '../../node_modules/.cache/halter-compiled');

/** Nothing of the real home and of the environment that runs the tests, but the Node that runs them. */
export const cleanEnvironment = (home: string): Record<string, string> => ({
  HOME: home,
  PATH: `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
  LANG: 'C.UTF-8',
  TMPDIR: process.env['TMPDIR'] ?? '/tmp',
  // Every start has a fresh home, and would compile the whole program anew.
  NODE_COMPILE_CACHE: COMPILED,
});

const ranWith = (ran: Omit<Ran, 'lines' | 'json'>): Ran => ({
  ...ran,
  lines: () =>
    ran.out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  json: () => JSON.parse(ran.out) as Record<string, unknown>,
});

export const startHalter = (args: readonly string[], options: RunOptions = {}): Running => {
  const [program, ...first] = options.command ?? [process.execPath, MAIN];
  const child = spawn(program as string, [...first, ...args], {
    cwd: options.cwd ?? scratchFolder(),
    env: { ...cleanEnvironment(options.home ?? scratchFolder()), ...options.env },
    stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const text = { out: '', err: '' };
  const waiting = new Set<() => void>();
  for (const [name, stream] of [['out', child.stdout] as const, ['err', child.stderr] as const]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
      for (const check of waiting) check();
    });
  }
  // A program that ends without reading its input is no failure of the test.
  child.stdin?.on('error', () => {});
  if (options.stdin !== undefined && options.stdin !== OPEN) child.stdin?.end(options.stdin);
  const finished = once(child, 'close').then(([code, signal]) => ranWith({ code, signal, ...text }));
  return {
    child,
    finished,
    told: () => text.err,
    said: (wanted) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!text.out.includes(wanted) && !text.err.includes(wanted)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
        void finished.then(() => reject(new Error(`it ended without saying ${wanted}:\n${text.out}\n${text.err}`)));
      }),
  };
};

/**
 * Runs a command to its end. Usually in this process, by what the program itself calls: to start Node and to load the
 * program takes ten times as long as most commands. A long run starts the program: in a file that plays the same rows in
 * both forms for the first of each command, elsewhere for all. So does `asProgram` always.
 */
export const runHalter = (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
  needsProcess(args, options) || (IS_LONG && startsProgram(args))
    ? startHalter(args, options).finished
    : runHere(args, options);

/** The commands that each such file has started as programs. */
const started = new Set<string>();
const startsProgram = ([command = '']: readonly string[]): boolean => {
  const file = expect.getState().testPath ?? '';
  const kind = `${file} ${command}`;
  const isFirst = !started.has(kind);
  started.add(kind);
  return isFirst || IS_WHOLE || hasOwnForm(file);
};

const ownForms = new Map<string, boolean>();
const hasOwnForm = (file: string): boolean => {
  const known =
    ownForms.get(file) ??
    (LONG_ONLY.some((name) => file.endsWith(name)) || readFileSync(file, 'utf8').includes("support/long.ts'"));
  ownForms.set(file, known);
  return known;
};

/** Commands that hand their own standard output to another program. */
const HANDING_ON = ['conformance', 'launch'];

const needsProcess = ([name = '']: readonly string[], { asProgram, command, stdin, env }: RunOptions): boolean =>
  asProgram === true ||
  // A build that is older than this way.
  !existsSync(COMMAND_LINE) ||
  command !== undefined ||
  stdin === OPEN ||
  env?.['NODE_OPTIONS'] !== undefined ||
  HANDING_ON.includes(name);

const runHere = async (args: readonly string[], options: RunOptions): Promise<Ran> => {
  const { runCommandLine } = (await import(COMMAND_LINE)) as typeof import('../../src/cli/command-line.ts');
  const text = { out: '', err: '' };
  const output = (name: 'out' | 'err'): Output => ({
    write: (chunk) => {
      text[name] += chunk;
    },
    isTTY: false,
    columns: 80,
  });
  const code = await runCommandLine(args, {
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin as string | Uint8Array)]),
    stdout: output('out'),
    stderr: output('err'),
    env: { ...cleanEnvironment(options.home ?? scratchFolder()), ...options.env },
    cwd: options.cwd ?? scratchFolder(),
    onSignal: () => () => {},
  });
  return ranWith({ code, signal: null, ...text });
};
