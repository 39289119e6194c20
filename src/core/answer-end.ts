/** Why an answer ended, in the one set of words that results, events and streams use. */
import type { AssistantMessage, FinishReason } from './message.ts';

/** `content_filter`: a filter of the server cut it. `other`: the server gave a reason that nobody knows; it may be cut. */
export type AnswerEnd = FinishReason | 'content_filter' | 'other';

/** The ends of an answer that is not whole, or may not be. */
export type CutEnd = Extract<AnswerEnd, 'length' | 'content_filter' | 'other'>;

/** `ended_by` of an answer that a filter cut. */
export const CONTENT_FILTER = 'content_filter';

/** An answer that calls goes on with its calls, whatever the server says of its end. */
export const answerEnd = ({ finish, ended_by: by }: Pick<AssistantMessage, 'finish' | 'ended_by'>): AnswerEnd => {
  if (finish !== 'stop' || by === undefined) return finish;
  return by === CONTENT_FILTER ? 'content_filter' : 'other';
};

/** Undefined where the answer came to its own end, or broke off with its run. */
export const cutEnd = (message: Pick<AssistantMessage, 'finish' | 'ended_by'>): CutEnd | undefined => {
  const end = answerEnd(message);
  return end === 'length' || end === 'content_filter' || end === 'other' ? end : undefined;
};
