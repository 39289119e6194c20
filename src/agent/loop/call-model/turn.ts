/** One request and what came of it: parts as they come in, and text read for calls. */
import type { ModelMessage } from '../../../core/message.ts';
import type { ModelOutcome, ModelPart, ModelRequest, ProviderCall } from '../../../core/model-port.ts';
import {
  autoParseToolCalls,
  calledBy,
  findUnreadCall,
  type HeldCalls,
  readAnswer,
  type WrittenCalls,
  writtenOf,
} from '../../../dialects/index.ts';
import { readThoughtCall } from '../../../dialects/read-answer.ts';
import { asRequester } from '../../../io/requester.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { isAskedValue } from './asked-value.ts';
import type { CallModelOptions } from './call-model-options.ts';
import { endedAtAbort } from './ended-at-abort.ts';
import { everyMs, watchPrefill } from './prefill.ts';
import { toolsToRead } from './readable-tools.ts';
import { thoughtCall } from './repair-calls.ts';
import { HeardAnswer } from './turn/heard-answer.ts';

export type { CallModelOptions, NoteTaker } from './call-model-options.ts';

export type Turn = {
  /** What the model read, before tools were put into it. */
  messages: readonly ModelMessage[];
  outcome: ModelOutcome;
  text: string;
  /** The text as it came, calls in it included. */
  whole: string;
  reasoning: string;
  thoughtSeconds?: number;
  /** The calls in its text. */
  written: WrittenCalls | undefined;
  /** The call that its thoughts end in, where they are all there is. */
  thought?: ProviderCall;
  /** The text is calls that go back to the model, and nothing for the person. */
  isReturned?: true;
  /** Calls among words, of which the model is asked once. */
  held?: HeldCalls;
  /** What of the text is not shown yet, since it is not known what becomes of a call in it. */
  unshown?: string;
  /** It came after a reminder. */
  announced?: true;
  /** It was decoded under a tool's schema, and the prompt held no tools. */
  constrained?: true;
  /** The window was full in the middle of the answer. */
  isWindowFull?: true;
};

export const hasWrittenCalls = ({ written }: Turn): boolean => (written?.parts.length ?? 0) > 0;

/** Nothing for the person and nothing to do; thoughts that lead to neither are nothing as well. */
export const isEmpty = (turn: Turn): boolean => {
  const { outcome, text, thought } = turn;
  return (
    outcome.ok &&
    thought === undefined &&
    outcome.answer.finish !== 'cancelled' &&
    outcome.answer.calls.length === 0 &&
    !hasWrittenCalls(turn) &&
    text.trim() === ''
  );
};

export const runTurn = async (
  session: SessionHandle,
  options: CallModelOptions,
  request: ModelRequest,
  messages: readonly ModelMessage[],
): Promise<Turn> => {
  const hasTools = options.registry.schemas.length > 0;
  const heard = new HeardAnswer(session, options, request.model);
  const outcome = await streamInto(heard, session, options, request, messages);
  const { finish, ended_by: endedBy } = outcome.ok ? outcome.answer : {};
  const isCut = outcome.ok && (endedBy !== undefined || (finish !== 'stop' && finish !== 'tool_calls'));
  const { events, result, ...said } = heard.end({ isCut, isFinished: finish === 'stop' && !isCut });
  const { text: plain } = said;
  if (!hasTools && outcome.ok && request.response_schema === undefined) warnOfCalls(session, options, plain);
  const turn = { messages, outcome, ...said };
  if (result === undefined) return withThought(session, options, { ...turn, written: undefined }, isCut);
  if (options.toolsOff || !outcome.ok || outcome.answer.finish === 'cancelled')
    return heard.shownTurn({ ...turn, written: writtenOf(result) });
  const { dialect, reads = dialect } = options;
  const { calls: native } = outcome.answer;
  const schema = options.responseSchema?.();
  const tools = toolsToRead(options.registry);
  const answer = { events, result, text: plain, whole: turn.whole };
  const read = readAnswer(answer, { ...tools, dialect, reads, native, isShaped: schema !== undefined, isCut });
  if (schema && native.length === 0 && isAskedValue(schema, turn.whole, read, tools.isTool)) {
    if (plain.trim() === '') heard.show({ type: 'text_delta', delta: turn.whole });
    return { ...turn, text: turn.whole, written: undefined };
  }
  const { warning, invented, ...judged } = read;
  if (warning !== undefined) warn(session, warning.code, warning.message);
  if (invented !== undefined) warn(session, 'invented_result', invented);
  return withThought(session, options, heard.shownTurn({ ...turn, ...judged }), isCut);
};

