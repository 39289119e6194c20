/** Starts the terminal app and gives the terminal back on every way out. */

import type { SessionFace } from '../core/events.ts';
import { FOLLOW_FOCUS, LEAVE_FOCUS } from './app/attention.ts';
import { TerminalApp } from './app.ts';
import type { AppOptions } from './app-options.ts';
import { KeyBurst } from './key-burst.ts';
import { ProcessTerminal, type Terminal } from './pi-tui.ts';
import { SplitPaste } from './split-paste.ts';
import type { Environment } from './theme.ts';

export type TerminalOptions = AppOptions & {
  /** Another terminal than the process's own, for a test or another host. */
  terminal?: Terminal;
  /** Called with the session that was open last, when the terminal is the shell's again. */
  onLeave?(last: SessionFace): void;
};

const USAGE_EXIT = 2;
const RESUME_MS = 300;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Of the contract for scripts, whichever signal it was. */
const INTERRUPTED_EXIT = 130;
const ASK_BACKGROUND = '\x1b]11;?\x07';

/** Why the app cannot run here, in a sentence for the person. */
export const terminalProblem = (
  streams: { input: { isTTY?: boolean }; output: { isTTY?: boolean } },
  environment: Environment,
  isSpoken = false,
): string | undefined => {
  const instead = 'Use `halter run "your question"` in scripts and pipes.';
  if (!streams.input.isTTY)
    return `The terminal app needs a terminal to read keys from, and the input is none. ${instead}`;
  if (!streams.output.isTTY) return `The terminal app needs a terminal to draw on, and the output is none. ${instead}`;
  // For a screen reader nothing is drawn over, so nothing has to move.
  if (environment['TERM'] === 'dumb' && !isSpoken)
    return `This terminal (TERM=dumb) cannot move its cursor. \`halter --screen-reader\` writes plain lines that need none. ${instead}`;
  return undefined;
};

/** Not where it is known or without use, nor on the Linux console, which is always dark and may print the question. */
const asksBackground = (environment: Environment): boolean =>
  environment['COLORFGBG'] === undefined && !environment['NO_COLOR'] && environment['TERM'] !== 'linux';

export const runTerminal = async (options: TerminalOptions): Promise<number> => {
  if (!options.terminal) {
    const streams = { input: process.stdin, output: process.stdout };
    const problem = terminalProblem(streams, options.environment, options.screenReader);
    if (problem) {
      process.stderr.write(`${problem}\n`);
      return USAGE_EXIT;
    }
  }
  const terminal = options.terminal ?? new ProcessTerminal();
  let finish: (code: number) => void = () => {};
  const finished = new Promise<number>((resolve) => {
    finish = resolve;
  });
  const app = new TerminalApp(options, {
    surface: terminal,
    now: () => Date.now(),
    quit: (code) => finish(code),
    suspend: () => suspend(),
    outside: (work) => outside(work),
  });
  const followsFocus = (options.attention ?? 'unfocused') === 'unfocused';
  let isOn = false;
  let isOver = false;
  const turnOn = (): void => {
    isOn = true;
    const typed = createTypedEarly();
    const after = (ms: number, then: () => void): (() => void) => {
      const timer = setTimeout(then, ms);
      return () => clearTimeout(timer);
    };
    const burst = new KeyBurst({ take: (data) => app.key(data), afterReading: queueMicrotask, after });
    const paste = new SplitPaste({ take: (data) => burst.key(data), after });
    terminal.start(
      (data) => paste.next(typed(data)),
      () => app.resized(),
    );
    if (asksBackground(options.environment)) terminal.write(ASK_BACKGROUND);
    if (followsFocus) terminal.write(FOLLOW_FOCUS);
  };
  const turnOff = (): void => {
    if (!isOn) return;
    isOn = false;
    app.pause();
    if (followsFocus) terminal.write(LEAVE_FOCUS);
    terminal.stop();
  };
  /** Another program has the terminal until the work is done. */
  const outside = <T>(work: () => T): T => {
    turnOff();
    try {
      return work();
    } finally {
      turnOn();
      app.resume();
    }
  };
  const suspend = (): void => {
    if (process.platform === 'win32' || options.terminal) return;
    turnOff();
    const resume = (): void => {
      if (isOn || isOver) return;
      turnOn();
      app.resume();
    };
    process.once('SIGCONT', resume);
    // Where no shell could wake us again the system does not let us sleep: then the app goes on by itself.
    setTimeout(resume, RESUME_MS);
    process.kill(0, 'SIGTSTP');
  };
  const restore = (): void => {
    app.stop();
    turnOff();
  };
  const unwatch = options.terminal ? () => {} : watchProcess(finish, restore);
  turnOn();
  app.start();
  const code = await finished;
  isOver = true;
  app.stop();
  await terminal.drainInput(200, 30);
  turnOff();
  unwatch();
  await app.session.close();
  options.onLeave?.(app.session);
  return code;
};

/**
 * What was typed before the app had the terminal was a line of the terminal's own, which makes a line feed of Enter. It
 * waits in the terminal, so it comes with the first reading.
 */
export const createTypedEarly = (then: (work: () => void) => void = setImmediate): ((data: string) => string) => {
  let isEarly = true;
  // The first turn may end before the terminal is read, the second has read it.
  then(() =>
    then(() => {
      isEarly = false;
    }),
  );
  return (data) => (isEarly && data === '\n' ? '\r' : data);
};

/** Signals end the app in order; a crash gives the terminal back before it is reported. */
const watchProcess = (finish: (code: number) => void, restore: () => void): (() => void) => {
  const lost = (): void => finish(INTERRUPTED_EXIT);
  for (const signal of SIGNALS) process.on(signal, lost);
  process.on('uncaughtExceptionMonitor', restore);
  process.on('exit', restore);
  // A closed window may be heard of as an end of input before any signal comes.
  process.stdin.on('end', lost);
  process.stdin.on('error', lost);
  process.stdout.on('error', lost);
  return () => {
    for (const signal of SIGNALS) process.off(signal, lost);
    process.off('uncaughtExceptionMonitor', restore);
    process.off('exit', restore);
    process.stdin.off('end', lost);
    // A terminal that is gone may still fail a write of the program that follows; that is no crash.
  };
};
