/**
 * Keeps a session inside its model's window: every prompt is measured before it goes out, room is made where it gets
 * tight, and what cannot fit is refused in words instead of being cut by a server that says nothing. Room is best made
 * between two messages of the person, where nothing that is being worked with has to be read again.
 */

import type { ToldWindow } from '../../core/learned-window.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ModelMessage, Usage } from '../../core/message.ts';
import type { ModelError } from '../../core/model-port.ts';
import type { ToolSchema } from '../../core/tool.ts';
import {
  type CompactionOptions,
  type CompactionPlan,
  freesEnough,
  lastCompaction,
  planCompaction,
  planFocus,
  planReturn,
  withNotes,
} from '../../core/window/compaction.ts';
import type { ConversationNotes } from '../../core/window/notes.ts';
import { answerReserve, createPromptMeter, type PromptMeter, type PromptSize } from '../../core/window.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { SessionHandle } from '../session/session-handle.ts';
import { type CutAnswer, CutAnswers } from './window/cut-answers.ts';
import { DoubtedRefusals } from './window/doubted-refusals.ts';
import { HopelessTurn } from './window/hopeless-turn.ts';
import { type ContextTokens, KnownWindows } from './window/known-windows.ts';
import { nearSize } from './window/near-size.ts';
import {
  densityOf,
  largestTurn,
  leastAnswer,
  limitOf,
  sizeByCharacters,
  traceOf,
  wordsLimit,
} from './window/plan-facts.ts';
import { Refusals } from './window/refusals.ts';
import type { WindowOptions } from './window/window-options.ts';
import type { AskNotes, MakeRoom, Overflowed, ReadPrompts, WindowPorts } from './window/window-ports.ts';
import {
  COMPACT,
  count,
  cutText,
  fullText,
  madeRoomText,
  NOTHING_SAID,
  nearlyFullText,
  type PromptShape,
  refusalOf,
  STOPPED,
  TOO_LITTLE_TO_DROP,
  tooLargeText,
} from './window/window-texts.ts';

export type { AskNotes, ContextTokens, CutAnswer, Overflowed, WindowOptions };

export type Fit = { ok: true } | { ok: false; error: ModelError };
export type CompactReply = { ok: true } | { ok: false; message: string };

