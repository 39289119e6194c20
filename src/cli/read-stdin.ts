/** All of standard input as text. */
import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { LIMITS } from '../core/limits.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { Io } from './io.ts';

export type StdinOptions = {
  maxBytes: number;
  /** What to do instead, where it is too much or not text. */
  advice: string;
  /** What may follow the sentence that it is being waited for. */
  hint?: string;
  /** Bytes that are not text are refused where they would mislead, and replaced where text is what is examined. */
  bytes?: 'refuse' | 'replace';
};

/** A closed standard input, and a folder handed in as one, hold nothing to read. */
const isReadable = (stdin: Readable & { fd?: number }): boolean => {
  if (stdin.fd === undefined) return true;
  try {
    return !fstatSync(stdin.fd).isDirectory();
  } catch {
    return false;
  }
};

/** Empty where a person sits at the terminal. An open pipe that nobody writes to looks like a hang, so that is said. */
export const readStdin = async (io: Io, options: StdinOptions): Promise<Outcome<string>> => {
  if (io.stdin.isTTY === true || !isReadable(io.stdin)) return succeed('');
  const chunks: Buffer[] = [];
  let size = 0;
  const notice = setTimeout(() => {
    io.stderr.write(`halter: waiting for the end of standard input.${options.hint ? ` ${options.hint}` : ''}\n`);
  }, LIMITS.stdinNoticeMs);
  try {
    for await (const chunk of io.stdin) {
      const bytes = Buffer.from(chunk as Uint8Array | string);
      size += bytes.length;
      if (size > options.maxBytes) {
        const most = options.maxBytes.toLocaleString('en');
        return failure('validation_failed', `What was piped in is longer than ${most} bytes. ${options.advice}`);
      }
      chunks.push(bytes);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
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
