/** Starts a program with pipes, as the leader of a group of its own. What keeps it from starting is a value. */
import { type ChildProcess, spawn } from 'node:child_process';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Confined } from '../../sandbox/confine.ts';
import { codeOf } from './program.ts';

export type Prepared = {
  command: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** What finds its children, wherever they went. */
  mark: string;
  confined?: Confined;
  onStart(group: number): void;
};

export const startProcess = (prepared: Prepared, stdin: 'ignore' | 'pipe'): Promise<Outcome<ChildProcess>> =>
  new Promise((done) => {
    const [program = '', ...args] = prepared.command;
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        cwd: prepared.cwd,
        env: prepared.env,
        detached: process.platform !== 'win32',
        windowsHide: true,
        stdio: [stdin, 'pipe', 'pipe', ...(prepared.confined?.serve ? (['ipc'] as const) : [])],
      });
    } catch (error) {
      // A NUL byte in the command, or more of it than the system takes.
      const code = codeOf(error);
      done(failure(code === 'ERR_INVALID_ARG_VALUE' ? 'validation_failed' : 'io_error', startSentence(program, code)));
      return;
    }
    // Without a process id the start failed, and 'error' says why; with one, an error can only be about a signal.
    child.on('error', (error) => {
      if (child.pid === undefined) done(failure('io_error', startSentence(program, codeOf(error)), codeOf(error)));
    });
    if (child.pid === undefined) return;
    prepared.onStart(child.pid);
    serveListener(child, prepared.confined?.serve);
    child.stdin?.on('error', () => {
      // The program closed its input before it had read all of it; that is its right.
    });
    done(succeed(child));
  });

/** What runs inside sends its listener once, and begins when it is told that it arrived. */
const serveListener = (child: ChildProcess, serve: Confined['serve']): void => {
  if (serve === undefined) return;
  child.once('message', (_message, listener) => {
    if (typeof listener !== 'object' || !('listen' in listener)) return;
    serve(listener);
    child.send('served', () => child.disconnect());
  });
};

const startSentence = (program: string, code: string): string => {
  const why: Record<string, string> = {
    E2BIG: 'the command is longer than the system takes',
    EAGAIN: 'the system has no process left to give',
    ENOMEM: 'the system has no memory left',
    EMFILE: 'too many files are open',
    ERR_INVALID_ARG_VALUE: 'the command holds a NUL character',
    EACCES: 'it is not executable',
    ENOEXEC: 'it is no program of this system',
  };
  return `${program} could not be started: ${why[code] ?? 'the system refused'} (${code})`;
};
