/**
 * Follows sessions that other processes write. A notification says where to look, the table says what there is: nothing is
 * missed because a notification was lost, and nothing comes twice because one arrived twice.
 */

import type { SessionFeed } from '../../core/storage-port.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { Database } from './database.ts';
import type { PubSub } from './pub-sub.ts';
import type { EventReader } from './read-events.ts';

type Listener = Parameters<SessionFeed['follow']>[2];
type LastRow = { id: string; number: string; last_seq: string };

export class PostgresFeed implements SessionFeed {
  readonly #database: Database;
  readonly #pubSub: PubSub;
  readonly #readEvents: EventReader;
  readonly #followers = new Map<string, Set<Follower>>();
  #timer: NodeJS.Timeout | undefined;
  #stopHearing: (() => void) | undefined;

  constructor(database: Database, pubSub: PubSub, readEvents: EventReader) {
    this.#database = database;
    this.#pubSub = pubSub;
    this.#readEvents = readEvents;
  }

  follow(id: string, after: number, listener: Listener): () => void {
    const follower = new Follower(id, after, listener, (one) => this.#catchUp(one));
    const others = this.#followers.get(id) ?? new Set();
    this.#followers.set(id, others.add(follower));
    this.#begin();
    follower.look();
    return () => this.#stop(follower);
  }

  close(): void {
    for (const all of [...this.#followers.values()]) for (const follower of [...all]) this.#stop(follower);
  }

  #begin(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.#lookAround(), STORAGE_LIMITS.databaseFollowMs);
    this.#timer.unref();
    this.#stopHearing = this.#pubSub.onNews((news) => {
      if (news === undefined) void this.#lookAround();
      else for (const [id, seq] of news) this.#lookAt(id, seq);
    });
    void this.#pubSub.opener();
  }

  #end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopHearing?.();
  }

  #stop(follower: Follower): void {
    follower.stopped = true;
    const others = this.#followers.get(follower.id);
    others?.delete(follower);
    if (others?.size === 0) this.#followers.delete(follower.id);
    if (this.#followers.size === 0) this.#end();
  }

  /** One query for every session that is followed. */
  async #lookAround(): Promise<void> {
    const rows = await this.#lastRows([...this.#followers.keys()]);
    if (rows === undefined) return;
    for (const id of this.#followers.keys()) this.#lookAt(id, Number(rows.get(id)?.last_seq ?? 0));
  }

  /** `seq` 0: it is not known how far the session has come. */
  #lookAt(id: string, seq: number): void {
    for (const follower of this.#followers.get(id) ?? []) {
      if (seq === 0 || seq > follower.after) follower.look();
    }
  }

  async #lastRows(ids: readonly string[]): Promise<Map<string, LastRow> | undefined> {
    const found = await this.#database.query<LastRow>({
      text: 'SELECT id, number, last_seq FROM halter.sessions WHERE id = ANY($1)',
      values: [ids],
    });
    return found.ok ? new Map(found.value.rows.map((row) => [row.id, row])) : undefined;
  }

  async #catchUp(follower: Follower): Promise<void> {
    const rows = await this.#lastRows([follower.id]);
    if (rows === undefined || follower.stopped) return;
    const row = rows.get(follower.id);
    if (row === undefined) {
      this.#stop(follower);
      follower.listener.onRemoved?.();
      return;
    }
    if (Number(row.last_seq) <= follower.after) return;
    const read = await this.#readEvents(row, follower.after);
    if (!read.ok || follower.stopped) return;
    follower.after = Math.max(follower.after, read.value.lastSeq);
    if (read.value.events.length > 0) follower.listener.onEvents(read.value.events);
  }
}

/** One listener of one session. It looks once at a time; a look that is asked for meanwhile follows. */
class Follower {
  readonly id: string;
  readonly listener: Listener;
  after: number;
  stopped = false;
  readonly #catchUp: (follower: Follower) => Promise<void>;
  #isLooking = false;
  #isAskedAgain = false;

  constructor(id: string, after: number, listener: Listener, catchUp: (follower: Follower) => Promise<void>) {
    this.id = id;
    this.after = after;
    this.listener = listener;
    this.#catchUp = catchUp;
  }

  look(): void {
    if (this.#isLooking) {
      this.#isAskedAgain = true;
      return;
    }
    this.#isLooking = true;
    void this.#catchUp(this).finally(() => {
      this.#isLooking = false;
      const looksAgain = this.#isAskedAgain && !this.stopped;
      this.#isAskedAgain = false;
      if (looksAgain) this.look();
    });
  }
}
