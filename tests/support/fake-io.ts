/** A process for a command to run in, made of strings. */
import { Readable } from 'node:stream';
import type { Io } from '../../src/cli/io.ts';

export type FakeIo = Io & {
  out(): string;
  err(): string;
  signal(name: NodeJS.Signals): void;
};

export const fakeIo = (
  options: {
    stdin?: string | Uint8Array | Readable;
    cwd?: string;
    env?: Record<string, string>;
    isTTY?: boolean;
    columns?: number;
  } = {},
): FakeIo => {
  const written = { out: '', err: '' };
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  const stdin =
    options.stdin instanceof Readable
      ? options.stdin
      : Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]);
  const output = (name: 'out' | 'err') => ({
    write: (text: string) => {
      written[name] += text;
    },
    isTTY: options.isTTY ?? false,
    columns: options.columns ?? 80,
  });
  return {
    stdin,
    stdout: output('out'),
    stderr: output('err'),
    env: options.env ?? {},
    cwd: options.cwd ?? process.cwd(),
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    out: () => written.out,
    err: () => written.err,
    signal: (name) => {
      for (const listener of listeners) listener(name);
    },
  };
};
