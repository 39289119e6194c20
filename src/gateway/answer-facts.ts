/** What an answer of the model comes to: whether it is whole, and whether there is anything in it. */

import { CONTENT_FILTER } from '../core/answer-end.ts';
import type { FinishReason } from '../core/message.ts';
import type { ModelAnswer } from '../core/model-port.ts';
import type { Said } from './asking.ts';
import type { CallCut } from './guards.ts';

/** What ended it may have been something else than the model. */
export const isCut = ({ outcome }: Said): boolean =>
  outcome.ok &&
  !isOwnEnd(outcome.answer) &&
  (outcome.answer.finish !== 'tool_calls' || outcome.answer.ended_by !== undefined);

export const isEmpty = ({ outcome, text, damaged, calls, stoppedBy }: Said): boolean =>
  outcome.ok &&
  // A stop sequence at its beginning is an end that the client asked for.
  stoppedBy === undefined &&
  `${text}${damaged}`.trim() === '' &&
  calls.length === 0 &&
  outcome.answer.ended_by !== CONTENT_FILTER &&
  // A call where none is on offer is nothing either.
  (outcome.answer.finish === 'stop' || outcome.answer.finish === 'tool_calls');

export const isOwnEnd = ({ finish, ended_by: endedBy }: ModelAnswer): boolean =>
  finish === 'stop' && endedBy === undefined;

/** The server's word for an end that is not the model's own; a stop sequence of the client comes before it. */
export const endedBy = ({ outcome, stoppedBy }: Said): string | undefined =>
  outcome.ok && stoppedBy === undefined ? outcome.answer.ended_by : undefined;

export const callCut = (said: Said): CallCut => {
  if (said.outcome.ok && said.outcome.answer.finish === 'length') return 'limit';
  const word = endedBy(said);
  if (word === undefined) return 'model';
  return word === CONTENT_FILTER ? 'filter' : 'server';
};

/** Why it ended, told where no call of it is handed on. */
export const finishWithoutCalls = ({ outcome }: Said): FinishReason => {
  if (!outcome.ok) return 'disconnected';
  return outcome.answer.finish === 'tool_calls' ? 'stop' : outcome.answer.finish;
};
