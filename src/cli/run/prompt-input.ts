/** The prompt of `halter run`: the words of the command line, and after them what was piped in. */
import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { LIMITS } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Io } from '../io.ts';

/** Longest an UTF-8 sequence of one UTF-16 unit can be. */
const BYTES_A_CHARACTER = 3;

export const readPrompt = async (words: readonly string[], io: Io): Promise<Outcome<string>> => {
  const typed = words.join(' ').trim();
  const piped = io.stdin.isTTY === true || !isReadable(io.stdin) ? succeed('') : await readText(io, typed !== '');
  if (!piped.ok) return piped;
  const prompt = [typed, piped.value.trimEnd()].filter((part) => part.trim() !== '').join('\n\n');
  if (prompt === '') {
    return failure('validation_failed', 'There is no prompt: write it behind `halter run`, or pipe it in.');
  }
  return prompt.length > LIMITS.userMessageCharacters ? tooLong() : succeed(prompt);
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

const tooLong = () =>
  failure(
    'validation_failed',
    `The prompt is longer than ${LIMITS.userMessageCharacters.toLocaleString('en')} characters. ` +
      'Name a file in the prompt and let the model read it with its tools.',
  );

/** All of a stream as text. Says after a moment what it waits for: an open pipe that nobody writes to looks like a hang. */
const readText = async (io: Io, hasPrompt: boolean): Promise<Outcome<string>> => {
  const chunks: Buffer[] = [];
  let size = 0;
  const notice = setTimeout(() => {
    const why = hasPrompt ? ' It is added to the prompt; `< /dev/null` leaves it out.' : '';
    io.stderr.write(`halter: waiting for the end of standard input.${why}\n`);
  }, LIMITS.stdinNoticeMs);
  try {
    for await (const chunk of io.stdin) {
      const bytes = Buffer.from(chunk as Uint8Array | string);
      size += bytes.length;
      if (size > LIMITS.userMessageCharacters * BYTES_A_CHARACTER) return tooLong();
      chunks.push(bytes);
    }
  } catch (error) {
    return failure(
      'io_error',
      `Standard input cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    clearTimeout(notice);
  }
  return decode(Buffer.concat(chunks));
};

const decode = (bytes: Buffer): Outcome<string> => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return succeed(text);
  } catch {
    // Said below: it is the same to the person.
  }
  return failure('parse_error', 'What was piped in is not text. Put it into a file and name the file in the prompt.');
};
