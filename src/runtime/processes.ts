/**
 * The only door to other processes. Every child is the leader of a group of its own, reads nothing from the person's
 * terminal, sees none of the person's keys, and ends with its timeout, its cancellation or with halter itself.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { LIMITS } from '../core/limits.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { OpenProcess, OpenProcessRequest, Processes, ProcessRequest, ProcessResult } from '../core/ports.ts';
import type { Confine } from './authorize/confine.ts';
import { childEnvironment, type Environment } from './processes/environment.ts';
import { createProcessGuard, type ProcessGuard } from './processes/guard.ts';
import { openAtTerminal, type Prepared, talkAtPipes } from './processes/open.ts';
import { createCharacterGate, createOutputKeeper, omittedSentence } from './processes/output.ts';
import { codeOf, resolveFolder, resolveProgram } from './processes/program.ts';
import { isGroupAlive, killTree, signalTree } from './processes/tree.ts';
import { createReadMeter } from './young-memory.ts';

const MARK = 'HALTER_CHILD';

export type ProcessesOptions = {
  /** The workspace: the folder that commands start in. */
  root: string;
  /** Halter's own environment; children get it without secrets. */
  environment?: Environment;
  /** Where to leave what must run when halter ends in an orderly way; the end of this process by default. */
  registerExit?(cleanup: () => void): void;
  /** The sandbox, for requests that ask for it. */
  confine?: Confine;
};

/** `close` ends every child that still runs, daemons too, and the guard. The door can be used again afterwards. */
export type ProcessDoor = Required<Processes> & { close(): void };

export const createProcesses = (options: ProcessesOptions): ProcessDoor => {
  const environment = options.environment ?? process.env;
  // A guard that was let go of still looks for its mark for a moment; what starts after that must carry another one.
  let instance = randomUUID();
  const makeGuard = (): ProcessGuard | undefined =>
    // On Windows there are neither groups nor /bin/sh; children end with their own kill there.
    process.platform === 'win32'
      ? undefined
      : createProcessGuard({ mark: `${MARK}=${instance}-`, killGraceMs: LIMITS.processKillGraceMs });
  let guard = makeGuard();
  /** Groups with somebody in them: running commands, and daemons that a finished command left behind. */
  const groups = new Map<number, string>();
  let counter = 0;
  let exitRegistered = false;

  const close = (): void => {
    for (const [group, mark] of groups) killTree(group, mark);
    groups.clear();
    guard?.close();
    instance = randomUUID();
    guard = makeGuard();
  };
  const enter = (group: number, mark: string): void => {
    groups.set(group, mark);
    guard?.add(group);
    if (exitRegistered) return;
    exitRegistered = true;
    (options.registerExit ?? registerAtExit)(close);
  };
  const leaveEmptyGroups = (): void => {
    for (const group of groups.keys()) {
      if (isGroupAlive(group)) continue;
      groups.delete(group);
      guard?.remove(group);
    }
  };

  /** What is started, where and as what: the same for a command that runs through and for one that is talked to. */
  const prepare = (
    request: Pick<ProcessRequest, 'command' | 'cwd' | 'env' | 'confined'> & Pick<OpenProcessRequest, 'inherit'>,
  ): Outcome<Prepared> => {
    const folder = resolveFolder(options.root, request.cwd ?? '.');
    if (!folder.ok) return folder;
    const program = resolveProgram(request.command[0] ?? '', environment, options.root, folder.value);
    if (!program.ok) return program;
    counter += 1;
    const mark = `${MARK}=${instance}-${counter}`;
    const inherited = request.inherit ? only(environment, request.inherit) : environment;
    const env = childEnvironment(inherited, { ...request.env, [MARK]: mark.slice(MARK.length + 1) });
    guard?.start();
    const whole = [program.value, ...request.command.slice(1)];
    const confined = request.confined ? options.confine?.(whole, folder.value) : undefined;
    const command = confined?.command ?? whole;
    // The guard hears of the child before anything else can happen: halter may be killed in the next moment.
    const onStart = (group: number): void => enter(group, mark);
    return succeed({ command, cwd: folder.value, env, mark, onStart, ...(confined ? { confined } : {}) });
  };

  const run = async (request: ProcessRequest): Promise<Outcome<ProcessResult>> => {
    if (request.signal.aborted) return succeed(nothingRan());
    const prepared = prepare(request);
    if (!prepared.ok) return prepared;
    const { mark, confined } = prepared.value;
    try {
      const started = await start(prepared.value, request.stdin === undefined ? 'ignore' : 'pipe');
      if (!started.ok) return started;
      started.value.stdin?.end(request.stdin);
      const result = await follow(started.value, request, mark);
      leaveEmptyGroups();
      return succeed(confined ? { ...result, sandbox: { network: confined.network } } : result);
    } finally {
      confined?.release();
    }
  };

  const open = async (request: OpenProcessRequest): Promise<Outcome<OpenProcess>> => {
    const prepared = prepare(request);
    if (!prepared.ok) return prepared;
    const atTerminal = request.terminal ? await openAtTerminal(prepared.value, request) : undefined;
    const opened = atTerminal ?? (await openAtPipes(prepared.value, request));
    const release = (): void => {
      leaveEmptyGroups();
      prepared.value.confined?.release();
    };
    if (opened.ok) void opened.value.ended.then(release);
    else release();
    return opened;
  };

  return { run, open, close };
};

const only = (environment: Environment, names: readonly string[]): Environment =>
  Object.fromEntries(names.map((name) => [name, environment[name]]));

const openAtPipes = async (prepared: Prepared, request: OpenProcessRequest): Promise<Outcome<OpenProcess>> => {
  const started = await start(prepared, 'pipe');
  return started.ok ? succeed(talkAtPipes(started.value, prepared.mark, request.onOutput)) : started;
};

