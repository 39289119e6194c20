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

/** One line of safe text → runs in one style each; `at` counts in the source, so that a long line can be cut there. */
export const inlineSpans = (source: string, theme: Theme, paint?: Paint, at = 0, depth = 0): Span[] => {
  if (!INTERESTING.test(source)) return [{ text: source, paint, at }];
  const spans: Span[] = [];
  const ends = new MarkEnds(source);
  let from = 0;
  let index = 0;
  const plainUpTo = (end: number): void => {
    if (end > from) spans.push({ text: source.slice(from, end), paint, at: at + from });
  };
  const skip = (end: number): void => {
    index = end;
    from = end;
  };
  while (index < source.length) {
    const character = source[index]!;
    if (!INTERESTING.test(character)) {
      index += 1;
      continue;
    }
    if (character === '\\' && PUNCTUATION.test(source[index + 1] ?? '')) {
      plainUpTo(index);
      from = index + 1;
      index += 2;
      continue;
    }
    const code = character === '`' ? ends.ofCode(index) : undefined;
    if (code) {
      plainUpTo(index);
      // The back ticks stay: what is copied is what was meant, and no colour has to say it.
      spans.push({ text: source.slice(index, code), paint: both(paint, theme.bold), at: at + index });
      skip(code);
      continue;
    }
    if (character === '`') {
      index += runLength(source, index, '`');
      continue;
    }
    const link = character === '[' ? LINK.exec(source.slice(index)) : null;
    if (link) {
      plainUpTo(index);
      append(spans, inlineSpans(link[1]!, theme, both(paint, theme.underline), at + index + 1, NESTING));
      // The address is always there to be read: a text never hides where it leads.
      if (link[1] !== link[2]) {
        spans.push({ text: ` (${link[2]!})`, paint: both(paint, theme.dim), at: at + index + 1 + link[1]!.length });
      }
      skip(index + link[0].length);
      continue;
    }
    const autolink = character === '<' ? AUTOLINK.exec(source.slice(index)) : null;
    if (autolink) {
      plainUpTo(index);
      spans.push({ text: autolink[1]!, paint: both(paint, theme.underline), at: at + index + 1 });
      skip(index + autolink[0].length);
      continue;
    }
    const found = depth < NESTING ? ends.ofEmphasis(index) : undefined;
    if (found) {
      plainUpTo(index);
      const { delimiter, end } = found;
      const size = delimiter.mark.length;
      const inner = source.slice(index + size, end);
      append(spans, inlineSpans(inner, theme, both(paint, delimiter.paint(theme)), at + index + size, depth + 1));
      skip(end + size);
      continue;
    }
    index += character === '*' || character === '_' || character === '~' ? runLength(source, index, character) : 1;
  }
  plainUpTo(source.length);
  return spans;
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
    const delimiter = DELIMITERS.find((each) => source.startsWith(each.mark, index));
    if (!delimiter || this.#unclosed.has(delimiter)) return undefined;
    const { mark } = delimiter;
    const after = source[index + mark.length];
    const isInWord = mark.startsWith('_') && WORD.test(source[index - 1] ?? '');
    if (after === undefined || after === ' ' || isInWord) return undefined;
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
