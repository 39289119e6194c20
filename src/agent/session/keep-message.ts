/** A message to a session whose model is not there: it stands in the log as one that failed, and goes out with the next. */
import type { Event } from '../../core/events.ts';
import type { Limits } from '../../core/limits.ts';
import type { ContentPart } from '../../core/message.ts';
import type { ModelError } from '../../core/model-port.ts';
import { isResting } from '../../core/open-work.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Clock } from '../../core/ports.ts';
import { type FolderNames, refusedHere } from '../../core/session-folder.ts';
import { activePath } from '../../core/session-tree.ts';
import type { SessionStore } from '../../core/storage-port.ts';
import { appendEvents, unansweredMessage } from './append-events.ts';

export type KeepPorts = {
  sessions: Pick<SessionStore, 'open'>;
  limits: Limits;
  clock: Pick<Clock, 'now'>;
  /** The folder that the session has to belong to. */
  folder: FolderNames;
};

type Content = string | ContentPart[];

/** Said again while the model is away, it stands there once. */
export const keepMessage = async (
  { sessions, limits, clock, folder }: KeepPorts,
  id: string,
  content: Content,
  error: ModelError,
): Promise<Outcome<void>> => {
  const opened = await sessions.open(id);
  if (!opened.ok) return opened;
  const { log, events } = opened.value;
  try {
    const elsewhere = refusedHere(events, id, folder);
    if (elsewhere) return { ok: false, error: elsewhere };
    if (events.length === 0) return failure('not_found', `The session ${id} has not begun: say it again.`);
    if (!isResting(limits, events))
      return failure('io_error', `Work of an earlier run is to be ended first in the session ${id}.`);
    if (isUnanswered(events, content)) return succeed(undefined);
    return await appendEvents(opened.value, unansweredMessage({ content }, error), clock);
  } finally {
    await log.close();
  }
};

const isUnanswered = (events: readonly Event[], content: Content): boolean => {
  const last = activePath(events).findLast(
    ({ type }) => type === 'user_message_added' || type === 'assistant_message_added',
  );
  return last?.type === 'user_message_added' && JSON.stringify(last.content) === JSON.stringify(content);
};