export class Window {
  readonly #options: WindowOptions;
  readonly #meter: PromptMeter;
  readonly #windows: KnownWindows;
  readonly #hopeless = new HopelessTurn();
  readonly #doubted: DoubtedRefusals;
  #isWarned = false;
  #isCutTold = false;
  #lastRead: { model: string; tokens: number } | undefined;
  #largestAnswer = 0;
  readonly #read: ReadPrompts = { largest: 0, largestCounted: 0, largestWhole: 0 };
  /** Of prompts that the server refuses as too long. */
  readonly refusals: Refusals;
  /** Of answers that ended by a limit. */
  readonly cutAnswers: CutAnswers;

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#meter = createPromptMeter(options.registry.schemas);
    this.#windows = new KnownWindows(options);
    this.#doubted = new DoubtedRefusals(this.#windows);
    const ports: WindowPorts = {
      windows: this.#windows,
      meter: this.#meter,
      doubted: this.#doubted,
      read: this.#read,
      isOff: this.#isOff,
      isOutgrown: (session, contextTokens) => options.isOutgrown?.(session, contextTokens) === true,
      tokens: (model, messages) => this.tokens(model, messages),
      head: (model, messages) => this.#head(model, messages),
      leastTokens: (session, messages) => this.#leastTokens(session, messages),
      shape: (session, messages) => this.#shape(session, messages),
      makeRoom: (session, messages, contextTokens, asked) => this.#makeRoom(session, messages, contextTokens, asked),
    };
    this.refusals = new Refusals(ports);
    this.cutAnswers = new CutAnswers(ports);
  }

  /** Nothing is left out but on the person's word. */
  get #isOff(): boolean {
    return this.#options.compaction === 'off';
  }

  /** Of the model that the session began with: as small as a window can be where nobody has asked yet. */
  contextTokens(): number | undefined {
    const { model } = this.#options;
    return this.#windows.isUnasked && !this.#windows.has(model)
      ? LIMITS.windowSmallestTokens
      : this.#windows.get(model);
  }

  /** Of a model, as far as it is known. */
  known(model: string): number | undefined {
    return this.#windows.get(model);
  }

  /** Nobody said it: it was learned from what the server answered. */
  isLearned(model: string): boolean {
    return this.#windows.isUncertain(model);
  }

  /** What was told of it. */
  told(model: string): ToldWindow | undefined {
    return this.#windows.told(model);
  }

  /** The same, asked for. */
  askContextTokens(signal: AbortSignal): Promise<number | undefined> {
    return this.#windows.of(this.#options.model, signal);
  }

  /** Tokens of the present prompt, about, with its tools. */
  tokens(model: string, messages: readonly ModelMessage[]): number {
    return this.#meter.size(model, messages).tokens;
  }

  /** Characters that the prompt has room for besides an answer; undefined where nobody knows the window. */
  freeCharacters(session: SessionHandle, messages: readonly ModelMessage[]): number | undefined {
    const { model } = session.state();
    const contextTokens = this.#windows.get(model);
    if (contextTokens === undefined) return undefined;
    const free = contextTokens - this.tokens(model, messages) - this.#answer(contextTokens);
    return Math.max(0, Math.floor(free * CHARACTERS_A_TOKEN));
  }

  /** Makes room where the prompt needs it. Not ok: it was refused, with the reason. */
  async fit(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    askNotes?: AskNotes,
    isRenewed = false,
  ): Promise<Fit> {
    const { model } = session.state();
    const isSmall = this.tokens(model, messages) <= AGENT_LIMITS.windowUnaskedTokens;
    if (this.#windows.isUnasked && isSmall && lastCompaction(session.path()) === undefined) return OK;
    const contextTokens = await this.#windows.of(model, session.signal());
    if (session.signal().aborted) return OK;
    if (await this.#bringBack(session, messages, contextTokens ?? this.#read.largestCounted)) return OK;
    if (contextTokens === undefined) return OK;
    let size = await nearSize({ ...this.#options, meter: this.#meter, session, messages, contextTokens });
    const room = this.#roomFor(session, messages, size, contextTokens);
    if (size.tokens <= room) return this.#warnIfFull(session, messages, size, contextTokens);
    // Within a turn a refusal would cost what was just read.
    const begins = messages.at(-1)?.role === 'user';
    if (begins && !isRenewed && (await this.#windows.renew(model, session.signal())))
      return this.fit(session, messages, askNotes, true);
    if (begins && !this.#isOff && this.#windows.tries(model, size.tokens)) return OK;
    if (!this.#isOff && !this.#hopeless.is(messages, size.tokens)) {
      // What would have to be refused nevertheless is refused at once: nothing is left out for a prompt that is not sent.
      const least = { ...size, tokens: this.#leastTokens(session, messages) };
      if (!this.#mayGoOut(model, least, contextTokens)) return this.#refused(session, messages, size, contextTokens);
      if (least.tokens > contextTokens) return OK;
      const accepts = (plan: CompactionPlan): boolean =>
        this.#mayGoOut(model, { ...size, tokens: plan.after }, contextTokens);
      const isForced = !surelyFits(size, contextTokens);
      const done = await this.#makeRoom(session, messages, contextTokens, { askNotes, accepts, isForced });
      if (session.signal().aborted) return OK;
      if (done === undefined) this.#hopeless.note(messages, size.tokens, this.#head(model, messages));
      else size = { ...size, tokens: done.after };
    }
    return this.#mayGoOut(model, size, contextTokens)
      ? this.#warnIfFull(session, messages, size, contextTokens)
      : this.#refused(session, messages, size, contextTokens);
  }

  /** Room was made for a much smaller window than the present one: what was left out comes back, as far as it fits. */
  async #bringBack(session: SessionHandle, messages: readonly ModelMessage[], contextTokens: number): Promise<boolean> {
    const before = lastCompaction(session.path())?.report?.window_tokens;
    const isLarger = before !== undefined && contextTokens >= before * LARGER_BY;
    if (!isLarger || messages.at(-1)?.role !== 'user' || this.#isOff) return false;
    const plan = planReturn(session.path(), this.#planOptions(session, messages, contextTokens));
    if (plan === undefined) return false;
    await this.#make(session, plan);
    return true;
  }

  async #make(session: SessionHandle, plan: CompactionPlan): Promise<void> {
    await session.dispatch(plan.event);
    this.#lastRead = undefined;
    this.#hopeless.forget();
    const message = madeRoomText(plan.event, session.path());
    session.progress({ type: 'warning', code: 'context_compacted', message });
  }

  /** The refusal of a server with what can be done about it here. */
  explained(session: SessionHandle, messages: readonly ModelMessage[], error: ModelError): ModelError {
    const { model } = session.state();
    const shape = this.#shape(session, messages);
    const { hint } = tooLargeText(shape, model, error.window_tokens ?? Math.floor(shape.tokens / 2));
    return { ...error, hint };
  }

  /** Tokens of a prompt that goes out now, and how many of them the server has read in the one before. */
  expect(model: string, messages: readonly ModelMessage[]): { tokens: number; known: number } {
    const known = this.#lastRead?.model === model ? this.#lastRead.tokens : 0;
    return { tokens: this.tokens(model, messages), known };
  }

  /**
   * Notes what the server counted. True: it must have cut the prompt, which is said, and what it read is taken as the
   * window from now on.
   */
  counted(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    usage: Usage,
    sent: readonly ToolSchema[] = this.#options.registry.schemas,
  ): boolean {
    const { model } = session.state();
    const { prompt_tokens: read } = usage;
    this.#lastRead = { model, tokens: read };
    this.#largestAnswer = Math.max(this.#largestAnswer, usage.completion_tokens);
    const { tokens } = this.#meter.size(model, messages);
    const isCut = this.#meter.counted(model, messages, usage, sent);
    this.#read.largestCounted = Math.max(this.#read.largestCounted, read);
    const known = this.#windows.get(model);
    if (!isCut) {
      this.#doubted.answered(model, tokens);
      this.#read.largest = Math.max(this.#read.largest, tokens);
      this.#read.largestWhole = Math.max(this.#read.largestWhole, read);
      if (this.#windows.isUncertain(model) && read > (known ?? 0)) this.#windows.grow(model, read);
      return false;
    }
    // What is cut now cannot have been read whole before; a smaller prompt can.
    if (tokens <= this.#read.largestWhole) this.#read.largestWhole = 0;
    const shown = Math.max(read, this.#read.largestWhole);
    const isTry = this.#windows.isTrying;
    if (known === shown && this.#isCutTold && !isTry) return false;
    // A smaller count may be of a server that counts in its own way.
    const least = this.#meter.isStalled ? AGENT_LIMITS.windowStalledTokensMin : AGENT_LIMITS.windowObservedTokensMin;
    const isWindow = read >= least;
    if (!this.#isCutTold || (isWindow && !isTry)) {
      const message = cutText(read, tokens, { window: isWindow ? shown : undefined, isOff: this.#isOff });
      session.progress({ type: 'warning', code: 'prompt_truncated', message });
    }
    this.#isCutTold = true;
    if (!isWindow || (known === shown && !isTry)) return false;
    this.#windows.learn(model, shown, true);
    return true;
  }

  /** The server has cut this prompt. `again`: it is shorter now, and worth sending again. */
  async shortened(session: SessionHandle, messages: readonly ModelMessage[]): Promise<Overflowed> {
    const contextTokens = this.#windows.get(session.state().model);
    if (contextTokens === undefined) return 'no';
    // The person's message alone is larger: nothing else can be sent, so the answer and its warning stay.
    if (this.#shape(session, messages).message > contextTokens) return 'no';
    if (this.#options.isOutgrown?.(session, contextTokens)) return 'outgrown';
    if (this.#isOff) return 'no';
    return (await this.#makeRoom(session, messages, contextTokens, { isForced: true })) === undefined ? 'no' : 'again';
  }

  /** The answer was cut because the window is full. */
  fullText(): string {
    return fullText(this.#isOff);
  }

  /** An error that says nothing may mean that the prompt is too long. */
  hinted(session: SessionHandle, messages: readonly ModelMessage[], error: ModelError): ModelError {
    const tokens = this.tokens(session.state().model, messages);
    if (error.code !== 'server_error' || tokens < AGENT_LIMITS.longPromptTokens) return error;
    const hint = `The prompt is about ${count(tokens)} tokens, which may be too long for it: ${COMPACT} makes it shorter.`;
    return { ...error, hint: [error.hint, hint].filter((part) => part !== undefined).join(' ') };
  }

  /** The same for a count that the log of an earlier run holds. */
  remember(model: string, messages: readonly ModelMessage[], usage: Usage): void {
    this.#read.largestCounted = Math.max(this.#read.largestCounted, usage.prompt_tokens);
    this.#meter.counted(model, messages, usage);
  }

  /** Makes room because the person asks for it. `focus`: what matters to them. */
  async compact(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    asked: { focus?: string | undefined; askNotes?: AskNotes },
  ): Promise<CompactReply> {
    const { model } = session.state();
    const contextTokens = (await this.#windows.of(model, session.signal())) ?? 0;
    const done = await this.#makeRoom(session, messages, contextTokens, { ...asked, isAskedFor: true });
    if (done !== undefined) return { ok: true };
    if (asked.focus !== undefined && !session.signal().aborted) {
      const options = { ...this.#planOptions(session, messages, contextTokens), focus: asked.focus };
      const plan = planFocus(session.path(), options);
      if (plan) await this.#make(session, plan);
      return plan ? { ok: true } : { ok: false, message: NOTHING_SAID };
    }
    return { ok: false, message: session.signal().aborted ? STOPPED : TOO_LITTLE_TO_DROP };
  }

  /**
   * Below this nothing has to be done. Between two messages there has to be room for a turn like the last ones; within a
   * turn for the next answer, and after an edit for the end of that answer alone.
   */
  #roomFor(session: SessionHandle, messages: readonly ModelMessage[], size: PromptSize, contextTokens: number): number {
    const most = answerReserve(contextTokens);
    // An estimate that no count has confirmed may be far off.
    if (!size.calibrated) return contextTokens - most;
    const answer = this.#answer(contextTokens);
    if (messages.at(-1)?.role !== 'user') {
      const isEdited = this.#lastRoundWrites(messages);
      return contextTokens - (isEdited ? Math.min(answer, AGENT_LIMITS.answerTokensMin) : answer);
    }
    const turn = Math.min(
      largestTurn(messages, (some) => this.#grown(session, some)) * AGENT_LIMITS.turnRoomShare,
      contextTokens / 3,
    );
    return contextTokens - Math.max(answer, Math.min(most, Math.floor(contextTokens / 8)), turn + answer);
  }

  /** Room for an answer as large as the largest one so far, and more. */
  #answer(contextTokens: number): number {
    const wanted = Math.max(2 * this.#largestAnswer, Math.floor(contextTokens / 16));
    return Math.min(answerReserve(contextTokens), wanted);
  }

  /** Tokens of messages without the tools that stand before every prompt. */
  #grown(session: SessionHandle, messages: readonly ModelMessage[]): number {
    const { model } = session.state();
    return this.tokens(model, messages) - this.tokens(model, []);
  }

  #lastRoundWrites(messages: readonly ModelMessage[]): boolean {
    const last = messages.findLast(({ role }) => role === 'assistant');
    if (last?.role !== 'assistant') return false;
    return last.tool_calls.some(({ name }) => this.#options.registry.get(name)?.effects === 'write');
  }

  async #makeRoom(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    contextTokens: number,
    asked: MakeRoom,
  ): Promise<CompactionPlan | undefined> {
    const usual = this.#planOptions(session, messages, contextTokens);
    const options = { ...usual, ...(asked.isJustBelow ? justBelow(contextTokens) : {}), focus: asked.focus };
    const planned = planCompaction(session.path(), options);
    if (planned === undefined || !(freesEnough(planned) || asked.isForced)) return undefined;
    if (asked.accepts?.(planned) === false) return undefined;
    const signal = session.signal();
    const notes = await this.#notesFor(session, planned, messages, contextTokens, asked);
    // The person stopped it: nothing is left out without them.
    if (signal.aborted) return undefined;
    const plan = notes ? withNotes(session.path(), planned, { ...options, notes }) : planned;
    await this.#make(session, plan);
    return plan;
  }

  #planOptions(session: SessionHandle, messages: readonly ModelMessage[], contextTokens: number): CompactionOptions {
    const { model, tasks } = session.state();
    const { projection, registry } = this.#options;
    const head = this.#head(model, messages);
    const byCharacters = sizeByCharacters(messages, this.tokens(model, messages), head);
    const isOdd = this.#meter.ratio(model) > AGENT_LIMITS.tokenizerRatioUsual;
    const size = (some: readonly ModelMessage[]): number =>
      Math.max(this.tokens(model, some), isOdd ? byCharacters(some) : 0);
    const room = Math.max(0, contextTokens - head);
    const spoken = this.tokens(model, messages) - head;
    const retainedCharacters = contextTokens
      ? Math.min(
          LIMITS.compactionRetainedCharacters,
          Math.floor(room * AGENT_LIMITS.compactionRetainedShare * densityOf(messages, spoken)),
        )
      : LIMITS.compactionRetainedCharacters;
    // What is measured before it is sent is a little off.
    const limitTokens = head + (limitOf(contextTokens, head) - head) * AGENT_LIMITS.compactionMeasureShare;
    const turn = largestTurn(messages, (some) => this.#grown(session, some));
    const extra = retainedCharacters - room * AGENT_LIMITS.compactionRetainedShareInTarget;
    return {
      projection,
      size,
      headTokens: head,
      targetTokens:
        head +
        room * AGENT_LIMITS.compactionTargetShare +
        (contextTokens ? Math.max(0, extra) / CHARACTERS_A_TOKEN : 0),
      limitTokens,
      retainedCharacters,
      wordsTokens: contextTokens ? wordsLimit(contextTokens, limitTokens, turn) : undefined,
      trace: traceOf(registry),
      tasks,
      isSearchable: this.#options.isSearchable,
      // What is known of the window, though less is tried where a server refused it.
      windowTokens: this.#windows.get(model) ?? contextTokens,
    };
  }

  /** Notes are worth a request where much is left out, and are written where the model has read everything already. */
  async #notesFor(
    session: SessionHandle,
    plan: CompactionPlan,
    messages: readonly ModelMessage[],
    contextTokens: number,
    { askNotes, focus, isAskedFor = false }: MakeRoom,
  ): Promise<ConversationNotes | undefined> {
    const { compaction = 'notes', provider } = this.#options;
    if (askNotes === undefined || compaction !== 'notes' || provider.decodeToolCall) return undefined;
    const last = messages.at(-1)?.role;
    const fits = contextTokens === 0 || plan.before + AGENT_LIMITS.notesRoomTokens <= contextTokens;
    const isWorth = plan.before - plan.after >= AGENT_LIMITS.notesWorthTokens || isAskedFor;
    if (plan.event.kept_from_seq === 0 || last === 'tool' || !fits || !isWorth) return undefined;
    return askNotes(session, focus);
  }

  /** An estimate alone holds back only what is far too long; where nobody said the window, its server decides. */
  #mayGoOut(model: string, size: PromptSize, contextTokens: number): boolean {
    if (surelyFits(size, contextTokens)) return true;
    if (!this.#windows.isUncertain(model)) return false;
    // Of what the window holds and no answer with it, the server has nothing to decide.
    if (size.calibrated && size.tokens <= contextTokens && this.#windows.isSaid(model)) return false;
    const most = this.#windows.isCut(model) ? AGENT_LIMITS.windowTriesShare : AGENT_LIMITS.windowFarAbove;
    return size.tokens <= contextTokens * most;
  }

  #refused(session: SessionHandle, messages: readonly ModelMessage[], size: PromptSize, contextTokens: number): Fit {
    const shape = { ...this.#shape(session, messages), tokens: size.tokens };
    return { ok: false, error: refusalOf(shape, session.state().model, contextTokens) };
  }

  /** What no compaction can do without: instructions, tools and what the person has just written. */
  #leastTokens(session: SessionHandle, messages: readonly ModelMessage[]): number {
    const { head, message } = this.#shape(session, messages);
    return head + message;
  }

  #shape(session: SessionHandle, messages: readonly ModelMessage[]): PromptShape {
    const { model } = session.state();
    const last = session.path().findLast(({ type }) => type === 'user_message_added');
    // As it was written: what stands for older turns and describes tools beside it is no part of it.
    const written = last?.type === 'user_message_added' ? [{ role: 'user' as const, content: last.content }] : [];
    return {
      tokens: this.tokens(model, messages),
      head: this.#head(model, messages),
      message: this.#grown(session, written),
      tools: this.#options.registry.schemas.length,
      isOff: this.#isOff,
    };
  }

  /** Tokens of what stands before every message: the instructions and the tools. */
  #head(model: string, messages: readonly ModelMessage[]): number {
    return this.tokens(model, messages.slice(0, messages[0]?.role === 'system' ? 1 : 0));
  }

  /** One message that fills the window leaves nothing to drop. */
  #warnIfFull(session: SessionHandle, messages: readonly ModelMessage[], size: PromptSize, contextTokens: number): Fit {
    if (this.#isWarned || size.tokens <= contextTokens - answerReserve(contextTokens)) return OK;
    const isAlone = messages.filter(({ role }) => role === 'user' || role === 'tool').length === 1;
    if (isAlone || this.#isOff || this.#hopeless.is(messages, size.tokens)) {
      this.#isWarned = true;
      const message = nearlyFullText(size.tokens, contextTokens, this.#isOff && !isAlone);
      session.progress({ type: 'warning', code: 'window_nearly_full', message });
    }
    return OK;
  }
}

/** With room for an answer; of an estimate that no count has confirmed, so far as it can be told. */
const surelyFits = ({ tokens, calibrated }: PromptSize, contextTokens: number): boolean =>
  (calibrated ? tokens + leastAnswer(contextTokens) : tokens * 0.85) <= contextTokens;

const justBelow = (tokens: number) => ({
  targetTokens: tokens,
  limitTokens: tokens,
  wordsTokens: tokens,
  windowTokens: tokens,
});

/** A window that is larger by this is worth reading the prompt again. */
const LARGER_BY = 1.5;

const OK: Fit = { ok: true };

const CHARACTERS_A_TOKEN = 3.3;
