/** Answers of surfaces that put a question once. */
import type { Rule, SessionFace } from './events.ts';
import type { PermissionReply } from './permission-decision.ts';

/** To a question that no one can be shown. */
export const UNPUT: PermissionReply = { decision: 'deny', reason: 'the question could not be put' };

/** The question is not put again, so an answer that is not taken is a no: a run never waits for another one. */
export const answerOnce = async (
  session: Pick<SessionFace, 'send'>,
  callId: string,
  { decision, reason }: PermissionReply,
  rule?: Rule,
): Promise<void> => {
  const answer = { type: 'resolve_permission', tool_call_id: callId } as const;
  const sent = await session.send({
    ...answer,
    decision,
    ...(reason === undefined ? {} : { reason }),
    ...(rule === undefined ? {} : { rule }),
  });
  if (!sent.ok) await session.send({ ...answer, decision: 'deny', reason: sent.message });
};
