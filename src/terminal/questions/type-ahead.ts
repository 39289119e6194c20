/**
 * People type their next message while a run goes on, and a question may come up in the middle of a word. So letters before
 * the question takes keys go to the message, and so do pastes, letters that mean nothing to the question, and an answering
 * key that a letter follows at once. An answering key alone, before the question takes keys or as it goes, stands in the
 * prompt: Enter sends it like any text, and what is typed after a pause takes its place, for then it was meant as an answer.
 * While a message stands in the prompt, every letter and every key that edits goes to it and the waits are longer: only a digit
 * that stands alone answers, and Enter says so. A digit that came too early goes from the message again where it is pressed
 * once more and answers; one that follows a letter at once is of the message.
 */
import { TERMINAL_LIMITS } from '../limits.ts';
import { isTyped } from '../typed-line.ts';
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
  /** Says that Enter sends no message now. */
  answerFirst(now: number): void;
};

export const ANSWER_FIRST = 'Answer first; your text stays.';

/** Of a terminal that tells pastes from keys. */
const PASTE = '\x1b[200~';
const isDigit = (data: string): boolean => /^\d$/.test(data);

type TypeAheadHost = Pick<
  QuestionsHost,
  'now' | 'type' | 'takeBack' | 'erase' | 'isWriting' | 'after' | 'armed' | 'keyFor'
>;
type Held = { data: string; isDrafted: boolean; release: () => void; take: (data: string) => Promise<void> };

export class TypeAhead {
  readonly #host: TypeAheadHost;
  /** A key that answers if no letter follows it. */
  #held: Held | undefined;
  /** An answering key that came too early or too late, alone in the prompt: nobody knows yet what it was meant for. */
  #stray: { text: string; at: number } | undefined;
  /** So many digits before the cursor came over a message too early, behind a pause: they may have been answers. */
  #strayDigits = 0;
  #lastKeyAt = Number.NEGATIVE_INFINITY;

  constructor(host: TypeAheadHost) {
    this.#host = host;
  }

  /** Hands on to `take` what is meant for the question, in its order. */
  async key(question: TypedOver, data: string, take: (data: string) => Promise<void>): Promise<void> {
    const held = this.#release();
    const { digits, isPaused } = this.#follow();
    if (!question.isWriting && this.#isForMessage(data)) return this.#edit(question, held?.data ?? '', data);
    const isLetter = isTyped(data) && !question.isWriting;
    const isArmed = question.isArmed(this.#host.now());
    // A message of one sign and its Enter, over which a question came up.
    if (!isLetter && !isArmed && this.#isFresh) this.#stray = undefined;
    const stray = isLetter ? this.#freshStray() : undefined;
    const isDrafted = stray === undefined && this.#host.isWriting();
    const meaning = isLetter ? this.#meaning(question, data, isDrafted) : 'other';
    if (isLetter && (held || stray || meaning === 'none' || !isArmed)) {
      this.#early(held?.data ?? '', data, meaning, stray);
      if (isDrafted && meaning === 'answer' && !held && (isPaused || digits > 0)) this.#strayDigits = digits + 1;
      question.wait(this.quietFrom());
      this.#host.armed();
      return;
    }
    // Over a message a digit answers only where no other key follows it at once.
    if (held?.isDrafted) this.#host.type(held.data);
    else if (held) await held.take(held.data);
    if (!isLetter && !question.isWriting && this.#host.isWriting() && this.#host.keyFor(data) === 'send') {
      question.answerFirst(this.#host.now());
      return this.#host.armed();
    }
    if (meaning === 'answer') this.#hold(data, take, isDrafted, digits);
    else await take(data);
  }

  /** A key comes: what stood before it, and whether it comes behind a pause. */
  #follow(): { digits: number; isPaused: boolean } {
    const now = this.#host.now();
    const before = { digits: this.#strayDigits, isPaused: now - this.#lastKeyAt >= TERMINAL_LIMITS.questionStrayMs };
    this.#strayDigits = 0;
    this.#lastKeyAt = now;
    return before;
  }

  /** A paste, or a key that edits. What only moves the cursor, and a new line, is for the message where there is one. */
  #isForMessage(data: string): boolean {
    if (data.startsWith(PASTE)) return true;
    if (isTyped(data)) return false;
    const use = this.#host.keyFor(data);
    return use === 'edit' || (use === 'move' && this.#host.isWriting());
  }

  #edit(question: TypedOver, before: string, data: string): void {
    this.#stray = undefined;
    if (before !== '') this.#host.type(before);
    this.#host.type(data);
    question.wait(this.quietFrom());
    this.#host.armed();
  }

  /** A message stands in the prompt; a key that was meant as an answer is none. */
  get isDrafted(): boolean {
    return this.#stray === undefined && this.#host.isWriting();
  }

  /** From when on a question may count the time without a key. */
  quietFrom(): number {
    return this.#host.now() + (this.isDrafted ? TERMINAL_LIMITS.questionDraftMs : 0);
  }

  #meaning(question: TypedOver, letter: string, isDrafted: boolean): KeyMeaning {
    const meaning = question.meaningOf(letter);
    if (!isDrafted || meaning === 'none') return meaning;
    return isDigit(letter) ? 'answer' : 'none';
  }

  /** True for a key that came for a question which takes no more keys, or none yet; all else is for the prompt. */
  takesStray(data: string, meaning: KeyMeaning): boolean {
    const held = this.#release();
    this.#follow();
    if (!isTyped(data)) {
      this.#stray = undefined;
      if (data.startsWith(PASTE)) this.#host.type(data);
      return data.startsWith(PASTE);
    }
    this.#early(held?.data ?? '', data, meaning, this.#freshStray());
    return true;
  }

  /** A key for the prompt: with it, what stands there is a message, or had been meant for the question. */
  follows(data: string): void {
    const held = this.#release();
    this.#follow();
    if (isTyped(data)) this.#freshStray();
    this.#stray = undefined;
    if (held && isTyped(data)) this.#host.type(held.data);
  }

  #early(before: string, data: string, meaning: KeyMeaning, stray: string | undefined): void {
    const isAlone = stray !== undefined || !this.#host.isWriting();
    const text = (stray ?? '') + before + data;
    this.#host.type(before + data);
    const isAnswer = meaning !== 'none' && data.trim() !== '' && [...text].every((key) => key === data);
    this.#stray = isAlone && isAnswer ? { text, at: this.#host.now() } : undefined;
  }

  get #isFresh(): boolean {
    return this.#stray !== undefined && this.#host.now() - this.#stray.at < TERMINAL_LIMITS.questionStrayMs;
  }

  /** A letter comes: what it follows at once is of the same message, what stood there for a while was none. */
  #freshStray(): string | undefined {
    const stray = this.#stray;
    if (stray === undefined || this.#isFresh) return stray?.text;
    this.#stray = undefined;
    this.#host.takeBack(stray.text);
    return undefined;
  }

  #release(): Held | undefined {
    const held = this.#held;
    this.#held = undefined;
    held?.release();
    return held;
  }

  /** `digits`: so many before the cursor were pressed for this answer already. */
  #hold(data: string, take: (data: string) => Promise<void>, isDrafted: boolean, digits: number): void {
    const { questionSettleMs, questionDraftSettleMs } = TERMINAL_LIMITS;
    const release = this.#host.after(isDrafted ? questionDraftSettleMs : questionSettleMs, () => {
      this.#held = undefined;
      // The same key alone in the prompt was meant for this question, however long before it came.
      if (isDrafted) this.#host.takeBack(data);
      this.#host.erase(digits);
      void take(data);
    });
    this.#held = { data, isDrafted, release, take };
  }
}
