/** Marks inside a line: `code`, **bold**, *italic*, ~~struck~~, [links](…). What is not closed stays as it was typed. */
import { append, type Span } from '../text.ts';
import type { Paint, Theme } from '../theme.ts';

const INTERESTING = /[`*_~[\\<]/;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;
const LINK =
  /^\[((?:[^[\]\\]|\\.){1,500})\]\(\s*<?([^\s()<>]{1,2000}(?:\([^\s()]*\)[^\s()<>]*)?)>?(?:\s+"[^"]*")?\s*\)/;
const AUTOLINK = /^<((?:https?|mailto):[^\s<>]{1,2000})>/;

type Delimiter = { mark: '**' | '*' | '~~' | '_' | '__'; paint: (theme: Theme) => Paint };
const DELIMITERS: readonly Delimiter[] = [
  { mark: '**', paint: (theme) => theme.bold },
  { mark: '__', paint: (theme) => theme.bold },
  { mark: '~~', paint: (theme) => theme.strike },
  { mark: '*', paint: (theme) => theme.italic },
  { mark: '_', paint: (theme) => theme.italic },
];
const NESTING = 4;

const both = (outer: Paint | undefined, inner: Paint): Paint => (outer ? (text) => outer(inner(text)) : inner);

/** A mark with what it stands round, a sign that is text although it looks like one, or nothing of interest. */
type Found =
  | { kind: 'escape' | 'code'; end: number }
  | { kind: 'link'; end: number; text: string; address: string }
  | { kind: 'autolink'; end: number; address: string }
  | { kind: 'emphasis'; end: number; mark: string; paint: (theme: Theme) => Paint }
  | { kind: 'text'; end: number };

/** What begins at a character that may be a mark. */
const findAt = (source: string, index: number, ends: MarkEnds, depth: number): Found => {
  const character = source[index]!;
  if (character === '\\' && PUNCTUATION.test(source[index + 1] ?? '')) return { kind: 'escape', end: index + 2 };
  if (character === '`') {
    const end = ends.ofCode(index);
    return end ? { kind: 'code', end } : { kind: 'text', end: index + runLength(source, index, '`') };
  }
  const link = character === '[' ? LINK.exec(source.slice(index)) : null;
  if (link) return { kind: 'link', end: index + link[0].length, text: link[1]!, address: link[2]! };
  const autolink = character === '<' ? AUTOLINK.exec(source.slice(index)) : null;
  if (autolink) return { kind: 'autolink', end: index + autolink[0].length, address: autolink[1]! };
  const emphasis = depth < NESTING ? ends.ofEmphasis(index) : undefined;
  if (emphasis) {
    const { mark, paint } = emphasis.delimiter;
    return { kind: 'emphasis', end: emphasis.end + mark.length, mark, paint };
  }
  const isRun = character === '*' || character === '_' || character === '~';
  return { kind: 'text', end: index + (isRun ? runLength(source, index, character) : 1) };
};

/** One line of safe text → runs in one style each; `at` counts in the source, so that a long line can be cut there. */
export const inlineSpans = (source: string, theme: Theme, paint?: Paint, at = 0, depth = 0): Span[] => {
  if (!INTERESTING.test(source)) return [{ text: source, paint, at }];
  const spans: Span[] = [];
  const ends = new MarkEnds(source);
  let from = 0;
  for (let index = 0; index < source.length; ) {
    const found = INTERESTING.test(source[index]!)
      ? findAt(source, index, ends, depth)
      : ({ kind: 'text', end: index + 1 } as const);
    if (found.kind !== 'text') {
      if (index > from) spans.push({ text: source.slice(from, index), paint, at: at + from });
      from = found.kind === 'escape' ? index + 1 : found.end;
    }
    if (found.kind === 'code') {
      // The back ticks stay: what is copied is what was meant, and no colour has to say it.
      spans.push({ text: source.slice(index, found.end), paint: both(paint, theme.bold), at: at + index });
    } else if (found.kind === 'link') {
      const { text, address } = found;
      append(spans, inlineSpans(text, theme, both(paint, theme.underline), at + index + 1, NESTING));
      // The address is always there to be read: a text never hides where it leads.
      if (text !== address)
        spans.push({ text: ` (${address})`, paint: both(paint, theme.dim), at: at + index + 1 + text.length });
    } else if (found.kind === 'autolink') {
      spans.push({ text: found.address, paint: both(paint, theme.underline), at: at + index + 1 });
    } else if (found.kind === 'emphasis') {
      const size = found.mark.length;
      const inner = source.slice(index + size, found.end - size);
      append(spans, inlineSpans(inner, theme, both(paint, found.paint(theme)), at + index + size, depth + 1));
    }
    index = found.end;
  }
  if (source.length > from) spans.push({ text: source.slice(from), paint, at: at + from });
  return spans;
};

/** How many signs stand before the first letter that a mark shows. */
const signsOf = (found: Found): number => {
  if (found.kind === 'emphasis') return found.mark.length;
  return found.kind === 'text' || found.kind === 'code' ? 0 : 1;
};

