/**
 * What the sandbox adds to the start of a command: halter's flags against bubblewrap with the fewest flags that isolate
 * at all, and against no sandbox. `node bench/sandbox.ts [runs]`
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { detectSandbox, protectedPaths, secretPaths, wrapCommand } from '../src/sandbox/index.ts';

const RUNS = Number(process.argv[2] ?? 200);
const state = await detectSandbox();
if (state.kind !== 'bubblewrap') {
  console.log(`skipped: ${state.reason}`);
  process.exit(0);
}
const workspace = mkdtempSync(path.join(os.tmpdir(), 'halter-bench-'));
mkdirSync(path.join(workspace, '.git', 'hooks'), { recursive: true });
const command = ['/bin/sh', '-c', ':'];
const policy = {
  workspace,
  protected: protectedPaths(workspace, os.homedir()),
  hidden: secretPaths(os.homedir()),
  network: false,
};
const bare = [
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  '--unshare-pid',
  '--unshare-net',
  '--die-with-parent',
];
const makes: Record<string, () => { command: string[]; release(): void }> = {
  'no sandbox': () => ({ command, release: () => {} }),
  'bare bubblewrap': () => ({ command: [state.program, ...bare, '--', ...command], release: () => {} }),
  halter: () => wrapCommand(state, command, policy),
};
const times: Record<string, number[]> = {};
for (let run = 0; run < RUNS; run += 1) {
  // In turn, so that a busy moment of the machine falls on all of them.
  for (const [name, make] of Object.entries(makes)) {
    const begun = performance.now();
    const { command: words, release } = make();
    const result = spawnSync(words[0] as string, words.slice(1), { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } });
    release();
    if (result.status !== 0) throw new Error(`${name} ended with ${result.status}`);
    const list = times[name] ?? [];
    list.push(performance.now() - begun);
    times[name] = list;
  }
}
rmSync(workspace, { recursive: true, force: true });
const at = (name: string, share: number): number => {
  const sorted = (times[name] as number[]).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
};
for (const name of Object.keys(makes)) {
  console.log(`${name.padEnd(16)} median ${at(name, 0.5).toFixed(1)} ms   p99 ${at(name, 0.99).toFixed(1)} ms`);
}
console.log(`halter / bare bubblewrap: ${(at('halter', 0.5) / at('bare bubblewrap', 0.5)).toFixed(2)} (median)`);
