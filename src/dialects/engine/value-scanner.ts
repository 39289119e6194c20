/**
 * One value, however damaged: JSON, Python literals, a Python call's arguments, or the key:value notation of the Gemma
 * models. It comes out as strict JSON text, piece by piece as it is read, with a note of everything that was mended.
 * What would have to be guessed is not mended: the scanner fails, and the text stays text.
 */
import { DIALECT_LIMITS } from '../../core/dialect-limits.ts';
import { isSpace, type Scanner } from './scanner.ts';

/** Hears the value as strict JSON. A container's own commas and brackets are the listener's to write. */
export type ValueSink = {
  open(bracket: '{' | '['): void;
  close(bracket: '}' | ']'): void;
  /** The value of this key follows. `first`: nothing stands before it in its object. */
  property(key: string, first: boolean): void;
  /** An element of an array follows. */
  item(first: boolean): void;
  /** A piece of a scalar's JSON text. */
  write(json: string): void;
  /** The scalar or container is complete; it was a property, an element or the whole value. */
  ended(): void;
  repaired(kind: string, detail: string): void;
};

export type ValueOptions = {
  /** Quotes strings that hold no escapes: `<escape>` or `<|"|>`. */
  quoteMarker?: string;
  /** Python's escapes and its joining of neighbouring strings. */
  python?: boolean;
  /** The value is what stands in the parentheses of a call. */
  call?: boolean;
  /** Names the n-th argument of a call that was given without a name. */
  positional?: (index: number) => string | undefined;
  /** The value stands in an array, so a `]` too many is the array's own. */
  inArray?: boolean;
  /** A value without quotes is a string. */
  bareStrings?: boolean;
};

/**
 * `whole`: closed by its own structure. `open`: something stands there that belongs to no value, a close tag perhaps;
 * `closeAll` makes it whole. `cut`: the text is over. `failed`: this is no value.
 */
export type ValueOutcome = 'whole' | 'open' | 'cut' | 'failed';

type Container = '{' | '[' | '(' | 'call';
type State =
  | 'value'
  | 'item' // a value, or the end of the array
  | 'key' // a key, or the end of the object
  | 'colon'
  | 'next' // a comma, or the end of the container
  | 'word'
  | 'opened' // behind the first quote: one quote, or three
  | 'string'
  | 'escape'
  | 'code' // the digits of \u, \x and the like
  | 'closing' // behind what may be the last quote
  | 'triple'
  | 'marker' // reading the quote marker
  | 'marked' // in a string between quote markers
  | 'slash'
  | 'line_comment'
  | 'block_comment'
  | 'block_star';

const BACKSLASH = 92;
const QUOTE = 34;
const CLOSERS: Record<string, string> = { '“': '”', '‘': '’', '”': '”', '’': '’' };
const OPENING_QUOTES = '"\'`“‘”’';
/** What may follow the last quote of a string; anything else shows that the quote was meant as text. */
const AFTER_STRING = ',:}])=;<"\'`“‘[{#/|';
const SIMPLE_ESCAPES = '"\\/bfnrt';
/** Those that mean the same in Python. */
const COMMON_ESCAPES = '"\\bfnrt';
const PYTHON_ESCAPES: Record<string, string> = { "'": "'", '"': '\\"', a: '\\u0007', v: '\\u000b', '\n': '' };
const CODE_DIGITS: Record<string, number> = { x: 2, u: 4, U: 8 };
const WORDS: Record<string, string> = {
  true: 'true',
  false: 'false',
  null: 'null',
  True: 'true',
  False: 'false',
  None: 'null',
  TRUE: 'true',
  FALSE: 'false',
  NULL: 'null',
  undefined: 'null',
  nan: 'null',
  NaN: 'null',
  Infinity: 'null',
  '-Infinity': 'null',
};
const STRICT_WORDS = new Set(['true', 'false', 'null']);
const STRING_PREFIXES = new Set(['r', 'R', 'b', 'B', 'u', 'U', 'f', 'F', 'rb', 'br', 'fr', 'rf']);
const HEX = /^[0-9a-fA-F]$/;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const SHORT = 64;

