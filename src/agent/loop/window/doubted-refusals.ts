/**
 * A refusal that says no size, of a prompt far below what the window is known to hold, may be about something else: memory
 * that another conversation took, a proxy that chose a smaller model for once. It is believed where it comes again.
 */
import { AGENT_LIMITS } from '../../limits.ts';

export type Refused = {
  /** The `attempt`th refusal of one prompt. */
  attempt: number;
  tokens: number;
  /** What the window is known to hold. */
  known: number | undefined;
  /** The largest prompt that was answered. */
  read: number;
};

export class DoubtedRefusals {
  /** Messages of the person for which less had to be sent than the window is known to hold. */
  #messages = 0;
  #isOpen = false;
  #refused = 0;

  /** What to do about it: the same prompt once more, then half of it, and again half; or it is taken for what it says. */
  judge({ attempt, tokens, known, read }: Refused): 'same' | 'half' | 'believe' {
    if (attempt === 1) this.#isOpen = false;
    if (!this.#isOpen && this.#messages >= AGENT_LIMITS.refusalsDoubted) return 'believe';
    const isFarBelow = known !== undefined && tokens <= known * AGENT_LIMITS.refusalDoubtedShare;
    if (!isFarBelow && (read === 0 || tokens > read)) return 'believe';
    if (attempt === 1) {
      this.#refused = tokens;
      return 'same';
    }
    if (!this.#isOpen) this.#messages += 1;
    this.#isOpen = true;
    return 'half';
  }

  /** A prompt of so many tokens was answered. */
  answered(tokens: number): void {
    this.#isOpen = false;
    if (tokens >= this.#refused) this.#messages = 0;
  }
}
