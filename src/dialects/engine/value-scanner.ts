/**
 * One value, however damaged: JSON, Python literals, a Python call's arguments, or the key:value notation of the Gemma
 * models. It comes out as strict JSON text, piece by piece as it is read, with a note of everything that was mended.
 * What would have to be guessed is not mended: the scanner fails, and the text stays text.
 */
import { DIALECT_LIMITS } from '../../core/dialect-limits.ts';
import { type Container, Containers } from './containers.ts';
import { endsWord, isWordStart, literalOf } from './literals.ts';
import { isSpace, type Scanner } from './scanner.ts';
import { MarkedStringReader, OPENING_QUOTES, StringReader } from './string-reader.ts';
import { escapeJson, type ValueOptions, type ValueSink } from './value-sink.ts';

/**
 * `whole`: closed by its own structure. `open`: something stands there that belongs to no value, a close tag perhaps;
 * `closeAll` makes it whole. `cut`: the text is over. `failed`: this is no value.
 */
export type ValueOutcome = 'whole' | 'open' | 'cut' | 'failed';

type State =
  | 'value'
  | 'item' // a value, or the end of the array
  | 'key' // a key, or the end of the object
  | 'colon'
  | 'next' // a comma, or the end of the container
  | 'word'
  | 'string'
  | 'marker' // reading the quote marker
  | 'marked' // in a string between quote markers
  | 'slash'
  | 'line_comment'
  | 'block_comment'
  | 'block_star';

const OPENING_BRACKETS = '{[(';
const STRING_PREFIX = /^(?:r|b|u|f|rb|br|rf|fr)$/i;

export class ValueScanner implements Scanner {
  done = false;
  outcome: ValueOutcome = 'cut';

  readonly #sink: ValueSink;
  readonly #options: ValueOptions;
  readonly #strings: StringReader;
  readonly #marked: MarkedStringReader;
  readonly #containers: Containers;
  #state: State = 'value';
  #positionals = 0;
  /** What is being read is a key; the JSON text of its inside is collected here. */
  #inKey = false;
  #key = '';
  #word = '';
  #matched = 0;
  #beforeComment: State = 'value';

  constructor(sink: ValueSink, options: ValueOptions = {}) {
    this.#sink = sink;
    this.#options = options;
    this.#containers = new Containers(sink);
    const host = {
      put: (json: string) => this.#put(json),
      note: (kind: string) => this.#note(kind),
    };
    this.#strings = new StringReader(host);
    this.#marked = new MarkedStringReader(host, options.quoteMarker ?? '');
    if (options.call === true) this.#push('call');
  }

