/** X1: a value that is raw text up to its own close tag. */
import type { CallWriter } from '../call-writer.ts';
import type { Core } from '../core.ts';
import type { TrimsNewline } from '../grammar.ts';
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

/** Behind a close tag: another like it, the end of the call, the next value's tag, what may begin behind a call. */
export type Behind = 'end' | 'close' | 'next' | 'open';

export type RawPlace = {
  inside: MarkerSet<InValue>;
  /** The value's own close tags. */
  closeTags: readonly string[];
  /** May follow the end of a call: its wrapper's markers, the next call, a token that ends the turn. */
  follow: MarkerSet<'close' | 'open'>;
  /** What decides whether a close tag is the value's own. */
  behind: MarkerSet<Behind>;
  /** Ends the tag of the next value, or shows that it was none. */
  nextEnd: MarkerSet<boolean>;
  /** One line break on each side is markup. */
  trimsNewline?: TrimsNewline | undefined;
  literal?: LiteralMarks;
};
export type LiteralMarks = { open: MarkerSet<unknown>; close: MarkerSet<unknown> };

/** A line break, and the indentation of the tag behind it. */
const LINE_END = /\r?\n[\t ]*$/;
/** What may be the line break before a close tag, as far as it has come. */
const MAYBE_LINE_END = /(?:\r|\r?\n[\t ]*)$/;

/** Without the indentation of its close tag, where each line has that. */
const outdented = (text: string): string => {
  const indent = /\n([\t ]+)$/.exec(text)?.[1] ?? '';
  const isBlock = text.split('\n').every((line) => line.startsWith(indent) || line.trim() === '');
  return isBlock ? `\n${text}`.replaceAll(`\n${indent}`, '\n').slice(1) : text;
};

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

/** Where the line break, or what may become a close tag, begins at the end of the text. */
const markupFrom = (text: string, longest: number): number => {
  const from = Math.max(0, text.length - longest);
  const tag = text.slice(from).lastIndexOf('</');
  const end = tag >= 0 ? from + tag : text.endsWith('<') ? text.length - 1 : text.length;
  const [lineEnd = ''] = MAYBE_LINE_END.exec(text.slice(Math.max(0, end - LAST_CHARACTERS), end)) ?? [];
  return end - lineEnd.length;
};

/** Hands raw text on, without the one line break on each side that is markup, and without a damaged close tag. */
const rawText = (writer: CallWriter, { closeTags, trimsNewline }: RawPlace): RawText => {
  const longest = longestDamaged(closeTags);
  let begun = false;
  let trimsEnd = trimsNewline === 'each';
  /** The first line begins with a blank: the end shows whether the value is indented as its tags are. */
  let indented = false;
  /** The end of the text, while it may be markup. */
  let held = '';
  /** What went out before it, as far as it can be the beginning of a damaged tag. */
  let last = '';

  const put = (text: string): void => {
    if (text === '') return;
    last += text;
    if (last.length > LAST_CHARACTERS) last = last.slice(-longest);
    writer.raw(text);
  };
  const endsInDamage = (): boolean => endsDamaged((last + held).slice(-LAST_CHARACTERS).trimEnd(), closeTags);

  const write = (piece: string): void => {
    let text = held + piece;
    if (trimsNewline !== undefined && !begun) {
      held = text;
      const inside = text.replace(/^\r?\n/, '');
      trimsEnd ||= inside !== text;
      if (inside === '' || text === '\r') return;
      indented = /^\r?\n[\t ]/.test(text);
      text = inside;
    }
    begun = true;
    const end = indented ? 0 : markupFrom(text, longest);
    held = text.slice(end);
    put(text.slice(0, end));
  };

  return {
    endsDamaged: endsInDamage,
    write,
    end: (forgotten) => {
      if (indented) {
        const text = outdented(held);
        indented = false;
        held = '';
        write(text);
      }
      const remains = forgotten && isDamaged(held.trim(), closeTags);
      if (forgotten) {
        if (!remains && endsInDamage()) return false;
        writer.repaired(remains ? 'damaged_close_tag' : 'missing_close_tag');
      }
      if (!remains) put(trimsEnd || forgotten ? held.replace(LINE_END, '') : held);
      writer.endRaw();
      return true;
    },
  };
};

/** What the values of one call have in common. */
export type Values = {
  /** A value named the beginning of a call whose end it did not hold. */
  opened: boolean;
};

/**
 * The value of a property that the writer has begun. Values are not escaped, so one may hold its own close tag, and whole
 * calls. Where it cannot be told which tag ends it, the call is broken and never cut short.
 */
