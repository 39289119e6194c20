/** Questions of a run that a page answers in a later request. */
import type { PermissionRequest } from '../agent/loop/call-model/stream-lines.ts';
import { answerOnce } from '../core/answer-once.ts';
import type { SessionFace, SessionUpdate } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import type { ToolCall } from '../core/message.ts';
import { shownArguments } from '../core/shown-arguments.ts';
import { approvalId, isSameCall, REFERS, refersElsewhere, WAITS } from './approvals.ts';
import type { GoingOn } from './page-answers.ts';
import { askedCall } from './permission.ts';

type Asked = Extract<SessionUpdate, { type: 'permission_requested' }>;

export class PageQuestions {
  /** The run ends at the end of its step. */
  isAsked = false;
  readonly #session: SessionFace;
  readonly #secret: string;
  readonly #goingOn: GoingOn | undefined;
  readonly #asked = new Set<string>();

  constructor(session: SessionFace, { secret, goingOn }: { secret: string; goingOn(): GoingOn | undefined }) {
    this.#session = session;
    this.#secret = secret;
    this.#goingOn = goingOn();
  }

  /** What the page allowed runs, if it is still that; any other question is put to it. */
  answer({ tool_call_id: id }: Asked): void {
    const { call, evaluated } = askedCall(this.#session, id);
    if (call === undefined || evaluated === undefined) return;
    const shown: JsonObject =
      evaluated.repairs === undefined ? call.arguments : shownArguments(call.arguments, evaluated.arguments);
    if (isSameCall(this.#goingOn?.allowed.get(id), shown))
      void answerOnce(this.#session, id, { decision: 'allow_once' });
    else if (refersElsewhere(call))
      void answerOnce(this.#session, id, { decision: 'deny', reason: REFERS, unanswered: true });
    else this.#putOff(call);
  }

  #putOff({ id }: ToolCall): void {
    this.isAsked = true;
    this.#asked.add(id);
    void this.#session.send({ type: 'leave_unanswered', tool_call_id: id, reason: WAITS });
  }

  isPutOff(id: string): boolean {
    return this.#asked.has(id);
  }

  /** Undefined where the page is not asked. */
  idOf({ tool_call_id: id, name, arguments: args }: PermissionRequest): string | undefined {
    return this.#asked.has(id) ? approvalId(this.#secret, { id, name, arguments: args }, Date.now()) : undefined;
  }
}