/** The inside of a JSON string. */
export const escapeJson = (text: string): string =>
  text.length < SHORT && isPlain(text) ? text : JSON.stringify(text).slice(1, -1);

/** Nothing in it has to be escaped. */
const isPlain = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || code === QUOTE || code === BACKSLASH || (code >= 0xd800 && code <= 0xdfff)) return false;
  }
  return true;
};

export class ValueScanner implements Scanner {
  done = false;
  outcome: ValueOutcome = 'cut';

  readonly #sink: ValueSink;
  readonly #options: ValueOptions;
  readonly #stack: Container[] = [];
  #state: State = 'value';
  /** Nothing stands yet in the innermost container. */
  #first = true;
  /** A comma was read that no element has followed yet. */
  #comma = false;
  #positionals = 0;

  /** The string being read is a key; its JSON text is collected here. */
  #inKey = false;
  #key = '';
  #quote = '"';
  #quoteCode = QUOTE;
  #raw = false;
  #quotes = 0;
  #word = '';
  /** White space behind a quote, while it is open whether the quote was the last. */
  #space = '';
  /** An escape being read, with its backslash. */
  #escape = '';
  #digits = 0;
  #marker = '';
  #beforeComment: State = 'value';

  constructor(sink: ValueSink, options: ValueOptions = {}) {
    this.#sink = sink;
    this.#options = options;
    if (options.call === true) this.#push('call');
  }

  feed(text: string, at: number, end: number): number {
    while (at < end && !this.done) {
      switch (this.#state) {
        case 'string':
          at = this.#readString(text, at, end);
          break;
        case 'marked':
          at = this.#readMarked(text, at, end);
          break;
        case 'triple':
          at = this.#readTriple(text, at, end);
          break;
        case 'word':
          at = this.#readWord(text, at, end);
          break;
        case 'line_comment':
        case 'block_comment':
        case 'block_star':
          at = this.#readComment(text, at, end);
          break;
        default:
          at = this.#step(text, at);
      }
    }
    return at;
  }

