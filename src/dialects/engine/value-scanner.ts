/**
 * One value, however damaged: JSON, Python literals, a Python call's arguments, or the key:value notation of the Gemma
 * models. It comes out as strict JSON text, piece by piece as it is read, with a note of every repair. What would have
 * to be guessed is not repaired: the scanner fails, and the text stays text.
 */

import { isSpace, type Scanner, type State } from './scanner.ts';
import { commentState } from './value-scanner/comment.ts';
import { type Container, Containers } from './value-scanner/containers.ts';
import { isWordStart, literalOf } from './value-scanner/literals.ts';
import { MarkedStringReader } from './value-scanner/marked-string.ts';
import { OPENING_QUOTES, QuotedStringReader } from './value-scanner/quoted-string.ts';
import { WordReader } from './value-scanner/word-reader.ts';
import { escapeJson, type ValueOptions, type ValueSink } from './value-sink.ts';

/**
 * `whole`: closed by its own structure. `open`: something stands there that belongs to no value, a close tag perhaps;
 * `closeAll` makes it whole. `cut`: the text is over. `failed`: this is no value. `mark`: a quote marker stands in a string;
 * `goOn` or `endString` says what it is.
 */
export type ValueOutcome = 'whole' | 'open' | 'cut' | 'failed' | 'mark';

const OPENING_BRACKETS = '{[(';
const CLOSING_BRACKETS = '}])';

export class ValueScanner implements Scanner {
  done = false;
  outcome: ValueOutcome = 'cut';

  readonly #sink: ValueSink;
  readonly #options: ValueOptions;
  readonly #containers: Containers;
  #positionals = 0;
  /** What is being read is a key; the JSON text of its inside is collected here. */
  #inKey = false;
  #key = '';

  readonly #value = this.#single((char) => this.#readValue(char));
  /** A value, or the end of the array. */
  readonly #item = this.#single((char) => this.#readItem(char));
  /** A key, or the end of the object. */
  readonly #keyOrEnd = this.#single((char) => this.#readKey(char));
  readonly #colon = this.#single((char) => this.#readColon(char));
  /** A comma, or the end of the container. */
  readonly #next = this.#single((char) => this.#readNext(char));
  readonly #quoted = new QuotedStringReader(this);
  readonly #words = new WordReader(this);
  #marked: MarkedStringReader | undefined;
  #state: State = this.#value;

  constructor(sink: ValueSink, options: ValueOptions = {}) {
    this.#sink = sink;
    this.#options = options;
    this.#containers = new Containers(sink);
    if (options.call === true) this.#push('call');
    else if (options.opened === true) this.#push('{');
  }

  feed(text: string, at: number, end: number): number {
    while (at < end && !this.done) at = this.#state(text, at, end);
    return at;
  }

