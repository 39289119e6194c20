/**
 * One way to a database for all agents of a process that share it: one set of connections, one number in its tables, and a
 * session that is open in one of them is known to the others. The last one that closes it ends the connections.
 */
import { type Outcome, succeed } from '../../core/outcome.ts';
import { openPostgres, type PostgresStorage } from '../postgres.ts';

type Shared = { users: number; opening: Promise<Outcome<PostgresStorage>> };

const open = new Map<string, Shared>();

/** As `openPostgres`; an address that is open here already is used again. */
export const sharePostgres = async (url: string): Promise<Outcome<PostgresStorage>> => {
  const shared = open.get(url) ?? { users: 0, opening: openPostgres({ url }) };
  open.set(url, shared);
  shared.users += 1;
  const opened = await shared.opening;
  if (opened.ok) return succeed(partOf(opened.value, () => leave(url, shared)));
  // The next one tries again.
  forget(url, shared);
  return opened;
};

const forget = (url: string, shared: Shared): void => {
  if (open.get(url) === shared) open.delete(url);
};

const leave = async (url: string, shared: Shared): Promise<void> => {
  shared.users -= 1;
  if (shared.users > 0) return;
  forget(url, shared);
  const opened = await shared.opening;
  if (opened.ok) await opened.value.close();
};

/** What one agent has of it. Closing it stops what this agent follows, and nothing of the others. */
const partOf = (storage: PostgresStorage, onClose: () => Promise<void>): PostgresStorage => {
  const following = new Set<() => void>();
  let closing: Promise<void> | undefined;
  const closeOnce = (): Promise<void> => {
    for (const stop of following) stop();
    return onClose();
  };
  return {
    ...storage,
    feed: {
      follow(id, after, listener) {
        const end = storage.feed.follow(id, after, listener);
        const stop = (): void => {
          following.delete(stop);
          end();
        };
        following.add(stop);
        return stop;
      },
    },
    close() {
      closing ??= closeOnce();
      return closing;
    },
  };
};
