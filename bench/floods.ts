/**
 * `npm run bench:floods`: how much a flood makes halter grow (goal G10: less than 64 MB). The highest memory of a real run
 * in which a command, a background job or the model pours out far more than is kept, less that of the same run with a word.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ScriptedServerTurn, startScriptedServer } from '../src/testing/index.ts';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const MB = 1024 * 1024;
const GOAL_MB = 64;
const SAMPLE_MS = 20;

const bash = (command: string, background = false): ScriptedServerTurn => ({
  calls: [{ name: 'bash', arguments: { command, background } }],
});
const pour = (bytes: number): string => `head -c ${bytes} /dev/zero | tr '\\0' x`;
const look: ScriptedServerTurn = { calls: [{ name: 'read_job', arguments: { job_id: 'job_1', wait_ms: 4000 } }] };
const end: ScriptedServerTurn = { text: 'Done.' };

const FLOODS: Record<string, { quiet: ScriptedServerTurn[]; flood: ScriptedServerTurn[] }> = {
  'a command that prints 1 GB': { quiet: [bash('echo x'), end], flood: [bash(pour(1024 * MB)), end] },
  'a background job that prints 1 GB': {
    quiet: [bash('echo x', true), look, look, end],
    flood: [bash(pour(1024 * MB), true), look, look, end],
  },
  'a model that says 16 MB': { quiet: [end], flood: [{ text: 'word '.repeat((16 * MB) / 5) }] },
};

/** The highest resident memory of the run, in bytes. */
const peakOf = async (turns: ScriptedServerTurn[]): Promise<number> => {
  const server = await startScriptedServer({ turns });
  const folder = mkdtempSync(join(tmpdir(), 'halter-flood-'));
  const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '--allow', 'bash', '-C', folder];
  const child = spawn(process.execPath, [MAIN, 'run', 'go', ...flags], {
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
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
  await new Promise((resolve) => child.once('close', resolve));
  clearInterval(sample);
  await server.close();
  rmSync(folder, { recursive: true, force: true });
  return peak;
};

for (const [name, { quiet, flood }] of Object.entries(FLOODS)) {
  const base = await peakOf(quiet);
  const grown = ((await peakOf(flood)) - base) / MB;
  const verdict = grown < GOAL_MB ? `below ${GOAL_MB}` : `NOT below ${GOAL_MB}`;
  console.log(`${name.padEnd(36)} +${grown.toFixed(0)} MB (${verdict}; quiet run ${(base / MB).toFixed(0)} MB)`);
}
