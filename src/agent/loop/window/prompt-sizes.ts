/** Sizes of prompts: what they take in tokens, what stands before every message, and how much has to stay free. */

import type { ModelMessage } from '../../../core/message.ts';
import { answerReserve, type PromptMeter, type PromptSize } from '../../../core/window.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import type { ToolRegistry } from '../run-tool/tool-registry.ts';
import { largestTurn } from './plan-facts.ts';
import type { PromptShape } from './window-texts.ts';

export type PromptSizesOptions = {
  meter: PromptMeter;
  registry: ToolRegistry;
  /** The largest answer so far, in tokens. */
  largestAnswer(): number;
  /** Nothing is left out but on the person's word. */
  isOff: boolean;
};

export class PromptSizes {
  readonly #options: PromptSizesOptions;

  constructor(options: PromptSizesOptions) {
    this.#options = options;
  }

  /** Tokens of a prompt, about, with its tools. */
  tokens(model: string, messages: readonly ModelMessage[]): number {
    return this.#options.meter.size(model, messages).tokens;
  }

  /** Tokens of what stands before every message: the instructions and the tools. */
  head(model: string, messages: readonly ModelMessage[]): number {
    return this.tokens(model, messages.slice(0, messages[0]?.role === 'system' ? 1 : 0));
  }

  /** Tokens of messages without the tools that stand before every prompt. */
  grown(session: SessionHandle, messages: readonly ModelMessage[]): number {
    const { model } = session.state();
    return this.tokens(model, messages) - this.tokens(model, []);
  }

  /** The largest of the last turns. */
  turn(session: SessionHandle, messages: readonly ModelMessage[]): number {
    return largestTurn(messages, (some) => this.grown(session, some));
  }

  /** What no compaction can do without: instructions, tools and what the person has just written. */
  least(session: SessionHandle, messages: readonly ModelMessage[]): number {
    const { head, message } = this.shape(session, messages);
    return head + message;
  }

  shape(session: SessionHandle, messages: readonly ModelMessage[]): PromptShape {
    const { model } = session.state();
    return {
      tokens: this.tokens(model, messages),
      head: this.head(model, messages),
      message: this.#written(session),
      tools: this.#options.registry.schemas.length,
      isOff: this.#options.isOff,
    };
  }

  /** Room for an answer as large as the largest one so far, and more. */
  answer(contextTokens: number): number {
    const wanted = Math.max(2 * this.#options.largestAnswer(), Math.floor(contextTokens / 16));
    return Math.min(answerReserve(contextTokens), wanted);
  }

  /** What the last message takes beyond what messages take mostly: it is not to stand where what was said before stands. */
  beyondUsual(session: SessionHandle, contextTokens: number): number {
    return Math.max(0, this.#written(session) - contextTokens * AGENT_LIMITS.messageUsualShare);
  }

  /** Between two messages so much is free at least. */
  betweenTurns(contextTokens: number): number {
    return Math.max(this.answer(contextTokens), Math.min(answerReserve(contextTokens), Math.floor(contextTokens / 8)));
  }

  /** What a prompt may take with all that is being worked with: the answer has room, and a little for a next call. */
  besideWork(messages: readonly ModelMessage[], contextTokens: number): number {
    const isWithin = messages.at(-1)?.role !== 'user';
    const free = isWithin
      ? this.answer(contextTokens) + contextTokens * AGENT_LIMITS.callRoomShare
      : this.betweenTurns(contextTokens);
    return (contextTokens - free) * AGENT_LIMITS.compactionMeasureShare;
  }

  /**
   * Below this nothing has to be done. Between two messages there has to be room for a turn like the last ones; within a
   * turn for the next answer, and after an edit for the end of that answer alone.
   */
  roomFor(session: SessionHandle, messages: readonly ModelMessage[], size: PromptSize, contextTokens: number): number {
    // An estimate that no count has confirmed may be far off.
    if (!size.calibrated) return contextTokens - answerReserve(contextTokens);
    const answer = this.answer(contextTokens);
    if (messages.at(-1)?.role !== 'user') {
      const isEdited = this.#lastRoundWrites(messages);
      return contextTokens - (isEdited ? Math.min(answer, AGENT_LIMITS.answerTokensMin) : answer);
    }
    const turn = Math.min(this.turn(session, messages) * AGENT_LIMITS.turnRoomShare, contextTokens / 3);
    return contextTokens - Math.max(this.betweenTurns(contextTokens), turn + answer);
  }

  /** The last message as it was written: what stands for older turns and describes tools beside it is no part of it. */
  #written(session: SessionHandle): number {
    const last = session.path().findLast(({ type }) => type === 'user_message_added');
    return last?.type === 'user_message_added' ? this.grown(session, [{ role: 'user', content: last.content }]) : 0;
  }

  #lastRoundWrites(messages: readonly ModelMessage[]): boolean {
    const last = messages.findLast(({ role }) => role === 'assistant');
    if (last?.role !== 'assistant') return false;
    return last.tool_calls.some(({ name }) => this.#options.registry.get(name)?.effects === 'write');
  }
}
