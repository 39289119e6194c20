/** A command from its start to its end: until the shell has ended and its pipes are empty, its time is over, or it is stopped. */
import type { ChildProcess } from 'node:child_process';
import { createDeferred } from '../../core/deferred.ts';
import type { ProcessRequest, ProcessResult } from '../../core/ports.ts';
import { IO_LIMITS } from '../limits.ts';
import { collectOutput, type OutputCollector } from './collect-output.ts';
import { isGroupAlive, killTree, signalTree } from './tree.ts';

export const followProcess = (child: ChildProcess, request: ProcessRequest, mark: string): Promise<ProcessResult> =>
  new Followed(child, request, mark).ended;

type Exit = { exitCode: number | null; signal: string | null };

class Followed {
  readonly ended: Promise<ProcessResult>;
  readonly #end: (result: ProcessResult) => void;
  readonly #child: ChildProcess;
  readonly #request: ProcessRequest;
  readonly #mark: string;
  readonly #group: number;
  readonly #collected: OutputCollector;
  readonly #timers = createTimers();
  #stopped: 'timed out' | 'cancelled' | undefined;
  #isSettled = false;

  constructor(child: ChildProcess, request: ProcessRequest, mark: string) {
    const { promise, resolve } = createDeferred<ProcessResult>();
    this.ended = promise;
    this.#end = resolve;
    this.#child = child;
    this.#request = request;
    this.#mark = mark;
    this.#group = child.pid as number;
    this.#collected = collectOutput(child, request);
    this.#begin();
  }

  #begin(): void {
    const { timeoutMs, signal } = this.#request;
    // A longer wait than a timer can count would end at once.
    if (timeoutMs > 0) this.#timers.start(Math.min(timeoutMs, IO_LIMITS.timerMsMax), () => this.#timeOut());
    signal.addEventListener('abort', this.#cancel, { once: true });
    if (signal.aborted) this.#cancel();
    this.#child.once('exit', (exitCode, signal) => this.#hasExited({ exitCode, signal }));
  }

  #hasExited(exit: Exit): void {
    if (this.#stopped !== undefined) {
      this.#waitForGroup(exit);
      return;
    }
    // `close` comes when all of the output was read. A daemon that holds the pipe would put it off for ever.
    this.#child.once('close', () => this.#settle(exit));
    this.#timers.start(IO_LIMITS.bashPipeGraceMs, () => drain(this.#collected.received, () => this.#settle(exit)));
  }

  /** The shell has gone; others of its group may still be putting things in order. KILL ends the wait. */
  #waitForGroup(exit: Exit): void {
    if (this.#isSettled) return;
    if (isGroupAlive(this.#group)) {
      this.#timers.start(IO_LIMITS.processGroupPollMs, () => this.#waitForGroup(exit));
      return;
    }
    killTree(this.#group, this.#mark);
    this.#settle(exit);
  }

  readonly #cancel = (): void => {
    if (this.#stopped === undefined && !this.#isSettled) this.#stop('cancelled');
  };

  #timeOut(): void {
    const { exitCode, signalCode } = this.#child;
    const hasEnded = exitCode !== null || signalCode !== null;
    if (this.#stopped === undefined && !hasEnded) this.#stop('timed out');
  }

  /** TERM to all, then KILL to whoever is left; and an answer even where the system cannot end them. */
  #stop(why: 'timed out' | 'cancelled'): void {
    const child = this.#child;
    this.#stopped = why;
    if (process.platform === 'win32') child.kill('SIGKILL');
    else signalTree(this.#group, this.#mark, 'SIGTERM');
    this.#timers.start(IO_LIMITS.processKillGraceMs, () => {
      killTree(this.#group, this.#mark);
      this.#timers.start(IO_LIMITS.bashPipeGraceMs, () =>
        this.#settle({ exitCode: child.exitCode, signal: child.signalCode ?? 'SIGKILL' }),
      );
    });
  }

  #settle(exit: Exit): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#timers.clear();
    this.#request.signal.removeEventListener('abort', this.#cancel);
    const output = this.#collected.finish();
    releasePipes(this.#child);
    this.#end({
      ...exit,
      ...output,
      timedOut: this.#stopped === 'timed out',
      cancelled: this.#stopped === 'cancelled',
    });
  }
}

/** Timers that end together. */
const createTimers = () => {
  const running = new Set<NodeJS.Timeout>();
  return {
    start(milliseconds: number, work: () => void): void {
      const timer = setTimeout(() => {
        running.delete(timer);
        work();
      }, milliseconds);
      running.add(timer);
    },
    clear(): void {
      for (const timer of running) clearTimeout(timer);
    },
  };
};

/**
 * On a busy machine the grace may be over before this process has read what already lay in the pipe. Every turn of the
 * event loop reads once; a turn that brought nothing says that the pipe is empty.
 */
const drain = (received: () => number, done: () => void, turns: number = IO_LIMITS.processDrainTurns): void => {
  const before = received();
  setImmediate(() => {
    if (turns > 0 && received() !== before) drain(received, done, turns - 1);
    else done();
  });
};

/** What a daemon still writes is read and dropped, so that it lives on; the pipe does not keep halter alive. */
const releasePipes = (child: ChildProcess): void => {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null || stream.destroyed) continue;
    stream.removeAllListeners('data');
    stream.resume();
    (stream as unknown as { unref?(): void }).unref?.();
  }
  child.unref();
};
