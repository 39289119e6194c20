/** What a command may touch of the process it runs in. Tests hand in their own. */
import type { Readable } from 'node:stream';
import { allowsColours, createTheme, type Theme } from '../terminal/theme.ts';

export type Output = {
  write(text: string): void;
  /** Text with colours of halter's own, safe in all else. Without it, `write` takes it as it is. */
  paint?(text: string): void;
  /** Aborts when nobody reads any more: `halter … | head`. */
  readonly gone?: AbortSignal | undefined;
  readonly isTTY: boolean;
  readonly columns: number;
};

export type Io = {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Calls the listener on INT, TERM and HUP instead of ending the process; returns how to stop listening. */
  onSignal(listener: (signal: NodeJS.Signals) => void): () => void;
};

/** Something the person has to put right in how they called halter: exit code 2. */
export class UsageError extends Error {
  readonly command: string | undefined;
  constructor(message: string, command?: string) {
    super(message);
    this.name = 'UsageError';
    this.command = command;
  }
}

/** Colour is for people: not in pipes, not where NO_COLOR is set. */
export const wantsColor = (output: Output, env: Io['env']): boolean => output.isTTY && allowsColours(env);

/** Writes what is safe already, colours and all. */
export const paintTo = (output: Output, text: string): void =>
  output.paint === undefined ? output.write(text) : output.paint(text);

/** What is painted for an output: where it is no terminal, or one that calls itself dumb, nothing is. */
export const themeOf = (output: Output, env: Io['env']): Theme =>
  createTheme(output.isTTY ? env : { ...env, TERM: 'dumb' });
