/**
 * One request to the model: the folded messages go out, parts come in, text is read for calls, and exactly one event
 * comes of it: the whole assistant message, or why there is none.
 */

import type { Event, EventBody, PromptRecord } from '../../core/events.ts';
import { freeze } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import type { AssistantMessage, FinishReason, ModelMessage, Repair, ToolCall, Usage } from '../../core/message.ts';
import type { ModelError, ModelRequest } from '../../core/model-port.ts';
import { announcesCall, NUDGE } from '../../core/nudge.ts';
import { createProjection } from '../../core/project.ts';
import { createPromptRecorder } from '../../core/window/prompt-record.ts';
import type { SessionHandle } from '../session/session-handle.ts';
import { askNotes } from './call-model/ask-notes.ts';
import { collectCalls, thoughtCall } from './call-model/repair-calls.ts';
import { decodedCall, toolToDecode, unfitText } from './call-model/repair-constrained.ts';
import { createSender, type Sender } from './call-model/send.ts';
import { type CallModelOptions, isEmpty, isThoughtOnly, type Turn, turnOf, warn } from './call-model/turn.ts';
import { createToolRegistry } from './run-tool/tool-registry.ts';
import type { AskNotes, CompactReply } from './window.ts';

export type CallModel = {
  (session: SessionHandle, iteration: number): Promise<void>;
  /** Makes room because the person asks for it. `focus`: what matters to them. */
  compact(session: SessionHandle, focus?: string): Promise<CompactReply>;
  /** Characters that the present prompt has room for; undefined where nobody knows the window. */
  freeCharacters(session: SessionHandle): number | undefined;
  /** What the next request will begin with. */
  upcoming(session: SessionHandle): ModelRequest;
};

export const createCallModel = (options: CallModelOptions): CallModel => {
  const followed = followLog(options);
  const withTools = { options, sender: createSender(options) };
  const toolless: CallModelOptions = { ...options, registry: createToolRegistry([]), toolsOff: true };
  const withoutTools = { options: toolless, sender: createSender(toolless) };
  const searching = withSearch(options);
  const withSearching = { options: searching, sender: createSender(searching) };
  const sideOf = (session: SessionHandle) => {
    if (followed.wantsNoTools(session)) return withoutTools;
    return followed.isCompacted() ? withSearching : withTools;
  };
  const beginAnew = (): void => {
    if (followed.beginsAnew()) for (const { sender } of [withTools, withoutTools, withSearching]) sender.begin();
  };
  const record = createPromptRecorder();
  const promptOf = (messages: readonly ModelMessage[]): PromptRecord =>
    options.projection.results === 'summary' ? { ...record(messages), results: 'summary' } : record(messages);
  let nudgesLeft = 0;

  const call = async (session: SessionHandle, iteration: number): Promise<void> => {
    const { options, sender } = sideOf(session);
    if (iteration === 1) nudgesLeft = LIMITS.nudges;
    session.progress({ type: 'model_started', model: session.state().model, iteration });
    const fits = await options.window.fit(session, followed.messages(session), notes);
    if (!fits.ok) {
      await session.dispatch(failed(fits.error));
      return;
    }
    let messages = followed.messages(session);
    beginAnew();
    let turn = await firstTurn(session, options, sender, messages);
    for (let attempt = 0; attempt < LIMITS.overflowAttempts; attempt += 1) {
      const error = overflowOf(turn);
      if (error === undefined || !(await options.window.overflowed(session, messages, error))) break;
      messages = followed.messages(session);
      beginAnew();
      turn = await firstTurn(session, options, sender, messages);
    }
    for (let attempt = 0; attempt < LIMITS.emptyReplyRetries && isEmpty(options.registry, turn); attempt += 1) {
      warn(session, 'empty_reply', 'The model answered nothing. Asking once more.');
      turn = await sender.send(session, messages);
    }
    if (nudgesLeft > 0 && announcedOnly(options, turn)) {
      nudgesLeft -= 1;
      turn = await nudged(session, sender, messages, turn);
    }
    const usage = turn.outcome.ok ? turn.outcome.answer.usage : undefined;
    if (usage && !turn.constrained) options.window.counted(session, turn.messages, usage);
    const event = toEvent(session, options, turn, followed);
    if (event.type === 'assistant_message_added') {
      event.prompt = promptOf(messages);
      // What a person is shown is what runs: whoever hears of a call cannot write into it.
      for (const { arguments: args } of event.message.tool_calls) freeze(args);
    }
    const told = event.type === 'assistant_message_added' ? event.message.usage : undefined;
    if (told) options.speeds?.learn(session.state().model, told);
    await session.dispatch(event);
  };
  const notes: AskNotes = (session, focus) => {
    const { options, sender } = sideOf(session);
    const requestOf = (messages: readonly ModelMessage[]) => sender.requestOf(session.state().model, messages);
    return askNotes(session, options.provider, requestOf, followed.messages(session), focus);
  };
  return Object.assign(call, {
    freeCharacters: (session: SessionHandle): number | undefined =>
      options.window.freeCharacters(session, followed.messages(session)),
    compact: (session: SessionHandle, focus?: string): Promise<CompactReply> =>
      options.window.compact(session, followed.messages(session), { focus, askNotes: notes }),
    upcoming: (session: SessionHandle): ModelRequest =>
      withTools.sender.requestOf(session.state().model, followed.messages(session)),
  });
};

