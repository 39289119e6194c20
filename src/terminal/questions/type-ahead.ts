/**
 * People type their next message while a run goes on, and a question may come up in the middle of a word. So letters before
 * the question takes keys go to the message, and so do pastes, letters that mean nothing to the question, and an answering
 * key that a letter follows at once.
 */
import { TERMINAL_LIMITS } from '../limits.ts';
import type { QuestionsHost } from './host.ts';

/**
 * `answer`: the key answers, or opens what answers; it counts when no letter follows it. `other`: it counts at once.
 * `none`: it means nothing here.
 */
export type KeyMeaning = 'answer' | 'other' | 'none';

/** What every question says of itself. */
export type TypedOver = {
  isArmed(now: number): boolean;
  /** A text is being written into the question. */
  readonly isWriting: boolean;
  /** Of a letter, while nothing is being written. */
  meaningOf(letter: string): KeyMeaning;
  /** A message is being typed: nothing of it is an answer. */
  wait(now: number): void;
};

/** Of a terminal that tells pastes from keys. */
const PASTE = '\x1b[200~';
/** Characters that a message can hold; no key such as an arrow, Enter or Esc. */
const isTyped = (data: string): boolean => !/[\p{Cc}]/u.test(data);

export class TypeAhead {
  readonly #host: Pick<QuestionsHost, 'now' | 'type' | 'after' | 'armed'>;
  /** A key that answers if no letter follows it. */
  #held: { data: string; release: () => void } | undefined;

  constructor(host: Pick<QuestionsHost, 'now' | 'type' | 'after' | 'armed'>) {
    this.#host = host;
  }

  /** Hands on to `take` what is meant for the question, in its order. */
  async key(question: TypedOver, data: string, take: (data: string) => Promise<void>): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    held?.release();
    if (data.startsWith(PASTE) && !question.isWriting) return this.#host.type(data);
    const isLetter = isTyped(data) && !question.isWriting;
    const meaning = isLetter ? question.meaningOf(data) : 'other';
    if (isLetter && (held || meaning === 'none' || !question.isArmed(this.#host.now()))) {
      question.wait(this.#host.now());
      this.#host.type(`${held?.data ?? ''}${data}`);
      this.#host.armed();
      return;
    }
    if (held) await take(held.data);
    if (meaning === 'answer') this.#hold(data, take);
    else await take(data);
  }

  #hold(data: string, take: (data: string) => Promise<void>): void {
    const release = this.#host.after(TERMINAL_LIMITS.questionSettleMs, () => {
      this.#held = undefined;
      void take(data);
    });
    this.#held = { data, release };
  }
}
