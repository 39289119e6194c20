/** A message that no model can answer now is kept, and so is why: whoever sent it reads it where the answer would stand. */
import { appendEvents, unansweredMessage } from '../agent/session/append-events.ts';
import type { Limits } from '../core/limits.ts';
import { hasMessage } from '../core/message-key.ts';
import type { ModelError } from '../core/model-port.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { Clock } from '../core/ports.ts';
import { fold } from '../core/step.ts';
import type { SessionStore } from '../core/storage-port.ts';
import type { Job } from './jobs.ts';

/** The reason where nothing can be told in this log as it stands. */
export const NOT_NOW = 'not_now';

export const tellUnusable = async (
  { sessions, limits, clock }: { sessions: SessionStore; limits: Limits; clock: Clock },
  { session, command }: Job,
  error: ModelError,
): Promise<Outcome<void>> => {
  if (command.type !== 'send_message') return failure('validation_failed', 'Only a message is answered');
  const opened = await sessions.open(session);
  if (!opened.ok) return opened;
  const { events, log } = opened.value;
  try {
    // Without a beginning nothing can stand in it, and a run that goes on is not ended by a second message.
    if (events.length === 0) return failure('io_error', 'Not now', NOT_NOW);
    // Told before, by a worker that could not say so.
    if (hasMessage(events, command.idempotency_key ?? '')) return succeed(undefined);
    if (fold(limits, events).phase !== 'idle') return failure('io_error', 'Not now', NOT_NOW);
    const { type: _type, ...message } = command;
    return await appendEvents(opened.value, unansweredMessage(message, error), clock);
  } finally {
    await log.close();
  }
};
