/** All of standard input as text. */

import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { grouped } from '../core/number-text.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { thrownText } from '../core/thrown-text.ts';
import type { Io } from './io.ts';
import { CLI_LIMITS } from './limits.ts';

export type StdinOptions = {
  maxBytes: number;
  /** What to do instead, where it is too much or not text. */
  advice: string;
  /** What may follow the sentence that it is being waited for. */
  hint?: string;
  /** Nothing at all is fine too. */
  optional?: boolean;
  /** Bytes that are not text are refused where they would mislead, and replaced where text is what is examined. */
  bytes?: 'refuse' | 'replace';
};

type Kind = 'nothing' | 'socket' | 'stream';

/** A closed standard input, and a folder handed in as one, hold nothing to read. */
const kindOf = (stdin: Readable & { fd?: number }): Kind => {
  if (stdin.fd === undefined) return 'stream';
  try {
    const found = fstatSync(stdin.fd);
    return found.isDirectory() ? 'nothing' : found.isSocket() ? 'socket' : 'stream';
  } catch {
    return 'nothing';
  }
};

/**
 * Shells connect programs by pipes, and a pipe is read to its end however long that takes. A socket comes from a
 * program that started this one, often without a thought of its input: one that stays silent is left alone.
 */
const staysSilent = (stdin: Readable): Promise<boolean> =>
  new Promise((resolve) => {
    const settle = (silent: boolean): void => {
      clearTimeout(timer);
      for (const event of ['readable', 'end', 'error']) stdin.off(event, onInput);
      resolve(silent);
    };
    const onInput = (): void => settle(false);
    const timer = setTimeout(() => settle(true), CLI_LIMITS.stdinSocketMs);
    for (const event of ['readable', 'end', 'error']) stdin.on(event, onInput);
  });

/** Empty where a person sits at the terminal. An open pipe that nobody writes to looks like a hang, so that is reported. */
export const readStdin = async (io: Io, options: StdinOptions): Promise<Outcome<string>> => {
  const kind = io.stdin.isTTY === true ? 'nothing' : kindOf(io.stdin);
  if (kind === 'nothing') return succeed('');
  if (kind === 'socket' && options.optional && (await staysSilent(io.stdin))) {
    io.stdin.destroy();
    return succeed('');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const notice = setTimeout(() => {
    io.stderr.write(`halter: waiting for the end of standard input.${options.hint ? ` ${options.hint}` : ''}\n`);
  }, CLI_LIMITS.stdinNoticeMs);
  try {
    for await (const chunk of io.stdin) {
      const bytes = Buffer.from(chunk as Uint8Array | string);
      size += bytes.length;
      if (size > options.maxBytes) {
        const most = grouped(options.maxBytes);
        return failure('validation_failed', `What was piped in is longer than ${most} bytes. ${options.advice}`);
      }
      chunks.push(bytes);
    }
  } catch (error) {
    const reason = thrownText(error);
    return failure('io_error', `Standard input cannot be read: ${reason}`);
  } finally {
    clearTimeout(notice);
  }
  return decode(Buffer.concat(chunks), options);
};

const decode = (bytes: Buffer, options: StdinOptions): Outcome<string> => {
  if (options.bytes === 'replace') return succeed(bytes.toString('utf8'));
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return succeed(text);
  } catch {
    // Said below: it is the same to the person.
  }
  return failure('parse_error', `What was piped in is not text. ${options.advice}`);
};
