/** Starts the terminal app and gives the terminal back on every way out. */

import { TerminalApp } from './app.ts';
import type { AppOptions } from './app-options.ts';
import { ProcessTerminal, type Terminal } from './pi-tui.ts';

export type TerminalOptions = AppOptions & {
  /** Another terminal than the process's own, for a test or another host. */
  terminal?: Terminal;
};

const USAGE_EXIT = 2;
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const ASK_BACKGROUND = '\x1b]11;?\x07';

/** Why the app cannot run here, in a sentence for the person. */
export const terminalProblem = (
  streams: { input: { isTTY?: boolean }; output: { isTTY?: boolean } },
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined => {
  const instead = 'Use `halter run "your question"` in scripts and pipes.';
  if (!streams.input.isTTY)
    return `The terminal app needs a terminal to read keys from, and the input is none. ${instead}`;
  if (!streams.output.isTTY) return `The terminal app needs a terminal to draw on, and the output is none. ${instead}`;
  if (environment['TERM'] === 'dumb') return `This terminal (TERM=dumb) cannot move its cursor. ${instead}`;
  return undefined;
};

export const runTerminal = async (options: TerminalOptions): Promise<number> => {
  if (!options.terminal) {
    const problem = terminalProblem({ input: process.stdin, output: process.stdout }, options.environment);
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
  });
  let isOn = false;
  const turnOn = (): void => {
    isOn = true;
    terminal.start(
      (data) => app.key(data),
      () => app.requestFrame(),
    );
    if (options.environment['COLORFGBG'] === undefined && !options.environment['NO_COLOR'])
      terminal.write(ASK_BACKGROUND);
  };
  const turnOff = (): void => {
    if (!isOn) return;
    isOn = false;
    app.clear();
    terminal.stop();
  };
  const suspend = (): void => {
    if (process.platform === 'win32' || options.terminal) return;
    turnOff();
    process.once('SIGCONT', () => {
      turnOn();
      app.requestFrame();
    });
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
  app.stop();
  await terminal.drainInput(200, 30);
  turnOff();
  unwatch();
  await app.session.close();
  return code;
};

/** Signals end the app in order; a crash gives the terminal back before it is reported. */
const watchProcess = (finish: (code: number) => void, restore: () => void): (() => void) => {
  const signals = Object.entries(SIGNALS).map(([name, code]) => ({ name, handler: () => finish(code) }));
  const lost = (): void => finish(SIGNALS.SIGHUP);
  for (const { name, handler } of signals) process.on(name, handler);
  process.on('uncaughtExceptionMonitor', restore);
  process.on('exit', restore);
  // A closed window may be heard of as an end of input before any signal comes.
  process.stdin.on('end', lost);
  process.stdin.on('error', lost);
  process.stdout.on('error', lost);
  return () => {
    for (const { name, handler } of signals) process.off(name, handler);
    process.off('uncaughtExceptionMonitor', restore);
    process.off('exit', restore);
    process.stdin.off('end', lost);
    process.stdin.off('error', lost);
    process.stdout.off('error', lost);
  };
};
