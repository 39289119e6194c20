/** Questions to the program: what it is asked before a call runs, and what is reported where nobody can be asked. */
import type { PermissionQuestion } from '../agent/loop/run-tool/execute-tool.ts';
import { answerOnce, UNPUT } from '../core/answer-once.ts';
import { writtenBeside } from '../core/call-arguments.ts';
import type { Event, PermissionDecision, SessionFace, SessionUpdate } from '../core/events.ts';
import type { Repair, ToolCall } from '../core/message.ts';
import { askForReply, type PermissionReply } from '../core/permission-decision.ts';

/** One question. A chat asks one after the other; `executeTool` and other chats may ask at the same time. */
export type PermissionRequest = PermissionQuestion & {
  /** The id of the call in the conversation; absent where the program itself called `executeTool`. */
  tool_call_id?: string;
  /** The same, in the spelling of programs. */
  toolCallId?: string;
  /** Where the arguments came from: the server's own field, the model's text, or constrained decoding. */
  source?: ToolCall['source'];
  /** What was repaired on the call, so that a person can see what the model really wrote. */
  repairs?: readonly Repair[];
  /** Aborts when the answer is no longer wanted: the chat was cancelled, or the harness closes. */
  signal: AbortSignal;
};

/**
 * Asked where no rule decides. Only the documented answers allow; any other value denies the call, with an error that
 * names the value.
 */
export type OnPermission = (
  request: PermissionRequest,
  // The compiler takes the one answer of `async () => 'deny'` for any text.
) => PermissionDecision | PermissionReply | Promise<PermissionDecision | PermissionReply | (string & {})>;

type Asked = Extract<SessionUpdate, { type: 'permission_requested' }>;

export const answerPermission = async (
  session: SessionFace,
  asked: Asked,
  onPermission: OnPermission,
  signal: AbortSignal,
): Promise<void> => {
  const { tool_call_id } = asked;
  const { call, evaluated } = askedCall(session, tool_call_id);
  if (evaluated === undefined || call === undefined) return answerOnce(session, tool_call_id, UNPUT);
  const question: PermissionRequest = {
    name: call.name,
    arguments: evaluated.arguments,
    ...writtenBeside(call, evaluated.arguments),
    risk: asked.risk,
    rule: asked.rule,
    // A call that runs already asks about what it did.
    because: asked.because ?? evaluated.because,
    tool_call_id,
    toolCallId: tool_call_id,
    source: call.source,
    repairs: [...call.repairs, ...(evaluated.repairs ?? [])],
    signal,
    ...(asked.preview ? { preview: asked.preview } : {}),
    ...(asked.provenance ? { provenance: asked.provenance } : {}),
  };
  const reply = await askForReply((own: PermissionRequest) => onPermission(ownCopy(own)), question);
  await answerOnce(session, tool_call_id, reply);
};

/** What a program does with its question changes neither the call nor what is remembered of it. */
export const ownCopy = ({ signal, ...question }: PermissionRequest): PermissionRequest => ({
  ...structuredClone(question),
  signal,
});

type Evaluated = Extract<Event, { type: 'policy_evaluated' }>;

/** The call that a question is about, and what it was judged with. */
export const askedCall = (
  session: SessionFace,
  id: string,
): { call: ToolCall | undefined; evaluated: Evaluated | undefined } => {
  const evaluated = session
    .log()
    .findLast((event): event is Evaluated => event.type === 'policy_evaluated' && event.tool_call_id === id);
  return { call: callById(session, id), evaluated };
};

const callById = (session: SessionFace, id: string): ToolCall | undefined => {
  for (const event of session.log().toReversed()) {
    if (event.type !== 'assistant_message_added') continue;
    const found = event.message.tool_calls.find((call) => call.id === id);
    if (found) return found;
  }
  return undefined;
};

/** Said once for each tool: as things are, it can never run. */
export const unansweredText = (refusal: string): string =>
  `${refusal} Or pass onPermission, or give a tool of your own risk: 'safe'.`;
