/** The sessions that the person put in front of the others. */
import { type Outcome, succeed } from '../core/outcome.ts';
import { STORAGE_LIMITS } from './limits.ts';

export type PinStore = {
  read(): Promise<Outcome<ReadonlySet<string>>>;
  set(session: string, pinned: boolean): Promise<Outcome<void>>;
};

/** Of too many the oldest give way, and their sessions stay. */
export const withPin = (known: readonly string[], session: string, pinned: boolean): readonly string[] => {
  if (known.includes(session) === pinned) return known;
  return pinned ? [...known, session].slice(-STORAGE_LIMITS.pinnedSessions) : known.filter((id) => id !== session);
};

/** For programs that keep nothing. */
export const createPinsInMemory = (): PinStore => {
  let sessions: readonly string[] = [];
  return {
    read: async () => succeed(new Set(sessions)),
    async set(session, pinned) {
      sessions = withPin(sessions, session, pinned);
      return succeed(undefined);
    },
  };
};
