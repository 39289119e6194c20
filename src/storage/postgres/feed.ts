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
type Follower = { id: string; after: number; listener: Listener; stopped: boolean; look(): void };
type LastRow = { id: string; number: string; last_seq: string };

export const createPostgresFeed = (
  database: Database,
  pubSub: PubSub,
  readEvents: EventReader,
): SessionFeed & { close(): void } => {
  const followers = new Map<string, Set<Follower>>();
  let timer: NodeJS.Timeout | undefined;
  let stopHearing: (() => void) | undefined;

  const lookAt = (id: string, seq: number): void => {
    for (const follower of followers.get(id) ?? []) {
      if (seq === 0 || seq > follower.after) follower.look();
    }
  };
  /** One question for everything that is followed. */
  const lookAround = async (): Promise<void> => {
    const asked = await lastOf([...followers.keys()]);
    if (asked === undefined) return;
    for (const id of followers.keys()) lookAt(id, Number(asked.get(id)?.last_seq ?? 0));
  };
  const lastOf = async (ids: readonly string[]): Promise<Map<string, LastRow> | undefined> => {
    const asked = await database.query<LastRow>({
      text: 'SELECT id, number, last_seq FROM halter.sessions WHERE id = ANY($1)',
      values: [ids],
    });
    return asked.ok ? new Map(asked.value.rows.map((row) => [row.id, row])) : undefined;
  };
  const catchUp = async (follower: Follower): Promise<void> => {
    const found = await lastOf([follower.id]);
    if (found === undefined || follower.stopped) return;
    const row = found.get(follower.id);
    if (row === undefined) {
      stop(follower);
      follower.listener.onRemoved?.();
      return;
    }
    if (Number(row.last_seq) <= follower.after) return;
    const read = await readEvents(row, follower.after);
    if (!read.ok || follower.stopped) return;
    follower.after = Math.max(follower.after, read.value.lastSeq);
    if (read.value.events.length > 0) follower.listener.onEvents(read.value.events);
  };
  const begin = (): void => {
    if (timer !== undefined) return;
    timer = setInterval(() => void lookAround(), STORAGE_LIMITS.databaseFollowMs);
    timer.unref();
    stopHearing = pubSub.onNews((news) => {
      if (news === undefined) void lookAround();
      else for (const [id, seq] of news) lookAt(id, seq);
    });
    void pubSub.opener();
  };
  const end = (): void => {
    clearInterval(timer);
    timer = undefined;
    stopHearing?.();
  };
  const stop = (follower: Follower): void => {
    follower.stopped = true;
    const others = followers.get(follower.id);
    others?.delete(follower);
    if (others?.size === 0) followers.delete(follower.id);
    if (followers.size === 0) end();
  };

  return {
    follow(id, after, listener) {
      let looking = false;
      let again = false;
      const follower: Follower = {
        id,
        after,
        listener,
        stopped: false,
        look() {
          if (looking) {
            again = true;
            return;
          }
          looking = true;
          void catchUp(follower).finally(() => {
            looking = false;
            const once = again && !follower.stopped;
            again = false;
            if (once) follower.look();
          });
        },
      };
      const others = followers.get(id) ?? new Set();
      followers.set(id, others.add(follower));
      begin();
      follower.look();
      return () => stop(follower);
    },
    close() {
      for (const all of [...followers.values()]) for (const follower of [...all]) stop(follower);
    },
  };
};
