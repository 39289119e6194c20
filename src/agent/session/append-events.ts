/** Writes to the log of a session that nothing runs in, in the form of events that follow the last one. */
import type { Event, EventBody } from '../../core/events.ts';
import type { ModelError } from '../../core/model-port.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { Clock } from '../../core/ports.ts';
import type { SessionLog } from '../../core/storage-port.ts';

/** One after the other: what follows one that could not be kept is not tried. */
export const appendEvents = async (
  { log, events }: { log: Pick<SessionLog, 'append'>; events: readonly Event[] },
  bodies: readonly EventBody[],
  clock: Pick<Clock, 'now'>,
): Promise<Outcome<void>> => {
  let seq = events.at(-1)?.seq ?? 0;
  for (const body of bodies) {
    seq += 1;
    const kept = await log.append({ seq, at: clock.now(), ...body } as Event);
    if (!kept.ok) return kept;
  }
  return succeed(undefined);
};

/** A message that no model could answer, and why. */
export const unansweredMessage = (
  message: Omit<EventBody & { type: 'user_message_added' }, 'type'>,
  { code, message: why, hint }: ModelError,
): EventBody[] => [
  { type: 'user_message_added', ...message },
  { type: 'model_failed', code, message: why, ...(hint === undefined ? {} : { hint }) },
  { type: 'run_stopped', reason: 'model_unusable', name: code, message: why },
];
