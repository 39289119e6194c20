/**
 * A string in quotes, as JSON, Python or JavaScript writes it. It comes out as the inside of a JSON string. A quote ends
 * it only if what follows could follow a string; else it was meant as text.
 */
import { isSpace, type State } from '../scanner.ts';
import { escapeJson } from '../value-sink.ts';

const QUOTE = 34;
const BACKSLASH = 92;

export const OPENING_QUOTES = '"\'`“‘”’';
const CLOSERS: Readonly<Record<string, string>> = { '“': '”', '‘': '’' };
/** What may follow the last quote of a string. */
const AFTER_STRING = ',:}])=;<"\'`“‘[{#/|';

const SIMPLE_ESCAPES = '"\\/bfnrt';
/** Those that mean the same in Python. */
const COMMON_ESCAPES = '"\\bfnrt';
const PYTHON_ESCAPES: Readonly<Record<string, string>> = { "'": "'", a: '\\u0007', v: '\\u000b', '\n': '' };
const CODE_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const OCTAL_DIGITS = 3;
const HEX = /^[0-9a-fA-F]$/;
const OCTAL = /^[0-7]$/;

export type StringHost = {
  /** Which state comes next. */
  enter(state: State): void;
  /** A piece of the inside of a JSON string. */
  put(json: string): void;
  note(kind: string): void;
  /** The string is over; the next character is no part of it. */
  stringOver(): void;
};

export type StringStyle = {
  python: boolean;
  /** Python's r'…': a backslash is a backslash. */
  raw: boolean;
  /** Strings that stand side by side are one. */
  joins: boolean;
  /** Nothing stands around the string, so it may be followed by anything. */
  alone: boolean;
};

export class QuotedStringReader {
  readonly #host: StringHost;
  #style: StringStyle = { python: false, raw: false, joins: false, alone: false };
  #quote = '"';
  #quoteCode = QUOTE;
  /** How many quotes have been read where the string opened, and behind it in a row. */
  #quotes = 0;
  #triple = false;
  /** White space behind a quote, while it is open whether the quote was the last. */
  #space = '';
  /** An escape being read, with its backslash. */
  #sequence = '';
  #digits = 0;

  constructor(host: StringHost) {
    this.#host = host;
  }

  /** Behind the opening quote. */
  begin(quote: string, style: StringStyle): void {
    this.#style = style;
    this.#open(CLOSERS[quote] ?? quote);
  }

  /** The text ends in this state: true if the string had ended, too. */
  endsIn(state: State): boolean {
    return state === this.#closing || (state === this.#opened && this.#quotes === 2);
  }

