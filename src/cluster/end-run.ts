/**
 * Ends the run of a session that no process works on, without opening a conversation: what was open gets its one end, and
 * the log says why. It fails where a process has the session open.
 */
import { refusedResult } from '../agent/loop/run-tool.ts';
import { appendEvents } from '../agent/session/append-events.ts';
import type { Event, EventBody } from '../core/events.ts';
import type { Limits } from '../core/limits.ts';
import { failure, type Outcome } from '../core/outcome.ts';
import type { Clock } from '../core/ports.ts';
import type { State } from '../core/state.ts';
import { fold } from '../core/step.ts';
import type { SessionStore } from '../core/storage-port.ts';

export type EndRunParts = { sessions: SessionStore; limits: Limits; clock: Clock };

/** `ending`: what is appended, by the state that the run is in. Nothing is appended where it is empty. */
export const appendToSession = async (
  { sessions, limits, clock }: EndRunParts,
  session: string,
  ending: (state: State, events: readonly Event[]) => readonly EventBody[],
): Promise<Outcome<void>> => {
  const opened = await sessions.open(session);
  if (!opened.ok) return opened;
  const { events, log } = opened.value;
  try {
    // Without a beginning nothing can stand in it.
    if (events.length === 0) return failure('not_found', `There is no session ${session}`);
    return await appendEvents(opened.value, ending(fold(limits, events), events), clock);
  } finally {
    await log.close();
  }
};

/** `end` and the results of the calls that were open, where a run goes on. */
export const endOfRun = (
  state: State,
  clock: Clock,
  end: EventBody & { type: 'run_stopped' | 'run_cancelled' },
  message: string,
): EventBody[] => {
  if (state.phase === 'idle') return [];
  const result = refusedResult(clock, 'io_error', message, { reason: 'interrupted' });
  const open = state.entries.filter(({ status }) => status !== 'finished');
  return [
    ...(state.phase === 'ending' ? [] : [end]),
    ...open.map(({ call }): EventBody => ({ type: 'tool_finished', tool_call_id: call.id, result })),
    ...(state.modelRunning ? [{ type: 'model_failed', code: 'cancelled', message } as const] : []),
  ];
};

/** The run of a session is cancelled, whether or not there is a worker. */
export const cancelRun = (parts: EndRunParts, session: string): Promise<Outcome<void>> =>
  appendToSession(parts, session, (state) =>
    endOfRun(state, parts.clock, { type: 'run_cancelled' }, 'Cancelled while no worker ran this conversation.'),
  );
