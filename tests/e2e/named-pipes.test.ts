/** A named pipe in the place of a file is waited for, and a signal ends that wait. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter, startHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { scratchFolder } from '../support/scratch.ts';

const WAIT = { timeout: 100_000 };

/** A folder with a pipe that nobody has open, and a model server. */
const world = async () => {
  const [home, cwd] = [scratchFolder(), scratchFolder()];
  expect(spawnSync('mkfifo', [join(cwd, 'pipe')]).status).toBe(0);
  const server = await startScriptedServer({ turns: () => ({ text: 'The answer.' }) });
  onTestFinished(() => server.close());
  return { home, cwd, at: ['--provider', 'openai', '--base-url', server.openaiUrl] };
};

/** Whether a process has the pipe open. */
const holds = (pid: number | undefined, pipe: string): boolean => {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((name) => {
    try {
      return readlinkSync(join(folder, name)) === pipe;
    } catch {
      return false;
    }
  });
};

const READ: readonly string[][] = [
  ['run', 'hello', '--json-schema', 'pipe'],
  ['run', 'hello', '--system-prompt', '@pipe'],
  ['run', 'hello', '--append-system-prompt', '@pipe'],
  ['sessions', 'import', 'pipe'],
  ['render', '--template', 'pipe'],
  ['render', '--dialect', 'json', '--tools', 'pipe'],
  ['parse', '--tools', 'pipe'],
  ['serve', '--token-file', 'pipe'],
  ['serve', '--tls-cert', 'pipe', '--tls-key', 'pipe'],
];
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const ROWS = READ.flatMap((args) => SIGNALS.map((signal) => [args.join(' '), signal, args] as const));

describe.runIf(process.platform === 'linux')('a pipe that nobody has open', () => {
  it.each(everyNth(ROWS, 8))('is waited for until a signal comes: %s, %s', async (_words, signal, args) => {
    verifies('B11');
    const { home, cwd, at } = await world();
    const named = args[0] === 'run' || args[0] === 'serve' ? [...args, ...at] : args;
    const started = startHalter(named, { home, cwd, stdin: '' });
    await expect.poll(() => holds(started.child.pid, join(cwd, 'pipe')), WAIT).toBe(true);
    started.child.kill(signal);
    expect((await started.finished).code).toBe(130);
  });

  it.each(everyNth(SIGNALS, 3))('does not keep an answer from its end: run -o, %s', async (signal) => {
    verifies('B11');
    const { home, cwd, at } = await world();
    const started = startHalter(['run', 'hello', '-o', 'pipe', ...at], { home, cwd });
    await started.said('The answer.');
    started.child.kill(signal);
    expect((await started.finished).code).toBe(130);
  });

  it('is written by an export once it is read', async () => {
    verifies('B5');
    const { home, cwd, at } = await world();
    expect((await runHalter(['run', 'hello', '--session', 'kept', ...at], { home, cwd })).code).toBe(0);
    const started = startHalter(['sessions', 'export', 'kept', '-o', 'pipe', '--format', 'jsonl'], { home, cwd });
    const read = startHalter([join(cwd, 'pipe')], { command: ['cat'], cwd });
    expect((await started.finished).code).toBe(0);
    expect((await read.finished).out).toContain('The answer.');
  });
});
