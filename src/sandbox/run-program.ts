/** Programs of the system that the sandbox itself needs: to mount, to list and to remove. They run outside of it. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { SANDBOX_LIMITS } from './limits.ts';

/** `code` is null where the program could not be started, or was ended. */
export type Ran = { code: number | null; output: Buffer };

export type RunProgramOptions = { environment?: Readonly<Record<string, string>>; timeoutMs?: number };

export type OpenProgram = ChildProcessByStdio<Writable, Readable, null>;

/** Starts one whose input is written and whose output is read while it runs. */
export const openProgram = (
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  timeoutMs: number,
): OpenProgram =>
  spawn(command[0] as string, command.slice(1), {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', ...environment },
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });

export const runProgram = (
  command: readonly string[],
  input: string,
  { environment = {}, timeoutMs = SANDBOX_LIMITS.layerMs }: RunProgramOptions = {},
): Promise<Ran> =>
  new Promise((resolve) => {
    const child = openProgram(command, environment, timeoutMs);
    const chunks: Buffer[] = [];
    child.on('error', () => resolve({ code: null, output: Buffer.alloc(0) }));
    child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks) }));
    // There are no pipes where the system had no file left to give for them.
    child.stdin?.on('error', () => {
      // It ended without reading; its exit code says why.
    });
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stdin?.end(input);
  });

/** Layers hold folders that nobody may enter. Neither program follows a link. */
export const removeLater = (folder: string): void => {
  const line = 'chmod -R u+rwx -- "$1"; rm -rf -- "$1" || rm -rf -- "$1"';
  const child = spawn('/bin/sh', ['-c', line, 'sh', folder], { cwd: '/', stdio: 'ignore', detached: true });
  child.on('error', () => {
    // The next run that starts tries again.
  });
  child.unref();
};
