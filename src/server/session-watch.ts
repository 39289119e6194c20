/** Keeps sessions that another server works on up to date here, where several share a store. */
import type { SessionFeed } from '../core/storage-port.ts';
import type { LiveSession } from './live-session.ts';

export type SessionWatch = {
  /** From now on the session hears what others write; nothing where nobody else does, or where it is open here. */
  begin(session: LiveSession): void;
  end(id: string): void;
  close(): void;
};

export const createSessionWatch = (
  feed: SessionFeed | undefined,
  onRemoved: (session: LiveSession) => void,
): SessionWatch => {
  const stops = new Map<string, () => void>();
  const end = (id: string): void => {
    stops.get(id)?.();
    stops.delete(id);
  };
  return {
    begin(session) {
      if (feed === undefined || session.face() !== undefined || stops.has(session.id)) return;
      const stop = feed.follow(session.id, session.log().at(-1)?.seq ?? 0, {
        onEvents(events) {
          for (const event of events) session.append(event);
        },
        onRemoved() {
          stops.delete(session.id);
          onRemoved(session);
        },
      });
      stops.set(session.id, stop);
    },
    end,
    close() {
      for (const id of [...stops.keys()]) end(id);
    },
  };
};