/** A link that may still be closed: its text, or its address. */
const OPEN_LINK = /^\[(?:[^[\]\\]|\\.){0,500}(?:\\?|\](?:\([^()]{0,2000}(?:\([^()]{0,2000}\)?[^()]{0,2000})?)?)$/;
const OPEN_AUTOLINK = /^<[a-z]{0,6}(?::[^\s<>]{0,2000})?$/;

/**
 * Where an open line can be cut so that what follows reads as it did in the whole: outside of every mark. `settled`: what
 * comes changes nothing before it, for there begins the first mark that may still be closed. `before` gives the place for a
 * row that begins at a letter, and is asked in the order of the text.
 */
export const cutPlaces = (source: string): { settled: number; before: (at: number) => number | undefined } => {
  if (!INTERESTING.test(source)) return { settled: source.length, before: (at) => at };
  const ends = new MarkEnds(source);
  const marked: { from: number; text: number; to: number }[] = [];
  let settled = source.length;
  for (let index = 0; index < source.length; ) {
    if (!INTERESTING.test(source[index]!)) {
      index += 1;
      continue;
    }
    const found = findAt(source, index, ends, 0);
    if (found.end >= source.length || (found.kind === 'text' && mayBeClosed(source, index, ends))) {
      settled = index;
      break;
    }
    marked.push({ from: index, text: index + signsOf(found), to: found.end });
    index = found.end;
  }
  let next = 0;
  const before = (at: number): number | undefined => {
    while (next < marked.length && marked[next]!.to <= at) next += 1;
    const mark = marked[next];
    const place = mark?.text === at ? mark.from : at;
    const isInWord = source[place] === '_' && WORD.test(source[place - 1] ?? '');
    return at >= settled || isInWord || (mark !== undefined && place > mark.from) ? undefined : place;
  };
  return { settled, before };
};

const mayBeClosed = (source: string, index: number, ends: MarkEnds): boolean => {
  const character = source[index]!;
  if (character === '`') return true;
  if (character === '[') return OPEN_LINK.test(source.slice(index, index + 7_000));
  if (character === '<') return OPEN_AUTOLINK.test(source.slice(index, index + 7_000));
  return character !== '\\' && ends.mayOpen(index);
};

const runLength = (source: string, index: number, character: string): number => {
  let end = index;
  while (source[end] === character) end += 1;
  return end - index;
};

/** Where marks end. What was looked for in vain is not looked for again further on: the time grows with the text alone. */
class MarkEnds {
  readonly #source: string;
  /** The start of the last run of so many back ticks. */
  #lastRuns: Map<number, number> | undefined;
  readonly #unclosed = new Set<Delimiter>();

  constructor(source: string) {
    this.#source = source;
  }

  /** The index after the closing run of as many back ticks. */
  ofCode(index: number): number | undefined {
    const source = this.#source;
    const size = runLength(source, index, '`');
    this.#lastRuns ??= lastRunsOf(source, '`');
    if ((this.#lastRuns.get(size) ?? 0) <= index) return undefined;
    for (let end = source.indexOf('`', index + size); end >= 0; ) {
      const closing = runLength(source, end, '`');
      if (closing === size) return end + size;
      end = source.indexOf('`', end + closing);
    }
    return undefined;
  }

  ofEmphasis(index: number): { delimiter: Delimiter; end: number } | undefined {
    const source = this.#source;
    const delimiter = this.#opening(index);
    if (!delimiter || this.#unclosed.has(delimiter)) return undefined;
    const { mark } = delimiter;
    for (let end = source.indexOf(mark, index + mark.length + 1); end >= 0; end = source.indexOf(mark, end + 1)) {
      const isOpenAgain = source[end - 1] === ' ' || source[end - 1] === '\\';
      const endsWord = !mark.startsWith('_') || !WORD.test(source[end + mark.length] ?? '');
      const isLonger = mark.length === 1 && source[end + 1] === mark;
      if (isLonger) end += 1;
      else if (!isOpenAgain && endsWord) return { delimiter, end };
    }
    this.#unclosed.add(delimiter);
    return undefined;
  }

  /** Emphasis begins here, if it is closed. */
  mayOpen(index: number): boolean {
    return this.#opening(index) !== undefined;
  }

  #opening(index: number): Delimiter | undefined {
    const source = this.#source;
    const delimiter = DELIMITERS.find((each) => source.startsWith(each.mark, index));
    if (!delimiter) return undefined;
    const after = source[index + delimiter.mark.length];
    const isInWord = delimiter.mark.startsWith('_') && WORD.test(source[index - 1] ?? '');
    return after === undefined || after === ' ' || isInWord ? undefined : delimiter;
  }
}

const lastRunsOf = (source: string, character: string): Map<number, number> => {
  const runs = new Map<number, number>();
  for (let at = source.indexOf(character); at >= 0; ) {
    const size = runLength(source, at, character);
    runs.set(size, at);
    at = source.indexOf(character, at + size);
  }
  return runs;
};
