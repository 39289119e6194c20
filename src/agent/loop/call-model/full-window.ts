/** What became of a turn in a window that was full: refused, without room for an answer, or cut in its middle. */

import type { ModelMessage } from '../../../core/message.ts';
import type { ModelError, Sampling } from '../../../core/model-port.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import type { CutAnswer, Overflowed } from '../window.ts';
import { type CallModelOptions, isEmpty, isThoughtOnly, type Turn, warn } from './turn.ts';

/** A prompt that was sent, and what came of it. */
export type Asked = { turn: Turn; messages: readonly ModelMessage[] };

/** The server said that the prompt, or the answer with it, is too long. */
export const overflowOf = ({ outcome }: Turn): ModelError | undefined =>
  !outcome.ok && outcome.error.code === 'context_overflow' ? outcome.error : undefined;

/** A limit ended the answer before a word or a call of it; thoughts may have come. */
const hadNoRoom = (turn: Turn): boolean => isThoughtOnly(turn) && isCutByLimit(turn);
const isCutByLimit = ({ outcome }: Turn): boolean => outcome.ok && outcome.answer.finish === 'length';

const cutAnswerOf = ({ outcome }: Turn, { max_tokens: maxTokens }: Sampling): CutAnswer => ({
  usage: outcome.ok ? outcome.answer.usage : undefined,
  maxTokens,
});

/** What a limit ended would end there again. */
export const isWorthAnother = (turn: Turn): boolean => !isCutByLimit(turn) && isEmpty(turn);

/** An answer that the end of the window cut, or that had no room at all, is told as that. */
export const withoutRoom = (
  session: SessionHandle,
  { window, sampling }: CallModelOptions,
  { turn, messages }: Asked,
): Turn => {
  if (!isCutByLimit(turn)) return turn;
  const cut = cutAnswerOf(turn, sampling);
  if (hadNoRoom(turn)) {
    const error = window.cutAnswers.noRoomError(session, messages, cut);
    return error ? { ...turn, outcome: { ok: false, partial: false, error } } : turn;
  }
  if (!window.cutAnswers.endedFull(session, messages, cut)) return turn;
  warn(session, 'answer_cut', window.fullText());
  return { ...turn, isWindowFull: true };
};

/** The person has read a part of the answer, which is not taken back. */
export const isSaid = ({ text }: Turn): boolean => text.trim() !== '';

/** What was said before the window was full stays as an answer that was cut; else the refusal, with what to do about it. */
export const refusedTurn = (
  session: SessionHandle,
  { window }: CallModelOptions,
  messages: readonly ModelMessage[],
  turn: Turn,
  error: ModelError,
): Turn => {
  if (!isSaid(turn)) {
    return { ...turn, outcome: { ok: false, partial: false, error: window.explained(session, messages, error) } };
  }
  window.refusals.cutByRefusal(session, messages, error);
  warn(session, 'answer_cut', window.fullText());
  return { ...turn, isWindowFull: true, outcome: { ok: true, answer: { calls: [], finish: 'length' } } };
};

/** Room for a prompt that was refused as too long, or that left none for its answer. */
export const moreRoom = async (
  session: SessionHandle,
  { window, sampling }: CallModelOptions,
  { turn, messages }: Asked,
  attempt: number,
): Promise<Overflowed> => {
  const error = overflowOf(turn);
  if (error !== undefined) return isSaid(turn) ? 'no' : window.refusals.overflowed(session, messages, error, attempt);
  if (!isCutByLimit(turn)) return 'no';
  const cut = cutAnswerOf(turn, sampling);
  if (hadNoRoom(turn)) return window.cutAnswers.unanswered(session, messages, cut);
  const next = await window.cutAnswers.triedInVain(session, messages, cut);
  if (next === 'again' && isSaid(turn)) session.progress({ type: 'text_delta', delta: '\n\n' });
  return next;
};
