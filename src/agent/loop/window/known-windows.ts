/**
 * How large the windows of a session's models are: as their server says, as it was asked, or as its answers showed. What
 * was learned is no more than what is known so far: now and then a somewhat larger prompt is tried.
 */
import {
  holds,
  type LearnedWindow,
  type ToldWindow,
  type WindowEvidence,
  windowHeld,
} from '../../../core/learned-window.ts';
import type { ModelProvider } from '../../../core/model-port.ts';
import { AGENT_LIMITS } from '../../limits.ts';

/** `ask`: nobody has asked the server yet, and it is asked as soon as something might not fit. */
export type ContextTokens = number | 'ask';

export type KnownWindowsOptions = {
  provider: Pick<ModelProvider, 'describe'>;
  model: string;
  contextTokens?: ContextTokens | undefined;
  /** What was told of the window of that model, before what was learned. Default: `contextTokens`. */
  told?: ToldWindow | undefined;
  /** The window is one that an earlier answer showed. */
  isLearned?: boolean | undefined;
  /** What was learned of a model earlier. */
  learned?(model: string): LearnedWindow | undefined;
  /** Keeps what was learned; undefined: it does not hold any more. */
  onLearned?(model: string, learned: LearnedWindow | undefined): void;
};

/** Refusals of prompts that the window should hold: for how many messages, and how large the last was. */
export type Doubt = { times: number; refused: number };

export class KnownWindows {
  readonly #options: KnownWindowsOptions;
  readonly #given: ContextTokens | undefined;
  readonly #uncertain = new Set<string>();
  readonly #tokens = new Map<string, number | undefined>();
  readonly #told = new Map<string, ToldWindow>();
  readonly #learned = new Map<string, LearnedWindow>();
  readonly #doubts = new Map<string, Doubt>();
  readonly #asked = new Map<string, Promise<number | undefined>>();
  /** Learned just now: nothing speaks for a larger one yet. */
  readonly #shownHere = new Set<string>();
  #tried = false;

  constructor(options: KnownWindowsOptions) {
    const { model, contextTokens, told, isLearned, learned } = options;
    this.#options = options;
    this.#given = contextTokens;
    if (contextTokens !== 'ask') {
      this.#tokens.set(model, contextTokens);
      this.#told.set(model, told ?? { told: contextTokens });
      this.#recall(model, learned?.(model));
    }
    if (isLearned) this.#uncertain.add(model);
  }

  /** Nobody has asked the server of any model. */
  get isUnasked(): boolean {
    return this.#given === 'ask';
  }

  has(model: string): boolean {
    return this.#tokens.has(model);
  }

  get(model: string): number | undefined {
    return this.#tokens.get(model);
  }

  /** By the person. */
  isGiven(model: string): boolean {
    return this.#told.get(model)?.given === true;
  }

