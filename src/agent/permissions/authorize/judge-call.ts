/** Judges a call of a conversation: as it stands now, and again after the process that judged it first is gone. */
import { isDeepStrictEqual } from 'node:util';
import type { EventOf } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ToolCall } from '../../../core/message.ts';
import { type Outcome, succeed } from '../../../core/outcome.ts';
import { allowsCall } from '../../../core/permission-decision.ts';
import type { Standing } from '../../../core/policy/overrides.ts';
import { withReferencedResults } from '../../loop/run-tool/referenced-results.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { type Authorization, type AuthorizePorts, authorize, type Judgement } from '../authorize.ts';
import { typedBefore } from './typed-before.ts';

type ReadKept = Parameters<typeof withReferencedResults>[2];

export type Judged = Judgement & {
  /** What it was judged with, to be asked the same again; with arguments, to be asked where a page sent the call on. */
  again(args?: JsonObject): Promise<Authorization>;
  /** Judged before by a process that is gone. */
  isRecalled?: true;
};

export type JudgePorts = {
  authorize: AuthorizePorts;
  /** Reads a result that was put aside. */
  whole: ReadKept;
  /** How the conversation stands. */
  standing(): Standing;
};

/** The failure is a reference to a result that cannot be filled in. */
export const judgeCall = async (
  ports: JudgePorts,
  session: SessionHandle,
  call: ToolCall,
): Promise<Outcome<{ answer: Authorization; again(args?: JsonObject): Promise<Authorization> }>> => {
  const filled = await withReferencedResults(session.path(), call, ports.whole);
  if (!filled.ok) return filled;
  // As it stands now: what comes in later was not there when the model made the call.
  const standing = ports.standing();
  const typed = typedBefore(session.path(), ports.authorize.registry.get(call.name), call);
  const again = (next?: JsonObject) =>
    authorize(
      ports.authorize,
      { ...call, arguments: next ?? filled.value },
      { mode: 'model', standing, isRedirected: next !== undefined, typed },
    );
  return succeed({ answer: await again(), again });
};

/**
 * The judgement that the log tells of, computed again. Undefined where it would be another one today: other arguments would
 * run, or a rule that let it pass does so no more and nobody was asked.
 */
export const judgedBefore = async (
  ports: JudgePorts,
  session: SessionHandle,
  call: ToolCall,
): Promise<Judged | undefined> => {
  let evaluated: EventOf<'policy_evaluated'> | undefined;
  let wasAllowed = false;
  for (const event of session.path()) {
    if (!('tool_call_id' in event) || event.tool_call_id !== call.id) continue;
    if (event.type === 'policy_evaluated') evaluated = event;
    if (event.type === 'permission_resolved') wasAllowed = allowsCall(event.decision);
  }
  const found = evaluated ? await judgeCall(ports, session, call) : undefined;
  if (!found?.ok || found.value.answer.kind === 'refused') return undefined;
  const { answer, again } = found.value;
  if (answer.verdict === 'deny' || !isDeepStrictEqual(answer.arguments, evaluated?.arguments)) return undefined;
  if (answer.verdict === 'ask' && evaluated?.verdict === 'allow' && !wasAllowed) return undefined;
  return { ...answer, again, isRecalled: true };
};
