/** The two engines of `bench:warm-up`, opened and closed as a process would: the embedded one, and llama.cpp's server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ModelProvider } from '../../src/core/model-port.ts';
import { systemClock } from '../../src/io/clock.ts';
import { createNetwork } from '../../src/io/network.ts';
import { createEmbeddedProvider } from '../../src/providers/embedded/index.ts';
import { createLlamaCppProvider } from '../../src/providers/index.ts';

export type OpenedEngine = {
  provider: ModelProvider;
  /** Processor time of whoever computes. */
  seconds(): number;
  close(): Promise<void>;
};
/** `statesFolder`: where what was read is kept; undefined: nowhere. */
export type OpenEngine = (statesFolder: string | undefined) => Promise<OpenedEngine>;

const never = new AbortController().signal;

export const embeddedEngine =
  (file: string): OpenEngine =>
  async (statesFolder) => {
    const provider = createEmbeddedProvider({ modelFile: file, threads: 1, statesFolder });
    await provider.describe('starter', never);
    const seconds = (): number => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    };
    return { provider, seconds, close: () => provider.close() };
  };

/** The program named by HALTER_LLAMA_SERVER, else one that was built for the tests. */
export const llamaServerProgram = (): string | undefined => {
  const named = process.env['HALTER_LLAMA_SERVER'];
  if (named !== undefined) return named;
  return globSync(join(homedir(), '.cache', 'halter-test', 'llama-server', '*', 'build', 'bin', 'llama-server')).at(-1);
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

const CLOCK_TICKS = 100;
const processorTime = (server: ChildProcess): number => {
  const file = `/proc/${server.pid}/stat`;
  if (!existsSync(file)) return performance.now() / 1_000;
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS;
};

export const llamaServer =
  (program: string, file: string): OpenEngine =>
  async (statesFolder) => {
    const port = await freePort();
    const folder = statesFolder === undefined ? [] : ['--slot-save-path', join(statesFolder, 'files')];
    if (statesFolder !== undefined) mkdirSync(join(statesFolder, 'files'), { recursive: true });
    const server = spawn(program, ['-m', file, '--port', String(port), '-t', '1', '-c', '8192', '--jinja', ...folder], {
      stdio: 'ignore',
    });
    const ended = once(server, 'exit');
    const network = createNetwork({ environment: process.env });
    const baseUrl = `http://127.0.0.1:${port}`;
    const provider = createLlamaCppProvider({ network, clock: systemClock, baseUrl, statesFolder });
    const close = async (): Promise<void> => {
      await provider.close();
      network.close();
      server.kill();
      await ended;
    };
    // The provider waits for a server that loads, but not for one that does not listen yet.
    for (let tries = 0; tries < 600 && server.exitCode === null; tries += 1) {
      const described = await provider.describe('starter', never);
      if (described.ok) return { provider, seconds: () => processorTime(server), close };
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await close();
    throw new Error(`${program} did not start`);
  };
