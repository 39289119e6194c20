/**
 * Opens what the person names on the command line, whatever it is. Opening a named pipe waits for its other end; where
 * the system does that, the process hears no signal meanwhile. Here the program waits, and a signal ends it.
 */
import { constants, createReadStream, fstat, open as openFile, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';
import { grouped } from '../core/number-text.ts';
import { errorCode } from '../disk/disk-failure.ts';
import { END_SIGNALS } from './end-signals.ts';
import { EXIT } from './exit-codes.ts';
import { CLI_LIMITS } from './limits.ts';

const { O_RDONLY, O_WRONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
/** Elsewhere a pipe that nobody has opened for writing yet may read as one that has ended; the system waits there. */
const WAITS = process.platform === 'linux' ? O_NONBLOCK : 0;
const open = promisify(openFile);
const statOf: (descriptor: number) => Promise<Stats> = promisify(fstat);

/** All of a file, a pipe or a device. Rejects with what the system says, and where it is larger than it may be. */
export const readNamed = async (path: string, maxBytes: number): Promise<Buffer> => {
  const release = endingOnSignals();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const descriptor = await open(path, O_RDONLY | WAITS | O_NOCTTY);
    // Leaving the loop closes the descriptor as well.
    for await (const chunk of await streamOf(descriptor)) {
      size += chunk.length;
      if (size > maxBytes) throw new Error(`it is larger than ${grouped(maxBytes)} bytes`);
      chunks.push(chunk);
    }
  } finally {
    release();
  }
  return Buffer.concat(chunks);
};

/** What may have nothing to read yet is waited for by the program, and only a file by a read of the system. */
const streamOf = async (descriptor: number): Promise<AsyncIterable<Buffer>> => {
  if (isatty(descriptor)) return new ReadStream(descriptor);
  if ((await statOf(descriptor)).isFIFO()) return new Socket({ fd: descriptor, readable: true, writable: false });
  return createReadStream('', { fd: descriptor }) as AsyncIterable<Buffer>;
};

/** To a named pipe, once somebody reads it. Rejects with what the system says, and where nobody is waited for any more. */
export const writeNamedPipe = async (path: string, text: string, isEnded: () => boolean): Promise<void> => {
  const release = endingOnSignals();
  try {
    const pipe = new Socket({ fd: await openWithReader(path, isEnded), readable: false, writable: true });
    await new Promise<void>((resolve, reject) => {
      pipe.once('error', reject).once('close', () => resolve());
      pipe.end(text);
    });
  } finally {
    release();
  }
};

const openWithReader = async (path: string, isEnded: () => boolean): Promise<number> => {
  for (;;) {
    try {
      return await open(path, O_WRONLY | O_NONBLOCK);
    } catch (error) {
      // Nobody reads it yet.
      if (errorCode(error) !== 'ENXIO') throw error;
      if (isEnded()) throw new Error('nobody reads it');
      await after(CLI_LIMITS.pipeReaderMs);
    }
  }
};

/** Nothing was begun that would have to be put in order. Returns how to stop. */
const endingOnSignals = (): (() => void) => {
  const end = (): void => process.exit(EXIT.interrupted);
  for (const signal of END_SIGNALS) process.on(signal, end);
  return () => {
    for (const signal of END_SIGNALS) process.off(signal, end);
  };
};
