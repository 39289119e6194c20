/**
 * Ends the run of a session that no process works on, without opening a conversation: what was open gets its one end, and
 * the log says why. It fails where a process has the session open.
 */
import { refusedResult } from '../agent/loop/run-tool.ts';
import { appendEvents } from '../agent/session/append-events.ts';
import type { EventBody } from '../core/events.ts';
import type { CallEntry } from '../core/executor.ts';
import type { Limits } from '../core/limits.ts';
import { failure, type Outcome } from '../core/outcome.ts';
import type { Clock } from '../core/ports.ts';
import type { State } from '../core/state.ts';
import { fold } from '../core/step.ts';
import type { KnownLog, SessionStore } from '../core/storage-port.ts';

export type EndRunParts = {
  sessions: SessionStore;
  limits: Limits;
  clock: Clock;
  /** What is known of a call that was open. */
  verdict(log: KnownLog, entry: CallEntry): Promise<string>;
};

/** What is written is given. */
type Appending = Pick<EndRunParts, 'sessions' | 'limits' | 'clock'>;

/** `ending`: what is appended, by the state that the run is in. Nothing is appended where it is empty. */
export const appendToSession = async (
  { sessions, limits, clock }: Appending,
  session: string,
  ending: (state: State, known: KnownLog) => Promise<readonly EventBody[]>,
): Promise<Outcome<void>> => {
  const opened = await sessions.open(session);
  if (!opened.ok) return opened;
  const { copiedTo, events, log } = opened.value;
  try {
    // Without a beginning nothing can stand in it.
    if (events.length === 0) return failure('not_found', `There is no session ${session}`);
    return await appendEvents(opened.value, await ending(fold(limits, events), { copiedTo, events }), clock);
  } finally {
    await log.close();
  }
};

type Ending = EventBody & { type: 'run_stopped' | 'run_cancelled' };

/** `end` and the results of the calls that were open, where a run goes on: each says why, and whether it took effect. */
export const endOfRun = async (
  { clock, verdict }: EndRunParts,
  { state, known }: { state: State; known: KnownLog },
  end: Ending,
  message: string,
): Promise<EventBody[]> => {
  if (state.phase === 'idle') return [];
  const results: EventBody[] = [];
  for (const entry of state.entries) {
    if (entry.status === 'finished') continue;
    const told = `${message} ${await verdict(known, entry)}`;
    const result = refusedResult(clock, 'io_error', told, { reason: 'interrupted' });
    results.push({ type: 'tool_finished', tool_call_id: entry.call.id, result });
  }
  return [
    ...(state.phase === 'ending' ? [] : [end]),
    ...results,
    ...(state.modelRunning ? [{ type: 'model_failed', code: 'cancelled', message } as const] : []),
  ];
};

/** The run of a session is cancelled, whether or not there is a worker. */
export const cancelRun = (parts: EndRunParts, session: string): Promise<Outcome<void>> =>
  appendToSession(parts, session, (state, known) =>
    endOfRun(parts, { state, known }, { type: 'run_cancelled' }, 'Cancelled while no worker ran this conversation.'),
  );
