/**
 * People type their next message while a run goes on, and a question may come up in the middle of a word. So letters before
 * the question takes keys go to the message, and so do pastes, letters that mean nothing to the question, and an answering
 * key that a letter follows at once. An answering key alone, before the question takes keys or as it goes, is no text.
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

type TypeAheadHost = Pick<QuestionsHost, 'now' | 'type' | 'isWriting' | 'after' | 'armed'>;
/** `take` is absent for a key that came too early or too late: it answers nothing. */
type Held = { data: string; release: () => void; take?: ((data: string) => Promise<void>) | undefined };

export class TypeAhead {
  readonly #host: TypeAheadHost;
  /** A key that answers, or goes, if no letter follows it. */
  #held: Held | undefined;

  constructor(host: TypeAheadHost) {
    this.#host = host;
  }

  /** Hands on to `take` what is meant for the question, in its order. */
  async key(question: TypedOver, data: string, take: (data: string) => Promise<void>): Promise<void> {
    const held = this.#release();
    if (data.startsWith(PASTE) && !question.isWriting) return this.#host.type(data);
    const isLetter = isTyped(data) && !question.isWriting;
    const meaning = isLetter ? question.meaningOf(data) : 'other';
    if (isLetter && (held || meaning === 'none' || !question.isArmed(this.#host.now()))) {
      question.wait(this.#host.now());
      this.#early(held, data, meaning);
      this.#host.armed();
      return;
    }
    if (held?.take) await held.take(held.data);
    if (meaning === 'answer') this.#hold(data, TERMINAL_LIMITS.questionSettleMs, take);
    else await take(data);
  }

  /** True for a key that came for a question which takes no more keys, or none yet; all else is for the prompt. */
  takesStray(data: string, meaning: KeyMeaning): boolean {
    const held = this.#release();
    if (!isTyped(data)) return false;
    this.#early(held, data, meaning);
    return true;
  }

  /** A letter follows what was held: both are of a message. */
  follows(data: string): void {
    const held = this.#release();
    if (held && isTyped(data)) this.#host.type(held.data);
  }

  /** A key that answers, pressed alone while nothing is being written, was meant for the question. */
  #early(held: Held | undefined, data: string, meaning: KeyMeaning): void {
    const before = held?.data ?? '';
    const isRepeated = [...before].every((key) => key === data);
    if (meaning === 'none' || data.trim() === '' || !isRepeated || this.#host.isWriting())
      this.#host.type(before + data);
    else this.#hold(before + data, TERMINAL_LIMITS.questionStrayMs);
  }

  #release(): Held | undefined {
    const held = this.#held;
    this.#held = undefined;
    held?.release();
    return held;
  }

  #hold(data: string, ms: number, take?: (data: string) => Promise<void>): void {
    const release = this.#host.after(ms, () => {
      this.#held = undefined;
      void take?.(data);
    });
    this.#held = { data, release, take };
  }
}
