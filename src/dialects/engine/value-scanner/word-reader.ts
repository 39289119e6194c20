/** A word outside strings, up to where it ends: a number, a literal, a key or a text without quotes. */
import { DIALECT_LIMITS } from '../../../core/limits/dialect-limits.ts';
import type { State } from '../scanner.ts';
import { endsWord } from './literals.ts';

export type WordHost = {
  enter(state: State): void;
  giveUp(): void;
  /** The word may hold blanks and more. */
  readonly isText: boolean;
  wordOver(word: string): void;
  /** A quote stands behind what may be the prefix of a string; returns how far it was read. */
  openPrefixed(prefix: string, quote: string, at: number): number;
};

const STRING_PREFIX = /^(?:r|b|u|f|rb|br|rf|fr)$/i;

export class WordReader {
  readonly #host: WordHost;
  #word = '';

  constructor(host: WordHost) {
    this.#host = host;
  }

  /** At the word's first character. */
  begin(): void {
    this.#word = '';
    this.#host.enter(this.#inside);
  }

  /** The text ends in this state. */
  endsIn(state: State): boolean {
    return state === this.#inside;
  }

  /** The word is over because the text is. */
  end(): void {
    this.#host.wordOver(this.#word.trim());
  }

  readonly #inside: State = (text, at, end) => {
    const from = at;
    const mayHoldBlanks = this.#host.isText;
    while (at < end && !endsWord(text.charCodeAt(at), mayHoldBlanks)) at++;
    this.#word += text.slice(from, at);
    if (this.#word.length > DIALECT_LIMITS.wordCharacters) this.#host.giveUp();
    else if (at < end) {
      const char = text[at] as string;
      if ((char === '"' || char === "'") && STRING_PREFIX.test(this.#word)) {
        return this.#host.openPrefixed(this.#word, char, at);
      }
      this.end();
    }
    return at;
  };
}
