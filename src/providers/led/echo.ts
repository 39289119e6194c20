/**
 * A small model that has nothing to say says it again, or says its own instructions. Words that may become such a passage
 * are held back, so that it ends the answer before it is seen.
 */

/** So many words in the same order are no chance. */
const INSTRUCTION_WORDS = 6;
/** A shorter sentence ("Yes.") may well come twice. */
const REPEATED_WORDS = 3;
/** Words that come so often in one sentence are a loop. */
const LOOP_WORDS = 3;
const LOOP_TIMES = 3;

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const joined = (words: readonly string[]): string => ` ${words.join(' ')} `;

export type Echo = 'repeats itself' | 'repeats its instructions';
export type EchoText = { push(delta: string): void; end(): void; stopped(): boolean; shown(): boolean };

/** What has been said, word by word. */
class Said {
  readonly #instructions: string;
  readonly #sentences: string[] = [];
  #tail: string[] = [];
  #sentence: string[] = [];

  constructor(instructions: string) {
    this.#instructions = joined(wordsIn(instructions));
  }

  /** Takes a word with the marks around it and the blanks before it. */
  add(piece: string): Echo | undefined {
    // A line ends a sentence too.
    if (/^\s*\n/.test(piece) && this.#closesEcho()) return 'repeats itself';
    const words = wordsIn(piece);
    this.#tail = [...this.#tail, ...words].slice(-INSTRUCTION_WORDS);
    this.#sentence.push(...words);
    if (this.#tail.length === INSTRUCTION_WORDS && this.#instructions.includes(joined(this.#tail)))
      return 'repeats its instructions';
    const isEnd = /[.!?:]["'”)]?$/.test(piece);
    return this.#isLoop() || (isEnd && this.#closesEcho()) ? 'repeats itself' : undefined;
  }

  /** At the very end a sentence needs no mark behind it. */
  finish(): Echo | undefined {
    return this.#closesEcho() ? 'repeats itself' : undefined;
  }

  /** The last words may be the beginning of an echo, so they wait for the next one. */
  mayBecomeEcho(): boolean {
    const begun = joined(this.#sentence);
    const opensSentence = this.#sentence.length > 0 && this.#sentences.some((other) => other.startsWith(begun));
    return opensSentence || this.#opensInstructions();
  }

  #opensInstructions(): boolean {
    const most = Math.min(INSTRUCTION_WORDS - 1, this.#tail.length);
    return Array.from({ length: most }, (_, index) => index + 1).some((count) =>
      this.#instructions.includes(joined(this.#tail.slice(-count))),
    );
  }

  #isLoop(): boolean {
    const last = this.#sentence.slice(-LOOP_WORDS);
    const times = joined(this.#sentence).split(joined(last).trimEnd()).length - 1;
    return last.length === LOOP_WORDS && times >= LOOP_TIMES;
  }

  /** Ends the sentence; true where it was said already. */
  #closesEcho(): boolean {
    const sentence = joined(this.#sentence);
    const isEcho = this.#sentence.length >= REPEATED_WORDS && this.#sentences.includes(sentence);
    if (this.#sentence.length > 0) this.#sentences.push(sentence);
    this.#sentence = [];
    return isEcho;
  }
}

/** Hands on whole words; at the first echo nothing more, and `onEcho` is told once. */
export const createEchoText = (
  emit: (delta: string) => void,
  instructions: string,
  onEcho: (echo: Echo, shown: boolean) => void,
): EchoText => {
  const said = new Said(instructions);
  let rest = '';
  let waiting = '';
  let shown = false;
  let stopped = false;
  const release = (): void => {
    if (waiting !== '') {
      emit(waiting);
      shown = true;
    }
    waiting = '';
  };
  const stop = (echo: Echo): void => {
    stopped = true;
    onEcho(echo, shown);
  };
  const take = (piece: string): void => {
    const echo = said.add(piece);
    waiting += piece;
    if (echo !== undefined) stop(echo);
    else if (!said.mayBecomeEcho()) release();
  };
  return {
    push(delta) {
      if (stopped) return;
      rest += delta;
      const pieces = rest.match(/\s*\S+(?=\s)/g) ?? [];
      rest = rest.slice(pieces.join('').length);
      for (const piece of pieces) if (!stopped) take(piece);
    },
    end() {
      if (stopped) return;
      if (rest !== '') take(rest);
      rest = '';
      const echo = stopped ? undefined : said.finish();
      if (echo !== undefined) stop(echo);
      else if (!stopped) release();
    },
    stopped: () => stopped,
    shown: () => shown,
  };
};
