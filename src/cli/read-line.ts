/** A line that a person types, where no app has taken the terminal. */
import { createInterface } from 'node:readline';
import type { Io } from './io.ts';

/** Undefined where the input ends before a line, and when the signal aborts. */
export const readLine = (io: Pick<Io, 'stdin'>, signal?: AbortSignal): Promise<string | undefined> =>
  new Promise((resolve) => {
    const lines = createInterface({ input: io.stdin, terminal: false });
    const end = (line: string | undefined): void => {
      signal?.removeEventListener('abort', abort);
      lines.removeAllListeners();
      lines.close();
      resolve(line);
    };
    const abort = (): void => end(undefined);
    signal?.addEventListener('abort', abort, { once: true });
    lines.once('line', end);
    lines.once('close', () => end(undefined));
  });

/** What was typed before the question was there is no answer to it. */
export const forgetTyped = ({ stdin }: Pick<Io, 'stdin'>): void => {
  while (stdin.read() !== null);
};

/** Asks on standard error. Undefined where there is no answer: closed input, and the end of the run. */
export const askLine = async (io: Io, question: string, signal?: AbortSignal): Promise<string | undefined> => {
  if (signal?.aborted) return undefined;
  forgetTyped(io);
  io.stderr.write(question);
  return readLine(io, signal);
};

export const isYes = (answer: string | undefined): boolean => /^\s*y(?:es)?\s*$/i.test(answer ?? '');
