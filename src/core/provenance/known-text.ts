/** A text of the conversation: what the person wrote, what a file of theirs holds, what a stranger said, what a command printed. */
import type { JsonObject } from '../json.ts';
import type { Reader } from './encodings.ts';
import type { ContentSource } from './origin.ts';
import { lettersOf, TextIndex } from './text-index.ts';
import type { Part } from './values.ts';

/** A shorter value may stand anywhere by chance. */
const LOOSE_CHARACTERS = 10;

export class KnownText {
  readonly source: ContentSource;
  readonly text: string;
  /** Of the call that brought it. */
  readonly arguments: JsonObject;
  readonly #reader: Reader;
  #index: TextIndex | undefined;
  #echoed: string | undefined;

  constructor(source: ContentSource, text: string, reader: Reader, args: JsonObject = {}) {
    this.source = source;
    this.text = text;
    this.arguments = args;
    this.#reader = reader;
  }

  get tool(): string | undefined {
    return this.source.tool;
  }

  /** What is hidden in a text is a stranger's: all others are taken as they stand. */
  index(): TextIndex {
    this.#index ??= new TextIndex(this.source.kind === 'untrusted' ? this.#reader(this.text) : [this.text]);
    return this.#index;
  }

  /** A tool repeats its arguments in its result ("no matches for …"): that is not the word of a file. */
  echoes(letters: string): boolean {
    this.#echoed ??= lettersOf(JSON.stringify(this.arguments));
    return this.#echoed.includes(letters);
  }

  /** Exactly: what only looks like it is not. */
  holds(part: Part): boolean {
    const index = this.index();
    if (part.kind === 'host') return index.holdsHost(part.text);
    if (part.kind === 'email') return index.holdsEmail(part.text);
    if (part.kind === 'number') return index.holdsNumber(Number(part.text));
    if (part.kind === 'id') return index.holdsId(part.text);
    return index.holdsWords(part.text);
  }

  /** Broadly: also inside other words, backwards, turned by thirteen letters and in two pieces, where it is too long for chance. */
  mayHold(part: Part): boolean {
    const index = this.index();
    if (part.kind === 'number') return index.holdsNumber(Number(part.text));
    const letters = lettersOf(part.text);
    if (index.holdsWords(letters)) return true;
    if (letters.length < LOOSE_CHARACTERS) return false;
    const forms = [letters, reversed(letters), rotated(letters)];
    return forms.some((form) => index.holdsLetters(form)) || (part.isBrief === true && index.holdsPieces(letters));
  }
}

const reversed = (text: string): string => [...text].reverse().join('');
const rotated = (text: string): string =>
  text.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97));
