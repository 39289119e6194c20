/** The last answer of a run that reached a limit with nobody there: one request without tools, else what was found. */
import { foundByTools, withClosing } from '../../../core/closing.ts';
import type { EventBody } from '../../../core/events.ts';
import type { AssistantMessage, ModelMessage } from '../../../core/message.ts';
import type { ModelRequest } from '../../../core/model-port.ts';
import { findUnreadCall } from '../../../dialects/index.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { addedBy } from './answer-event.ts';
import { type CallModelOptions, runTurn, type Turn, warn } from './turn.ts';

export type LastAnswerPorts = {
  /** What the session offers: calls are still recognised, so that none of them is the answer. */
  options: CallModelOptions;
  /** The messages that the model reads, with room for them; undefined where there is none. */
  fitted(): Promise<readonly ModelMessage[] | undefined>;
  /** A request with these messages and without tools. */
  requestOf(messages: readonly ModelMessage[]): ModelRequest;
};

export const lastAnswer = async (session: SessionHandle, ports: LastAnswerPorts): Promise<EventBody> => {
  const asks = session.state().closing?.reason === 'limit';
  const turn = asks ? await askWithoutTools(session, ports) : undefined;
  if (turn && !turn.outcome.ok && turn.outcome.error.code === 'cancelled') {
    return { type: 'model_failed', code: 'cancelled', message: turn.outcome.error.message };
  }
  if (turn !== undefined && isAnswer(turn, ports.options)) return addedBy(turn, said(session, turn));
  if (asks) warn(session, 'no_last_answer', whyNone(turn));
  const { summaryCharacters, summaryItems } = ports.options.projection;
  const text = foundByTools(session.path(), { summaryCharacters, summaryItems });
  session.progress({ type: 'text_delta', delta: text });
  const message: AssistantMessage = {
    role: 'assistant',
    content: text,
    tool_calls: [],
    finish: 'stop',
    ...(text === '' ? {} : { by_halter: true }),
  };
  return { type: 'assistant_message_added', message };
};

const askWithoutTools = async (session: SessionHandle, ports: LastAnswerPorts): Promise<Turn | undefined> => {
  const messages = await ports.fitted();
  if (messages === undefined) return undefined;
  const closing = withClosing(messages);
  return runTurn(session, { ...ports.options, toolsOff: true }, ports.requestOf(closing), closing);
};

/** A call is none, in whatever form it stands there. */
const isAnswer = ({ text }: Turn, { dialect, reads = dialect }: CallModelOptions): boolean =>
  text.trim() !== '' && (typeof reads !== 'string' || findUnreadCall(text, reads) === undefined);

const said = (session: SessionHandle, { outcome, text, reasoning }: Turn): AssistantMessage => {
  const usage = outcome.ok ? outcome.answer.usage : undefined;
  if (usage) session.progress({ type: 'usage', usage });
  const finish = outcome.ok && outcome.answer.finish === 'length' ? 'length' : outcome.ok ? 'stop' : 'disconnected';
  if (finish === 'length') warn(session, 'answer_cut', 'The answer was cut by the token limit.');
  return {
    role: 'assistant',
    content: text,
    ...(reasoning.trim() === '' ? {} : { reasoning: reasoning.trim() }),
    tool_calls: [],
    finish,
    ...(outcome.ok && outcome.answer.ended_by !== undefined ? { ended_by: outcome.answer.ended_by } : {}),
    usage,
  };
};

const whyNone = (turn: Turn | undefined): string => {
  const why =
    turn === undefined
      ? 'the conversation is larger than its window'
      : turn.outcome.ok
        ? 'it gave no answer'
        : turn.outcome.error.message;
  return `The model was asked for a last answer without tools: ${why.replace(/\.$/, '')}. What the tools returned is listed instead.`;
};