/** The same tools and the one that finds what was left out. */
const withSearch = (options: CallModelOptions): CallModelOptions => {
  const { afterCompaction: schema, registry } = options;
  if (schema === undefined) return options;
  const callable = [...registry.callable, schema];
  return { ...options, registry: { ...registry, schemas: [...registry.schemas, schema], callable } };
};

/** The server refused the prompt as too long, before it said anything. */
const overflowOf = ({ outcome }: Turn): ModelError | undefined =>
  !outcome.ok && !outcome.partial && outcome.error.code === 'context_overflow' ? outcome.error : undefined;

/** An ordinary request, or the last try at a call whose arguments went wrong again and again. */
const firstTurn = async (
  session: SessionHandle,
  options: CallModelOptions,
  sender: Sender,
  messages: readonly ModelMessage[],
): Promise<Turn> => {
  const tool = toolToDecode(session, options.registry, options.provider, options.profile);
  if (tool === undefined) return sender.send(session, messages);
  if (options.provider.decodeToolCall) {
    const call = await decodedCall(session, options.provider, messages, tool);
    if (call) return turnOf(messages, call);
    if (!session.signal().aborted) warn(session, 'constrained_unfit', unfitText(tool.name));
    return sender.send(session, messages);
  }
  const turn = await sender.sendConstrained(session, messages, tool);
  // A server that takes no schema says so; the ordinary request is what is left.
  return turn.outcome.ok || turn.outcome.error.code === 'cancelled' ? turn : sender.send(session, messages);
};

/** Said what it would do, and did nothing. */
const announcedOnly = ({ registry, responseSchema }: CallModelOptions, turn: Turn): boolean =>
  registry.schemas.length > 0 &&
  responseSchema?.() === undefined &&
  turn.outcome.ok &&
  turn.outcome.answer.finish === 'stop' &&
  turn.outcome.answer.calls.length === 0 &&
  (turn.parsed?.calls.length ?? 0) === 0 &&
  (turn.parsed?.broken.length ?? 0) === 0 &&
  announcesCall(turn.text);

/** Reminds once. The reminder belongs to this request alone; what the model then does is its answer. */
const nudged = async (
  session: SessionHandle,
  sender: Sender,
  messages: readonly ModelMessage[],
  before: Turn,
): Promise<Turn> => {
  const said: ModelMessage = { role: 'assistant', content: before.text, tool_calls: [], finish: 'stop' };
  warn(session, 'call_announced', 'The model announced a step and called no tool. Reminding it once.');
  session.progress({ type: 'text_delta', delta: '\n\n' });
  const after = await sender.send(session, [...messages, said, { role: 'user', content: NUDGE }], false);
  if (!after.outcome.ok) return after.outcome.error.code === 'cancelled' ? after : before;
  return {
    ...after,
    text: [before.text, after.text].filter((text) => text.trim() !== '').join('\n\n'),
    announced: true,
  };
};

type Followed = {
  usedIds: Set<string>;
  /** The person's last message is to be answered without tools. */
  wantsNoTools(session: SessionHandle): boolean;
  lastUsage(): Usage | undefined;
  /** Something was left out of the prompt. */
  isCompacted(): boolean;
  /** True once after the log told of a compaction, a branch or another model: the prompt before is no measure then. */
  beginsAnew(): boolean;
};

