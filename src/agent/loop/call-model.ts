/**
 * One request to the model: the folded messages go out, parts come in, text is read for calls, and exactly one event
 * comes of it: the whole assistant message, or why there is none.
 */

import { asksQuestion } from '../../core/asks-person.ts';
import type { EventBody, PromptRecord } from '../../core/events.ts';
import { freeze } from '../../core/json.ts';
import type { AssistantMessage, FinishReason, ModelMessage, Repair, ToolCall, Usage } from '../../core/message.ts';
import type { ModelError, ModelRequest, Sampling } from '../../core/model-port.ts';
import { announcesCall } from '../../core/nudge.ts';
import { samplingIn } from '../../core/own-settings.ts';
import { settingsOf } from '../../core/settings-of.ts';
import { createPromptRecorder } from '../../core/window/prompt-record.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { SessionHandle } from '../session/session-handle.ts';
import { askNotes } from './call-model/ask-notes.ts';
import { CANCELLED } from './call-model/ended-at-abort.ts';
import { FollowedLog } from './call-model/followed-log.ts';
import { lastAnswer } from './call-model/last-answer.ts';
import { PictureState } from './call-model/picture-state.ts';
import { remindOfAnnounced, remindOfHeld } from './call-model/remind.ts';
import { collectCalls, thoughtCall } from './call-model/repair-calls.ts';
import { decodedCall, toolToDecode, unfitText } from './call-model/repair-constrained.ts';
import { createSender, type Sender, type SharedToolMode } from './call-model/send.ts';
import {
  type CallModelOptions,
  hasWrittenCalls,
  isEmpty,
  isThoughtOnly,
  type Turn,
  turnOf,
  warn,
} from './call-model/turn.ts';
import { answeredInWords } from './call-model/without-tools.ts';
import { createToolRegistry, type ToolRegistry } from './run-tool/tool-registry.ts';
import type { StepOverrides } from './step-overrides.ts';
import type { AskNotes, CompactReply, CutAnswer, Overflowed } from './window.ts';

/** How a request goes out: with the tools, without them, or with the one that finds what was left out. */
type Way = { options: CallModelOptions; sender: Sender };

const wayOf = (options: CallModelOptions, mode: SharedToolMode): Way => ({
  options,
  sender: createSender(options, mode),
});
/** The same tools, and from the first compaction on the one that finds what was left out. */
type Ways = { usual: Way; searching: Way };
const waysOf = (options: CallModelOptions, mode: SharedToolMode): Ways => ({
  usual: wayOf(options, mode),
  searching: wayOf(withSearch(options), mode),
});

type Asked = { turn: Turn; messages: readonly ModelMessage[] };
type Answered = Asked & { way: Way };

export class CallModel {
  readonly #options: CallModelOptions;
  readonly #followed: FollowedLog;
  /** A server that takes no tools takes none in any way. */
  readonly #mode: SharedToolMode;
  readonly #withTools: Ways;
  readonly #withoutTools: Way;
  /** In plan mode. */
  readonly #toRead: Ways;
  readonly #record = createPromptRecorder();
  #nudgesLeft = 0;
  #heldLeft = 0;
  /** Ways of steps that were different, by what was different. */
  readonly #ofSteps = new Map<string, Way>();

