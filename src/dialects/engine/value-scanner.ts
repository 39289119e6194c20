/**
 * One value, however damaged: JSON, Python literals, a Python call's arguments, or the key:value notation of the Gemma
 * models. It comes out as strict JSON text, piece by piece as it is read, with a note of everything that was mended.
 * What would have to be guessed is not mended: the scanner fails, and the text stays text.
 */

import { isSpace, type Scanner, type State } from './scanner.ts';
import { commentState } from './value-scanner/comment.ts';
import { type Container, containersFor } from './value-scanner/containers.ts';
import { isWordStart, literalOf } from './value-scanner/literals.ts';
import { markedStringReader } from './value-scanner/marked-string.ts';
import { OPENING_QUOTES, stringReader } from './value-scanner/quoted-string.ts';
import { wordReader } from './value-scanner/word-reader.ts';
import { escapeJson, type ValueOptions, type ValueSink } from './value-sink.ts';

/**
 * `whole`: closed by its own structure. `open`: something stands there that belongs to no value, a close tag perhaps;
 * `closeAll` makes it whole. `cut`: the text is over. `failed`: this is no value.
 */
export type ValueOutcome = 'whole' | 'open' | 'cut' | 'failed';

export type ValueScanner = Scanner & {
  outcome: ValueOutcome;
  /** The listener does not want it. */
  giveUp(): void;
  /** Makes an open value whole, as far as nothing but brackets is missing. */
  closeAll(): boolean;
};

const OPENING_BRACKETS = '{[(';
const CLOSING_BRACKETS = '}])';
const NO_BREAK_SPACES = '\u00a0\ufeff';

