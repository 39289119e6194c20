/**
 * A program that has the person's terminal and their whole environment, and ends with halter: also where halter is killed,
 * where the program is deaf to signals, and where what was started is a script that starts the program itself.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { IO_LIMITS } from '../limits.ts';
import { MARK } from './groups.ts';
import { createProcessGuard } from './guard.ts';

export type ForegroundRequest = {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
};

export type ForegroundEnd =
  | { started: true; code: number | null; signal: NodeJS.Signals | null }
  | { started: false; error: NodeJS.ErrnoException };

export type Foreground = {
  /** When it has ended. What it left running by its own will stays. */
  ended: Promise<ForegroundEnd>;
  /** What it does about the signal is its own affair. */
  pass(signal: NodeJS.Signals): void;
  /** Passes the signal on; it and all that it started are ended after a moment, whatever they do about it. */
  stop(signal: NodeJS.Signals): void;
};

export const startInForeground = ({ program, args, cwd, env }: ForegroundRequest): Foreground => {
  const id = randomUUID();
  const guard =
    process.platform === 'win32'
      ? undefined
      : createProcessGuard({ mark: `${MARK}=${id}`, killGraceMs: IO_LIMITS.processKillGraceMs });
  guard?.start();
  const child = spawn(program, args, { cwd, env: { ...env, [MARK]: id }, stdio: 'inherit' });
  if (child.pid !== undefined) guard?.follow(child.pid);
  let deadline: NodeJS.Timeout | undefined;
  const endAll = (): void => {
    child.kill('SIGKILL');
    guard?.close();
  };
  const ended = new Promise<ForegroundEnd>((resolve) => {
    const settle = (end: ForegroundEnd): void => {
      if (deadline === undefined) guard?.dismiss();
      else endAll();
      clearTimeout(deadline);
      resolve(end);
    };
    child.once('error', (error) => settle({ started: false, error }));
    child.once('exit', (code, signal) => settle({ started: true, code, signal }));
  });
  return {
    ended,
    pass: (signal) => void child.kill(signal),
    stop: (signal) => {
      child.kill(signal);
      deadline ??= setTimeout(endAll, IO_LIMITS.foregroundGraceMs);
    },
  };
};