  finish(): void {
    if (this.done) return;
    // A scalar needs no bracket to be whole.
    if (this.#state === 'closing') this.#endString();
    else if (this.#state === 'word' && this.#stack.length === 0) this.#endWord();
    else if (this.#state === 'opened' && this.#quotes === 2) this.#endString();
    this.done = true;
  }

  /** The listener does not want it. */
  giveUp(): void {
    this.#fail(0);
  }

  /** Makes an open value whole, as far as nothing but brackets is missing. */
  closeAll(): boolean {
    if (this.outcome === 'whole' || this.outcome === 'failed') return false;
    if (this.#state === 'word' && !this.#inKey) this.#endWord();
    if (this.#state !== 'next' && this.#state !== 'key' && this.#state !== 'item') return false;
    this.#note('missing_closer', 'a closing bracket was missing');
    while (this.#stack.length > 0) this.#pop();
    this.outcome = 'whole';
    return true;
  }

  /** One character outside strings, words and comments. Returns where to go on. */
  #step(text: string, at: number): number {
    const char = text[at] as string;
    switch (this.#state) {
      case 'opened':
        return this.#readOpening(char, at);
      case 'escape':
        return this.#readEscape(char, at);
      case 'code':
        return this.#readCode(char, at);
      case 'closing':
        return this.#readClosing(char, at);
      case 'marker':
        return this.#readMarker(char, at);
      case 'slash':
        if (char !== '/' && char !== '*') return this.#fail(at);
        this.#state = char === '/' ? 'line_comment' : 'block_comment';
        return at + 1;
    }
    if (isSpace(char.charCodeAt(0)) || char === '\u00a0' || char === '\ufeff') return at + 1;
    if ((char === '/' || char === '#') && !this.#readsBareValue()) {
      this.#beforeComment = this.#state;
      this.#state = char === '/' ? 'slash' : 'line_comment';
      this.#note('comment', 'a comment was left out');
      return at + 1;
    }
    if (this.#state === 'colon') return this.#readColon(char, at);
    if (this.#state === 'next') return this.#readNext(char, at);
    if (this.#state === 'key') return this.#readKey(char, at);
    return this.#readValue(char, at);
  }

  #readValue(char: string, at: number): number {
    if (this.#state === 'item' && (char === ']' || char === ')')) return this.#readCloser(char, at);
    if (char === ',' && this.#state === 'item') {
      this.#note('extra_comma', 'a comma too many was left out');
      return at + 1;
    }
    if (char === '<') return this.#options.quoteMarker === undefined ? this.#stop(at) : this.#openMarker(at);
    if (!OPENING_QUOTES.includes(char) && !'{[('.includes(char) && !isWordStart(char) && !this.#readsBareValue()) {
      return this.#stop(at);
    }
    this.#beginValue();
    if (char === '{' || char === '[' || char === '(') {
      this.#push(char);
      return at + 1;
    }
    if (OPENING_QUOTES.includes(char)) return this.#openString(char, at);
    this.#word = '';
    this.#inKey = false;
    this.#state = 'word';
    return at;
  }

  #readsBareValue(): boolean {
    return this.#options.bareStrings === true && (this.#state === 'value' || this.#state === 'item');
  }

  #readKey(char: string, at: number): number {
    const call = this.#top() === 'call';
    if (char === '}' || char === ')' || char === ']') return this.#readCloser(char, at);
    if (char === ',') {
      this.#note('extra_comma', 'a comma too many was left out');
      return at + 1;
    }
    if (char === '<') return this.#options.quoteMarker === undefined ? this.#stop(at) : this.#openMarker(at, !call);
    if (call && (OPENING_QUOTES.includes(char) || '[{('.includes(char))) return this.#readPositional(char, at);
    if (OPENING_QUOTES.includes(char)) {
      this.#inKey = true;
      this.#key = '';
      return this.#openString(char, at);
    }
    if (!isWordStart(char)) return this.#stop(at);
    this.#inKey = true;
    this.#word = '';
    this.#state = 'word';
    return at;
  }

  /** An argument without a name: it takes the name that the schema has at its place. */
  #readPositional(char: string, at: number): number {
    if (!this.#namePositional()) return this.#fail(at);
    this.#state = 'value';
    return this.#readValue(char, at);
  }

  #namePositional(): boolean {
    const name = this.#options.positional?.(this.#positionals);
    if (name === undefined) return false;
    this.#positionals++;
    this.#note('positional_argument', `an argument without a name was taken for ${name}`);
    this.#beginProperty(name);
    return true;
  }

  #readColon(char: string, at: number): number {
    const equals = this.#top() === 'call';
    if (char !== ':' && char !== '=') return this.#fail(at);
    if ((char === '=') !== equals) this.#note('separator', 'key and value were parted by the wrong sign');
    this.#beginProperty(keyOf(this.#key));
    this.#state = 'value';
    return at + 1;
  }

  #beginProperty(key: string): void {
    this.#sink.property(key, this.#first);
    this.#first = false;
    this.#comma = false;
  }

  #readNext(char: string, at: number): number {
    if (char === ',') {
      if (this.#comma) this.#note('extra_comma', 'a comma too many was left out');
      this.#comma = true;
      this.#state = this.#inObject() ? 'key' : 'item';
      return at + 1;
    }
    if (char === '}' || char === ']' || char === ')') return this.#readCloser(char, at);
    const begins = OPENING_QUOTES.includes(char) || (this.#inObject() ? isWordStart(char) : '{[-'.includes(char));
    if (!begins || char === '`') return this.#stop(at);
    this.#note('missing_comma', 'a comma was missing');
    this.#state = this.#inObject() ? 'key' : 'item';
    return at;
  }

  #readCloser(char: string, at: number): number {
    const fits = (container: Container): boolean =>
      char === '}' ? container === '{' : char === ']' ? container === '[' : container === '(' || container === 'call';
    const depth = this.#stack.findLastIndex(fits);
    if (depth < 0) {
      // A bracket too many is left out, unless it may close what stands around the value.
      if (this.#state !== 'next' || (char === ']' && this.#options.inArray === true)) return this.#stop(at);
      this.#note('extra_closer', 'a closing bracket too many was left out');
      return at + 1;
    }
    if (this.#comma) this.#note('trailing_comma', 'a comma before a closing bracket was left out');
    while (this.#stack.length > depth + 1) {
      this.#note('missing_closer', 'a closing bracket was missing');
      this.#pop();
    }
    this.#pop();
    return at + 1;
  }

  // Containers.

  #top(): Container | undefined {
    return this.#stack[this.#stack.length - 1];
  }

  #inObject(): boolean {
    const top = this.#top();
    return top === '{' || top === 'call';
  }

  #beginValue(): void {
    const top = this.#top();
    if (top === '[' || top === '(') {
      this.#sink.item(this.#first);
      this.#first = false;
      this.#comma = false;
    }
  }

  #push(container: Container): void {
    if (this.#stack.length >= DIALECT_LIMITS.depth) {
      this.#fail(0);
      return;
    }
    this.#stack.push(container);
    const object = this.#inObject();
    this.#sink.open(object ? '{' : '[');
    this.#first = true;
    this.#comma = false;
    this.#state = object ? 'key' : 'item';
  }

  #pop(): void {
    this.#sink.close(this.#inObject() ? '}' : ']');
    this.#stack.pop();
    this.#first = false;
    this.#comma = false;
    this.#endValue();
  }

