/**
 * Text from a model, a tool, a file name or a server may hold bytes that steer a terminal, characters that turn the
 * reading order round, and characters nobody can see. Taking them away is not enough (what is left can form a new
 * sequence, and the person would not know), so every one of them is shown as `\u{1B}`. The check is by character and
 * not by sequence, so a payload cut in pieces meets the same answer.
 */

import { escapeCharacter, UNSEEN_CLASS } from '../core/invisible.ts';

/** Anything that needs the slow path: the unsafe ones and marks, which need a base and a bound. */
const ATTENTION = new RegExp(`[[${UNSEEN_CLASS}\\p{M}]--[\\n]]`, 'v');
const UNSAFE = new RegExp(`[${UNSEEN_CLASS}]`, 'v');
const UNSAFE_IN_TEXT = new RegExp(`[[${UNSEEN_CLASS}]--[\\n]]`, 'v');
const MARK = /^\p{M}$/u;
const EMOJI = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}]$/u;
/**
 * Zero-width joiner and non-joiner. They belong between emoji, and between letters of scripts that join their letters;
 * anywhere else they are invisible characters like any other.
 */
/** No character before it is one, or joins others. */
const FIRST_EMOJI = 0xa9;
const JOINER = '\u200d';
const NON_JOINER = '\u200c';
const JOINING =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]$/u;
/** A font may draw private and unassigned characters as anything, a letter of the alphabet too. */
const ODD = /^[\p{Zs}\p{Co}\p{Cn}]$/u;
const PLAIN = /^[\n\x20-\x7e]*$/;
/** What is shown as it is in every mode: most names and lines are such, and many are drawn again with every frame. */
const PLAIN_LINE = /^[\x20-\x7e]*$/;
/** Says only "in colour" or "as text" of the character before it. */
const COLOUR_SELECTOR = '\ufe0f';
const SELECTOR = /^[\ufe0e\ufe0f]$/;
/** A digit in a key: `1`, the selector, and the mark of a key round both. */
const KEY_MARK = '\u20e3';
const KEY_BASE = /[0-9#*]$/;
const TAB_STOP = 4;
/** No script needs more marks on one letter; more would paint over the lines around it. */
const MARKS_ON_ONE_LETTER = 6;

export type SanitizerMode =
  /** Prose and output: line feeds stay, tabs become spaces, an emoji's own presentation selector is left out. */
  | 'text'
  /** Names, arguments, commands: one line, nothing left out; odd spaces and what has no shape of its own are shown too. */
  | 'exact';

/** True when a string holds a character that must not reach the terminal. Line feeds are the caller's business. */
export const isUnsafe = (text: string): boolean => UNSAFE_IN_TEXT.test(text);

/** One per stream: a pair of surrogates, CR LF or a mark and its letter may come in two pieces. */
export class Sanitizer {
  readonly #mode: SanitizerMode;
  #held = '';
  #column = 0;
  #marks = 0;
  #base = false;
  #emoji = false;
  #joins = false;
  #key = false;
  /** A joiner, or the selector of a key, after what it may stand behind; the next character decides about it. */
  #joiner = '';

  constructor(mode: SanitizerMode = 'text') {
    this.#mode = mode;
  }

  push(chunk: string): string {
    const text = this.#held === '' ? chunk : this.#held + chunk;
    this.#held = '';
    if (text === '') return '';
    const last = text.charCodeAt(text.length - 1);
    const holds = (last >= 0xd800 && last <= 0xdbff) || (last === 13 && this.#mode === 'text');
    if (holds) this.#held = text.slice(-1);
    return this.#clean(holds ? text.slice(0, -1) : text);
  }

  /** What was held back for the next piece that will not come. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return (held === '' ? '' : this.#write(held)) + this.#refuseJoiner();
  }

  #clean(piece: string): string {
    const text = this.#mode === 'text' && piece.includes('\r') ? piece.replaceAll('\r\n', '\n') : piece;
    if (this.#mode === 'text' && this.#joiner === '' && (PLAIN.test(text) || !ATTENTION.test(text))) {
      this.#remember(text);
      return text;
    }
    let out = '';
    let plainFrom = 0;
    for (let index = 0; index < text.length; ) {
      const code = text.codePointAt(index)!;
      if (code >= 0x20 && code < 0x7f) {
        index += 1;
        continue;
      }
      const plain = text.slice(plainFrom, index);
      if (plain !== '') out += this.#refuseJoiner();
      this.#remember(plain);
      out += plain + this.#write(String.fromCodePoint(code));
      index += code > 0xffff ? 2 : 1;
      plainFrom = index;
    }
    const rest = text.slice(plainFrom);
    if (rest !== '') out += this.#refuseJoiner();
    this.#remember(rest);
    return out + rest;
  }

  /** Keeps the column, and whether a letter stands before the next mark, for text that passed as it is. */
  #remember(text: string): void {
    if (text === '') return;
    const lineFeed = text.lastIndexOf('\n');
    this.#column = lineFeed < 0 ? this.#column + text.length : text.length - lineFeed - 1;
    this.#marks = 0;
    this.#base = this.#column > 0;
    this.#key = KEY_BASE.test(text);
    if (text.charCodeAt(text.length - 1) < FIRST_EMOJI) {
      this.#emoji = false;
      this.#joins = false;
      return;
    }
    const last = String.fromCodePoint(text.codePointAt(text.length - (endsWithPair(text) ? 2 : 1)) ?? 0);
    this.#emoji = EMOJI.test(last);
    this.#joins = JOINING.test(last);
  }

  /** A joiner that nothing follows which it could join. */
  #refuseJoiner(): string {
    const joiner = this.#joiner;
    this.#joiner = '';
    return joiner === '' ? '' : escapeCharacter(joiner);
  }

  #write(character: string): string {
    const joiner = this.#joiner;
    this.#joiner = '';
    if (joiner === '') return this.#writeOne(character);
    if (joiner === COLOUR_SELECTOR)
      return (character === KEY_MARK ? '' : this.#keep(escapeCharacter(joiner))) + this.#writeOne(character);
    const isJoined = joiner === JOINER && this.#emoji ? EMOJI.test(character) : JOINING.test(character);
    // What is shown in its place is no letter that the next character could join.
    return (isJoined ? joiner : this.#keep(escapeCharacter(joiner))) + this.#writeOne(character);
  }

  #writeOne(character: string): string {
    if (this.#mode === 'text') {
      if (character === '\n') {
        this.#remember('\n');
        return '\n';
      }
      if (character === '\t') return this.#keep(' '.repeat(TAB_STOP - (this.#column % TAB_STOP)));
      // The character before it is shown as it is; this is the one thing left out.
      if (SELECTOR.test(character) && this.#emoji) return '';
      if (character === COLOUR_SELECTOR && this.#key) {
        this.#joiner = character;
        return '';
      }
      const mayJoin = this.#joins || (this.#emoji && character === JOINER);
      if ((character === JOINER || character === NON_JOINER) && mayJoin) {
        this.#joiner = character;
        return '';
      }
    }
    if (UNSAFE.test(character)) return this.#keep(escapeCharacter(character));
    if (this.#mode === 'exact' && character !== ' ' && ODD.test(character)) {
      return this.#keep(escapeCharacter(character));
    }
    if (MARK.test(character)) {
      this.#marks += 1;
      // A mark stands with its letter, which may go on to be joined.
      if (JOINING.test(character)) this.#joins = true;
      return this.#base && this.#marks <= MARKS_ON_ONE_LETTER ? character : escapeCharacter(character);
    }
    return this.#keep(character);
  }

  #keep(text: string): string {
    this.#remember(text);
    return text;
  }
}

const endsWithPair = (text: string): boolean => {
  const last = text.charCodeAt(text.length - 1);
  return text.length > 1 && last >= 0xdc00 && last <= 0xdfff;
};

/** Prose or output that is there as a whole. */
export const sanitizeText = (text: string): string => {
  if (PLAIN.test(text)) return text;
  const sanitizer = new Sanitizer('text');
  return sanitizer.push(text) + sanitizer.end();
};

/** A name, a path, a command: one line in which every character that matters can be seen. */
export const sanitizeLine = (text: string): string => {
  if (PLAIN_LINE.test(text)) return text;
  const sanitizer = new Sanitizer('exact');
  return sanitizer.push(text) + sanitizer.end();
};

/** A title, a task, a message that waits: prose on one line, with joined emoji as they are. */
export const sanitizeTitle = (text: string): string =>
  sanitizeText(text)
    .trimEnd()
    .split('\n')
    .map((line, index) => (index === 0 ? line.trimEnd() : line.trim()))
    .filter((line, index) => index === 0 || line !== '')
    .join(' ');
