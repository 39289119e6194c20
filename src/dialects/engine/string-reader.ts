/**
 * A string in quotes, as JSON, Python or JavaScript writes it. It comes out as the inside of a JSON string. A quote ends
 * it only if what follows could follow a string; else it was meant as text.
 */
import { isSpace } from './scanner.ts';
import { escapeJson } from './value-sink.ts';

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
  /** A piece of the inside of a JSON string. */
  put(json: string): void;
  note(kind: string): void;
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

type State =
  | 'opened' // behind the first quote: one quote, or three
  | 'inside'
  | 'escape'
  | 'code' // the digits of \u, \x and the like
  | 'closing' // behind what may be the last quote
  | 'over';

export class StringReader {
  readonly #host: StringHost;
  #style: StringStyle = { python: false, raw: false, joins: false, alone: false };
  #state: State = 'over';
  #quote = '"';
  #quoteCode = QUOTE;
  /** How many quotes have been read where the string opened, and behind it in a row. */
  #quotes = 0;
  #triple = false;
  /** White space behind a quote, while it is open whether the quote was the last. */
  #space = '';
  /** An escape being read, with its backslash. */
  #escape = '';
  #digits = 0;

  constructor(host: StringHost) {
    this.#host = host;
  }

  get over(): boolean {
    return this.#state === 'over';
  }

  /** Behind the opening quote. */
  begin(quote: string, style: StringStyle): void {
    this.#style = style;
    this.#open(CLOSERS[quote] ?? quote);
  }