  constructor(options: CallModelOptions) {
    this.#options = options;
    this.#followed = new FollowedLog(options);
    this.#mode = {
      now: options.toolMode,
      untold: options.notice,
      pictures: new PictureState(options.provider, options.vision),
    };
    this.#withTools = waysOf(options, this.#mode);
    this.#withoutTools = wayOf({ ...options, registry: createToolRegistry([]), toolsOff: true }, this.#mode);
    this.#toRead = waysOf(onlyReading(options), this.#mode);
  }

  /** `outgrown`: nothing came of it yet, since the window is much smaller than the instructions and tools are made for. */
  async call(session: SessionHandle, iteration: number, overrides?: StepOverrides): Promise<'done' | 'outgrown'> {
    if (iteration === 1) this.#nudgesLeft = this.#heldLeft = AGENT_LIMITS.nudges;
    session.progress({ type: 'model_started', model: session.state().model, iteration });
    if (session.state().closing) {
      await this.#close(session);
      return 'done';
    }
    const fits = await this.#options.window.fit(session, this.#messages(session), this.#askNotes);
    // Stopped while room was made: what was said stays, and nothing is sent any more.
    const problem = session.signal().aborted ? CANCELLED : fits.ok ? undefined : fits.error;
    if (problem !== undefined) {
      await session.dispatch(failed(problem));
      return 'done';
    }
    const answered = await this.#answered(session, overrides);
    if (answered === 'outgrown') return answered;
    await session.dispatch(this.#eventOf(session, answered));
    return 'done';
  }

  /** The last answer of a run that reached a limit, with nobody there to say "go on". */
  async #close(session: SessionHandle): Promise<void> {
    const { options } = this.#wayFor(session);
    const fitted = async (): Promise<readonly ModelMessage[] | undefined> => {
      const fits = await options.window.fit(session, this.#messages(session), this.#askNotes);
      return fits.ok ? this.#messages(session) : undefined;
    };
    const requestOf = (messages: readonly ModelMessage[]): ModelRequest =>
      this.#withoutTools.sender.requestOf(session.state().model, messages);
    await session.dispatch(await lastAnswer(session, { options, fitted, requestOf }));
  }

  /** Characters that the present prompt has room for; undefined where nobody knows the window. */
  freeCharacters(session: SessionHandle): number | undefined {
    return this.#options.window.freeCharacters(session, this.#messages(session));
  }

  /** The prompt fits any window. */
  isSmall(session: SessionHandle): boolean {
    const tokens = this.#options.window.tokens(session.state().model, this.#messages(session));
    return tokens <= AGENT_LIMITS.windowUnaskedTokens;
  }

  /** Makes room because the person asks for it. `focus`: what matters to them. */
  compact(session: SessionHandle, focus?: string): Promise<CompactReply> {
    return this.#options.window.compact(session, this.#messages(session), { focus, askNotes: this.#askNotes });
  }

  /** What the next request will begin with. */
  upcoming(session: SessionHandle): ModelRequest {
    return this.#wayOfStep(session).sender.requestOf(session.state().model, this.#messages(session));
  }

  #wayFor(session: SessionHandle): Way {
    if (this.#followed.wantsNoTools(session)) return this.#withoutTools;
    const ways = this.#followed.isPlanning ? this.#toRead : this.#withTools;
    return this.#followed.isCompacted ? ways.searching : ways.usual;
  }

  #wayOfStep(session: SessionHandle, { tools, sampling }: StepOverrides = {}): Way {
    const usual = this.#wayFor(session);
    const set = settingsOf(session.log());
    const chosen = { ...samplingIn(set), ...sampling };
    const off = set.tools_off ?? [];
    if (tools === undefined && off.length === 0 && Object.keys(chosen).length === 0) return usual;
    const key = JSON.stringify([
      tools,
      off,
      chosen,
      usual.options.toolsOff,
      this.#followed.isCompacted,
      this.#followed.isPlanning,
    ]);
    const { options } = usual;
    const offered = tools === undefined || options.toolsOff ? options.registry : limitedTo(options.registry, tools);
    const registry = off.length === 0 ? offered : without(offered, off);
    const way =
      this.#ofSteps.get(key) ??
      wayOf({ ...options, registry, sampling: { ...options.sampling, ...chosen } }, this.#mode);
    this.#ofSteps.set(key, way);
    return way;
  }

  #messages(session: SessionHandle): readonly ModelMessage[] {
    return this.#followed.messages(session);
  }

  readonly #askNotes: AskNotes = (session, focus) => {
    const { options, sender } = this.#wayOfStep(session);
    const requestOf = (messages: readonly ModelMessage[]) => sender.requestOf(session.state().model, messages);
    return askNotes(session, options.provider, requestOf, this.#messages(session), focus);
  };

  /** An answer, asked for again where the server refused the prompt as too long, said nothing, or only announced a call. */
  async #answered(session: SessionHandle, overrides: StepOverrides | undefined): Promise<Answered | 'outgrown'> {
    // Once something was left out, the tool that finds it goes out with the very next request.
    let way = this.#wayOfStep(session, overrides);
    let messages = this.#messages(session);
    let turn = await this.#firstTurn(session, way, messages);
    // The first may be tried as it is.
    for (let attempt = 1; attempt <= AGENT_LIMITS.overflowAttempts + 1; attempt += 1) {
      const next = await this.#moreRoom(session, way.options, { turn, messages }, attempt);
      if (next === 'outgrown') return next;
      if (next === 'no') break;
      messages = this.#messages(session);
      way = this.#wayOfStep(session, overrides);
      turn = await this.#firstTurn(session, way, messages);
    }
    const { options, sender } = way;
    turn = withoutRoom(session, options, { turn, messages });
    for (let attempt = 0; attempt < AGENT_LIMITS.emptyReplyRetries && isWorthAnother(options, turn); attempt += 1) {
      warn(session, 'empty_reply', 'The model answered nothing. Asking once more.');
      turn = await sender.send(session, messages);
    }
    turn = await this.#reminded(session, way, messages, turn);
    if (options.toolsOff)
      turn = await answeredInWords(session, messages, turn, (noted) => sender.send(session, noted, false));
    const shorter = this.#countsAsCut(session, options, turn)
      ? await options.window.shortened(session, messages)
      : 'no';
    if (shorter === 'outgrown') {
      if (isSaid(turn)) session.progress({ type: 'text_delta', delta: '\n\n' });
      return shorter;
    }
    if (shorter === 'again') {
      messages = this.#messages(session);
      way = this.#wayOfStep(session, overrides);
      const again = await this.#answerAnew(session, way, messages, turn);
      if (again) turn = again;
    }
    if (!turn.outcome.ok) {
      const error = options.window.hinted(session, messages, turn.outcome.error);
      turn = { ...turn, outcome: { ...turn.outcome, error } };
    }
    const refused = overflowOf(turn);
    return { turn: refused ? refusedTurn(session, options, messages, turn, refused) : turn, messages, way };
  }

  /** Room for a prompt that was refused as too long, or that left none for its answer. */
  async #moreRoom(
    session: SessionHandle,
    { window, sampling }: CallModelOptions,
    { turn, messages }: Asked,
    attempt: number,
  ): Promise<Overflowed> {
    const error = overflowOf(turn);
    if (error !== undefined) return isSaid(turn) ? 'no' : window.refusals.overflowed(session, messages, error, attempt);
    if (!isCutByLimit(turn)) return 'no';
    const cut = cutAnswerOf(turn, sampling);
    if (hadNoRoom(turn)) return window.cutAnswers.unanswered(session, messages, cut);
    const next = await window.cutAnswers.triedInVain(session, messages, cut);
    if (next === 'again' && isSaid(turn)) session.progress({ type: 'text_delta', delta: '\n\n' });
    return next;
  }

  /** A message has one reminder of each kind. */
  async #reminded(session: SessionHandle, way: Way, messages: readonly ModelMessage[], turn: Turn): Promise<Turn> {
    const { options, sender } = way;
    const { held } = turn;
    if (held === undefined) {
      if (this.#nudgesLeft === 0 || !announcedOnly(options, turn)) return turn;
      this.#nudgesLeft -= 1;
      return remindOfAnnounced(session, sender, messages, turn);
    }
    // To ask the model for the call would answer the question in the person's place.
    if (this.#heldLeft > 0 && !asksQuestion(turn.text)) {
      this.#heldLeft -= 1;
      return remindOfHeld(session, sender, messages, { ...turn, held });
    }
    warn(session, held.code, held.message);
    return turn;
  }

  /** What the server counted is noted once for each answer. */
  #countsAsCut(session: SessionHandle, { window, registry }: CallModelOptions, turn: Turn): boolean {
    const usage = turn.outcome.ok ? turn.outcome.answer.usage : undefined;
    // A reminder is in no later prompt.
    const isOther = turn.constrained || turn.announced || (turn.outcome.ok && turn.outcome.answer.led);
    return usage !== undefined && !isOther && window.counted(session, turn.messages, usage, registry.schemas);
  }

  /** The answer to a prompt that was cut gives way to one to the shorter prompt, if there is one. */
  async #answerAnew(
    session: SessionHandle,
    way: Way,
    messages: readonly ModelMessage[],
    { text }: Turn,
  ): Promise<Turn | undefined> {
    if (text.trim() !== '') session.progress({ type: 'text_delta', delta: '\n\n' });
    const again = await this.#firstTurn(session, way, messages);
    if (!again.outcome.ok || isEmpty(way.options.registry, again)) return undefined;
    this.#countsAsCut(session, way.options, again);
    return again;
  }

  #firstTurn(session: SessionHandle, { options, sender }: Way, messages: readonly ModelMessage[]): Promise<Turn> {
    if (this.#followed.beginsAnew()) {
      const ways = [this.#withTools, this.#toRead].flatMap(({ usual, searching }) => [usual, searching]);
      for (const way of [this.#withoutTools, ...ways, ...this.#ofSteps.values()]) way.sender.begin();
    }
    return firstTurn(session, options, sender, messages);
  }

  #eventOf(session: SessionHandle, { turn, messages, way: { options } }: Answered): EventBody {
    const event = toEvent(session, options, turn, this.#followed);
    if (event.type !== 'assistant_message_added') return event;
    event.prompt = this.#promptOf(messages);
    // What a person is shown is what runs: whoever hears of a call cannot write into it.
    for (const { arguments: args } of event.message.tool_calls) freeze(args);
    const { usage } = event.message;
    if (usage) options.speeds?.learn(session.state().model, usage);
    return event;
  }

  #promptOf(messages: readonly ModelMessage[]): PromptRecord {
    const record = this.#record(messages);
    const { results } = this.#options.projection;
    const { tier } = this.#options;
    return { ...record, ...(results === 'full' ? {} : { results }), ...(tier ? { tier } : {}) };
  }
}

