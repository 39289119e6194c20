/** What a message came to, read off the session's log: whole, or as far as it came. */
import { type AnswerEnd, answerEnd } from '../core/answer-end.ts';
import { writtenOf } from '../core/call-arguments.ts';
import { ErrorCode, HalterError, ModelFailure, RunStopped } from '../core/errors.ts';
import type { Event, SessionFace, StopReason } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import type { Usage } from '../core/message.ts';
import type { ModelErrorCode } from '../core/model-port.ts';
import { thrownByOwn } from '../core/own-callback.ts';
import { ownData } from '../core/own-data.ts';
import { callHistory, lastAnswer } from '../core/project.ts';
import { gaveSomething } from '../core/tool-result.ts';
import { type ChatFinish, cancelled, type PartialResult } from './chat-result.ts';

type End = Extract<Event, { type: 'run_completed' | 'run_stopped' | 'run_cancelled' }>;
const isEnd = (event: Event): event is End =>
  event.type === 'run_completed' || event.type === 'run_stopped' || event.type === 'run_cancelled';

/** Whoever closes a harness ends what it is doing. */
const isInterrupted = (end: End | undefined): boolean => end?.type === 'run_stopped' && end.name === 'Interrupted';

/** Throws what stopped the run, with `partial` on it. */
export const resultOf = (
  session: SessionFace,
  from: number,
  warnings: PartialResult['warnings'] = [],
): PartialResult => {
  const events = session.log().slice(from);
  const last = events.findLast(isEnd);
  const result = { ...toResult(events, last), warnings: [...warnings] };
  if (isInterrupted(last)) throw cancelled(result);
  if (last?.type === 'run_stopped') {
    const error = stopped(session, last, events, result.warnings);
    const isCut = error instanceof ModelFailure && error.code === 'protocol';
    throw Object.assign(error, { partial: isCut ? { ...result, finishReason: 'error' } : result });
  }
  if (last?.type === 'run_cancelled') throw cancelled(result);
  return result;
};

/** As far as it came. */
export const partialOf = (session: SessionFace, from: number): PartialResult & { steps: number } => {
  const events = session.log().slice(from);
  const steps = events.filter(({ type }) => type === 'assistant_message_added').length;
  return { ...toResult(events, undefined), steps };
};

const stopped = (
  session: SessionFace,
  end: Extract<End, { type: 'run_stopped' }>,
  events: readonly Event[],
  warnings: PartialResult['warnings'],
): Error => {
  if (end.code === ErrorCode.ToolRetriesExhausted) return new HalterError('ToolRetriesExhausted', end.message);
  if (end.code === ErrorCode.ToolLoopLimitReached) return new HalterError('ToolLoopLimitReached', end.message);
  if (end.reason === 'model_unusable' && end.name === 'disconnected') {
    // The log says that it broke off; why is told with it, in the server's words where it gave some.
    const silence = warnings.findLast(({ code }) => code === 'timeout');
    if (silence) return new ModelFailure({ code: 'timeout', message: silence.message });
    // What halter cut, or could not read, would come again: it is no connection that broke.
    const cut = warnings.findLast(({ code }) => code === 'protocol');
    if (cut) return new ModelFailure({ code: 'protocol', message: cut.message });
    const why = warnings.findLast(({ code }) => SERVER_WORDS.has(code));
    const message = why === undefined ? end.message : `${end.message} ${why.message}`;
    return new ModelFailure({ code: 'disconnected', message });
  }
  const failed = failureOf(events);
  if (end.reason === 'model_unusable' && failed !== undefined)
    return new ModelFailure({ ...failed, code: failed.code as ModelErrorCode });
  const defect = session.defect?.();
  return defect?.seq === end.seq ? new RunStopped(end, { cause: thrownByOwn(defect.thrown) }) : new RunStopped(end);
};

const SERVER_WORDS: ReadonlySet<string> = new Set<ModelErrorCode>([
  'bad_request',
  'context_overflow',
  'load_failed',
  'rate_limited',
  'server_error',
]);

const failureOf = (events: readonly Event[]): Extract<Event, { type: 'model_failed' }> | undefined =>
  events.findLast((event) => event.type === 'model_failed');

const toResult = (events: readonly Event[], end: End | undefined): PartialResult => {
  const usage: Usage = { prompt_tokens: 0, completion_tokens: 0, seconds: 0 };
  let finish: AnswerEnd = 'stop';
  for (const event of events) {
    if (event.type !== 'assistant_message_added') continue;
    finish = answerEnd(event.message);
    usage.prompt_tokens += event.message.usage?.prompt_tokens ?? 0;
    usage.completion_tokens += event.message.usage?.completion_tokens ?? 0;
    usage.seconds += event.message.usage?.seconds ?? 0;
  }
  const checked = checkedArguments(events);
  const calls = callHistory(events).map(({ call, result }) => ({
    id: call.id,
    name: call.name,
    arguments: checked.get(call.id) ?? call.arguments,
    ...writtenOf(call),
    result: ownData(result),
  }));
  return {
    answer: lastAnswer(events)?.content ?? '',
    output: undefined,
    toolCalls: calls,
    toolsUsed: [...new Set(calls.filter(({ result }) => gaveSomething(result)).map(({ name }) => name))],
    usage,
    finishReason: endReason(end, finish, failureOf(events)),
    warnings: [],
  };
};

/** What ran, by the id of its call. A call that was refused before it was checked has what the model wrote. */
const checkedArguments = (events: readonly Event[]): ReadonlyMap<string, JsonObject> =>
  new Map(
    events.flatMap((event) =>
      event.type === 'policy_evaluated' ? [[event.tool_call_id, event.arguments] as const] : [],
    ),
  );

const endReason = (
  end: End | undefined,
  finish: AnswerEnd,
  failed: Extract<Event, { type: 'model_failed' }> | undefined,
): ChatFinish => {
  if (end?.type === 'run_cancelled' || isInterrupted(end) || finish === 'cancelled') return 'aborted';
  if (finish === 'disconnected') return 'disconnected';
  // Before the first word there is no answer that could say so.
  if (end?.type === 'run_stopped' && end.reason === 'model_unusable')
    return end.name === 'disconnected' || failed?.code === 'disconnected' ? 'disconnected' : 'error';
  if (end?.type === 'run_stopped') return LIMIT_REASONS.has(end.reason) ? 'limit' : 'error';
  // A run that ended with calls was ended by the program.
  return finish === 'tool_calls' ? 'tool_end' : finish;
};
const LIMIT_REASONS: ReadonlySet<StopReason> = new Set(['limit', 'loop', 'retries_exhausted']);
