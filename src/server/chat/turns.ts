/** Requests of one chat take turns, in the order in which they came. */
import { createDeferred } from '../../core/deferred.ts';

export type Turn = {
  /** Resolves when all that came before are over. */
  come: Promise<void>;
  /** Lets the next one have its turn. One that gave up waiting is over too; the next still waits for those before it. */
  over(): void;
};

export const createTurns = (): { take(chatId: string): Turn } => {
  const last = new Map<string, Promise<unknown>>();
  return {
    take(chatId) {
      const mine = createDeferred<void>();
      const come = last.get(chatId) ?? Promise.resolve();
      const done = Promise.all([come, mine.promise]).then(() => {
        if (last.get(chatId) === done) last.delete(chatId);
      });
      last.set(chatId, done);
      return { come: come.then(() => {}), over: mine.resolve };
    },
  };
};
