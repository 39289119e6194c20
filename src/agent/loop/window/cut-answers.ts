/** Answers that a limit ended: by the end of the window, which shows how large it is, or by a limit of the person. */

import type { ModelMessage, Usage } from '../../../core/message.ts';
import type { ModelError } from '../../../core/model-port.ts';
import type { CompactionPlan } from '../../../core/window/compaction.ts';
import { isRoundWindow } from '../../../core/window.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { leastAnswer } from './plan-facts.ts';
import type { Overflowed, WindowPorts } from './window-ports.ts';
import { endedFullText, noRoomFor } from './window-texts.ts';

/** What is known of an answer that a limit ended. */
export type CutAnswer = {
  usage: Usage | undefined;
  /** The person's own limit. A server may have one of its own, of which nobody knows. */
  maxTokens: number | undefined;
};

export class CutAnswers {
  readonly #ports: WindowPorts;
  #isTold = false;

  constructor(ports: WindowPorts) {
    this.#ports = ports;
  }

  /** An answer ended by a limit before a word of it. The prompt is made shorter where the window is what was full. */
  async unanswered(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    { usage, maxTokens }: CutAnswer,
  ): Promise<Overflowed> {
    const shown = this.#fullBy(session, messages, { usage, maxTokens });
    if (shown === undefined) return 'no';
    this.#noteFull(session, messages, shown);
    if (this.#ports.isOutgrown(session, shown)) return 'outgrown';
    if (this.#ports.isOff) return 'no';
    const accepts = (plan: CompactionPlan): boolean => plan.after + leastAnswer(shown) <= shown;
    const done = await this.#ports.makeRoom(session, messages, shown, { isForced: true, accepts });
    return done === undefined ? 'no' : 'again';
  }

  /** An answer broke off where a larger prompt was tried: it is asked for again, with the room that is known. */
  async triedInVain(session: SessionHandle, messages: readonly ModelMessage[], cut: CutAnswer): Promise<Overflowed> {
    const shown = this.#ports.windows.isTrying ? this.#fullBy(session, messages, cut) : undefined;
    if (shown === undefined) return 'no';
    this.#noteFull(session, messages, shown);
    const known = this.#ports.windows.get(session.state().model) ?? shown;
    return (await this.#ports.makeRoom(session, messages, known, { isForced: true })) === undefined ? 'no' : 'again';
  }

  /** Why there is no answer, where the window was full before its first word. */
  noRoomError(session: SessionHandle, messages: readonly ModelMessage[], cut: CutAnswer): ModelError | undefined {
    const shown = this.#fullBy(session, messages, cut);
    return shown === undefined
      ? undefined
      : noRoomFor(this.#ports.sizes.shape(session, messages), session.state().model, shown);
  }

  /** An answer was cut in its middle. True: by the end of the window, which is known from then on. */
  endedFull(session: SessionHandle, messages: readonly ModelMessage[], cut: CutAnswer): boolean {
    // A few words may be all that the server allows. Where the window is what ended them, the next answer has no room.
    const shown = this.#fullBy(session, messages, cut, 0);
    if (shown !== undefined) this.#noteFull(session, messages, shown);
    return shown !== undefined;
  }

  /** The size of the window, where prompt and answer filled it. An answer of fewer tokens than `none` had no room. */
  #fullBy(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    { usage, maxTokens = Number.POSITIVE_INFINITY }: CutAnswer,
    none: number = AGENT_LIMITS.answerNoneTokens,
  ): number | undefined {
    if (usage === undefined || usage.completion_tokens >= maxTokens) return undefined;
    const { model } = session.state();
    const { prompt_tokens, completion_tokens } = usage;
    const known = this.#ports.windows.get(model);
    const total = prompt_tokens + completion_tokens;
    if (known !== undefined && total >= known * AGENT_LIMITS.windowFullShare) return Math.min(known, total);
    // What the person gave stays: another limit ended it.
    if (this.#ports.windows.isGiven(model)) return undefined;
    // A server that counts only what is new says nothing of the window.
    if (prompt_tokens < this.#ports.sizes.tokens(model, messages) / 2) return undefined;
    return completion_tokens < none || isRoundWindow(total) ? total : undefined;
  }

  #noteFull(session: SessionHandle, messages: readonly ModelMessage[], shown: number): void {
    const { model } = session.state();
    const known = this.#ports.windows.get(model);
    if (known !== undefined && shown >= known * AGENT_LIMITS.windowFullShare) {
      this.#ports.windows.triedInVain(model);
      return;
    }
    this.#ports.windows.guess(model, shown, Math.max(shown, this.#ports.sizes.tokens(model, messages)));
    if (this.#isTold) return;
    this.#isTold = true;
    session.progress({ type: 'warning', code: 'window_guessed', message: endedFullText(shown) });
  }
}
