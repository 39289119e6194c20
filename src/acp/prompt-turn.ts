/** One prompt of an editor: what happens is told in its order, questions go to the editor, and the end is the answer. */
import {
  type AgentContext,
  type ClientCapabilities,
  methods,
  RequestError,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { answerOnce, UNPUT } from '../core/answer-once.ts';
import type { EventOf, SessionFace, SessionUpdate } from '../core/events.ts';
import { parseReply } from '../core/permission-decision.ts';
import type { ServerQuestion } from '../core/server-question.ts';
import { askEditor } from './ask-editor.ts';
import type { promptContent } from './prompt-content.ts';
import { answerThroughEditor } from './server-questions.ts';
import type { Translator } from './updates.ts';

export type Editor = { client: AgentContext; capabilities: ClientCapabilities | undefined };

/** The session that is spoken to, and its updates in the protocol's words. */
export type Spoken = { face: SessionFace; translator: Translator };

export const tell = async (client: AgentContext, sessionId: string, translator: Translator, update: SessionUpdate) => {
  for (const told of translator.translate(update)) {
    await client.notify(methods.client.session.update, { sessionId, update: told });
  }
};

/** Resolves when the run has ended. */
export const promptTurn = async (
  spoken: Spoken,
  { client, capabilities }: Editor,
  content: ReturnType<typeof promptContent>,
  signal: AbortSignal,
): Promise<StopReason> => {
  const { face, translator } = spoken;
  let ended: ((reason: StopReason | Error) => void) | undefined;
  const end = new Promise<StopReason | Error>((resolve) => {
    ended = resolve;
  });
  let telling = Promise.resolve();
  const inOrder = (work: () => Promise<unknown>): void => {
    // An editor that went away is noticed by the connection; what is left is told to nobody.
    telling = telling.then(work).then(
      () => undefined,
      () => undefined,
    );
  };
  let hint: string | undefined;
  let isCut = false;
  const unsubscribe = face.subscribe((update) => {
    if (update.type === 'model_failed') hint = update.hint;
    if (update.type === 'assistant_message_added') isCut = update.message.finish === 'length';
    inOrder(() => tell(client, face.id, translator, update));
    if (update.type === 'permission_requested')
      inOrder(async () => {
        ask(spoken, client, update).catch(() => answerOnce(face, update.tool_call_id, UNPUT));
      });
    if (update.type === 'server_asked')
      inOrder(async () => void askForServer(spoken, { client, capabilities }, update.question));
    const reason = stopReason(update, { hint, isCut });
    if (reason !== undefined) inOrder(async () => ended?.(reason));
  });
  const cancel = (): void => void face.send({ type: 'cancel' });
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const sent = await face.send({ type: 'send_message', content });
    if (!sent.ok) throw RequestError.invalidRequest(undefined, sent.message);
    const reason = await end;
    await face.idle();
    if (reason instanceof Error) throw reason;
    return reason;
  } finally {
    signal.removeEventListener('abort', cancel);
    unsubscribe();
  }
};

/** A question that cannot be put, or that is answered by closing it, is a no. */
const ask = async (
  { face, translator }: Spoken,
  client: AgentContext,
  event: EventOf<'permission_requested'>,
): Promise<void> => {
  const { call, options } = translator.question(event);
  const { optionId, problem } = await askEditor(client, { sessionId: face.id, toolCall: call, options });
  const reply = optionId === undefined ? { decision: 'deny' as const } : parseReply(optionId);
  const isKept = reply.decision === 'session' || reply.decision === 'remember';
  await answerOnce(
    face,
    event.tool_call_id,
    problem === undefined ? reply : { decision: 'deny', reason: problem, unanswered: true },
    isKept ? event.rule : undefined,
  );
};

const askForServer = async (
  { face }: Spoken,
  { client, capabilities }: Editor,
  question: ServerQuestion,
): Promise<void> => {
  const { question_id } = question;
  const answer = await answerThroughEditor(question, { sessionId: face.id, client, capabilities });
  const sent = await face.send({ type: 'answer_server', question_id, ...answer });
  // Nobody can be told there that a form was not filled in as it has to be.
  if (!sent.ok) await face.send({ type: 'answer_server', question_id, action: 'decline' });
};

const stopReason = (
  update: SessionUpdate,
  { hint, isCut }: { hint: string | undefined; isCut: boolean },
): StopReason | Error | undefined => {
  switch (update.type) {
    case 'run_completed':
      return isCut ? 'max_tokens' : 'end_turn';
    case 'run_cancelled':
      return 'cancelled';
    case 'run_stopped':
      return update.reason === 'limit' || update.reason === 'loop' || update.reason === 'retries_exhausted'
        ? 'max_turn_requests'
        : RequestError.internalError(
            { name: update.name, reason: update.reason },
            [update.message, hint].filter((part) => part !== undefined).join(' '),
          );
    default:
      return undefined;
  }
};