  finish(): void {
    if (this.done) return;
    // A scalar needs no bracket to be whole.
    if (this.#quoted.endsIn(this.#state)) this.stringOver();
    else if (this.#words.endsIn(this.#state) && this.#containers.depth === 0) this.#words.end();
    this.done = true;
  }

  /** The value is not wanted. */
  giveUp(): void {
    this.#stop('failed');
  }

  /** Makes an open value whole, as far as nothing but brackets is missing. */
  closeAll(): boolean {
    if (this.outcome === 'whole' || this.outcome === 'failed') return false;
    if (this.#words.endsIn(this.#state) && !this.#inKey) this.#words.end();
    if (this.#state !== this.#next && this.#state !== this.#keyOrEnd && this.#state !== this.#item) return false;
    this.note('missing_closer');
    while (this.#containers.depth > 0) this.#containers.pop();
    this.#ended();
    return true;
  }

  /** How many containers are open. */
  get depth(): number {
    return this.#containers.depth;
  }

  /** The marker was text, and so is what was read behind it. */
  goOn(read: string): void {
    this.#resume();
    this.put(escapeJson(this.#options.quoteMarker + read));
  }

  /** The marker was the string's end. */
  endString(): void {
    this.#resume();
    this.stringOver();
  }

  #resume(): void {
    this.done = false;
    this.outcome = 'cut';
  }

  /** A state that looks at one character; true if it was eaten. White space and comments before it are left out. */
  #single(read: (char: string) => boolean): State {
    return (text, at) => {
      const char = text[at] as string;
      if (isSpace(char.charCodeAt(0))) return at + 1;
      if ((char === '/' || char === '#') && !this.#mayBeText()) {
        this.#beginComment(char);
        return at + 1;
      }
      return read(char) ? at + 1 : at;
    };
  }

  /** A text without quotes may stand here. */
  #mayBeText(): boolean {
    return this.#options.bareStrings === true && (this.#state === this.#value || this.#state === this.#item);
  }

  #beginComment(char: string): void {
    const before = this.#state;
    this.note('comment_left_out');
    this.enter(
      commentState(
        char,
        () => this.enter(before),
        () => this.giveUp(),
      ),
    );
  }

  // How it ends.

  #stop(outcome: ValueOutcome): false {
    this.outcome = outcome;
    this.done = true;
    return false;
  }

  /** Something stands here that belongs to no value. */
  #halt(): false {
    return this.#stop(this.#containers.depth > 0 ? 'open' : 'failed');
  }

  #ended(): void {
    this.enter(this.#next);
    if (this.#containers.depth === 0) this.#stop('whole');
  }

  /** A scalar is complete. */
  #endValue(): void {
    this.#sink.ended();
    this.#ended();
  }

  // Values and containers.

  #readValue(char: string): boolean {
    if (char === '<') return this.#openMarker(false);
    const isQuote = OPENING_QUOTES.includes(char);
    const isBracket = OPENING_BRACKETS.includes(char);
    if (!isQuote && !isBracket && !isWordStart(char) && this.#options.bareStrings !== true) return this.#halt();
    this.#inKey = false;
    this.#containers.element();
    if (isBracket) this.#push(char as Container);
    else if (isQuote) this.#openString(char, false);
    else return this.#openWord();
    return true;
  }

  #readItem(char: string): boolean {
    if (CLOSING_BRACKETS.includes(char) && char !== '}') return this.#readCloser(char);
    return char === ',' ? this.#extraComma() : this.#readValue(char);
  }