/** A server's words may end without a full stop. */
const asSentence = (text: string): string => (/[.!?…。]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

/** Each of them described in full. */
const limitedTo = (registry: ToolRegistry, names: readonly string[]): ToolRegistry => {
  const chosen = new Set(names);
  const schemas = registry.callable.filter((schema) => chosen.has(schema.function.name));
  return { ...registry, schemas, callable: schemas };
};

/** The others are described as they were. */
const without = (registry: ToolRegistry, names: readonly string[]): ToolRegistry => {
  const off = new Set(names);
  const isOn = (schema: ToolRegistry['schemas'][number]): boolean => !off.has(schema.function.name);
  return { ...registry, schemas: registry.schemas.filter(isOn), callable: registry.callable.filter(isOn) };
};

/** Nothing else could run: what is refused again and again costs tokens, and confuses small models. */
const onlyReading = (options: CallModelOptions): CallModelOptions => {
  const { reading, registry } = options;
  return reading === undefined ? options : { ...options, registry: { ...registry, schemas: reading() } };
};

/** The same tools and the one that finds what was left out. */
const withSearch = (options: CallModelOptions): CallModelOptions => {
  const { afterCompaction: schema, registry } = options;
  if (schema === undefined) return options;
  const callable = [...registry.callable, schema];
  return { ...options, registry: { ...registry, schemas: [...registry.schemas, schema], callable } };
};

/** The server said that the prompt, or the answer with it, is too long. */
const overflowOf = ({ outcome }: Turn): ModelError | undefined =>
  !outcome.ok && outcome.error.code === 'context_overflow' ? outcome.error : undefined;

/** A limit ended the answer before a word or a call of it; thoughts may have come. */
const hadNoRoom = (turn: Turn): boolean => isThoughtOnly(turn) && isCutByLimit(turn);
const isCutByLimit = ({ outcome }: Turn): boolean => outcome.ok && outcome.answer.finish === 'length';

const cutAnswerOf = ({ outcome }: Turn, { max_tokens: maxTokens }: Sampling): CutAnswer => ({
  usage: outcome.ok ? outcome.answer.usage : undefined,
  maxTokens,
});

/** What a limit ended would end there again. */
const isWorthAnother = ({ registry }: CallModelOptions, turn: Turn): boolean =>
  !isCutByLimit(turn) && isEmpty(registry, turn);

/** An answer that the end of the window cut, or that had no room at all, is told as that. */
const withoutRoom = (
  session: SessionHandle,
  { window, sampling }: CallModelOptions,
  { turn, messages }: Asked,
): Turn => {
  if (!isCutByLimit(turn)) return turn;
  const cut = cutAnswerOf(turn, sampling);
  if (hadNoRoom(turn)) {
    const error = window.cutAnswers.noRoomError(session, messages, cut);
    return error ? { ...turn, outcome: { ok: false, partial: false, error } } : turn;
  }
  if (!window.cutAnswers.endedFull(session, messages, cut)) return turn;
  warn(session, 'answer_cut', window.fullText());
  return { ...turn, isWindowFull: true };
};

/** The person has read a part of the answer, which is not taken back. */
const isSaid = ({ text }: Turn): boolean => text.trim() !== '';

/** What was said before the window was full stays as an answer that was cut; else the refusal, with what to do about it. */
const refusedTurn = (
  session: SessionHandle,
  { window }: CallModelOptions,
  messages: readonly ModelMessage[],
  turn: Turn,
  error: ModelError,
): Turn => {
  if (!isSaid(turn)) {
    return { ...turn, outcome: { ok: false, partial: false, error: window.explained(session, messages, error) } };
  }
  window.refusals.cutByRefusal(session, messages, error);
  warn(session, 'answer_cut', window.fullText());
  return { ...turn, isWindowFull: true, outcome: { ok: true, answer: { calls: [], finish: 'length' } } };
};

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
  !hasWrittenCalls(turn) &&
  announcesCall(turn.text);

/** The one event that a turn ends in. A partial answer that broke off is kept as far as it came. */
const toEvent = (session: SessionHandle, options: CallModelOptions, turn: Turn, followed: FollowedLog): EventBody => {
  const { outcome } = turn;
  if (!outcome.ok) {
    if (turn.text.trim() === '') return failed(outcome.error);
    const finish = outcome.error.code === 'cancelled' ? 'cancelled' : 'disconnected';
    if (finish === 'disconnected') {
      warn(session, outcome.error.code, `${asSentence(outcome.error.message)} What came before is kept.`);
    }
    return { type: 'assistant_message_added', message: message(turn, [], finish, undefined) };
  }
  if (isEmpty(options.registry, turn)) return failed(emptyReply(session.state().model, outcome.answer.finish));
  const { registry, toolsOff } = options;
  const answer = toolsOff ? { ...outcome.answer, calls: [] } : outcome.answer;
  const thought = isThoughtOnly(turn) ? thoughtCall(registry, turn.reasoning) : undefined;
  const found = collectCalls(followed.usedIds, registry, thought ? { calls: [thought] } : answer, turn.written);
  const calls = turn.announced ? found.map(afterReminder) : found;
  const usage = answer.usage && withShared(answer.usage, followed.lastUsage);
  if (usage) session.progress({ type: 'usage', usage });
  // A call that was cut is told to the model; the answer is still to come.
  if (answer.finish === 'length' && calls.length === 0 && !turn.isWindowFull)
    warn(session, 'answer_cut', 'The answer was cut by the token limit.');
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
  content: turn.text.trim() === '' || turn.isReturned ? '' : turn.text,
  ...(turn.reasoning.trim() === '' ? {} : { reasoning: turn.reasoning.trim() }),
  tool_calls: calls,
  finish,
  usage,
});
