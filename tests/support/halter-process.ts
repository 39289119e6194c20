/** Runs the real command line as a process of its own, in folders of its own, the way a person or a script does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { MAIN } from './program.ts';
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
  const finished = once(child, 'close').then(([code, signal]): Ran => {
    const lines = () =>
      text.out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    return { code, signal, ...text, lines, json: () => JSON.parse(text.out) as Record<string, unknown> };
  });
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

export const runHalter = (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
  startHalter(args, options).finished;
