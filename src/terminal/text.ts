/** Measuring, wrapping and cutting of text that is safe already. Styles are put on after the measuring. */
import { truncateToWidth, visibleWidth } from './pi-tui.ts';
import type { Marks, Paint, Theme } from './theme.ts';

const PLAIN = /^[\x20-\x7e]*$/;
const ESCAPE = '\x1b';
/** A sign that ends something stays with the wide character before it: no line begins with one. */
const TOKENS =
  / +|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{20000}-\u{3fffd}][、。，．・：；！？）］｝〉》」』】〕]*|[^ \u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{20000}-\u{3fffd}]+/gu;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Columns that a string takes; styles take none. */
export const widthOf = (text: string): number => (PLAIN.test(text) ? text.length : visibleWidth(text));

/** At most `width` columns, with a mark where something was left out. */
export const cut = (text: string, width: number, ellipsis = '…'): string => {
  if (width <= 0) return '';
  if (widthOf(text) <= width) return text;
  if (text.includes(ESCAPE) || !PLAIN.test(text)) return truncateToWidth(text, width, ellipsis);
  return text.slice(0, Math.max(0, width - widthOf(ellipsis))) + ellipsis.slice(0, width);
};

/** The last `width` columns. */
const endOf = (text: string, width: number): string => {
  const pieces = [...graphemes.segment(text)].map(({ segment }) => segment);
  let used = 0;
  let from = pieces.length;
  while (from > 0 && used + widthOf(pieces[from - 1]!) <= width) {
    from -= 1;
    used += widthOf(pieces[from]!);
  }
  return pieces.slice(from).join('');
};

/** All of it where it fits in so many columns, else its end behind the mark of what is left out. */
export const fittingEnd = (text: string, width: number, ellipsis: string): string =>
  widthOf(text) <= width ? text : `${ellipsis}${endOf(text, Math.max(0, width - widthOf(ellipsis)))}`;

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

export const inColumn = (text: string, width: number, { isAligned }: Marks): string =>
  isAligned ? padEnd(text, width) : text;

/** A name in a table, up to what stands beside it. */
export const besideEach = (name: string, width: number, marks: Marks): string =>
  inColumn(name, width, marks) + marks.beside;

/** A run of text in one style; `at` is where it stands in the source. */
export type Span = { text: string; paint?: Paint | undefined; at?: number };
export type WrappedLine = {
  text: string;
  width: number;
  /** Where in the source the line begins. */ at: number;
};

/** Columns that a text keeps where it is indented. The widest letter, an emoji with a sign that does not join it, has three. */
const TEXT_COLUMNS = { least: 3, most: 8 };
/** How much may stand before a text: in a window too narrow for both, the indent gives way. */
export const indentRoom = (width: number): number => {
  const text = Math.min(TEXT_COLUMNS.most, Math.max(TEXT_COLUMNS.least, Math.ceil(width / 2)));
  return Math.max(0, width - text);
};

/** All of them, however many: a call takes no more arguments than the stack holds. */
export const append = <T>(list: T[], more: readonly T[]): void => {
  for (const each of more) list.push(each);
};

/** What a word is cut into that is longer than a line: graphemes, or as much as a line holds where each has one column. */
const piecesOf = (word: string, first: number, rest: number): Iterable<{ segment: string; index: number }> =>
  PLAIN.test(word) ? plainPieces(word, first, Math.max(1, rest)) : graphemes.segment(word);

function* plainPieces(word: string, first: number, rest: number): Generator<{ segment: string; index: number }> {
  yield { segment: word.slice(0, first), index: 0 };
  for (let index = first; index < word.length; index += rest) yield { segment: word.slice(index, index + rest), index };
}

/** The columns of the longest piece that is not broken where there is room for it. */
export const widestPiece = (text: string): number =>
  (text.match(TOKENS) ?? []).reduce((most, token) => Math.max(most, widthOf(token.trim())), 0);

