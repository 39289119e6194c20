/** Runs the real program to its end, as a child with the scene's own home. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Scene } from './scene.ts';

export const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

export type Ran = {
  status: number | null;
  stdout: string;
  stderr: string;
  /** How long the program takes here to start and end without doing anything. */
  startMs: number;
};

/** From source a start takes longer than built, and on a busy machine too: that is not what a case measures. */
const measureStart = (scene: Scene): number => {
  const started = performance.now();
  spawnSync(process.execPath, [MAIN, 'tools', 'call', 'get_current_time', '{}'], {
    cwd: scene.root,
    env: scene.environment,
  });
  return performance.now() - started;
};

export const runProgram = (scene: Scene, words: readonly string[], input?: string): Ran => {
  const startMs = measureStart(scene);
  const ran = spawnSync(process.execPath, [MAIN, ...words], {
    cwd: scene.root,
    env: scene.environment,
    encoding: 'utf8',
    timeout: 60_000,
    ...(input === undefined ? { stdio: ['ignore', 'pipe', 'pipe'] as const } : { input }),
  });
  return { status: ran.status, stdout: String(ran.stdout), stderr: String(ran.stderr), startMs };
};
