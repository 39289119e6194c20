/** A word outside strings, up to where it ends: a number, a literal, a key or a text without quotes. */
import { DIALECT_LIMITS } from '../../../core/limits/dialect-limits.ts';
import type { State } from '../scanner.ts';
import { endsWord } from './literals.ts';

export type WordHost = {
  enter(state: State): void;
  fail(): void;
  /** The word may hold blanks and more. */
  isText(): boolean;
  over(word: string): void;
  /** A quote stands behind what may be the prefix of a string; how far it was read. */
  quoted(prefix: string, quote: string, at: number): number;
};

export type WordReader = {
  /** At the word's first character. */
  begin(): void;
  /** The text ends in this state. */
  endsIn(state: State): boolean;
  /** The word is over because the text is. */
  end(): void;
};

const STRING_PREFIX = /^(?:r|b|u|f|rb|br|rf|fr)$/i;

export const wordReader = ({ enter, fail, isText, over, quoted }: WordHost): WordReader => {
  let word = '';
  const inside: State = (text, at, end) => {
    const from = at;
    const mayHoldBlanks = isText();
    while (at < end && !endsWord(text.charCodeAt(at), mayHoldBlanks)) at++;
    word += text.slice(from, at);
    if (word.length > DIALECT_LIMITS.wordCharacters) fail();
    else if (at < end) {
      const char = text[at] as string;
      if ((char === '"' || char === "'") && STRING_PREFIX.test(word)) return quoted(word, char, at);
      over(word.trim());
    }
    return at;
  };
  return {
    begin() {
      word = '';
      enter(inside);
    },
    endsIn: (state) => state === inside,
    end: () => over(word.trim()),
  };
};
