/** What the server counted of the prompts that it read, and what that shows of its window. */

import type { ModelMessage, Usage } from '../../../core/message.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { isCutBeyondDoubt } from '../../../core/window/cut-evidence.ts';
import { isRoundWindow, type PromptMeter } from '../../../core/window.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import type { DoubtedRefusals } from './doubted-refusals.ts';
import type { KnownWindows } from './known-windows.ts';
import type { ReadPrompts } from './window-ports.ts';
import { cutText, takenBackText } from './window-texts.ts';

export type ServerCountsOptions = {
  meter: PromptMeter;
  windows: KnownWindows;
  doubted: DoubtedRefusals;
  schemas: readonly ToolSchema[];
  /** Nothing is left out but on the person's word. */
  isOff: boolean;
};

export class ServerCounts {
  readonly #options: ServerCountsOptions;
  /** Of the prompts that were answered. */
  readonly read: ReadPrompts = { largest: 0, largestCounted: 0, largestWhole: 0 };
  /** Of answers, in tokens. */
  largestAnswer = 0;
  #lastRead: { model: string; tokens: number } | undefined;
  #isCutTold = false;
  /** What was counted when a prompt looked cut, and that was not beyond doubt. */
  #doubted: number | undefined;

  constructor(options: ServerCountsOptions) {
    this.#options = options;
  }

  /** Tokens of a prompt that goes out now, and how many of them the server has read in the one before. */
  expect(model: string, messages: readonly ModelMessage[]): { tokens: number; known: number } {
    const known = this.#lastRead?.model === model ? this.#lastRead.tokens : 0;
    return { tokens: this.#options.meter.size(model, messages).tokens, known };
  }

  /** The next prompt begins otherwise. */
  forgetLast(): void {
    this.#lastRead = undefined;
    this.#options.meter.restarted();
  }

  /** The same as `counted` for a count that the log of an earlier run holds. */
  remember(model: string, messages: readonly ModelMessage[], usage: Usage): void {
    this.read.largestCounted = Math.max(this.read.largestCounted, usage.prompt_tokens);
    const isCut = this.#options.meter.counted(model, messages, usage);
    this.#doubted = isCut ? usage.prompt_tokens : undefined;
  }

  /**
   * Notes what the server counted. True: it must have cut the prompt, which is said, and what it read is taken as the
   * window from now on.
   */
  counted(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    usage: Usage,
    sent: readonly ToolSchema[] = this.#options.schemas,
  ): boolean {
    const { model } = session.state();
    const { prompt_tokens: read, completion_tokens: written } = usage;
    const { meter, windows } = this.#options;
    this.#lastRead = { model, tokens: read };
    this.largestAnswer = Math.max(this.largestAnswer, written);
    const { tokens } = meter.size(model, messages);
    const isCut = meter.counted(model, messages, usage, { sent, told: windows.told(model)?.told });
    this.read.largestCounted = Math.max(this.read.largestCounted, read);
    if (isCut && this.#isBeyondDoubt(model, tokens, read)) return this.#learnFromCut(session, tokens, read);
    // Of a doubtful count neither is known.
    if (isCut) return false;
    this.#doubted = undefined;
    this.#readWhole(session, tokens, read);
    return false;
  }

  #isBeyondDoubt(model: string, tokens: number, read: number): boolean {
    const { meter, windows } = this.#options;
    const { told } = windows.told(model) ?? {};
    const before = this.#doubted;
    this.#doubted = read;
    return isCutBeyondDoubt({
      read,
      expected: tokens,
      isRound: isRoundWindow(read),
      isImpossible: meter.isImpossible,
      isStalled: meter.isStalled,
      told,
      whole: this.read.largestWhole,
      before,
    });
  }

  #readWhole(session: SessionHandle, tokens: number, read: number): void {
    const { model } = session.state();
    const { windows, doubted } = this.#options;
    doubted.answered(model, tokens);
    this.read.largest = Math.max(this.read.largest, tokens);
    this.read.largestWhole = Math.max(this.read.largestWhole, read);
    const known = windows.get(model) ?? 0;
    if (!windows.isUncertain(model) || read <= known || !windows.grow(model, read)) return;
    this.#isCutTold = false;
    const message = takenBackText(read, known, windows.get(model));
    session.progress({ type: 'warning', code: 'window_taken_back', message });
  }

  #learnFromCut(session: SessionHandle, tokens: number, read: number): boolean {
    const { model } = session.state();
    const { windows, meter, isOff } = this.#options;
    // What is cut now cannot have been read whole before; a smaller prompt can.
    if (tokens <= this.read.largestWhole) this.read.largestWhole = 0;
    const shown = Math.max(read, this.read.largestWhole);
    const isKnown = windows.get(model) === shown;
    const isTry = windows.isTrying;
    if (isKnown && this.#isCutTold && !isTry) return false;
    // A smaller count may be of a server that counts in its own way.
    const least = meter.isStalled ? AGENT_LIMITS.windowStalledTokensMin : AGENT_LIMITS.windowObservedTokensMin;
    const isWindow = read >= least;
    if (!this.#isCutTold || (isWindow && !isTry)) {
      const message = cutText(read, tokens, { window: isWindow ? shown : undefined, isOff });
      session.progress({ type: 'warning', code: 'prompt_truncated', message });
    }
    this.#isCutTold = true;
    if (!isWindow || (isKnown && !isTry)) return false;
    windows.learn(model, shown, tokens);
    return true;
  }
}