export const valueScanner = (sink: ValueSink, options: ValueOptions = {}): ValueScanner => {
  const { quoteMarker = '', python = false, bareStrings = false } = options;
  const containers = containersFor(sink);
  const note = (kind: string, about?: string): void => sink.repaired(kind, about);
  let positionals = 0;
  /** What is being read is a key; the JSON text of its inside is collected here. */
  let inKey = false;
  let key = '';

  /** A state that looks at one character; true if it was eaten. White space and comments before it are left out. */
  const single =
    (read: (char: string) => boolean): State =>
    (text, at) => {
      const char = text[at] as string;
      if (isSpace(char.charCodeAt(0)) || NO_BREAK_SPACES.includes(char)) return at + 1;
      if ((char === '/' || char === '#') && !(bareStrings && (state === value || state === item))) {
        beginComment(char);
        return at + 1;
      }
      return read(char) ? at + 1 : at;
    };

  const value = single((char) => readValue(char));
  /** A value, or the end of the array. */
  const item = single((char) => {
    if (CLOSING_BRACKETS.includes(char) && char !== '}') return readCloser(char);
    return char === ',' ? extraComma() : readValue(char);
  });
  /** A key, or the end of the object. */
  const keyOrEnd = single((char) => readKey(char));
  const colon = single((char) => readColon(char));
  /** A comma, or the end of the container. */
  const next = single((char) => readNext(char));
  let state: State = value;
  const enter = (to: State): void => {
    state = to;
  };

  const stop = (outcome: ValueOutcome): boolean => {
    scanner.outcome = outcome;
    scanner.done = true;
    return false;
  };
  const fail = (): boolean => stop('failed');
  /** Something stands here that belongs to no value. */
  const halt = (): boolean => stop(containers.depth() > 0 ? 'open' : 'failed');

  const ended = (): void => {
    enter(next);
    if (containers.depth() === 0) stop('whole');
  };
  /** A scalar is complete. */
  const endValue = (): void => {
    sink.ended();
    ended();
  };

  const push = (container: Container): void => {
    if (containers.push(container)) enter(containers.inObject() ? keyOrEnd : item);
    else fail();
  };

  const readValue = (char: string): boolean => {
    if (char === '<') return quoteMarker === '' ? halt() : openMarker(false);
    const isQuote = OPENING_QUOTES.includes(char);
    const isBracket = OPENING_BRACKETS.includes(char);
    if (!isQuote && !isBracket && !isWordStart(char) && !bareStrings) return halt();
    inKey = false;
    containers.element();
    if (isBracket) push(char as Container);
    else if (isQuote) openString(char, false);
    else return openWord();
    return true;
  };

  const readKey = (char: string): boolean => {
    const isCall = containers.top() === 'call';
    if (CLOSING_BRACKETS.includes(char)) return readCloser(char);
    if (char === ',') return extraComma();
    if (char === '<') return quoteMarker === '' ? halt() : openMarker(!isCall);
    const isQuote = OPENING_QUOTES.includes(char);
    if (isCall && (isQuote || OPENING_BRACKETS.includes(char))) {
      // An argument without a name takes the name that the schema has at its place.
      if (!namePositional()) return fail();
      enter(value);
      return readValue(char);
    }
    if (!isQuote && !isWordStart(char)) return halt();
    inKey = true;
    key = '';
    if (!isQuote) return openWord();
    openString(char, false);
    return true;
  };

  const namePositional = (): boolean => {
    const name = options.positional?.(positionals);
    if (name === undefined) return false;
    positionals++;
    note('positional_argument', name);
    containers.property(name);
    return true;
  };

  const readColon = (char: string): boolean => {
    if (char !== ':' && char !== '=') return fail();
    if ((char === '=') !== (containers.top() === 'call')) note('wrong_separator');
    containers.property(keyOf(key));
    enter(value);
    return true;
  };

  const readNext = (char: string): boolean => {
    const inObject = containers.inObject();
    if (CLOSING_BRACKETS.includes(char)) return readCloser(char);
    const isComma = char === ',';
    if (isComma) containers.comma();
    else {
      const begins = OPENING_QUOTES.includes(char) || (inObject ? isWordStart(char) : '{[-'.includes(char));
      if (!begins || char === '`') return halt();
      note('missing_comma');
    }
    enter(inObject ? keyOrEnd : item);
    return isComma;
  };

  const extraComma = (): boolean => {
    note('extra_comma');
    return true;
  };

  const readCloser = (char: string): boolean => {
    if (containers.close(char)) {
      ended();
      return true;
    }
    // A bracket too many is left out, unless it may close what stands around the value.
    if (state !== next || (char === ']' && options.inArray === true)) return halt();
    note('extra_closer');
    return true;
  };

  // Strings.

  const host = {
    enter,
    note,
    put: (json: string): void => {
      if (inKey) key += json;
      else sink.write(json);
    },
    over: (): void => {
      if (inKey) {
        inKey = false;
        enter(colon);
        return;
      }
      sink.write('"');
      endValue();
    },
  };
  const strings = stringReader(host);
  const markedStrings = markedStringReader(
    {
      ...host,
      fail,
      opened: () => {
        if (!inKey) sink.write('"');
      },
    },
    quoteMarker,
  );

  const openString = (quote: string, raw: boolean): void => {
    if (quote !== '"' && !python) note('foreign_quotes');
    if (!inKey) sink.write('"');
    strings.begin(quote, { python, raw, joins: python && !inKey, alone: containers.depth() === 0 });
  };

  const openMarker = (isKey: boolean): boolean => {
    if (state !== keyOrEnd) containers.element();
    inKey = isKey;
    key = '';
    markedStrings.begin();
    return false;
  };

  // Words: numbers, literals, keys without quotes.

  const openWord = (): boolean => {
    words.begin();
    return false;
  };

  /** Python's r'…', b'…' and the like. */
  const openPrefixed = (prefix: string, quote: string, at: number): number => {
    if (inKey && (containers.top() !== 'call' || !namePositional())) {
      fail();
      return at;
    }
    inKey = false;
    openString(quote, prefix.toLowerCase().includes('r'));
    return at + 1;
  };

  const endWord = (word: string): void => {
    const literal = literalOf(word);
    const isCall = containers.top() === 'call';
    const wasKey = inKey;
    inKey = false;
    if (!wasKey) endBare(word, literal);
    else if (isCall && literal !== undefined) {
      if (namePositional()) endBare(word, literal);
      else fail();
    } else {
      if (!isCall && quoteMarker === '') note('unquoted_key');
      key = escapeJson(word);
      enter(colon);
    }
  };

  const endBare = (word: string, literal: string | undefined): void => {
    if (literal !== undefined) {
      if (literal !== word && !python) note('foreign_literal');
      sink.write(literal);
    } else if (bareStrings && word !== '') {
      note('unquoted_value');
      sink.write(JSON.stringify(word));
    } else {
      fail();
      return;
    }
    endValue();
  };

  const words = wordReader({ enter, fail, isText: () => bareStrings && !inKey, over: endWord, quoted: openPrefixed });

  const beginComment = (char: string): void => {
    const before = state;
    note('comment_left_out');
    enter(commentState(char, () => enter(before), fail));
  };

  const scanner: ValueScanner = {
    done: false,
    outcome: 'cut',
    feed: (text, at, end) => {
      while (at < end && !scanner.done) at = state(text, at, end);
      return at;
    },
    finish: () => {
      if (scanner.done) return;
      // A scalar needs no bracket to be whole.
      if (strings.endsIn(state)) host.over();
      else if (words.endsIn(state) && containers.depth() === 0) words.end();
      scanner.done = true;
    },
    giveUp: fail,
    closeAll: () => {
      if (scanner.outcome === 'whole' || scanner.outcome === 'failed') return false;
      if (words.endsIn(state) && !inKey) words.end();
      if (state !== next && state !== keyOrEnd && state !== item) return false;
      note('missing_closer');
      while (containers.depth() > 0) containers.pop();
      ended();
      return true;
    },
  };
  if (options.call === true) push('call');
  return scanner;
};

const keyOf = (json: string): string => {
  if (!json.includes('\\')) return json;
  try {
    return JSON.parse(`"${json}"`) as string;
  } catch {
    return json;
  }
};