/** Keeps the projection and the ids in use in step with the log, so that each event is looked at once. */
const followLog = (
  options: CallModelOptions,
): Followed & { messages(session: SessionHandle): readonly ModelMessage[] } => {
  let projection = createProjection(options.projection);
  const usedIds = new Set<string>();
  /** Ids are used once in a whole log, also by what a branch left aside. */
  let idsSeen = 0;
  let path: readonly Event[] | undefined;
  let seen = 0;
  let usage: Usage | undefined;
  let anew = false;
  let noTools = false;
  let compacted = false;
  const beginPath = (now: readonly Event[]): void => {
    anew = path !== undefined;
    path = now;
    projection = createProjection(options.projection);
    seen = 0;
    usage = undefined;
    noTools = false;
    compacted = false;
  };
  /** What the log of an earlier run says of the size of its last prompt. */
  const recall = (session: SessionHandle): void => {
    for (const log = session.log(); idsSeen < log.length; idsSeen += 1) {
      const event = log[idsSeen] as Event;
      if (event.type !== 'assistant_message_added') continue;
      for (const call of event.message.tool_calls) usedIds.add(call.id);
    }
    const now = session.path();
    // What a branch left aside is no part of the next prompt: the contract holds from the branch on.
    if (now !== path) beginPath(now);
    const from = seen;
    let counted: { count: number; usage: Usage } | undefined;
    for (; seen < now.length; seen += 1) {
      const event = now[seen] as Event;
      if (event.type === 'user_message_added') noTools = event.tools === 'off';
      else if (event.type === 'assistant_message_added') {
        usage = event.message.usage ?? usage;
        counted = event.message.usage && { count: projection.messages().length, usage: event.message.usage };
      } else if (event.type === 'context_compacted' || event.type === 'model_changed') {
        counted = undefined;
        usage = undefined;
        anew = true;
        compacted ||= event.type === 'context_compacted';
      }
      projection.add(event);
    }
    if (from === 0 && counted) {
      options.window.remember(session.state().model, projection.messages().slice(0, counted.count), counted.usage);
    }
  };
  return {
    usedIds,
    wantsNoTools(session) {
      recall(session);
      return noTools;
    },
    lastUsage: () => usage,
    isCompacted: () => compacted,
    beginsAnew() {
      const was = anew;
      anew = false;
      return was;
    },
    messages(session) {
      recall(session);
      return projection.messages();
    },
  };
};

/** The one event that a turn ends in. A partial answer that broke off is kept as far as it came. */
const toEvent = (session: SessionHandle, options: CallModelOptions, turn: Turn, followed: Followed): EventBody => {
  const { outcome } = turn;
  if (!outcome.ok) {
    if (turn.text.trim() === '') return failed(outcome.error);
    const finish = outcome.error.code === 'cancelled' ? 'cancelled' : 'disconnected';
    if (finish === 'disconnected') {
      warn(session, outcome.error.code, `${outcome.error.message} What came before is kept.`);
    }
    return { type: 'assistant_message_added', message: message(turn, [], finish, undefined) };
  }
  if (isEmpty(options.registry, turn)) return failed(emptyReply(session.state().model, outcome.answer.finish));
  const { registry, toolsOff } = options;
  const answer = toolsOff ? { ...outcome.answer, calls: [] } : outcome.answer;
  const thought = isThoughtOnly(turn) ? thoughtCall(registry, turn.reasoning) : undefined;
  const found = collectCalls(
    followed.usedIds,
    registry,
    thought ? { calls: [thought] } : answer,
    turn.parsed,
    turn.unread,
  );
  const calls = turn.announced ? found.map(afterReminder) : found;
  const usage = answer.usage && withShared(answer.usage, followed.lastUsage());
  if (usage) session.progress({ type: 'usage', usage });
  if (answer.finish === 'length') warn(session, 'answer_cut', 'The answer was cut by the token limit.');
  const finish: FinishReason = calls.length > 0 && answer.finish === 'stop' ? 'tool_calls' : answer.finish;
  return { type: 'assistant_message_added', message: message(turn, calls, finish, usage) };
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

const failed = (error: ModelError): EventBody => ({
  type: 'model_failed',
  code: error.code,
  message: error.message,
  ...(error.hint ? { hint: error.hint } : {}),
});

const message = (turn: Turn, calls: ToolCall[], finish: FinishReason, usage: Usage | undefined): AssistantMessage => ({
  role: 'assistant',
  content: turn.text.trim() === '' || turn.unread !== undefined ? '' : turn.text,
  ...(turn.reasoning.trim() === '' ? {} : { reasoning: turn.reasoning.trim() }),
  tool_calls: calls,
  finish,
  usage,
});
