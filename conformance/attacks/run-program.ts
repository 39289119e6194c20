/** Runs the real program to its end, as a child with the scene's own home. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONFORMANCE_LIMITS } from '../limits.ts';
import { killed } from './processes.ts';
import type { Scene } from './scene.ts';

/** The sources; in a test run the built program, which starts six times as quickly. */
const built = process.env['HALTER_TEST_DIST'];
export const MAIN = built
  ? join(built, 'cli/main.js')
  : fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

export type Ran = {
  status: number | null;
  stdout: string;
  stderr: string;
  /** How long the program takes here to start and end without doing anything; 0 where the case measures nothing. */
  startMs: number;
  /** How long it ran beyond that, where the case measures it. */
  tookMs: number;
};

/** From source a start takes longer than built, and on a busy machine too: that is not what a case measures. */
const IDLE = ['tools', 'call', 'get_current_time', '{}'];

/** `input` is what stands on standard input, which then ends. */
export const runProgram = async (scene: Scene, words: readonly string[], input?: string): Promise<Ran> => {
  const startMs = isTimed(scene) ? await idleMs(scene) : 0;
  const started = performance.now();
  const ran = await end(scene, words, input);
  return { ...ran, startMs, tookMs: Math.max(0, performance.now() - started - startMs) };
};

const isTimed = ({ attack: { then } }: Scene): boolean =>
  then['max_ms'] !== undefined || then['start_not_blocked'] !== undefined;

const idleMs = async (scene: Scene): Promise<number> => {
  const started = performance.now();
  await end(scene, IDLE, undefined);
  return performance.now() - started;
};

const end = (
  scene: Scene,
  words: readonly string[],
  input: string | undefined,
): Promise<Omit<Ran, 'startMs' | 'tookMs'>> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...words], { cwd: scene.root, env: scene.environment });
    scene.onEnd(() => killed(child));
    // A program that should have ended and did not is a failure of its case, and not of the cases after it.
    const timer = setTimeout(() => child.kill('SIGKILL'), CONFORMANCE_LIMITS.programMs * 2);
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text;
      });
    child.once('close', (status) => {
      clearTimeout(timer);
      resolve({ status, ...texts });
    });
  });
