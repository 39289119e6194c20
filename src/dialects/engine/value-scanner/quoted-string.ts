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
  over(): void;
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

export type StringReader = {
  /** Behind the opening quote. */
  begin(quote: string, style: StringStyle): void;
  /** The text ends in this state: true if the string had ended, too. */
  endsIn(state: State): boolean;
};

export const stringReader = ({ enter, put, note, over }: StringHost): StringReader => {
  let style: StringStyle;
  let quote = '"';
  let quoteCode = QUOTE;
  /** How many quotes have been read where the string opened, and behind it in a row. */
  let quotes = 0;
  let triple = false;
  /** White space behind a quote, while it is open whether the quote was the last. */
  let space = '';
  /** An escape being read, with its backslash. */
  let sequence = '';
  let digits = 0;

  const open = (mark: string): void => {
    quote = mark;
    quoteCode = mark.charCodeAt(0);
    quotes = 1;
    triple = false;
    enter(opened);
  };

  /** Behind the first quote: one quote, or three. */
  const opened: State = (text, at) => {
    if (text[at] !== quote) {
      // Two quotes were an empty string; one begins a string here.
      if (quotes === 2) close();
      else enter(inside);
      return at;
    }
    if (++quotes === 3) {
      triple = true;
      quotes = 0;
      enter(inside);
    }
    return at + 1;
  };

  const close = (): void => {
    space = '';
    enter(closing);
  };

  const inside: State = (text, at, end) => {
    if (triple) return insideTriple(text, at, end);
    const { raw, python } = style;
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
    if (at > from) put(text.slice(from, at));
    if (at === end) return at;
    const char = text[at] as string;
    if (char === quote) close();
    else if (char === '\\') beginEscape();
    else {
      if (char !== '"') note('raw_control_character');
      put(escapeJson(char));
    }
    return at + 1;
  };

  const insideTriple: State = (text, at, end) => {
    const from = at;
    while (at < end) {
      const code = text.charCodeAt(at);
      if (code === quoteCode || (code === BACKSLASH && !style.raw)) break;
      at++;
    }
    const isEscape = at < end && text.charCodeAt(at) === BACKSLASH;
    if (at > from || isEscape) {
      // One or two quotes that were read before are text.
      put(escapeJson(quote.repeat(quotes) + text.slice(from, at)));
      quotes = 0;
    }
    if (at === end) return at;
    if (isEscape) beginEscape();
    else if (++quotes === 3) close();
    return at + 1;
  };

  const beginEscape = (): void => {
    if (style.raw) put('\\\\');
    else enter(escaped);
  };

  const escaped: State = (text, at) => {
    const char = text[at] as string;
    const python = style.python || quote === "'";
    enter(inside);
    if (python && Object.hasOwn(PYTHON_ESCAPES, char)) put(PYTHON_ESCAPES[char] as string);
    else if (python && OCTAL.test(char)) beginCode(char, OCTAL_DIGITS - 1);
    else if (char === 'u' || (python && Object.hasOwn(CODE_DIGITS, char))) beginCode(char, CODE_DIGITS[char] ?? 0);
    else if (char === '/' && python) put('\\\\/');
    else if (SIMPLE_ESCAPES.includes(char)) put(`\\${char}`);
    else {
      // The backslash is kept, and the character read again as text; but a quote behind one never ends a string.
      note('invalid_escape');
      put('\\\\');
      if (char !== quote) return at;
      put(escapeJson(char));
    }
    return at + 1;
  };

  const beginCode = (char: string, count: number): void => {
    sequence = `\\${char}`;
    digits = count;
    enter(code);
  };

  /** The digits of \u, \x and the like. */
  const code: State = (text, at) => {
    const char = text[at] as string;
    const isOctal = OCTAL.test(sequence[1] as string);
    const fits = (isOctal ? OCTAL : HEX).test(char);
    if (fits) {
      sequence += char;
      if (--digits > 0) return at + 1;
    }
    enter(inside);
    if (fits || isOctal) endCode(isOctal);
    else {
      note('invalid_escape');
      put(escapeJson(sequence));
    }
    return fits ? at + 1 : at;
  };

  const endCode = (isOctal: boolean): void => {
    const point = isOctal ? Number.parseInt(sequence.slice(1), 8) : Number.parseInt(sequence.slice(2), 16);
    if (sequence[1] === 'u') put(sequence);
    else put(escapeJson(point > 0x10ffff ? sequence : String.fromCodePoint(point)));
  };

  /** Behind a quote: what comes next tells whether the string is over. */
  const closing: State = (text, at) => {
    const char = text[at] as string;
    if (isSpace(char.charCodeAt(0))) {
      space += char;
      return at + 1;
    }
    if (style.joins && (char === '"' || char === "'")) {
      open(char);
      return at + 1;
    }
    if (AFTER_STRING.includes(char) || quotes === 2 || triple || style.alone) over();
    else {
      note('unescaped_quote');
      put(escapeJson(quote + space));
      enter(inside);
    }
    return at;
  };

  return {
    begin: (mark, how) => {
      style = how;
      open(CLOSERS[mark] ?? mark);
    },
    endsIn: (state) => state === closing || (state === opened && quotes === 2),
  };
};
