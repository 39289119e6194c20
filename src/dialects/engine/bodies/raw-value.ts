/** X1: a value that is raw text up to its own close tag. */
import type { CallWriter } from '../call-writer.ts';
import type { Core } from '../core.ts';
import type { MarkerSet } from '../markers.ts';
import type { Routine } from '../scanner.ts';
import type { Reading } from '../site.ts';
import { endsDamaged, isDamaged, longestDamaged } from './close-tag.ts';
import { isParameterName, readTagHeader } from './tag-header.ts';

/**
 * What a marker inside a value can be: the value's `end`; a `call` opening or its `callEnd`, the wrapper's `close`, the
 * `next` value's tag. Only the first ends the value by itself; the others are text unless what follows, or what is left
 * of the value's own tag, shows that they are meant.
 */
export type InValue = 'end' | 'call' | 'callEnd' | 'close' | 'next';

export type RawPlace = {
  inside: MarkerSet<InValue>;
  /** The value's own close tags. */
  closeTags: readonly string[];
  /** May follow the end of a call: its wrapper's markers, the next call, a token that ends the turn. */
  follow: MarkerSet<'close' | 'open'>;
  /** What decides whether a close tag is the value's own: others like it, the end of the call, what may begin then. */
  behind: MarkerSet<'end' | 'close' | 'open'>;
  /** Ends the tag of the next value, or shows that it was none. */
  nextEnd: MarkerSet<boolean>;
  /** One line break on each side is markup. */
  trimsNewline?: boolean;
  literal?: LiteralMarks;
};
export type LiteralMarks = { open: MarkerSet<unknown>; close: MarkerSet<unknown> };

const LINE_END = /\r?\n$/;

/** So much is kept of what went out before it is cut to what a tag needs. */
const LAST_CHARACTERS = 512;

/** Raw text on its way to a call. */
type RawText = {
  write(piece: string): void;
  /** The close tag is not missing but damaged: this is what is left of it. */
  endsDamaged(): boolean;
  /**
   * `forgotten`: there was no proper close tag, so the line break before what follows is no part of the value. False
   * where the remains of one cannot be told from the value any more.
   */
  end(forgotten: boolean): boolean;
};

/** Hands raw text on, without the one line break on each side that is markup, and without a damaged close tag. */
const rawText = (writer: CallWriter, { closeTags, trimsNewline = false }: RawPlace): RawText => {
  const longest = longestDamaged(closeTags);
  let begun = false;
  /** The end of the text, while it may be markup. */
  let held = '';
  /** What went out before it, as far as it can be the beginning of a damaged tag. */
  let last = '';

  /** Where the line break, or what may become a close tag, begins at the end of the text. */
  const markupFrom = (text: string): number => {
    const from = Math.max(0, text.length - longest);
    const tag = (from === 0 ? text : text.slice(from)).lastIndexOf('</');
    const end = tag >= 0 ? from + tag : text.endsWith('<') ? text.length - 1 : text.length;
    const code = text.charCodeAt(end - 1);
    if (code !== 10 && code !== 13) return end;
    return code === 10 && text.charCodeAt(end - 2) === 13 ? end - 2 : end - 1;
  };
  const put = (text: string): void => {
    if (text === '') return;
    last += text;
    if (last.length > LAST_CHARACTERS) last = last.slice(-longest);
    writer.raw(text);
  };
  const endsInDamage = (): boolean => endsDamaged((last + held).trimEnd(), closeTags);

  return {
    endsDamaged: endsInDamage,
    write: (piece) => {
      let text = held + piece;
      if (trimsNewline && !begun) {
        held = text;
        if (text === '\r') return;
        text = text.replace(/^\r?\n/, '');
      }
      begun = true;
      const end = markupFrom(text);
      held = text.slice(end);
      put(text.slice(0, end));
    },
    end: (forgotten) => {
      const remains = forgotten && isDamaged(held.trim(), closeTags);
      if (forgotten) {
        if (!remains && endsInDamage()) return false;
        writer.repaired(remains ? 'damaged_close_tag' : 'missing_close_tag');
      }
      if (!remains) put(trimsNewline || forgotten ? held.replace(LINE_END, '') : held);
      writer.endRaw();
      return true;
    },
  };
};

/** The value of a property that the writer has begun. */
export function* rawValue(core: Core, writer: CallWriter, place: RawPlace): Routine<Reading> {
  const text = rawText(writer, place);
  if (place.literal !== undefined) yield* literalParts(core, text, place.literal);
  let depth = 0;
  /** A close tag stands in the value. */
  let holdsEnd = false;
  for (;;) {
    const scan = yield* core.until(place.inside, text.write);
    const marker = scan.found;
    if (marker === undefined) return 'cut';
    if (marker.meaning === 'end') {
      const { goesOn, closed, read } = yield* behindEnd(core, place);
      if (goesOn) text.write(marker.text + read);
      else {
        core.putBack(read);
        // Which of them ends the value cannot be told.
        if (holdsEnd && !closed) return 'malformed';
        text.end(false);
        return 'call';
      }
      holdsEnd = true;
      depth = 0;
      continue;
    }
    if (marker.meaning === 'call') depth++;
    else if (marker.meaning === 'callEnd' && depth > 0) depth--;
    else if (depth === 0) {
      const forgotten =
        marker.meaning === 'next'
          ? yield* forgottenBeforeNext(core, writer, place, text, marker.text)
          : yield* forgottenBeforeEnd(core, place, text, marker.text);
      if (forgotten) return text.end(true) ? 'call' : 'malformed';
      if (marker.meaning !== 'next') continue;
    }
    text.write(marker.text);
  }
}

/**
 * Behind a close tag: values are not escaped, so it may stand in the value itself, with the end of a call behind it. The
 * value goes on where another close tag follows before anything that may begin then. `closed`: the call ended.
 */
function* behindEnd(core: Core, place: RawPlace): Routine<{ goesOn: boolean; closed: boolean; read: string }> {
  const read: string[] = [];
  let closed = false;
  for (;;) {
    const { space, next } = yield* core.space();
    read.push(space);
    const match = next < 0 ? undefined : yield* core.match(place.behind);
    if (match === undefined || match.partial) return { goesOn: false, closed, read: read.join('') };
    if (match.found === undefined) break;
    const { meaning, text } = match.found;
    // Without anything between them, it is the same tag twice.
    if (meaning === 'open' || (meaning === 'end' && closed)) {
      core.putBack(text);
      return { goesOn: meaning === 'end', closed, read: read.join('') };
    }
    closed ||= meaning === 'close';
    read.push(text);
  }
  const { found } = yield* core.until(place.behind, (piece) => read.push(piece));
  if (found !== undefined) core.putBack(found.text);
  return { goesOn: found?.meaning === 'end', closed, read: read.join('') };
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
  while (!text.endsDamaged()) {
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
function* forgottenBeforeNext(
  core: Core,
  writer: CallWriter,
  place: RawPlace,
  text: RawText,
  marker: string,
): Routine<boolean> {
  const { head, found } = yield* core.head(place.nextEnd);
  const { name } = readTagHeader(head);
  const meant = writer.parameter(name) !== undefined || (text.endsDamaged() && isParameterName(name));
  const over = found?.meaning === true && meant && !writer.has(name);
  core.putBack((over ? marker : '') + head + (found?.text ?? ''));
  return over;
}