  #readKey(char: string): boolean {
    const isCall = this.#containers.top === 'call';
    if (CLOSING_BRACKETS.includes(char)) return this.#readCloser(char);
    if (char === ',') return this.#extraComma();
    if (char === '<') return this.#openMarker(!isCall);
    const isQuote = OPENING_QUOTES.includes(char);
    if (isCall && (isQuote || OPENING_BRACKETS.includes(char))) {
      // An argument without a name takes the name that the schema has at its place.
      if (!this.#namePositional()) return this.#stop('failed');
      this.enter(this.#value);
      return this.#readValue(char);
    }
    if (!isQuote && !isWordStart(char)) return this.#halt();
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
    this.note('positional_argument', name);
    this.#containers.property(name);
    return true;
  }

  #readColon(char: string): boolean {
    if (char !== ':' && char !== '=') return this.#stop('failed');
    if ((char === '=') !== (this.#containers.top === 'call')) this.note('wrong_separator');
    this.#containers.property(keyOf(this.#key));
    this.enter(this.#value);
    return true;
  }

  #readNext(char: string): boolean {
    const { inObject } = this.#containers;
    if (CLOSING_BRACKETS.includes(char)) return this.#readCloser(char);
    if (char === ':' && inObject && this.#sink.reopen?.() === true) {
      this.note('missing_opener');
      this.#containers.reopen();
      this.enter(this.#value);
      return true;
    }
    const isComma = char === ',';
    if (isComma) this.#containers.comma();
    else {
      const begins = OPENING_QUOTES.includes(char) || (inObject ? isWordStart(char) : '{[-'.includes(char));
      if (!begins || char === '`') return this.#halt();
      this.note('missing_comma');
    }
    this.enter(inObject ? this.#keyOrEnd : this.#item);
    return isComma;
  }

  #extraComma(): true {
    this.note('extra_comma');
    return true;
  }

  #push(container: Container): void {
    if (this.#containers.push(container)) this.enter(this.#containers.inObject ? this.#keyOrEnd : this.#item);
    else this.giveUp();
  }

  #readCloser(char: string): boolean {
    if (this.#containers.close(char)) {
      this.#ended();
      return true;
    }
    // A bracket too many is left out, unless it may close what stands around the value.
    if (this.#state !== this.#next || (char === ']' && this.#options.inArray === true)) return this.#halt();
    this.note('extra_closer');
    return true;
  }

  // Strings and words. The readers of both call what is public here.

  #openString(quote: string, raw: boolean): void {
    const { python = false } = this.#options;
    if (quote !== '"' && !python) this.note('foreign_quotes');
    this.stringOpened();
    this.#quoted.begin(quote, { python, raw, joins: python && !this.#inKey, alone: this.#containers.depth === 0 });
  }

  #openMarker(isKey: boolean): boolean {
    const { quoteMarker = '' } = this.#options;
    if (quoteMarker === '') return this.#halt();
    if (this.#state !== this.#keyOrEnd) this.#containers.element();
    this.#inKey = isKey;
    this.#key = '';
    this.#marked ??= new MarkedStringReader(this, quoteMarker);
    this.#marked.begin();
    return false;
  }

  #openWord(): false {
    this.#words.begin();
    return false;
  }

  enter(state: State): void {
    this.#state = state;
  }

  note(kind: string, about?: string): void {
    this.#sink.repaired(kind, about);
  }

  /** A piece of the inside of a JSON string. */
  put(json: string): void {
    if (this.#inKey) this.#key += json;
    else this.#sink.write(json);
  }

  stringOpened(): void {
    if (!this.#inKey) this.#sink.write('"');
  }

  stringOver(): void {
    if (this.#inKey) {
      this.#inKey = false;
      this.enter(this.#colon);
      return;
    }
    this.#sink.write('"');
    this.#endValue();
  }

  markMet(): void {
    if (this.#inKey) this.stringOver();
    else this.#stop('mark');
  }

  /** The word may hold blanks and more. */
  get isText(): boolean {
    return this.#options.bareStrings === true && !this.#inKey;
  }

  /** Python's r'…', b'…' and the like: a quote behind what may be the prefix of a string. Returns how far it was read. */
  openPrefixed(prefix: string, quote: string, at: number): number {
    if (this.#inKey && (this.#containers.top !== 'call' || !this.#namePositional())) {
      this.giveUp();
      return at;
    }
    this.#inKey = false;
    this.#openString(quote, prefix.toLowerCase().includes('r'));
    return at + 1;
  }

  wordOver(word: string): void {
    const literal = literalOf(word);
    const isCall = this.#containers.top === 'call';
    const wasKey = this.#inKey;
    this.#inKey = false;
    if (!wasKey) this.#endBare(word, literal);
    else if (isCall && literal !== undefined) {
      if (this.#namePositional()) this.#endBare(word, literal);
      else this.giveUp();
    } else {
      if (!isCall && (this.#options.quoteMarker ?? '') === '') this.note('unquoted_key');
      this.#key = escapeJson(word);
      this.enter(this.#colon);
    }
  }

  #endBare(word: string, literal: string | undefined): void {
    if (literal !== undefined) {
      if (literal !== word && this.#options.python !== true) this.note('foreign_literal');
      this.#sink.write(literal, literal === word || !/\d/.test(word) ? undefined : word);
    } else if (this.#options.bareStrings === true && word !== '') {
      this.note('unquoted_value');
      this.#sink.write(JSON.stringify(word));
    } else {
      this.giveUp();
      return;
    }
    this.#endValue();
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
