/** Answers of surfaces that put a question once. */
import type { Rule, SessionFace } from './events.ts';
import type { ParsedReply } from './permission-decision.ts';
import { deniedByFault } from './policy/refusal-words.ts';

/** To a question that no one can be shown. */
export const UNPUT: ParsedReply = { decision: 'deny', reason: 'the question could not be put', unanswered: true };

/** The question is not put again, so an answer that is not taken is a no: a run never waits for another one. */
export const answerOnce = async (
  session: Pick<SessionFace, 'send'>,
  callId: string,
  { decision, reason, unanswered }: ParsedReply,
  rule?: Rule,
): Promise<void> => {
  const leave = (fault: string) =>
    session.send({ type: 'leave_unanswered', tool_call_id: callId, reason: deniedByFault(fault) });
  if (unanswered) {
    await leave(reason ?? '');
    return;
  }
  const sent = await session.send({
    type: 'resolve_permission',
    tool_call_id: callId,
    decision,
    ...(reason === undefined ? {} : { reason }),
    ...(rule === undefined ? {} : { rule }),
  });
  if (!sent.ok) await leave(sent.message);
};
