/** The sessions that the person put in front of the others. */
import { type Outcome, succeed } from '../core/outcome.ts';

export type PinStore = {
  read(): Promise<Outcome<ReadonlySet<string>>>;
  set(session: string, pinned: boolean): Promise<Outcome<void>>;
};

/** For programs that keep nothing. */
export const createPinsInMemory = (): PinStore => {
  const pinned = new Set<string>();
  return {
    read: async () => succeed(new Set(pinned)),
    async set(session, isPinned) {
      if (isPinned) pinned.add(session);
      else pinned.delete(session);
      return succeed(undefined);
    },
  };
};
