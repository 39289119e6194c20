import type { Event } from '../../core/events.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { SessionLog } from '../../core/storage-port.ts';

/**
 * The log of a new session that is written from the first message on. What comes before it waits; where nothing is ever
 * said, nothing is kept, and `discard` takes away what opening the log has made.
 */
export const fromFirstMessage = (log: SessionLog, discard: () => Promise<unknown>): SessionLog => {
  let waiting: Event[] | undefined = [];
  return {
    async append(event): Promise<Outcome<void>> {
      if (waiting === undefined) return log.append(event);
      waiting.push(event);
      if (event.type !== 'user_message_added') return succeed(undefined);
      const events = waiting;
      waiting = undefined;
      for (const each of events) {
        const kept = await log.append(each);
        if (!kept.ok) return kept;
      }
      return succeed(undefined);
    },
    ...(log.holds && { holds: async () => (await log.holds?.()) !== false }),
    async close() {
      await log.close();
      if (waiting !== undefined) await discard();
    },
  };
};