  /** What is not known is asked for once: of the first model where nobody has yet, and of one that was changed to. */
  async of(model: string, signal: AbortSignal): Promise<number | undefined> {
    this.#hearOfOthers(model);
    if (this.#given === undefined || this.#tokens.has(model)) return this.#tokens.get(model);
    const asking = this.#asked.get(model) ?? this.#describe(model, signal);
    this.#asked.set(model, asking);
    return asking.finally(() => this.#asked.delete(model));
  }

  /**
   * The same, asked for again: a server may have been started anew with another window. True: it tells another one now,
   * and what was learned of the one before holds no more. What the person gave stays.
   */
  async renew(model: string, signal: AbortSignal): Promise<boolean> {
    const before = this.#told.get(model);
    if (before?.given) return false;
    const described = await this.#options.provider.describe(model, signal);
    const told = described.ok ? described.model.context_length : undefined;
    if (told === undefined || told === before?.told || signal.aborted) return false;
    this.#uncertain.delete(model);
    this.#learned.delete(model);
    this.#tried = false;
    this.#takeTold(model, told);
    return true;
  }

  /** A refusal showed only that it is smaller than what was sent. */
  guess(model: string, tokens: number, refused: number): void {
    this.#learn(model, tokens, { is_guess: true, refused });
  }

  #take(model: string, tokens: number): void {
    this.#tokens.set(model, tokens);
    this.#uncertain.add(model);
    this.#tried = false;
  }

  /** A refusal showed it, or a prompt of about `cutFrom` tokens that was cut. */
  learn(model: string, tokens: number, cutFrom?: number): void {
    this.#learn(model, tokens, cutFrom === undefined ? {} : { is_cut: true, cut_from: Math.ceil(cutFrom) });
  }

  #learn(
    model: string,
    tokens: number,
    how: Pick<LearnedWindow, 'is_cut' | 'cut_from' | 'is_guess' | 'refused'>,
  ): void {
    const before = this.#learned.get(model);
    const wait = before?.tries_wait ?? AGENT_LIMITS.windowTriesAfter;
    const next = this.#tried ? Math.min(2 * wait, AGENT_LIMITS.windowTriesAfterMax) : wait;
    this.#take(model, tokens);
    this.#doubts.delete(model);
    this.#shownHere.add(model);
    this.#keep(model, {
      tokens,
      ...this.#told.get(model),
      ...how,
      tries_after: next,
      tries_wait: next,
    });
  }

  /**
   * A larger prompt was read whole. A server that refuses what is too long shows the next size by itself; of one that
   * cuts, so much is known now, and more is tried at once. True: one as large as the prompt that is said to be cut was read
   * whole, so nothing speaks for a cut any more, and what was told of the window holds again.
   */
  grow(model: string, tokens: number): boolean {
    const { told } = this.#told.get(model) ?? {};
    const learned = this.#learned.get(model);
    this.#tried = false;
    if (learned?.is_guess && tokens < (learned.refused ?? Number.POSITIVE_INFINITY)) {
      // So much is known now; what was refused stays refused, and more is tried only from time to time.
      this.#tokens.set(model, tokens);
      this.#keep(model, { ...learned, tokens });
      return false;
    }
    const isDisproved = learned !== undefined && disprovesCut(learned, tokens);
    if (learned?.is_cut && !isDisproved && tokens < (told ?? Number.POSITIVE_INFINITY)) {
      this.#tokens.set(model, tokens);
      this.#shownHere.delete(model);
      this.#keep(model, { ...learned, tokens, tries_after: 0 });
      return false;
    }
    this.#forget(model);
    this.#options.onLearned?.(model, undefined);
    return isDisproved;
  }

  /** What was told of it holds again. */
  #forget(model: string): void {
    this.#tokens.set(model, this.#told.get(model)?.told);
    this.#uncertain.delete(model);
    this.#learned.delete(model);
    this.#tried = false;
  }

  /** Another session of this program read a larger prompt whole: what was learned is not written back. */
  #hearOfOthers(model: string): void {
    const { learned } = this.#options;
    if (learned && this.#learned.has(model) && learned(model) === undefined) this.#forget(model);
  }

  /**
   * Room would be made for a prompt of so many tokens. True: it goes out as it is, to see whether the window is larger by
   * now than what was learned of it.
   */
  tries(model: string, tokens: number): boolean {
    this.#hearOfOthers(model);
    const learned = this.#learned.get(model);
    if (learned === undefined || this.#shownHere.has(model)) return false;
    const isDoubtful = this.isDoubtful(model);
    const { told = learned.tokens * AGENT_LIMITS.windowFarAbove } = learned;
    const { tries_after = AGENT_LIMITS.windowTriesAfter } = learned;
    const left = isDoubtful ? 0 : tries_after;
    const isModest = tokens <= (isDoubtful ? told : learned.tokens * AGENT_LIMITS.windowTriesShare);
    if (this.#tried) return isModest;
    if (left > 0) this.#keep(model, { ...learned, tries_after: left - 1 });
    this.#tried = left === 0 && isModest;
    return this.#tried;
  }

  /** A larger prompt was tried in vain: what was known stays, and the next try is later. */
  triedInVain(model: string): void {
    this.#hearOfOthers(model);
    const learned = this.#learned.get(model);
    if (!this.#tried || learned === undefined) return;
    this.#tried = false;
    this.#shownHere.add(model);
    const wait = Math.min(2 * (learned.tries_wait ?? AGENT_LIMITS.windowTriesAfter), AGENT_LIMITS.windowTriesAfterMax);
    this.#keep(model, { ...learned, tries_after: wait, tries_wait: wait });
  }

  /** A refusal that names no size, of a prompt about as large as the window is known to be, says nothing else of it. */
  refusedAtEnd(model: string, tokens: number): void {
    this.triedInVain(model);
    const known = this.#tokens.get(model);
    if (known !== undefined && tokens <= known)
      this.guess(model, Math.floor(tokens * AGENT_LIMITS.windowALittleLess), tokens);
  }

  /** What speaks against the window that is told, and is not believed yet. */
  doubt(model: string): Doubt | undefined {
    return this.#doubts.get(model);
  }

  /** Kept for the next run, where nothing else was learned. Undefined: it is as it was told. */
  setDoubt(model: string, doubt: Doubt | undefined): void {
    const known = this.#tokens.get(model);
    if (doubt) this.#doubts.set(model, doubt);
    else this.#doubts.delete(model);
    if (known === undefined || this.#learned.has(model)) return;
    const { times: doubted, refused } = doubt ?? {};
    const kept = doubt && { tokens: known, ...this.#told.get(model), doubted, refused };
    this.#options.onLearned?.(model, kept as LearnedWindow | undefined);
  }

  /** A larger prompt goes out than what was learned of the window. */
  get isTrying(): boolean {
    return this.#tried;
  }

  /** A refusal said it: what is larger, or leaves no room for an answer, is of no use there. */
  isSaid(model: string): boolean {
    const learned = this.#learned.get(model);
    return learned !== undefined && !learned.is_cut && !learned.is_guess;
  }

  /** A refusal that named no size showed it. */
  isGuessed(model: string): boolean {
    return this.#learned.get(model)?.is_guess === true;
  }

  /** How it was learned; undefined where it is as it was told. */
  evidence(model: string): WindowEvidence | undefined {
    const learned = this.#learned.get(model);
    if (learned === undefined || learned.tokens !== this.get(model)) return undefined;
    return learned.is_cut ? 'cut' : learned.is_guess ? 'guessed' : 'shown';
  }

  told(model: string): ToldWindow | undefined {
    return this.#told.get(model);
  }

  /** A prompt was cut without a word: what is larger is cut again. */
  isCut(model: string): boolean {
    return this.#learned.get(model)?.is_cut === true;
  }

  /** An earlier version took it for a cut, and kept nothing that shows one: a larger prompt is tried at once. */
  isDoubtful(model: string): boolean {
    const { is_cut, cut_from, tokens = 0 } = this.#learned.get(model) ?? {};
    return is_cut === true && (cut_from === undefined || cut_from <= tokens);
  }

  /** Nobody said it; a prompt that is larger may fit nevertheless, and its server refuses one that does not. */
  isUncertain(model: string): boolean {
    return this.#uncertain.has(model);
  }

  async #describe(model: string, signal: AbortSignal): Promise<number | undefined> {
    const described = await this.#options.provider.describe(model, signal);
    const told = described.ok ? described.model.context_length : undefined;
    if (signal.aborted) return told;
    return this.#takeTold(model, told);
  }

  #takeTold(model: string, told: number | undefined): number | undefined {
    const learned = this.#options.learned?.(model);
    this.#told.set(model, { told });
    this.#tokens.set(model, windowHeld({ told }, learned));
    this.#recall(model, learned);
    return this.#tokens.get(model);
  }

  #recall(model: string, learned: LearnedWindow | undefined): void {
    if (!holds(learned, this.#told.get(model) ?? {}) || learned.tokens !== this.#tokens.get(model)) return;
    const { doubted, refused, told, tokens } = learned;
    if (doubted !== undefined && refused !== undefined) this.#doubts.set(model, { times: doubted, refused });
    if (doubted !== undefined && tokens === told) return;
    this.#learned.set(model, learned);
    this.#uncertain.add(model);
  }

  #keep(model: string, learned: LearnedWindow): void {
    this.#learned.set(model, learned);
    this.#options.onLearned?.(model, learned);
  }
}

/** So large a prompt was read whole that the one before cannot have been cut there, or the window is another one now. */
const disprovesCut = ({ is_cut, cut_from, tokens: known }: LearnedWindow, read: number): boolean =>
  is_cut === true && read >= (cut_from ?? known * AGENT_LIMITS.windowClearlyAbove);
