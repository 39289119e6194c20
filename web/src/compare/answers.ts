/** The answers that one message got, each with the model that gave it and what it took. Pure. */
import type { Event } from '../../../src/core/events.ts';
import { type BranchPoint, pathAt } from '../../../src/core/session-tree.ts';

export type ComparedAnswer = {
  /** Where the conversation goes on with it. */
  headSeq: number;
  model: string;
  text: string;
  calls: number;
  tokens: number;
  seconds: number;
  /** The person wrote it. */
  isEdited: boolean;
  isCurrent: boolean;
};

/** Up to the next message of the person, since what was said after that answers something else. */
export const answersAt = (log: readonly Event[], point: BranchPoint): ComparedAnswer[] =>
  point.alternatives.map(({ head_seq: headSeq, current }) => {
    const answer = { headSeq, model: '', texts: [] as string[], calls: 0, tokens: 0, seconds: 0, isEdited: false };
    let isAfter = false;
    let model = '';
    for (const event of pathAt(log, headSeq)) {
      if (isAfter && event.type === 'user_message_added' && !event.steers) break;
      if (event.type === 'session_started' || event.type === 'model_changed' || event.type === 'branch_selected')
        model = event.model;
      if (isAfter && event.type === 'assistant_message_added') {
        const { content, tool_calls: calls, usage, edited } = event.message;
        answer.model = model;
        if (content.trim() !== '') answer.texts.push(content);
        answer.calls += calls.length;
        answer.tokens += usage?.completion_tokens ?? 0;
        answer.seconds += usage?.seconds ?? 0;
        answer.isEdited ||= edited === true;
      }
      if (event.seq === point.at_seq) isAfter = true;
    }
    const { texts, ...figures } = answer;
    return { ...figures, text: texts.join('\n\n'), isCurrent: current };
  });
