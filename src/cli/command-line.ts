/** From the words of the command line to the exit code. */

import { fstatSync } from 'node:fs';
import { thrownText } from '../core/thrown-text.ts';
import { sanitizeText } from '../terminal/sanitize.ts';
import { parseArguments } from './arguments.ts';
import { END_SIGNALS } from './end-signals.ts';
import { setEngineFlags } from './engine-flags.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { hideEnvironment } from './hide-environment.ts';
import { type Io, type Output, UsageError } from './io.ts';
import { loadCommand } from './load-command.ts';
import { watchParent } from './parent-watch.ts';
import { forTerminal } from './safe-output.ts';
import { readVersion } from './version.ts';

/** Runs one command. Never rejects: a bug is reported on standard error and is exit code 1. */
export const runCommandLine = async (argv: readonly string[], given: Io): Promise<ExitCode> => {
  const io = forTerminal(given);
  let called: string | undefined;
  try {
    const parsed = parseArguments(argv, io.cwd);
    switch (parsed.kind) {
      case 'version':
        io.stdout.write(`${readVersion()}\n`);
        return EXIT.answered;
      case 'help':
        io.stdout.write((await import('./help.ts')).helpText(parsed.topic));
        return EXIT.answered;
      case 'command': {
        called = parsed.command.name;
        const code = await loadCommand(called);
        return await code.execute({ words: parsed.words, flags: parsed.flags, io });
      }
      default:
        return parsed satisfies never;
    }
  } catch (error) {
    return explain(error, io, called);
  }
};

const explain = (error: unknown, io: Io, called: string | undefined): ExitCode => {
  if (error instanceof UsageError) {
    const command = error.command ?? called;
    const topic = command ? ` ${command}` : '';
    io.stderr.write(`halter: ${sanitizeText(error.message)}\n\`halter${topic} --help\` shows what there is.\n`);
    return EXIT.usage;
  }
  // Before anything else could say so: what is loaded when it is first needed cannot be.
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EMFILE' || code === 'ENFILE') {
    io.stderr.write(
      `halter: too many files are open (${code}). \`ulimit -n 1024\` allows enough of them in this shell.\n`,
    );
    return EXIT.error;
  }
  const details = error instanceof Error ? (error.stack ?? error.message) : thrownText(error);
  io.stderr.write(`halter: this is a defect of halter. Please report it with these lines:\n${details}\n`);
  return EXIT.error;
};

const output = (stream: NodeJS.WriteStream): Output & { readonly gone: AbortSignal } => {
  let open = true;
  const reader = new AbortController();
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Every write that was on its way fails as well.
    if (!open) return;
    open = false;
    // `halter … | head`: the reader has enough. That is no error, and what is left to say has no reader.
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return reader.abort();
    process.exitCode = EXIT.error;
    if (stream !== process.stderr) process.stderr.write(`halter: the output cannot be written: ${error.message}\n`);
  });
  return {
    write: (text) => {
      if (open) stream.write(text);
    },
    gone: reader.signal,
    get isTTY() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.columns ?? 80;
    },
  };
};

/** `halter … 2>&1 | head`: one reader for both. */
const haveOneReader = (): boolean => {
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)];
    return (out.isFIFO() || out.isSocket()) && out.dev === err.dev && out.ino === err.ino;
  } catch {
    return false;
  }
};

const processIo = (): Io => {
  const [stdout, stderr] = [output(process.stdout), output(process.stderr)];
  // The formats that write their answer at the end would learn only there that nobody waits for it.
  const gone = haveOneReader() ? AbortSignal.any([stdout.gone, stderr.gone]) : stdout.gone;
  return { ...ofProcess(), stdout: withGone(stdout, gone), stderr };
};

const withGone = (of: Output, gone: AbortSignal): Output => ({
  write: of.write,
  gone,
  get isTTY() {
    return of.isTTY;
  },
  get columns() {
    return of.columns;
  },
});

const ofProcess = (): Omit<Io, 'stdout' | 'stderr'> => ({
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
  onSignal: (listener) => {
    for (const signal of END_SIGNALS) process.on(signal, listener);
    return () => {
      for (const signal of END_SIGNALS) process.off(signal, listener);
    };
  },
});

const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });

/** What a command waits for need not keep Node alive (an idle connection, say); the program ends with a code all the same. */
const keepingAlive = async <T>(work: Promise<T>): Promise<T> => {
  const timer = setInterval(() => {}, KEEP_ALIVE_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
};
const KEEP_ALIVE_MS = 60_000;

export const main = async (): Promise<void> => {
  watchParent();
  hideEnvironment();
  setEngineFlags();
  const code = await keepingAlive(runCommandLine(process.argv.slice(2), processIo()));
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  // An answer that was not written whole is no success.
  process.exit(code === EXIT.answered ? (process.exitCode ?? code) : code);
};
