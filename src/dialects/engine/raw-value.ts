/** X1: a value that is raw text up to its own close tag. */
import { DIALECT_LIMITS } from '../../core/dialect-limits.ts';
import type { CallWriter } from './call-writer.ts';
import type { Core } from './core.ts';
import type { MarkerSet } from './markers.ts';
import type { Routine } from './scanner.ts';
import { readTagHeader } from './tag-header.ts';

/**
 * What a marker inside a value can be: the value's `end`; a `call` opening or its `callEnd`, the wrapper's `close`, the
 * `next` value's tag. Only the first ends the value by itself; the others are text unless what follows shows that the
 * value's own tag was forgotten.
 */
export type InValue = 'end' | 'call' | 'callEnd' | 'close' | 'next';

export type RawPlace = {
  inside: MarkerSet<InValue>;
  /** May follow the end of a call: its wrapper's markers, the next call, a token that ends the turn. */
  follow: MarkerSet<'close' | 'open'>;
  /** Ends the tag of the next value; absent where a forgotten tag cannot be told from text. */
  nextEnd?: MarkerSet<unknown>;
  trimsNewline: boolean;
  literal?: LiteralMarks;
};
export type LiteralMarks = { open: MarkerSet<unknown>; close: MarkerSet<unknown> };

const NEWLINE = 10;
const RETURN = 13;

/** Hands raw text on, without the one line break on each side that is markup. */
class RawText {
  readonly #writer: CallWriter;
  readonly #trims: boolean;
  #begun = false;
  #lineEnd = '';

  constructor(writer: CallWriter, trims: boolean) {
    this.#writer = writer;
    this.#trims = trims;
  }

  write = (piece: string): void => {
    const last = piece.charCodeAt(piece.length - 1);
    if (this.#lineEnd === '' && (this.#begun || !this.#trims) && last !== NEWLINE && last !== RETURN) {
      this.#begun = true;
      this.#writer.raw(piece);
      return;
    }
    let text = this.#lineEnd + piece;
    this.#lineEnd = '';
    if (this.#trims && !this.#begun) {
      if (text === '\r') {
        this.#lineEnd = text;
        return;
      }
      if (text.startsWith('\n')) text = text.slice(1);
      else if (text.startsWith('\r\n')) text = text.slice(2);
    }
    this.#begun = true;
    if (text.endsWith('\r\n')) this.#lineEnd = '\r\n';
    else if (text.endsWith('\n') || text.endsWith('\r')) this.#lineEnd = text.slice(-1);
    if (this.#lineEnd !== '') text = text.slice(0, -this.#lineEnd.length);
    if (text !== '') this.#writer.raw(text);
  };

  /** `forgotten`: the close tag was missing, so the line break before what follows is no part of the value. */
  end(forgotten: boolean): void {
    const markup = (this.#trims || forgotten) && this.#lineEnd !== '\r';
    if (!markup && this.#lineEnd !== '') this.#writer.raw(this.#lineEnd);
    this.#writer.endRaw();
  }
}

/** The value of a property that the writer has begun. `false`: the text is over inside it. */
export function* rawValue(core: Core, writer: CallWriter, place: RawPlace): Routine<boolean> {
  const text = new RawText(writer, place.trimsNewline);
  if (place.literal !== undefined) yield* literalParts(core, text, place.literal);
  let depth = 0;
  let forgotten = false;
  for (;;) {
    const scan = yield* core.until(place.inside, text.write);
    const marker = scan.found;
    if (marker === undefined) return false;
    if (marker.meaning === 'end') break;
    if (marker.meaning === 'call') depth++;
    else if (marker.meaning === 'callEnd' && depth > 0) depth--;
    else if (depth === 0) {
      forgotten =
        marker.meaning === 'next'
          ? yield* forgottenBeforeNext(core, writer, place, marker.text)
          : yield* forgottenBeforeEnd(core, place, text, marker.text);
      if (forgotten) {
        writer.repaired('missing_close_tag', 'the close tag of a value was missing');
        break;
      }
      if (marker.meaning !== 'next') continue;
    }
    text.write(marker.text);
  }
  text.end(forgotten);
  return true;
}

/** What stands between the marks of a literal stretch goes through whatever it holds. */
function* literalParts(core: Core, text: RawText, literal: LiteralMarks): Routine {
  for (;;) {
    const { space } = yield* core.space();
    const match = yield* core.match(literal.open);
    if (match.found === undefined) {
      core.putBack(space);
      return;
    }
    yield* core.until(literal.close, text.write);
  }
}

/**
 * Behind what may be the end of the call: the value is over if nothing follows but the wrapper's end, the next call, or
 * the end of the text. Else all of it was text.
 */
function* forgottenBeforeEnd(core: Core, place: RawPlace, text: RawText, marker: string): Routine<boolean> {
  const read = [marker];
  for (;;) {
    const { space, next } = yield* core.space();
    if (space !== '') read.push(space);
    if (next < 0) break;
    const match = yield* core.match(place.follow);
    if (match.found === undefined) {
      if (match.partial) break;
      for (const piece of read) text.write(piece);
      return false;
    }
    read.push(match.found.text);
    if (match.found.meaning === 'open') break;
  }
  core.putBack(read.join(''));
  return true;
}

/** Before what may be the next value: the tag counts if it names a parameter that the tool has. */
function* forgottenBeforeNext(core: Core, writer: CallWriter, place: RawPlace, marker: string): Routine<boolean> {
  if (place.nextEnd === undefined) return false;
  let header = '';
  const scan = yield* core.until(place.nextEnd, (piece) => (header += piece), DIALECT_LIMITS.headerCharacters);
  const { name } = readTagHeader(header);
  const over = scan.found !== undefined && writer.parameter(name) !== undefined && !writer.has(name);
  core.putBack((over ? marker : '') + header + (scan.found?.text ?? ''));
  return over;
}
