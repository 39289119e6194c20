/**
 * One request to the model: the folded messages go out, parts come in, text is read for calls, and exactly one event
 * comes of it: the whole assistant message, or why there is none.
 */

import { asksQuestion } from '../../core/asks-person.ts';
import type { EventBody, PromptRecord } from '../../core/events.ts';
import { freeze } from '../../core/json.ts';
import type { ModelMessage } from '../../core/message.ts';
import type { ModelRequest } from '../../core/model-port.ts';
import { announcesCall } from '../../core/nudge.ts';
import { createPromptRecorder, recordedForm } from '../../core/window/prompt-record.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { SessionHandle } from '../session/session-handle.ts';
import { failed, toEvent } from './call-model/answer-event.ts';
import { askNotes } from './call-model/ask-notes.ts';
import { CANCELLED } from './call-model/ended-at-abort.ts';
import { FollowedLog } from './call-model/followed-log.ts';
import {
  type Asked,
  isSaid,
  isWorthAnother,
  moreRoom,
  overflowOf,
  refusedTurn,
  withoutRoom,
} from './call-model/full-window.ts';
import { lastAnswer } from './call-model/last-answer.ts';
import { remindOfAnnounced, remindOfHeld } from './call-model/remind.ts';
import { decodedCall, toolToDecode, unfitText } from './call-model/repair-constrained.ts';
import type { Sender } from './call-model/send.ts';
import { type CallModelOptions, hasWrittenCalls, isEmpty, type Turn, turnOf, warn } from './call-model/turn.ts';
import { type Way, Ways } from './call-model/ways.ts';
import { answeredInWords } from './call-model/without-tools.ts';
import type { StepOverrides } from './step-overrides.ts';
import type { AskNotes, CompactReply } from './window.ts';

type Answered = Asked & { way: Way };

export class CallModel {
  readonly #options: CallModelOptions;
  readonly #followed: FollowedLog;
  /** As a request without tools reads it: neither the instructions nor a message describe any. */
  readonly #followedWithoutTools: FollowedLog;
  readonly #ways: Ways;
  readonly #record = createPromptRecorder();
  #nudgesLeft = 0;
  #heldLeft = 0;