  #open(quote: string): void {
    this.#quote = quote;
    this.#quoteCode = quote.charCodeAt(0);
    this.#quotes = 1;
    this.#triple = false;
    this.#state = 'opened';
  }

  /** The text is over: true if the string was, too. */
  finish(): boolean {
    return this.#state === 'closing' || (this.#state === 'opened' && this.#quotes === 2);
  }

  /** Behind the string it stops, at the first character that is no longer part of it. */
  feed(text: string, at: number, end: number): number {
    while (at < end && this.#state !== 'over') {
      if (this.#state === 'inside') at = this.#triple ? this.#readTriple(text, at, end) : this.#read(text, at, end);
      else at += this.#step(text[at] as string) ? 1 : 0;
    }
    return at;
  }

  /** One character outside the plain stretches; true if it was eaten. */
  #step(char: string): boolean {
    if (this.#state === 'escape') return this.#readEscape(char);
    if (this.#state === 'code') return this.#readCode(char);
    if (this.#state === 'closing') return this.#readClosing(char);
    return this.#readOpening(char);
  }

  #readOpening(char: string): boolean {
    if (char !== this.#quote) {
      // Two quotes were an empty string; one begins a string here.
      this.#state = this.#quotes === 2 ? 'closing' : 'inside';
      this.#space = '';
      return false;
    }
    this.#quotes++;
    if (this.#quotes === 3) {
      this.#triple = true;
      this.#quotes = 0;
      this.#state = 'inside';
    }
    return true;
  }

  #read(text: string, at: number, end: number): number {
    const quoteCode = this.#quoteCode;
    const { raw, python } = this.#style;
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
    this.#readSpecial(text[at] as string);
    return at + 1;
  }

  #readSpecial(char: string): void {
    if (char === this.#quote) {
      this.#space = '';
      this.#state = 'closing';
    } else if (char === '\\') {
      this.#beginEscape();
    } else {
      if (char !== '"') this.#note('raw_control_character');
      this.#host.put(escapeJson(char));
    }
  }

  #beginEscape(): void {
    if (this.#style.raw) {
      this.#host.put('\\\\');
      return;
    }
    this.#escape = '\\';
    this.#state = 'escape';
  }

  #readEscape(char: string): boolean {
    const python = this.#style.python || this.#quote === "'";
    this.#state = 'inside';
    if (python && Object.hasOwn(PYTHON_ESCAPES, char)) this.#host.put(PYTHON_ESCAPES[char] as string);
    else if (python && OCTAL.test(char)) this.#beginCode(char, OCTAL_DIGITS - 1);
    else if (char === 'u' || (python && Object.hasOwn(CODE_DIGITS, char)))
      this.#beginCode(char, CODE_DIGITS[char] ?? 0);
    else if (char === '/' && python) this.#host.put('\\\\/');
    else if (SIMPLE_ESCAPES.includes(char)) this.#host.put(`\\${char}`);
    else return this.#readInvalidEscape(char);
    return true;
  }

  /** The backslash is kept, and the character read again as text; but a quote behind a backslash never ends a string. */
  #readInvalidEscape(char: string): boolean {
    this.#note('invalid_escape');
    this.#host.put('\\\\');
    if (char !== this.#quote) return false;
    this.#host.put(escapeJson(char));
    return true;
  }

  #beginCode(char: string, digits: number): void {
    this.#escape = `\\${char}`;
    this.#digits = digits;
    this.#state = 'code';
  }

  #readCode(char: string): boolean {
    const isOctal = OCTAL.test(this.#escape[1] as string);
    const fits = (isOctal ? OCTAL : HEX).test(char);
    if (fits) {
      this.#escape += char;
      this.#digits--;
      if (this.#digits > 0) return true;
    }
    this.#state = 'inside';
    if (fits || isOctal) this.#endCode(isOctal);
    else {
      this.#note('invalid_escape');
      this.#host.put(escapeJson(this.#escape));
    }
    return fits;
  }

  #endCode(isOctal: boolean): void {
    const written = this.#escape;
    const code = isOctal ? Number.parseInt(written.slice(1), 8) : Number.parseInt(written.slice(2), 16);
    if (written[1] === 'u') this.#host.put(written);
    else this.#host.put(escapeJson(code > 0x10ffff ? written : String.fromCodePoint(code)));
  }

  /** Behind a quote: what comes next tells whether the string is over. */
  #readClosing(char: string): boolean {
    if (isSpace(char.charCodeAt(0))) {
      this.#space += char;
      return true;
    }
    if (this.#style.joins && (char === '"' || char === "'")) {
      this.#open(char);
      return true;
    }
    if (AFTER_STRING.includes(char) || this.#quotes === 2 || this.#triple || this.#style.alone) {
      this.#state = 'over';
      return false;
    }
    this.#note('unescaped_quote');
    this.#host.put(escapeJson(this.#quote + this.#space));
    this.#state = 'inside';
    return false;
  }

  #readTriple(text: string, at: number, end: number): number {
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
    else if (++this.#quotes === 3) {
      this.#space = '';
      this.#state = 'closing';
    }
    return at + 1;
  }

  #note(kind: string): void {
    this.#host.note(kind);
  }
}

/** A string between quote markers: it holds no escapes, and ends at the next marker. */
export class MarkedStringReader {
  readonly #host: StringHost;
  readonly #marker: string;
  /** How much of a marker has been read. */
  #matched = 0;
  over = true;

  constructor(host: StringHost, marker: string) {
    this.#host = host;
    this.#marker = marker;
  }

  /** Behind the opening marker. */
  begin(): void {
    this.#matched = 0;
    this.over = false;
  }

  feed(text: string, at: number, end: number): number {
    const marker = this.#marker;
    let from = at;
    while (at < end) {
      if (text[at] === marker[this.#matched]) {
        if (this.#matched === 0) this.#put(text, from, at);
        this.#matched++;
        at++;
        from = at;
        if (this.#matched < marker.length) continue;
        this.over = true;
        return at;
      }
      if (this.#matched > 0) {
        // The marker's first character occurs in it once, so nothing of what was matched can begin it anew.
        this.#host.put(escapeJson(marker.slice(0, this.#matched)));
        this.#matched = 0;
      } else at++;
    }
    if (this.#matched === 0) this.#put(text, from, at);
    return at;
  }

  #put(text: string, from: number, to: number): void {
    if (to > from) this.#host.put(escapeJson(text.slice(from, to)));
  }
}