/** Wraps at spaces, between wide characters, and inside a word only where it is longer than a line. */
export const wrapSpans = (spans: readonly Span[], width: number, hang = ''): WrappedLine[] => {
  const limit = Math.max(1, width);
  const nextIndent = hang.slice(0, indentRoom(limit));
  const lines: WrappedLine[] = [];
  const indentWidth = widthOf(nextIndent);
  let line = '';
  let used = 0;
  let lineAt = spans[0]?.at ?? 0;
  let pendingSpace = '';
  let isFirst = true;
  const available = (): number => Math.max(1, limit - (isFirst ? 0 : indentWidth));
  /** Words of one style are painted together: fewer bytes, and an underline that does not break at the spaces. */
  let run = '';
  let runPaint: Paint | undefined;
  const paintRun = (): void => {
    if (run !== '') line += runPaint ? runPaint(run) : run;
    run = '';
  };
  const put = (text: string, textWidth: number, paint: Paint | undefined): void => {
    if (paint !== runPaint) {
      paintRun();
      line += pendingSpace;
      runPaint = paint;
      run = text;
    } else run += pendingSpace + text;
    used += pendingSpace.length + textWidth;
    pendingSpace = '';
  };
  const flush = (nextAt: number): void => {
    paintRun();
    lines.push({ text: isFirst ? line : nextIndent + line, width: used + (isFirst ? 0 : indentWidth), at: lineAt });
    isFirst = false;
    line = '';
    used = 0;
    pendingSpace = '';
    lineAt = nextAt;
  };
  for (const span of spans) {
    // One look instead of many: a run that fits goes in whole.
    const whole = widthOf(span.text);
    const edges = span.text.startsWith(' ') || span.text.endsWith(' ');
    if (!edges && used + pendingSpace.length + whole <= available()) {
      put(span.text, whole, span.paint);
      continue;
    }
    let offset = 0;
    for (const token of span.text.match(TOKENS) ?? []) {
      const at = (span.at ?? 0) + offset;
      offset += token.length;
      if (token.startsWith(' ')) {
        if (used === 0 && lines.length === 0)
          put(token.slice(0, available() - 1), Math.min(token.length, available() - 1), undefined);
        else if (used > 0) pendingSpace += token;
        continue;
      }
      const tokenWidth = widthOf(token);
      if (used + pendingSpace.length + tokenWidth <= available()) {
        put(token, tokenWidth, span.paint);
        continue;
      }
      if (used > 0) flush(at);
      if (tokenWidth <= available()) {
        put(token, tokenWidth, span.paint);
        continue;
      }
      let piece = '';
      let pieceWidth = 0;
      let pieceAt = at;
      for (const { segment, index } of piecesOf(token, available(), limit - indentWidth)) {
        const segmentWidth = widthOf(segment);
        if (pieceWidth > 0 && pieceWidth + segmentWidth > available()) {
          put(piece, pieceWidth, span.paint);
          flush(at + index);
          piece = '';
          pieceWidth = 0;
          pieceAt = at + index;
        }
        piece += segment;
        pieceWidth += segmentWidth;
      }
      lineAt = lines.length > 0 && used === 0 ? pieceAt : lineAt;
      put(piece, pieceWidth, span.paint);
    }
  }
  if (used > 0 || lines.length === 0) flush(0);
  return lines;
};

/** Plain text with line feeds, wrapped. */
export const wrapText = (text: string, width: number, paint?: Paint): string[] =>
  text
    .split('\n')
    .flatMap((line) => wrapSpans([{ text: line }], width).map((each) => (paint ? paint(each.text) : each.text)));

/** Every line behind a prefix, wrapped so that the prefix stands before each piece. */
export const quote = (text: string, width: number, prefix: string, paint?: Paint): string[] =>
  wrapText(text, Math.max(1, width - widthOf(prefix)), paint).map((line) => prefix + line);

export const formatBytes = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} kB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
};

export const formatDuration = (ms: number): string => {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

export const formatCount = (count: number): string => {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${(count / 1_000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
};

/** `2026-11-21 14:05` in the person's own time. */
export const timeText = (milliseconds: number, end: 'minutes' | 'seconds' = 'minutes'): string =>
  new Date(milliseconds - new Date(milliseconds).getTimezoneOffset() * 60_000)
    .toISOString()
    .slice(0, end === 'minutes' ? 16 : 19)
    .replace('T', ' ');

/** 12345 → 12,345: for numbers a person compares. */
export { grouped as formatNumber } from '../core/number-text.ts';

/** A word in bold and what it stands for, in as many lines as it takes. */
export const labelled = (label: string, text: string, width: number, theme: Theme, paint?: Paint): string[] =>
  wrapSpans(
    [
      { text: label, paint: theme.bold },
      { text, paint },
    ],
    width,
    '  ',
  ).map((line) => line.text);