  #open(mark: string): void {
    this.#quote = mark;
    this.#quoteCode = mark.charCodeAt(0);
    this.#quotes = 1;
    this.#triple = false;
    this.#host.enter(this.#opened);
  }

  /** Behind the first quote: one quote, or three. */
  readonly #opened: State = (text, at) => {
    if (text[at] !== this.#quote) {
      // Two quotes were an empty string; one begins a string here.
      if (this.#quotes === 2) this.#close();
      else this.#host.enter(this.#inside);
      return at;
    }
    if (++this.#quotes === 3) {
      this.#triple = true;
      this.#quotes = 0;
      this.#host.enter(this.#inside);
    }
    return at + 1;
  };

  #close(): void {
    this.#space = '';
    this.#host.enter(this.#closing);
  }

  readonly #inside: State = (text, at, end) => {
    if (this.#triple) return this.#insideTriple(text, at, end);
    const { raw, python } = this.#style;
    const quoteCode = this.#quoteCode;
    const known = quoteCode !== QUOTE || raw ? '' : python ? COMMON_ESCAPES : SIMPLE_ESCAPES;
    const from = at;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code > BACKSLASH && code !== quoteCode) continue;
      if (code === BACKSLASH) {
        // Escapes that mean the same in JSON, whole in this piece, go through as they are.
        if (at + 1 === end || !known.includes(text[at + 1] as string)) break;
        at++;
      } else if (code === quoteCode || code < 32 || code === QUOTE) break;
    }
    if (at > from) this.#host.put(text.slice(from, at));
    if (at === end) return at;
    const char = text[at] as string;
    if (char === this.#quote) this.#close();
    else if (char === '\\') this.#beginEscape();
    else {
      if (char !== '"') this.#host.note('raw_control_character');
      this.#host.put(escapeJson(char));
    }
    return at + 1;
  };

  readonly #insideTriple: State = (text, at, end) => {
    const from = at;
    while (at < end) {
      const code = text.charCodeAt(at);
      if (code === this.#quoteCode || (code === BACKSLASH && !this.#style.raw)) break;
      at++;
    }
    const isEscape = at < end && text.charCodeAt(at) === BACKSLASH;
    if (at > from || isEscape) {
      // One or two quotes that were read before are text.
      this.#host.put(escapeJson(this.#quote.repeat(this.#quotes) + text.slice(from, at)));
      this.#quotes = 0;
    }
    if (at === end) return at;
    if (isEscape) this.#beginEscape();
    else if (++this.#quotes === 3) this.#close();
    return at + 1;
  };

  #beginEscape(): void {
    if (this.#style.raw) this.#host.put('\\\\');
    else this.#host.enter(this.#escaped);
  }

  readonly #escaped: State = (text, at) => {
    const char = text[at] as string;
    const python = this.#style.python || this.#quote === "'";
    this.#host.enter(this.#inside);
    if (python && Object.hasOwn(PYTHON_ESCAPES, char)) this.#host.put(PYTHON_ESCAPES[char] as string);
    else if (python && OCTAL.test(char)) this.#beginCode(char, OCTAL_DIGITS - 1);
    else if (char === 'u' || (python && Object.hasOwn(CODE_DIGITS, char)))
      this.#beginCode(char, CODE_DIGITS[char] ?? 0);
    else if (char === '/' && python) this.#host.put('\\\\/');
    else if (SIMPLE_ESCAPES.includes(char)) this.#host.put(`\\${char}`);
    else {
      this.#host.note('invalid_escape');
      // Other languages write an apostrophe so.
      if (char === "'") {
        this.#host.put(char);
        return at + 1;
      }
      // The backslash is kept, and the character read again as text; but a quote behind one never ends a string.
      this.#host.put('\\\\');
      if (char !== this.#quote) return at;
      this.#host.put(escapeJson(char));
    }
    return at + 1;
  };

  #beginCode(char: string, count: number): void {
    this.#sequence = `\\${char}`;
    this.#digits = count;
    this.#host.enter(this.#code);
  }

  /** The digits of \u, \x and the like. */
  readonly #code: State = (text, at) => {
    const char = text[at] as string;
    const isOctal = OCTAL.test(this.#sequence[1] as string);
    const fits = (isOctal ? OCTAL : HEX).test(char);
    if (fits) {
      this.#sequence += char;
      if (--this.#digits > 0) return at + 1;
    }
    this.#host.enter(this.#inside);
    if (fits || isOctal) this.#endCode(isOctal);
    else {
      this.#host.note('invalid_escape');
      this.#host.put(escapeJson(this.#sequence));
    }
    return fits ? at + 1 : at;
  };

  #endCode(isOctal: boolean): void {
    const point = isOctal ? Number.parseInt(this.#sequence.slice(1), 8) : Number.parseInt(this.#sequence.slice(2), 16);
    if (this.#sequence[1] === 'u') this.#host.put(this.#sequence);
    else this.#host.put(escapeJson(point > 0x10ffff ? this.#sequence : String.fromCodePoint(point)));
  }

  /** Behind a quote: what comes next tells whether the string is over. */
  readonly #closing: State = (text, at) => {
    const char = text[at] as string;
    if (isSpace(char.charCodeAt(0))) {
      this.#space += char;
      return at + 1;
    }
    if (this.#style.joins && (char === '"' || char === "'")) {
      this.#open(char);
      return at + 1;
    }
    if (AFTER_STRING.includes(char) || this.#quotes === 2 || this.#triple || this.#style.alone) this.#host.stringOver();
    else {
      this.#host.note('unescaped_quote');
      this.#host.put(escapeJson(this.#quote + this.#space));
      this.#host.enter(this.#inside);
    }
    return at;
  };
}
