/** A program that is started for a test and ends with it. */
import { spawn } from 'node:child_process';

export type Program = {
  /** What the pattern finds first in what it says. */
  said(pattern: RegExp): Promise<string>;
  /** With everything that it started. */
  end(): Promise<void>;
};

export const startProgram = (
  [command = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Program => {
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let all = '';
  const hear = (chunk: Buffer): void => {
    all += chunk.toString();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  return {
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(all)?.[1];
          if (found !== undefined) resolve(found);
        };
        look();
        child.stdout.on('data', look);
        child.stderr.on('data', look);
        child.once('close', () => reject(new Error(`${command} ended:\n${all}`)));
      }),
    async end() {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
      await closed;
    },
  };
};