export function* rawValue(core: Core, writer: CallWriter, place: RawPlace, values: Values): Routine<Reading> {
  const text = rawText(writer, place);
  if (place.literal !== undefined) yield* literalParts(core, text, place.literal);
  /** Calls that began in the value and have not ended in it. */
  let depth = 0;
  /** A close tag stands in the value. */
  let holdsEnd = false;
  for (;;) {
    const scan = yield* core.until(place.inside, text.write);
    const marker = scan.found;
    if (marker === undefined) return 'cut';
    if (marker.meaning === 'end') {
      const behind = yield* behindEnd(core, writer, place, { holdsEnd, depth });
      if (behind.verdict === 'text') {
        if (behind.closings > 0 && depth === 0 && values.opened) return 'malformed';
        text.write(marker.text + behind.read);
        depth = Math.max(0, depth - behind.closings);
        holdsEnd = true;
        continue;
      }
      core.putBack(behind.read);
      if (behind.verdict === 'unclear') return 'malformed';
      values.opened ||= depth > 0;
      text.end(false);
      return 'call';
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

/** The close tag ends the value, is text of it, or either. `closings`: ends of calls that stand behind it. */
type BehindEnd = { verdict: 'over' | 'text' | 'unclear'; closings: number; read: string };

/** Looks on from a close tag as far as it takes to tell whether the value is over. */
export function* behindEnd(
  core: Core,
  writer: CallWriter,
  place: Pick<RawPlace, 'behind' | 'nextEnd'>,
  { holdsEnd, depth }: { holdsEnd: boolean; depth: number },
): Routine<BehindEnd> {
  const read: string[] = [];
  const push = (piece: string): void => {
    read.push(piece);
  };
  let closings = 0;
  /** Something else than markers was read. */
  let prose = false;
  const verdict = (one: BehindEnd['verdict']): BehindEnd => ({ verdict: one, closings, read: read.join('') });
  /** Nothing follows that could end the value later. Behind one that might have, only the end of a call is sure. */
  const last = (): BehindEnd => verdict(holdsEnd && (closings === 0 || depth > 0) ? 'unclear' : 'over');
  for (;;) {
    if (!prose) push((yield* core.space()).space);
    const { found, partial } = prose
      ? { ...(yield* core.until(place.behind, push)), partial: true }
      : yield* core.match(place.behind);
    if (found === undefined) {
      if (partial || core.ended) return last();
      prose = true;
      continue;
    }
    const { meaning, text } = found;
    if (meaning === 'next' && closings === 0) {
      const { offers } = core;
      // The name of another call, which needs no marker of its own.
      const isNextCall =
        prose &&
        depth === 0 &&
        offers.get(offers.resolve((read.join('').split('<', 1)[0] as string).trim())) !== undefined;
      const next = yield* beforeNext(core, writer, place, text, holdsEnd || depth > 0);
      return verdict(isNextCall ? 'over' : next);
    }
    if (meaning === 'open' || meaning === 'end') core.putBack(text);
    // Without anything between them, it is the same tag twice.
    if (meaning === 'end') return prose || closings > 0 ? verdict('text') : last();
    // It may be the call that ended which began in the value, and then the next one begins in it too.
    if (meaning === 'open' && closings > 0 && depth > 0)
      return verdict((yield* endsLater(core, place)) ? 'text' : 'unclear');
    if (meaning === 'open') return closings > 0 ? verdict('over') : last();
    if (meaning === 'close') closings++;
    push(text);
  }
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
  const isDamaged = text.endsDamaged();
  // Where the value's own close tag still comes, what looks like a damaged one was text.
  if (isDamaged && (yield* endsLater(core, place))) {
    text.write(marker);
    return false;
  }
  while (!isDamaged) {
    const { space, next } = yield* core.space();
    if (space !== '') read.push(space);
    if (next < 0) break;
    const match = yield* core.match(place.follow);
    if (match.found === undefined) {
      if (match.partial) break;
      for (const piece of read) text.write(piece);
      return false;
    }
    if (match.found.meaning === 'open') {
      const isText = yield* endsLater(core, place, match.found.text);
      for (const piece of isText ? read : []) text.write(piece);
      if (isText) return false;
      break;
    }
    read.push(match.found.text);
  }
  core.putBack(read.join(''));
  return true;
}

/**
 * The value's own close tag comes, and before the tag of another value: so it goes on behind what looks like the end.
 * `begun`: what was read behind that already, and is put back too.
 */
export function* endsLater(core: Core, { behind }: Pick<RawPlace, 'behind'>, begun = ''): Routine<boolean> {
  const read = [begun];
  for (;;) {
    const { found } = yield* core.until(behind, (piece) => {
      read.push(piece);
    });
    if (found !== undefined) read.push(found.text);
    if (found?.meaning === 'close' || found?.meaning === 'open') continue;
    core.putBack(read.join(''));
    return found?.meaning === 'end';
  }
}

/** Before the tag of a value: in one that holds marks, only a parameter that is still due shows that it is over. */
function* beforeNext(
  core: Core,
  writer: CallWriter,
  place: Pick<RawPlace, 'nextEnd'>,
  marker: string,
  holdsMarks: boolean,
): Routine<BehindEnd['verdict']> {
  const { head, found } = yield* core.head(place.nextEnd);
  core.putBack(marker + head + (found?.text ?? ''));
  const { name } = readTagHeader(head);
  if (writer.has(name)) return 'text';
  return holdsMarks && writer.parameter(name) === undefined ? 'text' : 'over';
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
