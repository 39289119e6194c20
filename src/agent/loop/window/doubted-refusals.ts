/**
 * A refusal that says no size, of a prompt far below what the window is known to hold, may be about something else: memory
 * that another conversation took, a proxy that chose a smaller model for once. It is believed where it comes again.
 */
import { AGENT_LIMITS } from '../../limits.ts';
import type { KnownWindows } from './known-windows.ts';

export type Refused = {
  model: string;
  /** The `attempt`th refusal of one prompt. */
  attempt: number;
  tokens: number;
  /** What the window is known to hold. */
  known: number | undefined;
  /** The largest prompt that was answered. */
  read: number;
};

export class DoubtedRefusals {
  readonly #windows: Pick<KnownWindows, 'doubt' | 'setDoubt'>;
  /** Less is sent for the message that is being answered. */
  #isOpen = false;

  constructor(windows: Pick<KnownWindows, 'doubt' | 'setDoubt'>) {
    this.#windows = windows;
  }

  /**
   * What to do about it: the same prompt once more, where it is the first of its kind; then half of it, and again half; or
   * it is taken for what it says.
   */
  judge({ model, attempt, tokens, known, read }: Refused): 'same' | 'half' | 'believe' {
    if (attempt === 1) this.#isOpen = false;
    const { times = 0 } = this.#windows.doubt(model) ?? {};
    if (!this.#isOpen && times >= AGENT_LIMITS.refusalsDoubted) return 'believe';
    const isFarBelow = known !== undefined && tokens <= known * AGENT_LIMITS.refusalDoubtedShare;
    if (!isFarBelow && (read === 0 || tokens > read)) return 'believe';
    if (attempt === 1 && times === 0) return 'same';
    if (!this.#isOpen) this.#windows.setDoubt(model, { times: times + 1, refused: tokens });
    this.#isOpen = true;
    return 'half';
  }

  /** A prompt of so many tokens was answered. */
  answered(model: string, tokens: number): void {
    this.#isOpen = false;
    const doubt = this.#windows.doubt(model);
    if (doubt && tokens >= doubt.refused) this.#windows.setDoubt(model, undefined);
  }
}
