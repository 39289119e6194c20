/**
 * A run that nobody works on any more is brought to its end: after a crash, or where the person goes on from the middle
 * of an earlier run. Every call gets its one result, so that calls stay paired. These are facts of the past: nothing is
 * started by them.
 */
import type { Event, EventBody } from '../../core/events.ts';
import type { CallEntry } from '../../core/executor.ts';
import type { Clock } from '../../core/ports.ts';
import type { State } from '../../core/state.ts';
import { brokenOff } from '../../core/streamed-answer.ts';
import { refusedResult } from '../loop/run-tool.ts';
import { INTERRUPTED } from './ended.ts';
import type { SessionHandle } from './session-handle.ts';

/** After a crash: the model and the person are told what is known of each call. */
export const closeInterrupted = async (
  session: SessionHandle,
  clock: Clock,
  verdict: (entry: CallEntry) => Promise<string>,
): Promise<void> => {
  if (session.state().phase === 'idle') return;
  await session.dispatch(INTERRUPTED);
  await finishCalls(session, clock, 'interrupted', verdict);
  if (session.state().modelRunning)
    await session.dispatch(brokenOff(session.path(), 'halter was ended before the model answered.'));
};

/** After a branch into the middle of a run. */
export const closeLeftAside = async (session: SessionHandle, clock: Clock): Promise<void> => {
  for (const body of leftAsideBodies(session.state(), session.path(), clock)) await session.dispatch(body);
};

/** What ends a run that was left in its middle; nothing where none runs. */
export const leftAsideBodies = (state: State, path: readonly Event[], clock: Clock): EventBody[] => {
  if (state.phase === 'idle') return [];
  const message = 'Not run here: the conversation was taken back to a point before this call had ended.';
  const result = refusedResult(clock, 'io_error', message, { reason: 'branched' });
  const calls = state.entries.filter(({ status }) => status !== 'finished').map(({ call }) => call.id);
  return [
    ...(state.phase === 'ending' ? [] : [{ type: 'run_cancelled' } as const]),
    ...calls.map((id) => ({ type: 'tool_finished', tool_call_id: id, result }) as const),
    ...(state.modelRunning ? [brokenOff(path, 'The conversation goes on from here.')] : []),
  ];
};

const finishCalls = async (
  session: SessionHandle,
  clock: Clock,
  reason: string,
  message: (entry: CallEntry) => Promise<string>,
): Promise<void> => {
  for (const entry of session.state().entries) {
    if (entry.status === 'finished') continue;
    const result = refusedResult(clock, 'io_error', await message(entry), { reason });
    await session.dispatch({ type: 'tool_finished', tool_call_id: entry.call.id, result });
  }
};
