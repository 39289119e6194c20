/** A session's log, whatever keeps it: one event after the other, whoever asks, and closed once, when all are written. */
import { failure } from '../core/outcome.ts';
import type { SessionLog } from '../core/storage-port.ts';

export const inTurn = (session: string, log: SessionLog): SessionLog => {
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();
  return {
    append(event) {
      const done = last.then(() =>
        closed ? failure('io_error', `The session ${session} is closed`, 'closed') : log.append(event),
      );
      last = done;
      return done;
    },
    ...(log.holds && { holds: async () => !closed && (await log.holds?.()) !== false }),
    async close() {
      await last;
      if (closed) return;
      closed = true;
      await log.close();
    },
  };
};
