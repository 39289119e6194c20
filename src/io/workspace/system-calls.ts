/** How an opener asks the system: through Node's pool of threads, or from the very thread that asks. */
import { type BigIntStats, closeSync, fstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { open, readlink } from 'node:fs/promises';

type Soon<T> = T | Promise<T>;

/** What an opener needs of an open file; Node's own handles are such. */
export type OpenFile = {
  readonly fd: number;
  stat(options: { bigint: true }): Soon<BigIntStats>;
  read(buffer: Buffer, offset: number, length: number, position: number): Soon<{ bytesRead: number }>;
  close(): Soon<void>;
};

export type SystemCalls = {
  open(path: string, flags: number): Soon<OpenFile>;
  readlink(path: string): Soon<string>;
};

/**
 * Nothing else of the thread waits meanwhile. Where an open file lies the kernel knows by itself: no disk and no server is
 * asked, and through the pool it would cost many times as much.
 */
export const POOLED_CALLS: SystemCalls = {
  open,
  readlink: (path) => (OPEN_FILE.test(path) ? readlinkSync(path) : readlink(path)),
};
const OPEN_FILE = /^\/proc\/self\/fd\/\d+$/;

/**
 * For a thread that has nothing else to do. A small file is opened, verified, read and closed in ten calls, and each costs
 * fourteen times as much through the pool.
 */
export const OWN_CALLS: SystemCalls = {
  open(path, flags) {
    const fd = openSync(path, flags);
    return {
      fd,
      stat: () => fstatSync(fd, { bigint: true }),
      read: (buffer, offset, length, position) => ({ bytesRead: readSync(fd, buffer, offset, length, position) }),
      close: () => closeSync(fd),
    };
  },
  readlink: (path) => readlinkSync(path),
};