  #endValue(): void {
    this.#sink.ended();
    this.#state = 'next';
    if (this.#stack.length > 0) return;
    this.outcome = 'whole';
    this.done = true;
  }

  #stop(at: number): number {
    this.outcome = this.#stack.length > 0 ? 'open' : 'failed';
    this.done = true;
    return at;
  }

  #fail(at: number): number {
    this.outcome = 'failed';
    this.done = true;
    return at;
  }

  // Strings.

  #openString(char: string, at: number): number {
    this.#quote = CLOSERS[char] ?? char;
    this.#quoteCode = this.#quote.charCodeAt(0);
    this.#quotes = 1;
    this.#raw = this.#word !== '' && /r/i.test(this.#word);
    this.#word = '';
    if (char !== '"' && this.#options.python !== true && this.#options.call !== true) {
      this.#note('quotes', 'strings stood in other quotes than JSON has');
    }
    if (!this.#inKey) this.#sink.write('"');
    this.#state = 'opened';
    return at + 1;
  }

  #readOpening(char: string, at: number): number {
    if (char !== this.#quote) {
      // Two quotes were an empty string; one begins a string here.
      this.#state = this.#quotes === 2 ? 'closing' : 'string';
      this.#space = '';
      return at;
    }
    this.#quotes++;
    if (this.#quotes === 3) {
      this.#quotes = 0;
      this.#state = 'triple';
    }
    return at + 1;
  }

  #put(json: string): void {
    if (this.#inKey) this.#key += json;
    else this.#sink.write(json);
  }

  #readString(text: string, at: number, end: number): number {
    const quoteCode = this.#quoteCode;
    const escapes =
      quoteCode !== QUOTE || this.#raw ? '' : this.#options.python === true ? COMMON_ESCAPES : SIMPLE_ESCAPES;
    let from = at;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code > BACKSLASH && code !== quoteCode) continue;
      if (code === BACKSLASH) {
        // The escapes that JSON knows, whole in this piece, go through as they are.
        if (at + 1 < end && escapes.includes(text[at + 1] as string)) {
          at++;
          continue;
        }
        break;
      }
      if (code === quoteCode || code < 32 || code === QUOTE) break;
    }
    if (at > from) this.#put(text.slice(from, at));
    if (at === end) return at;
    from = at;
    const code = text.charCodeAt(at);
    if (code === quoteCode) {
      this.#space = '';
      this.#state = 'closing';
    } else if (code === BACKSLASH) {
      if (this.#raw) this.#put('\\\\');
      else {
        this.#escape = '\\';
        this.#state = 'escape';
      }
    } else if (code === QUOTE) {
      this.#put('\\"');
    } else {
      this.#note('raw_control_character', 'a line break or control character stood unescaped in a string');
      this.#put(escapeJson(text[at] as string));
    }
    return at + 1;
  }

  #readEscape(char: string, at: number): number {
    const python = this.#options.python === true || this.#quote === "'";
    this.#state = 'string';
    if (this.#quotes === 0) this.#state = 'triple';
    if (python && char in PYTHON_ESCAPES) {
      this.#put(PYTHON_ESCAPES[char] as string);
      return at + 1;
    }
    if (python && char >= '0' && char <= '7') return this.#beginCode(char, at, 2);
    if (char === 'u' || (python && char in CODE_DIGITS)) return this.#beginCode(char, at, CODE_DIGITS[char] as number);
    if (char === '/' && python) {
      this.#put('\\\\/');
      return at + 1;
    }
    if (SIMPLE_ESCAPES.includes(char)) {
      this.#put(`\\${char}`);
      return at + 1;
    }
    this.#note('invalid_escape', 'a backslash that escapes nothing was kept as a backslash');
    this.#put('\\\\');
    // The character itself is read again as text, but a quote behind a backslash never ends a string.
    if (char !== this.#quote) return at;
    this.#put(escapeJson(char));
    return at + 1;
  }

  #beginCode(char: string, at: number, digits: number): number {
    this.#escape = `\\${char}`;
    this.#digits = digits;
    this.#state = 'code';
    return at + 1;
  }

  #readCode(char: string, at: number): number {
    const octal = this.#escape[1] !== 'u' && this.#escape[1] !== 'x' && this.#escape[1] !== 'U';
    if (octal ? char >= '0' && char <= '7' : HEX.test(char)) {
      this.#escape += char;
      this.#digits--;
      if (this.#digits === 0) this.#endCode(octal);
      return at + 1;
    }
    if (octal) this.#endCode(true);
    else {
      this.#note('invalid_escape', 'a backslash that escapes nothing was kept as a backslash');
      this.#put(escapeJson(this.#escape));
    }
    this.#state = this.#quotes === 0 ? 'triple' : 'string';
    return at;
  }

  #endCode(octal: boolean): void {
    const code = octal ? Number.parseInt(this.#escape.slice(1), 8) : Number.parseInt(this.#escape.slice(2), 16);
    if (this.#escape[1] === 'u') this.#put(this.#escape);
    else this.#put(code > 0x10ffff ? escapeJson(this.#escape) : escapeJson(String.fromCodePoint(code)));
    this.#state = this.#quotes === 0 ? 'triple' : 'string';
  }

  /** Behind a quote: what comes next tells whether the string is over. */
  #readClosing(char: string, at: number): number {
    if (isSpace(char.charCodeAt(0))) {
      this.#space += char;
      return at + 1;
    }
    if (this.#options.python === true && !this.#inKey && (char === '"' || char === "'")) {
      this.#quote = char;
      this.#quoteCode = char.charCodeAt(0);
      this.#quotes = 1;
      this.#state = 'opened';
      return at + 1;
    }
    if (AFTER_STRING.includes(char) || this.#quotes === 2 || this.#stack.length === 0) {
      this.#endString();
      return at;
    }
    this.#note('unescaped_quote', 'a quote inside a string was not escaped');
    this.#put(escapeJson(this.#quote + this.#space));
    this.#state = 'string';
    return at;
  }

  #endString(): void {
    if (this.#inKey) {
      this.#inKey = false;
      this.#state = 'colon';
      return;
    }
    this.#sink.write('"');
    this.#endValue();
  }

  #readTriple(text: string, at: number, end: number): number {
    const from = at;
    while (at < end) {
      const code = text.charCodeAt(at);
      if (code === this.#quoteCode || (code === BACKSLASH && !this.#raw)) break;
      at++;
    }
    if (at > from) {
      this.#putQuotes();
      this.#put(escapeJson(text.slice(from, at)));
    }
    if (at === end) return at;
    if (text.charCodeAt(at) === BACKSLASH) {
      this.#putQuotes();
      this.#escape = '\\';
      this.#state = 'escape';
      return at + 1;
    }
    this.#space += this.#quote;
    if (this.#space.length === 3) {
      this.#space = '';
      this.#quotes = 2;
      this.#state = 'closing';
    }
    return at + 1;
  }

  /** One or two quotes in a string of triple quotes are text. */
  #putQuotes(): void {
    if (this.#space !== '') this.#put(escapeJson(this.#space));
    this.#space = '';
  }

  // Strings between quote markers.

  #openMarker(at: number, inKey = false): number {
    if (!inKey && this.#state !== 'key') this.#beginValue();
    this.#inKey = inKey;
    this.#key = '';
    this.#marker = '';
    this.#state = 'marker';
    return at;
  }

  #readMarker(char: string, at: number): number {
    const { quoteMarker = '' } = this.#options;
    if (char !== quoteMarker[this.#marker.length]) {
      this.outcome = this.#stack.length > 0 && this.#marker.length === 0 ? 'open' : 'failed';
      this.done = true;
      return at;
    }
    this.#marker += char;
    if (this.#marker === quoteMarker) {
      this.#marker = '';
      if (!this.#inKey) this.#sink.write('"');
      this.#state = 'marked';
    }
    return at + 1;
  }

  #readMarked(text: string, at: number, end: number): number {
    const { quoteMarker = '' } = this.#options;
    const from = at;
    while (at < end) {
      const matched = this.#marker.length;
      if (text[at] === quoteMarker[matched]) {
        if (matched === 0 && at > from) this.#put(escapeJson(text.slice(from, at)));
        this.#marker += quoteMarker[matched];
        at++;
        if (matched + 1 < quoteMarker.length) return at;
        this.#marker = '';
        this.#quotes = 2;
        this.#endString();
        return at;
      }
      if (matched > 0) {
        // The marker's first character occurs in it once, so nothing of what was matched can begin it anew.
        this.#put(escapeJson(this.#marker));
        this.#marker = '';
        return at;
      }
      at++;
    }
    this.#put(escapeJson(text.slice(from, at)));
    return at;
  }

  // Words: numbers, literals, keys without quotes.

  #readWord(text: string, at: number, end: number): number {
    const from = at;
    while (at < end && !endsWord(text.charCodeAt(at), this.#options.bareStrings === true && !this.#inKey)) at++;
    this.#word += text.slice(from, at);
    if (this.#word.length > DIALECT_LIMITS.wordCharacters) return this.#fail(at);
    if (at < end) {
      const char = text[at] as string;
      if ((char === '"' || char === "'") && STRING_PREFIXES.has(this.#word)) return this.#openPrefixed(char, at);
      this.#endWord();
    }
    return at;
  }

  #openPrefixed(char: string, at: number): number {
    if (this.#inKey) {
      this.#inKey = false;
      if (this.#top() !== 'call' || !this.#namePositional()) return this.#fail(at);
    }
    return this.#openString(char, at);
  }

  #endWord(): void {
    const word = this.#word.trim();
    this.#word = '';
    if (this.#inKey) {
      this.#inKey = false;
      if (this.#top() === 'call') {
        const literal = literalOf(word);
        if (literal !== undefined) {
          this.#endLiteral(word, literal, true);
          return;
        }
      } else if (this.#options.quoteMarker === undefined) {
        this.#note('unquoted_key', 'a key stood without quotes');
      }
      this.#key = escapeJson(word);
      this.#state = 'colon';
      return;
    }
    const literal = literalOf(word);
    if (literal !== undefined) this.#endLiteral(word, literal, false);
    else if (this.#options.bareStrings === true && word !== '') {
      this.#note('unquoted_value', 'a text stood without quotes');
      this.#sink.write(JSON.stringify(word));
      this.#endValue();
    } else this.#fail(0);
  }

  #endLiteral(word: string, literal: string, positional: boolean): void {
    if (positional && !this.#namePositional()) {
      this.#fail(0);
      return;
    }
    if (literal !== word && this.#options.python !== true && this.#options.call !== true) {
      this.#note('literal', 'a number, true, false or null was not written as in JSON');
    }
    this.#sink.write(literal);
    this.#endValue();
  }

  #readComment(text: string, at: number, end: number): number {
    for (; at < end; at++) {
      const char = text[at];
      if (this.#state === 'line_comment') {
        if (char !== '\n') continue;
        this.#state = this.#beforeComment;
        return at;
      }
      if (this.#state === 'block_star' && char === '/') {
        this.#state = this.#beforeComment;
        return at + 1;
      }
      this.#state = char === '*' ? 'block_star' : 'block_comment';
    }
    return at;
  }

  #note(kind: string, detail: string): void {
    this.#sink.repaired(kind, detail);
  }
}