/** A turn of nothing but thoughts may mean the call that they end in; of any other in them the model is asked, or the person told. */
const withThought = (
  session: SessionHandle,
  { registry, toolsOff }: CallModelOptions,
  turn: Turn,
  isCut: boolean,
): Turn => {
  const { outcome } = turn;
  if (toolsOff || turn.held !== undefined || !isThoughtOnly(turn)) return turn;
  if (!outcome.ok || outcome.answer.finish === 'cancelled') return turn;
  const { call, held, warning } = readThoughtCall(turn.reasoning, { ...toolsToRead(registry), isCut });
  if (warning !== undefined) warn(session, warning.code, warning.message);
  return { ...turn, ...(call && { thought: thoughtCall(call) }), ...(held && { held }) };
};

/** Sends the request, and hands on what comes of the answer until it is over. */
const streamInto = async (
  heard: HeardAnswer,
  session: SessionHandle,
  options: CallModelOptions,
  request: ModelRequest,
  messages: readonly ModelMessage[],
): Promise<ModelOutcome> => {
  const { model } = request;
  const signal = session.signal();
  const rate = options.speeds?.of(model).prefill_tokens_per_second;
  const prefill = watchPrefill(
    { ...options.window.counts.expect(model, messages), tokensPerSecond: rate },
    { clock: options.clock, every: options.every ?? everyMs, progress: session.progress },
  );
  let isOver = false;
  const emit = (seen: ModelPart): void => {
    if (isOver) return;
    const part = prefill.see(seen);
    if (part.type === 'text_delta') heard.addText(part.delta, part.plain === true);
    else if (part.type === 'reasoning_delta') heard.addThought(part.delta);
    else {
      if (part.type === 'tool_call_delta') heard.endThoughts();
      session.progress(part);
    }
  };
  return asRequester({ session: session.id, who: 'model' }, () =>
    endedAtAbort(signal, () => options.provider.stream(request, emit, signal)),
  ).finally(() => {
    isOver = true;
    prefill.stop();
  });
};

/** Without tools a call in the text stays there, and is said to be one. Other JSON may be meant as it is. */
const warnOfCalls = (session: SessionHandle, { dialect }: CallModelOptions, answer: string): void => {
  const json = /^\s*\{/.test(answer)
    ? findUnreadCall(answer, typeof dialect === 'string' ? dialect : 'auto')
    : undefined;
  if (json !== undefined) {
    const part = json.isPart ? 'answer holds' : 'whole answer is';
    warn(session, 'unread_call', `The ${part} ${calledBy(json.name)}, and no tools are on offer. Nothing was run.`);
  }
  if (/^\s*(?:[{[](?!TOOL_CALLS)|```)/.test(answer)) return;
  const { calls, broken, content } = autoParseToolCalls(answer);
  const name = calls[0]?.name ?? broken[0]?.name;
  if (calls.length + broken.length === 0) return;
  const isAll = content.trim() === '';
  const message = `The ${isAll ? 'whole answer is' : 'answer holds'} ${calledBy(name)}, and no tools are on offer. Nothing was run.`;
  warn(session, isAll ? 'unread_call' : 'call_in_text', message);
};

export const isThoughtOnly = ({ outcome, text, written }: Turn): boolean =>
  outcome.ok &&
  outcome.answer.calls.length === 0 &&
  text.trim() === '' &&
  (written?.parts.every(({ kind }) => kind === 'broken') ?? true);

/** A call that the engine decoded by itself. */
export const turnOf = (messages: readonly ModelMessage[], call: ProviderCall): Turn => ({
  messages,
  outcome: { ok: true, answer: { calls: [call], finish: 'tool_calls' } },
  text: '',
  whole: '',
  reasoning: '',
  written: undefined,
});

export const warn = (session: SessionHandle, code: string, message: string): void =>
  session.progress({ type: 'warning', code, message });
