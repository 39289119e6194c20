/** The highest memory of one run of the real program. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The built program, which is what people run; `MAIN` names another. */
const MAIN = process.env['MAIN'] ?? fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SAMPLE_MS = 5;

export type Peak = { bytes: number; seconds: number; code: number | null; errors: string };

/** Of the program alone, as the kernel counts it: what it starts is not halter's memory. */
export const peakOf = async (
  args: readonly string[],
  home: string,
  nodeFlags: readonly string[] = [],
  program: string = MAIN,
): Promise<Peak> => {
  const started = performance.now();
  const child = spawn(process.execPath, [...nodeFlags, program, ...args], {
    env: { HOME: home, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-2_000);
  });
  let peak = 0;
  const sample = setInterval(() => {
    try {
      const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'));
      peak = Math.max(peak, Number(found?.[1] ?? 0) * 1024);
    } catch {
      // It has ended.
    }
  }, SAMPLE_MS);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(sample);
  return { bytes: peak, seconds: (performance.now() - started) / 1_000, code, errors };
};