const isWordStart = (char: string): boolean => {
  const code = char.charCodeAt(0);
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code > 127 ||
    '-+._$'.includes(char)
  );
};

const endsWord = (code: number, spaces: boolean): boolean => {
  // , } ] ) and, in a key or a literal, also white space : = { [ ( " ' ` < #
  if (code === 44 || code === 125 || code === 93 || code === 41) return true;
  if (spaces) return code === 10;
  return (
    isSpace(code) ||
    code === 58 ||
    code === 61 ||
    code === 123 ||
    code === 91 ||
    code === 40 ||
    code === 34 ||
    code === 39 ||
    code === 96 ||
    code === 60 ||
    code === 35 ||
    code === 59
  );
};

const keyOf = (json: string): string => {
  if (!json.includes('\\')) return json;
  try {
    return JSON.parse(`"${json}"`) as string;
  } catch {
    return json;
  }
};

/** A literal as JSON writes it, or undefined for a word that is none. */
const literalOf = (word: string): string | undefined => {
  if (STRICT_WORDS.has(word) || JSON_NUMBER.test(word)) return word;
  if (Object.hasOwn(WORDS, word)) return WORDS[word];
  return numberOf(word);
};

/** The numbers of Python and JavaScript that JSON lacks: 1_000, 0x1f, .5, 5., +3, 007. */
const numberOf = (word: string): string | undefined => {
  const text = word.replaceAll('_', '');
  if (/^[+-]?0[xX][0-9a-fA-F]+$/.test(text)) return signed(text, BigInt(text.replace(/^[+-]/, '')).toString());
  const parts = /^[+-]?(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/.exec(text);
  if (parts === null) return undefined;
  const [, whole = '', fraction = '', exponent = ''] = parts;
  if (whole === '' && fraction === '') return undefined;
  const integer = whole.replace(/^0+(?=\d)/, '') || '0';
  return signed(text, `${integer}${fraction === '' ? '' : `.${fraction}`}${exponent}`);
};

const signed = (source: string, digits: string): string => (source.startsWith('-') ? `-${digits}` : digits);
