/**
 * Tells what other programs write into session files, such as a terminal beside the page. A file is looked at now and
 * then, and read where it is another one: files tell nobody that they have changed on every system.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionFeed, SessionStore } from '../core/storage-port.ts';
import { errorCode } from '../disk/disk-failure.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { EXTENSION } from './session-files.ts';

type Listener = Parameters<SessionFeed['follow']>[2];

export const createSessionFileFeed = (folder: string, sessions: Pick<SessionStore, 'read'>): SessionFeed => ({
  follow(id, afterSeq, listener) {
    const follower = new Follower(join(folder, id + EXTENSION), () => sessions.read(id), afterSeq, listener);
    return () => follower.stop();
  },
});

class Follower {
  readonly #path: string;
  readonly #read: () => ReturnType<SessionStore['read']>;
  readonly #listener: Listener;
  readonly #timer: NodeJS.Timeout;
  #after: number;
  /** Of the file as it was read. */
  #stamp = '';
  #isLooking = false;
  #isStopped = false;

  constructor(path: string, read: () => ReturnType<SessionStore['read']>, afterSeq: number, listener: Listener) {
    this.#path = path;
    this.#read = read;
    this.#after = afterSeq;
    this.#listener = listener;
    this.#timer = setInterval(() => void this.#look(), STORAGE_LIMITS.fileFeedMs).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const { ino, size, mtimeNs } = await stat(this.#path, { bigint: true });
      const stamp = `${ino} ${size} ${mtimeNs}`;
      if (stamp === this.#stamp) return;
      const read = await this.#read();
      // What cannot be read now is looked at again.
      if (!read.ok || this.#isStopped) return;
      this.#stamp = stamp;
      const events = read.value.events.filter(({ seq }) => seq > this.#after);
      this.#after = events.at(-1)?.seq ?? this.#after;
      if (events.length > 0) this.#listener.onEvents(events);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || this.#isStopped) return;
      this.stop();
      this.#listener.onRemoved?.();
    } finally {
      this.#isLooking = false;
    }
  }
}
