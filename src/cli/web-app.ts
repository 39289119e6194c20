/** In a checkout the web app is built when it is first served; in the package it is there. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Io } from './io.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/build-web.mjs', import.meta.url));
/** Only where the program runs from its sources: beside a built program there are no scripts. */
const IS_CHECKOUT = import.meta.url.endsWith('.ts') && existsSync(SCRIPT);

const run = (args: readonly string[]): Promise<{ code: number | null; problem: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let problem = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      problem += text;
    });
    child.on('error', (error) => resolve({ code: null, problem: error.message }));
    child.on('close', (code) => resolve({ code, problem }));
  });

/** The server runs without it too: then its page says so. */
export const ensureWebApp = async (io: Io): Promise<void> => {
  if (!IS_CHECKOUT || (await run(['--check'])).code === 0) return;
  io.stderr.write('halter: building the web app\n');
  const { code, problem } = await run([]);
  if (code === 0) return;
  const reason = problem.trim().split('\n')[0] ?? '';
  io.stderr.write(`halter: the web app could not be built${reason === '' ? '' : `: ${reason}`}\n`);
};
