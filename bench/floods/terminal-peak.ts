/** The highest memory of the terminal app of the real program, at a terminal that reads as fast as it can, or slowly. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import type { Peak } from './peak.ts';

const MAIN = process.env['MAIN'] ?? fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SAMPLE_MS = 5;
/** A slow terminal reads for a moment and then not, over and over: a phone behind a bad line. */
const READS_MS = 2;
const WAITS_MS = 150;
const NUDGE_MS = 1_000;
const KEPT_CHARACTERS = 20_000;

export type TerminalRun = {
  args: readonly string[];
  folder: string;
  home: string;
  isSlow: boolean;
  nodeFlags?: readonly string[];
  program?: string;
};

/** Says "go", and "again" behind it: the answer to that, "Done.", tells that all of the first has been shown. */
export const terminalPeakOf = async (run: TerminalRun): Promise<Peak> => {
  const { args, folder, home, isSlow, nodeFlags = [], program = MAIN } = run;
  const started = performance.now();
  const app = spawn(process.execPath, [...nodeFlags, program, ...args], {
    cwd: folder,
    env: { HOME: home, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', TERM: 'xterm-256color' },
    cols: 100,
    rows: 30,
  });
  let seen = '';
  let peak = 0;
  const timers: NodeJS.Timeout[] = [];
  const shows = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const hearing = app.onData((data) => {
        seen = (seen + data).slice(-KEPT_CHARACTERS);
        if (!seen.includes(text)) return;
        hearing.dispose();
        resolve();
      });
      app.onExit(() => reject(new Error(`it ended without showing ${text}:\n${seen}`)));
    });
  try {
    await shows('m ·');
    if (isSlow) {
      const turn = (isReading: boolean): void => {
        if (isReading) app.resume();
        else app.pause();
        timers[0] = setTimeout(() => turn(!isReading), isReading ? READS_MS : WAITS_MS);
      };
      turn(false);
    }
    timers[1] = setInterval(() => {
      peak = Math.max(peak, highestMemory(app.pid));
    }, SAMPLE_MS);
    const over = shows('Done.');
    app.write('go\r');
    app.write('again\r');
    // After a stop, what was typed ahead stands in the prompt again.
    timers[2] = setInterval(() => app.write('\r'), NUDGE_MS);
    await over;
    peak = Math.max(peak, highestMemory(app.pid));
    return { bytes: peak, seconds: (performance.now() - started) / 1_000, code: 0, errors: '' };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    app.kill('SIGKILL');
  }
};

const highestMemory = (pid: number): number => {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
};
