/** What a refusal of a prompt as too long leads to: what it shows of the window is kept, and room is made. */

import type { ModelMessage } from '../../../core/message.ts';
import type { ModelError } from '../../../core/model-port.ts';
import type { CompactionPlan } from '../../../core/window/compaction.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { leastAnswer } from './plan-facts.ts';
import type { Overflowed, WindowPorts } from './window-ports.ts';
import { guessedText } from './window-texts.ts';

export class Refusals {
  readonly #ports: WindowPorts;
  #isGuessTold = false;

  constructor(ports: WindowPorts) {
    this.#ports = ports;
  }

  /**
   * The server refused the prompt as too long, for the `attempt`th time. It is asked for its window again, and what its
   * refusal says is kept; then room is made. Where it says nothing, or what it said did not help, half as much is sent,
   * and what contradicts all that is known is tried once more as it is.
   */
  async overflowed(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    error: ModelError,
    attempt: number,
  ): Promise<Overflowed> {
    const { model } = session.state();
    const signal = session.signal();
    const isRenewed = attempt === 1 && (await this.#ports.windows.renew(model, signal));
    if (signal.aborted) return 'no';
    const before = this.#ports.windows.get(model);
    const judged = this.#judged(session, messages, error, attempt);
    if (judged === 'same') return 'again';
    if (judged === 'half') return this.#takeHalf(session, messages);
    if (attempt > AGENT_LIMITS.overflowAttempts) return 'no';
    const tokens = this.#ports.sizes.tokens(model, messages);
    const isToldLess = isRenewed && before !== undefined && before < tokens;
    const said = this.#saidBy(session, messages, error) ?? (isToldLess ? before : undefined);
    const isAtEnd = said === undefined && attempt === 1 && isNearEnd(tokens, before);
    if (isAtEnd) this.#ports.windows.refusedAtEnd(model, tokens);
    else if (!isToldLess || error.window_tokens !== undefined) this.learnFrom(session, messages, error);
    const window = this.#ports.windows.get(model);
    if (window !== undefined && this.#ports.isOutgrown(session, window)) return 'outgrown';
    if (this.#ports.isOff || (said !== undefined && this.#ports.sizes.least(session, messages) > said)) return 'no';
    const half = this.#halfOf(session, messages);
    const isHelp = said !== undefined && said < tokens && (attempt === 1 || said !== before);
    const known = isHelp ? said : isAtEnd ? window : undefined;
    const contextTokens = known ?? Math.min(said ?? half, half);
    const isExact = said !== undefined && error.prompt_tokens !== undefined;
    const accepts = (plan: CompactionPlan): boolean => !isExact || plan.after + leastAnswer(said) <= said;
    const done = await this.#ports.makeRoom(session, messages, contextTokens, { isForced: true, accepts });
    return done === undefined ? 'no' : 'again';
  }

  /** Whether a refusal that names no size is believed. */
  #judged(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    error: ModelError,
    attempt: number,
  ): 'same' | 'half' | 'believe' {
    if (this.#saidBy(session, messages, error) !== undefined) return 'believe';
    const { model } = session.state();
    const known = this.#ports.windows.isGuessed(model) ? undefined : this.#ports.windows.get(model);
    const tokens = this.#ports.sizes.tokens(model, messages);
    return this.#ports.doubted.judge({ model, attempt, tokens, known, read: this.#ports.read.largest });
  }

  /** Half of it is sent for now. Nothing is learned, so that all comes back with the next message. */
  async #takeHalf(session: SessionHandle, messages: readonly ModelMessage[]): Promise<Overflowed> {
    if (this.#ports.isOff) return 'no';
    const { model } = session.state();
    const head = this.#ports.sizes.head(model, messages);
    const half = head + Math.floor((this.#ports.sizes.tokens(model, messages) - head) / 2);
    const done = await this.#ports.makeRoom(session, messages, half, { isForced: true, isJustBelow: true });
    return done === undefined ? 'no' : 'again';
  }

  /** How large the window is by this refusal; undefined where it does not say it, or cannot be right. */
  #saidBy(session: SessionHandle, messages: readonly ModelMessage[], error: ModelError): number | undefined {
    const { prompt_tokens: prompt, window_tokens: window } = error;
    if (window === undefined) return undefined;
    // The server counted both, so a larger prompt was read by what it was before.
    if (prompt !== undefined && prompt >= window) return window;
    if (window < this.#ports.read.largestWhole) return undefined;
    const tokens = this.#ports.sizes.tokens(session.state().model, messages);
    return prompt === undefined && window > tokens * SURELY_LARGER ? undefined : window;
  }

  /** Keeps how large a refusal shows the window to be. */
  learnFrom(session: SessionHandle, messages: readonly ModelMessage[], error: ModelError): void {
    const { model } = session.state();
    const { prompt_tokens } = error;
    if (prompt_tokens !== undefined) this.#ports.meter.measured(model, messages, prompt_tokens);
    const said = this.#saidBy(session, messages, error);
    // What was refused now cannot have been read before; what was read before fits again.
    if (this.#ports.sizes.tokens(model, messages) <= this.#ports.read.largest) this.#ports.read.largest = 0;
    if (said === undefined) {
      this.#guess(session, messages);
      return;
    }
    if (said < this.#ports.read.largestWhole) this.#ports.read.largestWhole = this.#ports.read.largest = 0;
    this.#ports.windows.learn(model, said);
  }

  /** The same for an answer that a refusal ended in its middle. */
  cutByRefusal(session: SessionHandle, messages: readonly ModelMessage[], error: ModelError): void {
    if (this.#judged(session, messages, error, AFTER_THE_FIRST) === 'believe') this.learnFrom(session, messages, error);
  }

  #guess(session: SessionHandle, messages: readonly ModelMessage[]): void {
    const { model } = session.state();
    const guessed = this.#halfOf(session, messages);
    this.#ports.windows.guess(model, guessed, this.#ports.sizes.tokens(model, messages));
    if (this.#isGuessTold) return;
    this.#isGuessTold = true;
    const message = guessedText(this.#ports.sizes.tokens(model, messages), guessed);
    session.progress({ type: 'warning', code: 'window_guessed', message });
  }

  /** Half of what was refused, but for the instructions and tools, and no less than what was answered before. */
  #halfOf(session: SessionHandle, messages: readonly ModelMessage[]): number {
    const { model } = session.state();
    const head = this.#ports.sizes.head(model, messages);
    return Math.max(
      head + Math.floor((this.#ports.sizes.tokens(model, messages) - head) / 2),
      this.#ports.read.largest,
    );
  }
}

/** Of a refusal in the middle of an answer, which is not asked for again. */
const AFTER_THE_FIRST = 2;
/** What is refused is about what the window is known to hold, or more. */
const isNearEnd = (tokens: number, known: number | undefined): boolean =>
  known !== undefined && tokens >= known * AGENT_LIMITS.refusalExpectedShare;

/** A window that is so much larger than a prompt cannot be why it was refused. */
const SURELY_LARGER = 1.3;