  constructor(options: CallModelOptions) {
    this.#options = options;
    const { projection, systemWithoutTools, tier } = options;
    this.#followed = new FollowedLog(options);
    this.#followedWithoutTools = new FollowedLog({
      projection: { ...projection, system: systemWithoutTools, ending: undefined },
      tier,
    });
    this.#ways = new Ways(options, this.#followed);
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
    const { options } = this.#ways.usual(session);
    const fitted = async (): Promise<readonly ModelMessage[] | undefined> => {
      const fits = await options.window.fit(session, this.#messages(session), this.#askNotes);
      return fits.ok ? this.#messages(session) : undefined;
    };
    const requestOf = (messages: readonly ModelMessage[]): ModelRequest =>
      this.#ways.withoutTools.sender.requestOf(session.state().model, messages);
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

  /**
   * What the next request will begin with, as far as it can be read before the person's next message is known. Undefined:
   * room is made for that one, so it begins otherwise.
   */
  async upcoming(session: SessionHandle, signal: AbortSignal): Promise<ModelRequest | undefined> {
    const messages = this.#followed.beforeNext(session);
    if (!(await this.#options.window.goesOnFrom(session, messages, signal)) || signal.aborted) return undefined;
    return this.#ways.ofNext(session).sender.requestOf(session.state().model, messages);
  }

  /** What would go out for these messages. */
  requestOf(session: SessionHandle, messages: readonly ModelMessage[]): ModelRequest {
    return this.#ways.ofStep(session).sender.requestOf(session.state().model, messages);
  }

  #messages(session: SessionHandle): readonly ModelMessage[] {
    const isPlain = session.state().closing !== undefined || this.#followed.wantsNoTools(session);
    return (isPlain ? this.#followedWithoutTools : this.#followed).messages(session);
  }

  /** Notes by this model. */
  notes(session: SessionHandle, focus: string | undefined, model = session.state().model): ReturnType<AskNotes> {
    const { options, sender } = this.#ways.ofStep(session);
    const requestOf = (messages: readonly ModelMessage[]) => sender.requestOf(model, messages);
    return askNotes(session, options.provider, requestOf, this.#messages(session), focus);
  }

  /** By the model for them, where there is one; the conversation's own writes them where that fails. */
  readonly #askNotes: AskNotes = async (session, focus) => {
    const { noteTaker, provider } = this.#options;
    if (noteTaker === undefined) return this.notes(session, focus);
    const { notes, problem } = await noteTaker(session, focus);
    if (notes !== undefined || session.signal().aborted) return notes;
    const why = problem ?? 'it wrote none that can be read';
    warn(session, 'role_model_failed', `The model for notes (models.roles.compaction) was of no use: ${why}`);
    return provider.decodeToolCall ? undefined : this.notes(session, focus);
  };

  /** An answer, asked for again where the server refused the prompt as too long, said nothing, or only announced a call. */
  async #answered(session: SessionHandle, overrides: StepOverrides | undefined): Promise<Answered | 'outgrown'> {
    // Once something was left out, the tool that finds it goes out with the very next request.
    let way = this.#ways.ofStep(session, overrides);
    let messages = this.#messages(session);
    let turn = await this.#firstTurn(session, way, messages);
    // The first may be tried as it is.
    for (let attempt = 1; attempt <= AGENT_LIMITS.overflowAttempts + 1; attempt += 1) {
      const next = await moreRoom(session, way.options, { turn, messages }, attempt);
      if (next === 'outgrown') return next;
      if (next === 'no') break;
      messages = this.#messages(session);
      way = this.#ways.ofStep(session, overrides);
      turn = await this.#firstTurn(session, way, messages);
    }
    const { options, sender } = way;
    turn = withoutRoom(session, options, { turn, messages });
    // Of a call in its thoughts the model is asked below.
    const isNothing = (): boolean => isWorthAnother(turn) && (turn.held === undefined || this.#heldLeft === 0);
    for (let attempt = 0; attempt < AGENT_LIMITS.emptyReplyRetries && isNothing(); attempt += 1) {
      if (turn.held !== undefined) warn(session, turn.held.code, turn.held.message);
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
      way = this.#ways.ofStep(session, overrides);
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

  /** A message has one reminder of each kind. */
  async #reminded(session: SessionHandle, way: Way, messages: readonly ModelMessage[], turn: Turn): Promise<Turn> {
    const { options, sender } = way;
    const held = turn.outcome.ok ? turn.held : undefined;
    if (held === undefined) {
      if (this.#nudgesLeft === 0 || !announcedOnly(options, turn)) return turn;
      this.#nudgesLeft -= 1;
      return remindOfAnnounced(session, sender, messages, turn);
    }
    // To ask the model for the call would answer the question in the person's place.
    if (this.#heldLeft > 0 && !asksQuestion(turn.text)) {
      this.#heldLeft -= 1;
      return remindOfHeld(session, { sender, dialect: options.dialect }, messages, { ...turn, held });
    }
    warn(session, held.code, held.message);
    return turn;
  }

  /** What the server counted is noted once for each answer. */
  #countsAsCut(session: SessionHandle, { window, registry }: CallModelOptions, turn: Turn): boolean {
    const usage = turn.outcome.ok ? turn.outcome.answer.usage : undefined;
    return (
      usage !== undefined && !isOfOther(turn) && window.counts.counted(session, turn.messages, usage, registry.schemas)
    );
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
    if (!again.outcome.ok || isEmpty(again)) return undefined;
    this.#countsAsCut(session, way.options, again);
    return again;
  }

  #firstTurn(session: SessionHandle, { options, sender }: Way, messages: readonly ModelMessage[]): Promise<Turn> {
    if (this.#followed.beginsAnew()) this.#ways.begin();
    return firstTurn(session, options, sender, messages);
  }

  #eventOf(session: SessionHandle, { turn, messages, way: { options } }: Answered): EventBody {
    const event = toEvent(session, options, turn, this.#followed);
    if (event.type !== 'assistant_message_added') return event;
    // A replay makes the prompts with tools.
    event.prompt = this.#promptOf(this.#followed.messages(session));
    if (isOfOther(turn) || turn.messages !== messages) event.prompt.other_usage = true;
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
    return { ...record, ...recordedForm(results), ...(tier ? { tier } : {}) };
  }
}

/** What the server counted is of another prompt than those to come: a reminder is in no later one. */
const isOfOther = ({ constrained, announced, outcome }: Turn): boolean =>
  constrained === true || announced === true || (outcome.ok && outcome.answer.led === true);

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