const atExit = new Set<() => void>();
/** One listener for however many doors a program opens. */
const registerAtExit = (cleanup: () => void): void => {
  if (atExit.size === 0) {
    process.once('exit', () => {
      for (const each of atExit) each();
    });
  }
  atExit.add(cleanup);
};

const nothingRan = (): ProcessResult => ({
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  output: '',
  timedOut: false,
  cancelled: true,
});

const start = (prepared: Prepared, stdin: 'ignore' | 'pipe'): Promise<Outcome<ChildProcess>> =>
  new Promise((done) => {
    const [program = '', ...args] = prepared.command;
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        cwd: prepared.cwd,
        env: prepared.env,
        detached: process.platform !== 'win32',
        windowsHide: true,
        stdio: [stdin, 'pipe', 'pipe'],
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
    child.stdin?.on('error', () => {
      // The program closed its input before it had read all of it; that is its right.
    });
    done(succeed(child));
  });
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

/** Collects output until the shell has ended and its pipes are empty, and sees to timeout and cancellation. */
const follow = (child: ChildProcess, request: ProcessRequest, mark: string): Promise<ProcessResult> =>
  new Promise((done) => {
    const group = child.pid as number;
    const keepers = {
      output: createOutputKeeper(request.maxOutputBytes),
      stdout: createOutputKeeper(request.maxOutputBytes),
      stderr: createOutputKeeper(request.maxOutputBytes),
    };
    let received = 0;
    let timedOut = false;
    let cancelled = false;
    let settled = false;
    const timers = new Set<NodeJS.Timeout>();
    const later = (milliseconds: number, work: () => void): void => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        work();
      }, milliseconds);
      timers.add(timer);
    };

    const live = liveText(request);
    const meter = createReadMeter();
    const ends: (() => void)[] = [];
    for (const name of ['stdout', 'stderr'] as const) {
      const gate = createCharacterGate((bytes) => {
        keepers[name].push(bytes);
        keepers.output.push(bytes);
        live(bytes, name);
      });
      ends.push(gate.end);
      child[name]?.on('data', (chunk: Buffer) => {
        received += chunk.length;
        meter(chunk.length);
        if (!settled) gate.push(chunk);
      });
      child[name]?.on('error', () => {
        // A broken pipe ends like a closed one.
      });
    }

    const settle = (exitCode: number | null, signal: string | null): void => {
      if (settled) return;
      for (const end of ends) end();
      settled = true;
      for (const timer of timers) clearTimeout(timer);
      request.signal.removeEventListener('abort', cancel);
      releasePipes(child);
      const { text, omittedBytes, totalBytes } = keepers.output.finish();
      done({
        exitCode,
        signal,
        stdout: keepers.stdout.finish().text,
        stderr: keepers.stderr.finish().text,
        output: text,
        ...(omittedBytes > 0 ? { truncated: omittedSentence(omittedBytes, totalBytes) } : {}),
        timedOut,
        cancelled,
      });
    };

    /** TERM to all, then KILL to whoever is left; and an answer even where the system cannot end them. */
    const end = (): void => {
      if (process.platform === 'win32') child.kill('SIGKILL');
      else signalTree(group, mark, 'SIGTERM');
      later(LIMITS.processKillGraceMs, () => {
        killTree(group, mark);
        later(LIMITS.bashPipeGraceMs, () => settle(child.exitCode, child.signalCode ?? 'SIGKILL'));
      });
    };
    const cancel = (): void => {
      if (timedOut || cancelled || settled) return;
      cancelled = true;
      end();
    };
    if (request.timeoutMs > 0) {
      // A longer wait than a timer can count would end at once.
      later(Math.min(request.timeoutMs, LIMITS.timerMsMax), () => {
        if (cancelled || child.exitCode !== null || child.signalCode !== null) return;
        timedOut = true;
        end();
      });
    }
    request.signal.addEventListener('abort', cancel, { once: true });
    if (request.signal.aborted) cancel();

    child.once('exit', (exitCode, signal) => {
      if (timedOut || cancelled) {
        // The shell has gone; others of its group may still be putting things in order. KILL ends the wait.
        const waitForGroup = (): void => {
          if (settled) return;
          if (isGroupAlive(group)) {
            later(LIMITS.processGroupPollMs, waitForGroup);
            return;
          }
          killTree(group, mark);
          settle(exitCode, signal);
        };
        waitForGroup();
        return;
      }
      // `close` comes when all of the output was read. A daemon that holds the pipe would put it off for ever.
      child.once('close', () => settle(exitCode, signal));
      later(LIMITS.bashPipeGraceMs, () =>
        drain(
          () => received,
          () => settle(exitCode, signal),
        ),
      );
    });
  });

/**
 * What is read along while the command runs. Past the limit it is not even made into text; what is kept of the output
 * does not depend on it. The bytes begin and end with whole characters.
 */
const liveText = (request: ProcessRequest): ((bytes: Uint8Array, stream: 'stdout' | 'stderr') => void) => {
  const { onOutput, maxLiveBytes = Number.POSITIVE_INFINITY } = request;
  let left = maxLiveBytes;
  return (bytes, stream) => {
    if (onOutput === undefined || left <= 0) return;
    left -= bytes.length;
    onOutput(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'), stream);
    if (left <= 0) onOutput(LIVE_END, stream);
  };
};
const LIVE_END = '\n[more output comes; it is not shown while the command runs]\n';

/**
 * On a busy machine the grace may be over before this process has read what already lay in the pipe. Every turn of the
 * event loop reads once; a turn that brought nothing says that the pipe is empty.
 */
const drain = (received: () => number, done: () => void, turns: number = LIMITS.processDrainTurns): void => {
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
