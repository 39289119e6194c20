/** The one event that a turn ends in: the whole message of the assistant, or why there is none. */

import type { EventBody, EventOf } from '../../../core/events.ts';
import type { AssistantMessage, FinishReason, Repair, ToolCall, Usage } from '../../../core/message.ts';
import type { ModelError } from '../../../core/model-port.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import type { FollowedLog } from './followed-log.ts';
import { asWritten, besideUnmade, collectCalls } from './repair-calls.ts';
import { type CallModelOptions, isEmpty, type Turn, warn } from './turn.ts';

/** A partial answer that broke off is kept as far as it came. */
export const toEvent = (
  session: SessionHandle,
  options: CallModelOptions,
  turn: Turn,
  followed: FollowedLog,
): EventBody => {
  const { outcome } = turn;
  if (!outcome.ok) {
    if (turn.text.trim() === '') return failed(outcome.error);
    const isCancelled = outcome.error.code === 'cancelled';
    const why = `${asSentence(outcome.error.message)} What came before is kept.`;
    if (!isCancelled) warn(session, outcome.error.code, why);
    const counted = outcome.usage && withShared(outcome.usage, followed.lastUsage);
    if (counted) session.progress({ type: 'usage', usage: counted });
    const kept = addedBy(turn, message(turn, [], isCancelled ? 'cancelled' : 'disconnected', counted));
    return isCancelled ? kept : { ...kept, broken_by: why };
  }
  if (isEmpty(turn)) return failed(emptyReply(session.state().model, outcome.answer.finish));
  const { registry, toolsOff } = options;
  const answer = toolsOff ? { ...outcome.answer, calls: [] } : outcome.answer;
  const { thought } = turn;
  const found = collectCalls(followed.usedIds, registry, thought ? { calls: [thought] } : answer, turn.written);
  const isOwn = turn.isReturned && turn.reasoning.trim() === '';
  const returned = isOwn ? asWritten(found, turn.whole) : found;
  const calls = turn.announced ? returned.map(afterReminder) : [...returned];
  const usage = answer.usage && withShared(answer.usage, followed.lastUsage);
  if (usage) session.progress({ type: 'usage', usage });
  // A call that was cut is told to the model; the answer is still to come.
  if (answer.finish === 'length' && calls.length === 0 && !turn.isWindowFull)
    warn(session, 'answer_cut', 'The answer was cut by the token limit.');
  const finish: FinishReason = calls.length > 0 && answer.finish === 'stop' ? 'tool_calls' : answer.finish;
  const beside = isOwn && turn.written !== undefined ? besideUnmade(turn.whole, turn.written) : '';
  const text = turn.isReturned ? beside : turn.text;
  return addedBy(turn, message({ ...turn, text }, calls, finish, usage));
};

const afterReminder = (call: ToolCall): ToolCall => {
  const repair: Repair = {
    kind: 'announced_call',
    detail: 'the model announced this call and made it after a reminder',
  };
  return { ...call, repairs: [...call.repairs, repair] };
};

/** The prompt before is a prefix of this one, so its length is what a server can have kept. */
const withShared = (usage: Usage, before: Usage | undefined): Usage =>
  before === undefined ? usage : { ...usage, shared_tokens: Math.min(before.prompt_tokens, usage.prompt_tokens) };

const emptyReply = (model: string, finish: FinishReason): ModelError => ({
  code: 'protocol',
  message:
    finish === 'length'
      ? `${model} answered nothing before its token limit was reached.`
      : `${model} gave an empty answer, twice.`,
  hint: 'Ask in other words. If it happens again, the model or its template on this server may not fit tools: try another model.',
});

export const failed = (error: ModelError): EventBody => ({
  type: 'model_failed',
  code: error.code,
  message: error.message,
  ...(error.hint ? { hint: error.hint } : {}),
  ...(error.status === undefined ? {} : { status: error.status }),
  ...(error.retry_after_seconds === undefined ? {} : { retry_after_seconds: error.retry_after_seconds }),
});

export const addedBy = ({ thoughtSeconds }: Turn, message: AssistantMessage): EventOf<'assistant_message_added'> => ({
  type: 'assistant_message_added',
  message,
  ...(message.reasoning === undefined || thoughtSeconds === undefined ? {} : { thought_seconds: thoughtSeconds }),
});

const message = (turn: Turn, calls: ToolCall[], finish: FinishReason, usage: Usage | undefined): AssistantMessage => ({
  role: 'assistant',
  content: turn.text.trim() === '' ? '' : turn.text,
  ...(turn.reasoning.trim() === '' ? {} : { reasoning: turn.reasoning.trim() }),
  tool_calls: calls,
  finish,
  ...(turn.outcome.ok && turn.outcome.answer.ended_by !== undefined ? { ended_by: turn.outcome.answer.ended_by } : {}),
  usage,
});

/** A server's words may end without a full stop. */
const asSentence = (text: string): string => (/[.!?…。]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);
