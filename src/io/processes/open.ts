/** A process that is talked to while it runs, at pipes or at a terminal of its own. */
import type { ChildProcess } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { OUTSIDE_PACKAGES } from '../../core/outside-packages.ts';
import type { OpenProcess, OpenProcessRequest, ProcessEnd } from '../../core/ports.ts';
import { thrownText } from '../../core/thrown-text.ts';
import { loadPackage } from '../../disk/load-package.ts';
import { IO_LIMITS } from '../limits.ts';
import { type Prepared, startProcess } from './start.ts';
import { isGroupAlive, killTree, signalTree } from './tree.ts';

/** The parts of a pseudo-terminal that are used here. */
type Terminal = {
  readonly pid: number;
  onData(listener: (text: string) => void): unknown;
  onExit(listener: (end: { exitCode: number; signal?: number }) => void): unknown;
  write(text: string): void;
  resize(columns: number, rows: number): void;
  kill(signal?: string): void;
};

/** TERM, and KILL when the grace is over or the last of the group has gone. */
const stopTree = async (group: number, mark: string, ended: Promise<ProcessEnd>): Promise<ProcessEnd> => {
  if (process.platform === 'win32') process.kill(group);
  else signalTree(group, mark, 'SIGTERM');
  const deadline = performance.now() + IO_LIMITS.processKillGraceMs;
  while (isGroupAlive(group) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, IO_LIMITS.processGroupPollMs));
  }
  killTree(group, mark);
  // A child that left the group may hold the pipes open; what there is to know of the process itself is known.
  const grace = new Promise<ProcessEnd>((resolve) =>
    setTimeout(() => resolve({ exitCode: null, signal: 'SIGKILL' }), IO_LIMITS.bashPipeGraceMs).unref(),
  );
  return Promise.race([ended, grace]);
};

const talkAtPipes = (child: ChildProcess, mark: string, onOutput: OpenProcessRequest['onOutput']): OpenProcess => {
  const group = child.pid as number;
  for (const name of ['stdout', 'stderr'] as const) {
    const decoder = new StringDecoder('utf8');
    const take = (text: string): void => {
      if (text !== '') onOutput(text, name);
    };
    child[name]?.on('data', (chunk: Buffer) => take(decoder.write(chunk)));
    child[name]?.on('end', () => take(decoder.end()));
    child[name]?.on('error', () => {
      // A broken pipe ends like a closed one.
    });
  }
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
    child.once('exit', (exitCode, signal) => {
      // A daemon that holds the pipes must not keep the end from being told.
      setTimeout(() => resolve({ exitCode, signal }), IO_LIMITS.bashPipeGraceMs).unref();
    });
  });
  const takesInput = (): boolean => child.stdin?.writable === true && child.exitCode === null;
  return {
    pid: group,
    terminal: false,
    ended,
    write(text) {
      if (!takesInput()) return false;
      child.stdin?.write(text);
      return true;
    },
    closeInput: () => void child.stdin?.end(),
    resize() {
      // Pipes have no size.
    },
    stop: () => stopTree(group, mark, ended),
  };
};

export const openAtPipes = async (prepared: Prepared, request: OpenProcessRequest): Promise<Outcome<OpenProcess>> => {
  const started = await startProcess(prepared, 'pipe');
  return started.ok ? succeed(talkAtPipes(started.value, prepared.mark, request.onOutput)) : started;
};

/** Undefined where this system has no terminals to give; the caller goes on with pipes. */
export const openAtTerminal = async (
  prepared: Prepared,
  request: OpenProcessRequest,
): Promise<Outcome<OpenProcess> | undefined> => {
  const spawnTerminal = await loadTerminals();
  // A terminal has no channel for a listener.
  if (spawnTerminal === undefined || request.terminal === undefined || prepared.confined?.serve) return undefined;
  const [program = '', ...args] = prepared.command;
  let terminal: Terminal;
  try {
    const { columns, rows } = request.terminal;
    const env = { ...prepared.env, TERM: 'xterm-256color' };
    terminal = spawnTerminal(program, args, { cwd: prepared.cwd, env, cols: columns, rows, name: 'xterm-256color' });
  } catch (error) {
    return failure('io_error', `${program} could not be started at a terminal: ${thrownText(error)}`);
  }
  prepared.onStart(terminal.pid);
  terminal.onData((text) => request.onOutput(text, 'stdout'));
  let over = false;
  const ended = new Promise<ProcessEnd>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      over = true;
      resolve({ exitCode, signal: signal ? `signal ${signal}` : null });
    });
  });
  return succeed({
    pid: terminal.pid,
    terminal: true,
    ended,
    write(text) {
      if (!over) terminal.write(text);
      return !over;
    },
    // What ends the input of a program at a terminal.
    closeInput: () => (over ? undefined : terminal.write('\u0004')),
    resize: (columns, rows) => (over ? undefined : terminal.resize(columns, rows)),
    stop: () => stopTree(terminal.pid, prepared.mark, ended),
  });
};

type SpawnTerminal = (
  program: string,
  args: string[],
  options: { cwd: string; env: Record<string, string>; cols: number; rows: number; name: string },
) => Terminal;

/** An optional package with a binary for each system. */
const loadTerminals = async (): Promise<SpawnTerminal | undefined> => {
  const loaded = await loadPackage(OUTSIDE_PACKAGES.terminals, () => import('@lydell/node-pty'));
  return loaded.ok ? loaded.value.spawn : undefined;
};
