import { LIMITS } from '../../../core/limits.ts';
import type { ModelMessage } from '../../../core/message.ts';

/** Where a prompt could not be made smaller, it is not tried again within the turn before there is more to drop. */
export class HopelessTurn {
  #turn: ModelMessage | undefined;
  #below = 0;

  /** `head`: tokens of the instructions and tools. With so much more behind them there may be enough to drop. */
  note(messages: readonly ModelMessage[], tokens: number, head: number): void {
    this.#turn = messages.findLast(isFromPerson);
    this.#below = tokens + (tokens - head) * LIMITS.compactionFreedShareMin;
  }

  is(messages: readonly ModelMessage[], tokens: number): boolean {
    return this.#turn === messages.findLast(isFromPerson) && tokens <= this.#below;
  }

  forget(): void {
    this.#turn = undefined;
    this.#below = 0;
  }
}

const isFromPerson = ({ role }: ModelMessage): boolean => role === 'user';
