/**
 * An effect that threw has a defect: a provider that breaks its contract, a part of halter that fails. The run ends with
 * the defect's name, what the effect owed to the core is made up for, and the session stays usable.
 */
import type { Effect } from '../../core/effects.ts';
import type { EventBody } from '../../core/events.ts';
import type { Clock } from '../../core/ports.ts';
import { brokenOff } from '../../core/streamed-answer.ts';
import { defectOf, defectText } from '../close-all.ts';
import { refusedResult } from '../loop/run-tool.ts';
import type { SessionHandle } from './session-handle.ts';

/** What was thrown, and the event that tells of it. */
export const endByDefect = async (
  session: SessionHandle,
  clock: Clock,
  effect: Effect,
  error: unknown,
): Promise<{ seq: number; thrown: unknown } | undefined> => {
  const isTold = await session.dispatch({ type: 'run_stopped', reason: 'error', ...defectOf(error) });
  const stop = session.log().findLast(({ type }) => type === 'run_stopped');
  const owed = owedEvent(session, clock, effect, error);
  if (owed !== undefined) await session.dispatch(owed);
  return isTold && stop !== undefined ? { seq: stop.seq, thrown: error } : undefined;
};

/** What the core still waits for from this effect. An event that came before the defect makes it no fact. */
const owedEvent = (session: SessionHandle, clock: Clock, effect: Effect, error: unknown): EventBody | undefined => {
  switch (effect.type) {
    case 'call_model':
      return brokenOff(session.path(), defectText(error), 'protocol');
    case 'evaluate_policy':
    case 'show_permission_prompt':
    case 'execute_tool':
    case 'finish_call': {
      const message = `${effect.call.name} was ended by a defect: ${defectText(error)}`;
      const result = refusedResult(clock, 'internal_error', message, { reason: 'defect' });
      return { type: 'tool_finished', tool_call_id: effect.call.id, result };
    }
    default:
      return undefined;
  }
};
