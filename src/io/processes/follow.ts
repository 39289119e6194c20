/** A command from its start to its end: until the shell has ended and its pipes are empty, its time is over, or it is stopped. */
import type { ChildProcess } from 'node:child_process';
import type { ProcessRequest, ProcessResult } from '../../core/ports.ts';
import { IO_LIMITS } from '../limits.ts';
import { collectOutput } from './collect-output.ts';
import { isGroupAlive, killTree, signalTree } from './tree.ts';

export const followProcess = (child: ChildProcess, request: ProcessRequest, mark: string): Promise<ProcessResult> =>
  new Promise((done) => {
    const group = child.pid as number;
    const collected = collectOutput(child, request);
    const timers = createTimers();
    let stopped: 'timed out' | 'cancelled' | undefined;
    let settled = false;

    const settle = (exitCode: number | null, signal: string | null): void => {
      if (settled) return;
      settled = true;
      timers.clear();
      request.signal.removeEventListener('abort', cancel);
      const output = collected.finish();
      releasePipes(child);
      done({ exitCode, signal, ...output, timedOut: stopped === 'timed out', cancelled: stopped === 'cancelled' });
    };

    /** TERM to all, then KILL to whoever is left; and an answer even where the system cannot end them. */
    const stop = (why: 'timed out' | 'cancelled'): void => {
      stopped = why;
      if (process.platform === 'win32') child.kill('SIGKILL');
      else signalTree(group, mark, 'SIGTERM');
      timers.start(IO_LIMITS.processKillGraceMs, () => {
        killTree(group, mark);
        timers.start(IO_LIMITS.bashPipeGraceMs, () => settle(child.exitCode, child.signalCode ?? 'SIGKILL'));
      });
    };
    const cancel = (): void => {
      if (stopped === undefined && !settled) stop('cancelled');
    };
    const timeOut = (): void => {
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      if (stopped === undefined && !hasEnded) stop('timed out');
    };

    /** The shell has gone; others of its group may still be putting things in order. KILL ends the wait. */
    const waitForGroup = (exitCode: number | null, signal: string | null): void => {
      if (settled) return;
      if (isGroupAlive(group)) {
        timers.start(IO_LIMITS.processGroupPollMs, () => waitForGroup(exitCode, signal));
        return;
      }
      killTree(group, mark);
      settle(exitCode, signal);
    };

    // A longer wait than a timer can count would end at once.
    if (request.timeoutMs > 0) timers.start(Math.min(request.timeoutMs, IO_LIMITS.timerMsMax), timeOut);
    request.signal.addEventListener('abort', cancel, { once: true });
    if (request.signal.aborted) cancel();
    child.once('exit', (exitCode, signal) => {
      if (stopped !== undefined) {
        waitForGroup(exitCode, signal);
        return;
      }
      // `close` comes when all of the output was read. A daemon that holds the pipe would put it off for ever.
      child.once('close', () => settle(exitCode, signal));
      timers.start(IO_LIMITS.bashPipeGraceMs, () => drain(collected.received, () => settle(exitCode, signal)));
    });
  });

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
