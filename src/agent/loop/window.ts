/**
 * Keeps a session inside its model's window: every prompt is measured before it goes out, room is made where it gets
 * tight, and what cannot fit is refused in words instead of being cut by a server that says nothing. Room is best made
 * between two messages of the person, where nothing that is being worked with has to be read again.
 */

import type { Event } from '../../core/events.ts';
import type { ToldWindow } from '../../core/learned-window.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ModelMessage } from '../../core/message.ts';
import type { ModelError } from '../../core/model-port.ts';
import { type CompactionPlan, lastCompaction } from '../../core/window/compaction.ts';
import { answerReserve, createPromptMeter, type PromptMeter, type PromptSize } from '../../core/window.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { SessionHandle } from '../session/session-handle.ts';
import { type CutAnswer, CutAnswers } from './window/cut-answers.ts';
import { DoubtedRefusals } from './window/doubted-refusals.ts';
import { HopelessTurn } from './window/hopeless-turn.ts';
import { type ContextTokens, KnownWindows } from './window/known-windows.ts';
import { nearSize } from './window/near-size.ts';
import { leastAnswer } from './window/plan-facts.ts';
import { PromptSizes } from './window/prompt-sizes.ts';
import { Refusals } from './window/refusals.ts';
import { CHARACTERS_A_TOKEN, Room } from './window/room.ts';
import { ServerCounts } from './window/server-counts.ts';
import type { WindowOptions } from './window/window-options.ts';
import type { AskNotes, Overflowed, WindowPorts } from './window/window-ports.ts';
import {
  COMPACT,
  count,
  fullText,
  NOTHING_SAID,
  NOTHING_TO_KEEP,
  nearlyFullText,
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
  readonly #sizes: PromptSizes;
  readonly #room: Room;
  #isWarned = false;
  /** What the server counted. */
  readonly counts: ServerCounts;
  /** Of prompts that the server refuses as too long. */
  readonly refusals: Refusals;
  /** Of answers that ended by a limit. */
  readonly cutAnswers: CutAnswers;

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#meter = createPromptMeter(options.registry.schemas);
    const isOff = this.#isOff;
    const meter = this.#meter;
    const windows = new KnownWindows(options);
    const doubted = new DoubtedRefusals(windows);
    const counts = new ServerCounts({ meter, windows, doubted, schemas: options.registry.schemas, isOff });
    const sizes = new PromptSizes({
      meter,
      registry: options.registry,
      isOff,
      largestAnswer: () => counts.largestAnswer,
    });
    const onMade = (): void => {
      counts.forgetLast();
      this.#hopeless.forget();
    };
    const room = new Room({ window: options, windows, meter, sizes, onMade });
    const ports: WindowPorts = {
      windows,
      meter,
      doubted,
      sizes,
      read: counts.read,
      isOff,
      isOutgrown: (session, contextTokens) => options.isOutgrown?.(session, contextTokens) === true,
      makeRoom: (session, messages, contextTokens, asked) => room.make(session, messages, contextTokens, asked),
    };
    this.#windows = windows;
    this.#sizes = sizes;
    this.#room = room;
    this.counts = counts;
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
    return this.#sizes.tokens(model, messages);
  }

  /** Characters that the prompt has room for besides an answer; undefined where nobody knows the window. */
  freeCharacters(session: SessionHandle, messages: readonly ModelMessage[]): number | undefined {
    const { model } = session.state();
    const contextTokens = this.#windows.get(model);
    if (contextTokens === undefined) return undefined;
    const free = contextTokens - this.tokens(model, messages) - this.#sizes.answer(contextTokens);
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
    if (await this.#room.bringBack(session, messages, contextTokens ?? this.counts.read.largestCounted)) return OK;
    if (contextTokens === undefined) return OK;
    if (await this.#room.fill(session, messages, contextTokens)) return OK;
    let size = await nearSize({ ...this.#options, meter: this.#meter, session, messages, contextTokens });
    const room = this.#sizes.roomFor(session, messages, size, contextTokens);
    if (size.tokens <= room) return this.#warnIfFull(session, messages, size, contextTokens);
    // Within a turn a refusal would cost what was just read.
    const begins = messages.at(-1)?.role === 'user';
    if (begins && !isRenewed && (await this.#windows.renew(model, session.signal())))
      return this.fit(session, messages, askNotes, true);
    const mayTry = begins || this.#windows.isDoubtful(model);
    if (mayTry && !this.#isOff && this.#windows.tries(model, size.tokens)) return OK;
    if (!this.#isOff && !this.#hopeless.is(messages, size.tokens)) {
      // What would have to be refused nevertheless is refused at once: nothing is left out for a prompt that is not sent.
      const least = { ...size, tokens: this.#sizes.least(session, messages) };
      if (!this.#mayGoOut(model, least, contextTokens)) return this.#refused(session, messages, size, contextTokens);
      if (least.tokens > contextTokens) return OK;
      const accepts = (plan: CompactionPlan): boolean =>
        this.#mayGoOut(model, { ...size, tokens: plan.after }, contextTokens);
      const isForced = !surelyFits(size, contextTokens);
      const done = await this.#room.make(session, messages, contextTokens, { askNotes, accepts, isForced });
      if (session.signal().aborted) return OK;
      if (done === undefined) this.#hopeless.note(messages, size.tokens, this.#sizes.head(model, messages));
      else size = { ...size, tokens: done.after };
    }
    return this.#mayGoOut(model, size, contextTokens)
      ? this.#warnIfFull(session, messages, size, contextTokens)
      : this.#refused(session, messages, size, contextTokens);
  }

  /** Whether a short message of the person would go out behind these messages, with nothing before it changed. */
  async goesOnFrom(session: SessionHandle, messages: readonly ModelMessage[], signal: AbortSignal): Promise<boolean> {
    const next = withNext(session, signal);
    const prompt: readonly ModelMessage[] = [...messages, { role: 'user', content: NEXT_MESSAGE }];
    const { model } = session.state();
    const isSmall = this.tokens(model, prompt) <= AGENT_LIMITS.windowUnaskedTokens;
    if (this.#windows.isUnasked && isSmall && lastCompaction(session.path()) === undefined) return true;
    const contextTokens = await this.#windows.of(model, signal);
    if (signal.aborted) return false;
    if (this.#room.returns(next, prompt, contextTokens, this.counts.read.largestCounted)) return false;
    if (contextTokens === undefined) return true;
    const size = await nearSize({
      ...this.#options,
      meter: this.#meter,
      session: next,
      messages: prompt,
      contextTokens,
    });
    return size.tokens <= this.#sizes.roomFor(next, prompt, size, contextTokens);
  }

  /** The refusal of a server with what can be done about it here. */
  explained(session: SessionHandle, messages: readonly ModelMessage[], error: ModelError): ModelError {
    const { model } = session.state();
    const shape = this.#sizes.shape(session, messages);
    const { hint } = tooLargeText(shape, model, error.window_tokens ?? Math.floor(shape.tokens / 2));
    return { ...error, hint };
  }

  /** The server has cut this prompt. `again`: it is shorter now, and worth sending again. */
  async shortened(session: SessionHandle, messages: readonly ModelMessage[]): Promise<Overflowed> {
    const contextTokens = this.#windows.get(session.state().model);
    if (contextTokens === undefined) return 'no';
    // The person's message alone is larger: nothing else can be sent, so the answer and its warning stay.
    if (this.#sizes.shape(session, messages).message > contextTokens) return 'no';
    if (this.#options.isOutgrown?.(session, contextTokens)) return 'outgrown';
    if (this.#isOff) return 'no';
    return (await this.#room.make(session, messages, contextTokens, { isForced: true })) === undefined ? 'no' : 'again';
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

  /** Makes room because the person asks for it. `focus`: what matters to them. */
  async compact(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    asked: { focus?: string | undefined; askNotes?: AskNotes },
  ): Promise<CompactReply> {
    const { model } = session.state();
    const contextTokens = (await this.#windows.of(model, session.signal())) ?? 0;
    const done = await this.#room.make(session, messages, contextTokens, { ...asked, isAskedFor: true });
    if (done !== undefined) return { ok: true };
    if (asked.focus !== undefined && !session.signal().aborted) {
      const isKept = await this.#room.keep(session, messages, contextTokens, asked.focus);
      return isKept ? { ok: true } : { ok: false, message: NOTHING_TO_KEEP };
    }
    const isEmpty = !messages.some(({ role }) => role === 'user');
    const why = isEmpty ? NOTHING_SAID : TOO_LITTLE_TO_DROP;
    return { ok: false, message: session.signal().aborted ? STOPPED : why };
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
    const shape = { ...this.#sizes.shape(session, messages), tokens: size.tokens };
    return { ok: false, error: refusalOf(shape, session.state().model, contextTokens) };
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

/** Longer ones may need room that is made before they go out. */
const NEXT_MESSAGE = 'And then? '.repeat(6).trim();

/** The session as it will be with the next message of the person. */
const withNext = (session: SessionHandle, signal: AbortSignal): SessionHandle => {
  const path = session.path();
  const seq = (path.at(-1)?.seq ?? 0) + 1;
  const next: Event = { seq, at: 0, type: 'user_message_added', content: NEXT_MESSAGE };
  const said = [...path, next];
  return { ...session, path: () => said, signal: () => signal };
};

/** With room for an answer; of an estimate that no count has confirmed, so far as it can be told. */
const surelyFits = ({ tokens, calibrated }: PromptSize, contextTokens: number): boolean =>
  (calibrated ? tokens + leastAnswer(contextTokens) : tokens * 0.85) <= contextTokens;

const OK: Fit = { ok: true };