  feed(text: string, at: number, end: number): number {
    while (at < end && !this.done) {
      switch (this.#state) {
        case 'string':
          at = this.#strings.feed(text, at, end);
          if (this.#strings.over) this.#endString();
          break;
        case 'marked':
          at = this.#marked.feed(text, at, end);
          if (this.#marked.over) this.#endString();
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
          at += this.#step(text[at] as string) ? 1 : 0;
      }
    }
    return at;
  }

  finish(): void {
    if (this.done) return;
    // A scalar needs no bracket to be whole.
    if (this.#state === 'string' && this.#strings.finish()) this.#endString();
    else if (this.#state === 'word' && this.#containers.depth === 0) this.#endWord();
    this.done = true;
  }

  /** The listener does not want it. */
  giveUp(): void {
    this.#fail();
  }

  /** Makes an open value whole, as far as nothing but brackets is missing. */
  closeAll(): boolean {
    if (this.outcome === 'whole' || this.outcome === 'failed') return false;
    if (this.#state === 'word' && !this.#inKey) this.#endWord();
    if (this.#state !== 'next' && this.#state !== 'key' && this.#state !== 'item') return false;
    this.#note('missing_closer');
    while (this.#containers.depth > 0) this.#containers.pop();
    this.#ended();
    return true;
  }

  /** One character outside strings, words and comments; true if it was eaten. */
  #step(char: string): boolean {
    if (this.#state === 'marker') return this.#readMarker(char);
    if (this.#state === 'slash') return this.#beginComment(char);
    if (isSpace(char.charCodeAt(0)) || char === '\u00a0' || char === '\ufeff') return true;
    if ((char === '/' || char === '#') && !this.#isBareValue()) {
      this.#beforeComment = this.#state;
      this.#state = char === '/' ? 'slash' : 'line_comment';
      this.#note('comment_left_out');
      return true;
    }
    if (this.#state === 'colon') return this.#readColon(char);
    if (this.#state === 'next') return this.#readNext(char);
    if (this.#state === 'key') return this.#readKey(char);
    return this.#readValue(char);
  }

  #isBareValue(): boolean {
    return this.#options.bareStrings === true && (this.#state === 'value' || this.#state === 'item');
  }

  #readValue(char: string): boolean {
    if (this.#state === 'item' && (char === ']' || char === ')')) return this.#readCloser(char);
    if (this.#state === 'item' && char === ',') return this.#extraComma();
    if (char === '<') return this.#options.quoteMarker === undefined ? this.#stop() : this.#openMarker(false);
    const isQuote = OPENING_QUOTES.includes(char);
    const isBracket = OPENING_BRACKETS.includes(char);
    if (!isQuote && !isBracket && !isWordStart(char) && !this.#isBareValue()) return this.#stop();
    this.#inKey = false;
    this.#containers.element();
    if (isBracket) this.#push(char as Container);
    else if (isQuote) this.#openString(char, false);
    else return this.#openWord();
    return true;
  }

  #readKey(char: string): boolean {
    const isCall = this.#containers.top === 'call';
    if (char === '}' || char === ')' || char === ']') return this.#readCloser(char);
    if (char === ',') return this.#extraComma();
    if (char === '<') return this.#options.quoteMarker === undefined ? this.#stop() : this.#openMarker(!isCall);
    const isQuote = OPENING_QUOTES.includes(char);
    if (isCall && (isQuote || OPENING_BRACKETS.includes(char))) {
      // An argument without a name takes the name that the schema has at its place.
      if (!this.#namePositional()) return this.#fail();
      this.#state = 'value';
      return this.#readValue(char);
    }
    if (!isQuote && !isWordStart(char)) return this.#stop();
    this.#inKey = true;
    this.#key = '';
    if (!isQuote) return this.#openWord();
    this.#openString(char, false);
    return true;
  }

  #namePositional(): boolean {
    const name = this.#options.positional?.(this.#positionals);
    if (name === undefined) return false;
    this.#positionals++;
    this.#note('positional_argument', name);
    this.#containers.property(name);
    return true;
  }

  #readColon(char: string): boolean {
    if (char !== ':' && char !== '=') return this.#fail();
    if ((char === '=') !== (this.#containers.top === 'call')) {
      this.#note('wrong_separator');
    }
    this.#containers.property(keyOf(this.#key));
    this.#state = 'value';
    return true;
  }

  #readNext(char: string): boolean {
    const after: State = this.#containers.inObject ? 'key' : 'item';
    if (char === ',') {
      this.#containers.comma();
      this.#state = after;
      return true;
    }
    if (char === '}' || char === ']' || char === ')') return this.#readCloser(char);
    const begins = OPENING_QUOTES.includes(char) || (after === 'key' ? isWordStart(char) : '{[-'.includes(char));
    if (!begins || char === '`') return this.#stop();
    this.#note('missing_comma');
    this.#state = after;
    return false;
  }

  #extraComma(): boolean {
    this.#note('extra_comma');
    return true;
  }

  #readCloser(char: string): boolean {
    if (this.#containers.close(char)) {
      this.#ended();
      return true;
    }
    // A bracket too many is left out, unless it may close what stands around the value.
    if (this.#state !== 'next' || (char === ']' && this.#options.inArray === true)) return this.#stop();
    this.#note('extra_closer');
    return true;
  }

  #push(container: Container): void {
    if (this.#containers.push(container)) this.#state = this.#containers.inObject ? 'key' : 'item';
    else this.#fail();
  }

  /** A scalar is complete. */
  #endValue(): void {
    this.#sink.ended();
    this.#ended();
  }

  #ended(): void {
    this.#state = 'next';
    if (this.#containers.depth > 0) return;
    this.outcome = 'whole';
    this.done = true;
  }

  #stop(): boolean {
    this.outcome = this.#containers.depth > 0 ? 'open' : 'failed';
    this.done = true;
    return false;
  }

  #fail(): boolean {
    this.outcome = 'failed';
    this.done = true;
    return false;
  }

  // Strings.

  #put(json: string): void {
    if (this.#inKey) this.#key += json;
    else this.#sink.write(json);
  }

  #openString(quote: string, raw: boolean): void {
    const python = this.#options.python === true;
    if (quote !== '"' && !python) this.#note('foreign_quotes');
    this.#strings.begin(quote, { python, raw, joins: python && !this.#inKey, alone: this.#containers.depth === 0 });
    if (!this.#inKey) this.#sink.write('"');
    this.#state = 'string';
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

  #openMarker(inKey: boolean): boolean {
    if (this.#state !== 'key') this.#containers.element();
    this.#inKey = inKey;
    this.#key = '';
    this.#matched = 0;
    this.#state = 'marker';
    return false;
  }

  #readMarker(char: string): boolean {
    const { quoteMarker = '' } = this.#options;
    if (char !== quoteMarker[this.#matched]) return this.#fail();
    this.#matched++;
    if (this.#matched < quoteMarker.length) return true;
    if (!this.#inKey) this.#sink.write('"');
    this.#marked.begin();
    this.#state = 'marked';
    return true;
  }

  // Words: numbers, literals, keys without quotes.

  #openWord(): boolean {
    this.#word = '';
    this.#state = 'word';
    return false;
  }

  #readWord(text: string, at: number, end: number): number {
    const from = at;
    const isText = this.#options.bareStrings === true && !this.#inKey;
    while (at < end && !endsWord(text.charCodeAt(at), isText)) at++;
    this.#word += text.slice(from, at);
    if (this.#word.length > DIALECT_LIMITS.wordCharacters) this.#fail();
    else if (at < end) {
      const char = text[at] as string;
      if ((char === '"' || char === "'") && STRING_PREFIX.test(this.#word)) return this.#openPrefixed(char, at);
      this.#endWord();
    }
    return at;
  }

  /** Python's r'…', b'…' and the like. */
  #openPrefixed(quote: string, at: number): number {
    if (this.#inKey) {
      this.#inKey = false;
      if (this.#containers.top !== 'call' || !this.#namePositional()) {
        this.#fail();
        return at;
      }
    }
    this.#openString(quote, this.#word.toLowerCase().includes('r'));
    return at + 1;
  }

  #endWord(): void {
    const word = this.#word.trim();
    const literal = literalOf(word);
    if (!this.#inKey) this.#endBare(word, literal);
    else if (this.#containers.top === 'call' && literal !== undefined) {
      this.#inKey = false;
      if (this.#namePositional()) this.#endBare(word, literal);
      else this.#fail();
    } else {
      this.#inKey = false;
      if (this.#containers.top !== 'call' && this.#options.quoteMarker === undefined) {
        this.#note('unquoted_key');
      }
      this.#key = escapeJson(word);
      this.#state = 'colon';
    }
  }

  #endBare(word: string, literal: string | undefined): void {
    if (literal !== undefined) {
      if (literal !== word && this.#options.python !== true) {
        this.#note('foreign_literal');
      }
      this.#sink.write(literal);
    } else if (this.#options.bareStrings === true && word !== '') {
      this.#note('unquoted_value');
      this.#sink.write(JSON.stringify(word));
    } else {
      this.#fail();
      return;
    }
    this.#endValue();
  }

  // Comments.

  #beginComment(char: string): boolean {
    if (char !== '/' && char !== '*') return this.#fail();
    this.#state = char === '/' ? 'line_comment' : 'block_comment';
    return true;
  }

  #readComment(text: string, at: number, end: number): number {
    for (; at < end; at++) {
      const char = text[at];
      const isOver = this.#state === 'line_comment' ? char === '\n' : this.#state === 'block_star' && char === '/';
      if (isOver) {
        this.#state = this.#beforeComment;
        return at + 1;
      }
      if (this.#state !== 'line_comment') this.#state = char === '*' ? 'block_star' : 'block_comment';
    }
    return at;
  }

  #note(kind: string, about?: string): void {
    this.#sink.repaired(kind, about);
  }
}

const keyOf = (json: string): string => {
  if (!json.includes('\\')) return json;
  try {
    return JSON.parse(`"${json}"`) as string;
  } catch {
    return json;
  }
};
