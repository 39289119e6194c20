/**
 * What a person feels of the terminal app, of the built program on a pseudo-terminal: how long until it takes keys, how
 * long until a typed character is on the screen while an answer streams, and how long from Esc to the prompt.
 *
 *   node bench/terminal-keys.ts [rounds]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { startScriptedServer } from '../src/testing/index.ts';

/** Built by `npm run bench:terminal` before this. */
const MAIN = join(import.meta.dirname, '..', 'dist', 'cli', 'main.js');
const DEFAULT_ROUNDS = 5;
const KEYS = 60;
const BETWEEN_KEYS_MS = 40;
const PIECE_EVERY_MS = 5;
const READY = 'ask ·';
/** Of these nothing else on the screen is made. */
const LETTERS = 'QXZYV';
const ESCAPES = /\x1b(?:\[[0-9;?<>=]*[a-zA-Z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)/g;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A program on a pseudo-terminal; `until` resolves when what came since it was called holds the text. */
const open = (args: readonly string[], home: string) => {
  const started = performance.now();
  const child = spawn(process.execPath, [...args], {
    cols: 100,
    rows: 30,
    cwd: home,
    env: { HOME: home, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', TERM: 'xterm-256color' },
  });
  let seen = '';
  let look = (): void => {};
  child.onData((data) => {
    seen += data.replace(ESCAPES, '');
    look();
  });
  return {
    child,
    started,
    until: (text: string): Promise<number> => {
      seen = '';
      return new Promise((resolve) => {
        look = () => {
          if (!seen.includes(text)) return;
          look = () => {};
          resolve(performance.now());
        };
      });
    },
  };
};

/** An answer that goes on for as long as anybody listens. */
const endless = async () => {
  const gates: Record<number, Promise<void>> = {};
  for (let write = 1; write < 4_000; write += 1) gates[write] = wait(write * PIECE_EVERY_MS);
  return startScriptedServer({
    turns: () => ({ text: Array.from({ length: 4_000 }, (_, index) => `WORD${index} `), gates }),
  });
};

const share = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))] ?? Number.NaN;

const round = async (home: string): Promise<{ readyMs: number; echoMs: number[]; stopMs: number }> => {
  const server = await endless();
  const program = open([MAIN, '--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'], home);
  const readyMs = (await program.until(READY)) - program.started;
  program.child.write('go\r');
  await program.until('WORD');
  const echoMs: number[] = [];
  for (let key = 0; key < KEYS; key += 1) {
    const letter = LETTERS[key % LETTERS.length] ?? 'Q';
    const typed = performance.now();
    const shown = program.until(letter);
    program.child.write(letter);
    echoMs.push((await shown) - typed);
    await wait(BETWEEN_KEYS_MS);
  }
  const stopped = performance.now();
  const prompt = program.until('Stopped.');
  program.child.write('\x1b');
  const stopMs = (await prompt) - stopped;
  // In order, so that what was compiled is kept for the next start, as it is for a person.
  const gone = new Promise((resolve) => program.child.onExit(resolve));
  program.child.kill('SIGTERM');
  await gone;
  await server.close();
  return { readyMs, echoMs, stopMs };
};

const bare = async (home: string): Promise<number> => {
  const program = open(['-e', "process.stdout.write('here')"], home);
  const readyMs = (await program.until('here')) - program.started;
  program.child.kill();
  return readyMs;
};

const home = mkdtempSync(join(tmpdir(), 'halter-bench-keys-'));
try {
  const rounds = Number(process.argv[2] ?? DEFAULT_ROUNDS);
  const figures = [];
  const bares: number[] = [];
  for (let each = 0; each < rounds; each += 1) {
    bares.push(await bare(home));
    figures.push(await round(home));
  }
  const ready = Math.min(...figures.map(({ readyMs }) => readyMs));
  const node = Math.min(...bares);
  const echo = figures.flatMap(({ echoMs }) => echoMs);
  const line = (text: string): void => void process.stdout.write(`${text}\n`);
  line(
    `ready for keys    ${ready.toFixed(0)} ms, best of ${rounds}; an empty Node ${node.toFixed(0)} ms, ${(ready / node).toFixed(2)}x`,
  );
  line(
    `key echo          p50 ${share(echo, 0.5).toFixed(1)} ms   p95 ${share(echo, 0.95).toFixed(1)} ms, of ${echo.length} keys while an answer streams`,
  );
  line(`Esc to the prompt ${Math.max(...figures.map(({ stopMs }) => stopMs)).toFixed(0)} ms, the longest of ${rounds}`);
} finally {
  rmSync(home, { recursive: true, force: true });
}
process.exit(0);
