/**
 * Markdown as it streams: a line is finished when its line feed has come (a table, when a line that is none has come),
 * and a finished line never changes again. So only the last line is ever rendered twice, and cost grows with the text.
 */
import { languageNamed } from './code/languages.ts';
import { CodeLexer } from './code/lexer.ts';
import { codeSpans } from './code/spans.ts';
import { cutPlaces } from './markdown/inline.ts';
import { hangOf, type LineShape, shapedLines, shapeOf } from './markdown/line-shape.ts';
import { isTableLine, OpenTable } from './markdown/table.ts';
import { append, type Span, type WrappedLine, wrapSpans, wrapText } from './text.ts';
import type { Paint, Theme } from './theme.ts';

const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/;
/** Rows of a table that wait for its end, so that its columns fit all of them. */
const TABLE_ROWS = 200;
/** The last rows of an open line: the letters that come may still change them. */
const OPEN_ROWS = 2;

/** An open line whose beginning is on the screen for good: what that was. */
type Continued = { shape: LineShape } | { code: string };

export class MarkdownStream {
  readonly #theme: Theme;
  #partial = '';
  #fence: string | undefined;
  /** The colours of the open block of code. */
  #code: CodePainter | undefined;
  #table: OpenTable;
  /** The columns that the lines of a list item stand in, while one is open. */
  #hang = 0;
  #continued: Continued | undefined;
  #finished: string[] = [];
  #blank = true;
  /** The rows of the open line as `live` gave them last. */
  #drawn: readonly WrappedLine[] = [];

  constructor(theme: Theme) {
    this.#theme = theme;
    this.#table = new OpenTable(theme);
  }

  /** Takes text that is safe already. */
  push(text: string): void {
    const lines = (this.#partial + text).split('\n');
    this.#partial = lines.pop()!;
    this.#finished = this.#finished.length === 0 ? lines : this.#finished.concat(lines);
  }

  get isEmpty(): boolean {
    return this.#finished.length === 0 && this.#partial === '' && this.#table.isEmpty;
  }

  /** The lines that will not change any more. Each is given out once. */
  take(width: number): string[] {
    const source = this.#finished;
    this.#finished = [];
    return source.flatMap((line) => this.#line(line, width));
  }

  /** No more text will come: what is left is finished. */
  end(width: number): string[] {
    const lines = this.take(width);
    if (this.#partial !== '') append(lines, this.#line(this.#partial, width));
    this.#partial = '';
    append(lines, this.#closeTable(width));
    this.#fence = undefined;
    while (lines.length > 0 && lines.at(-1) === '') lines.pop();
    return lines;
  }

  /** The open end, as it looks now. */
  live(width: number): string[] {
    this.#drawn = this.#openLines(width);
    const table = this.#table.lines(width, this.#isRowOfTable ? this.#partial : undefined);
    return [...table, ...this.#drawn.map((line) => line.text)];
  }

  /** The open line may be the next row of a table. */
  get #isRowOfTable(): boolean {
    return (
      this.#fence === undefined &&
      this.#continued === undefined &&
      this.#partial !== '' &&
      !isOpenMark(this.#partial) &&
      isTableLine(`${this.#partial}|`)
    );
  }

  #openLines(width: number): WrappedLine[] {
    if (this.#partial === '' || this.#isRowOfTable) return [];
    // What may still become a mark is not shown as text for a moment and then taken back.
    if (this.#fence === undefined && isOpenMark(this.#partial)) return [];
    return this.#render(this.#partial, width);
  }

  /**
   * Gives to the scrollback what does not change any more although its line, or its table, is still open, and the top of
   * what has grown past what the screen can redraw.
   */
  overflow(width: number, rows: number): string[] {
    const table = this.#table.lines(width).length;
    if (table > Math.min(rows, TABLE_ROWS)) return this.#table.release(width, table - Math.floor(rows / 2));
    const open = this.#openLines(width);
    const isOver = table + open.length > rows;
    // The table stands above the line: it goes first.
    const out = table > 0 && isOver ? this.#table.release(width, table) : [];
    if (table > out.length) return out;
    const { count, at } = isOver ? { count: open.length - Math.max(1, Math.floor(rows / 2)) } : this.#settled(open);
    append(out, this.#give(open, count, at));
    return out;
  }

  /**
   * A resize has put the first so many lines of what `live` gave last into the scrollback: they are not given out again.
   * `after`: the rest of a row of a table whose beginning stands there. `count`: how many lines it was.
   */
  settle(count: number): { count: number; after: string[] } {
    const table = this.#table.drawnLines;
    const released = this.#table.releaseDrawn(count);
    const after = released.slice(count);
    if (count <= table || released.length < table) return { count: Math.min(count, released.length), after };
    // The last row stays: a line that is given out whole would be closed by its end as an empty one.
    return { count: table + this.#give(this.#drawn, Math.min(count - table, this.#drawn.length - 1)).length, after };
  }

  /** How many rows of the open line do not change whatever comes, and where the next one begins. */
  #settled(open: readonly WrappedLine[]): { count: number; at?: number } {
    if (open.length <= OPEN_ROWS) return { count: 0 };
    if (this.#fence !== undefined) return { count: open.length - OPEN_ROWS };
    // It may become the first line of a block of code.
    if (this.#continued === undefined && FENCE.test(this.#partial)) return { count: 0 };
    const { settled, before } = cutPlaces(this.#partial);
    let found: { count: number; at?: number } = { count: 0 };
    // Its first word may come to fit in the row above where a mark in it is closed: the whole row has to be settled.
    for (let row = 1; row <= open.length - OPEN_ROWS && open[row + 1]!.at <= settled; row += 1) {
      const at = before(open[row]!.at);
      if (at !== undefined) found = { count: row, at };
    }
    return found;
  }

  /** The first rows of the open line, for good. */
  #give(open: readonly WrappedLine[], count: number, at = open[count]?.at): string[] {
    if (count <= 0 || at === undefined) return [];
    // Its end may have come since these rows were drawn.
    const line = this.#finished[0] ?? this.#partial;
    if (this.#fence !== undefined) {
      const before = this.#continued && 'code' in this.#continued ? this.#continued.code : '';
      this.#continued = { code: before + line.slice(0, at) };
    } else if (this.#continued === undefined) {
      this.#continued = { shape: shapeOf(line, this.#hang, this.#theme) };
      this.#hang = hangOf(line, this.#hang);
    }
    if (this.#finished.length > 0) this.#finished = [line.slice(at), ...this.#finished.slice(1)];
    else this.#partial = line.slice(at);
    return open.slice(0, count).map((line) => line.text);
  }

  #line(line: string, width: number): string[] {
    const isContinued = this.#continued !== undefined;
    const fence = isContinued ? null : FENCE.exec(line);
    if (this.#fence !== undefined) {
      const closes = fence && fence[2]!.startsWith(this.#fence) && fence[3]!.trim() === '';
      const code = closes ? this.#marker(line, width) : this.#codeLines(line, width, true).map((each) => each.text);
      if (closes) this.#fence = undefined;
      this.#continued = undefined;
      return code;
    }
    if (!isContinued && isTableLine(line)) {
      this.#table.push(line);
      this.#blank = false;
      return [];
    }
    const before = this.#closeTable(width);
    if (fence && !fence[3]!.includes('`')) {
      this.#fence = fence[2]!;
      this.#code = codePainter(fence[3]!, this.#theme);
      this.#blank = false;
      return [...before, ...this.#marker(line, width)];
    }
    if (line.trim() === '' && !isContinued) {
      const isFirst = this.#blank;
      this.#blank = true;
      this.#hang = 0;
      return isFirst ? before : [...before, ''];
    }
    const lines = this.#render(line, width).map((each) => each.text);
    if (!isContinued) this.#hang = hangOf(line, this.#hang);
    this.#continued = undefined;
    this.#blank = false;
    return [...before, ...lines];
  }

  #closeTable(width: number): string[] {
    if (this.#table.isEmpty) return [];
    const lines = this.#table.lines(width);
    this.#table = new OpenTable(this.#theme);
    return lines;
  }

  #marker(line: string, width: number): string[] {
    return wrapText(line.trim(), width, this.#theme.dim);
  }

  /** The colours of a line are those of all of it, also where only its end is left. */
  #codeLines(line: string, width: number, isWhole: boolean): WrappedLine[] {
    const before = this.#continued && 'code' in this.#continued ? this.#continued.code : '';
    const spans = this.#code?.(before + line, isWhole);
    return wrapSpans(spans === undefined ? [{ text: line, at: 0 }] : from(spans, before.length), width);
  }

  /** One line that is no table. */
  #render(line: string, width: number): WrappedLine[] {
    const theme = this.#theme;
    if (this.#fence !== undefined) return this.#codeLines(line, width, false);
    const continued = this.#continued;
    if (continued !== undefined && 'shape' in continued) return shapedLines(line, continued.shape, true, width, theme);
    return shapedLines(line, shapeOf(line, this.#hang, theme), false, width, theme);
  }
}

/** A beginning of what may become a mark. */
const isOpenMark = (line: string): boolean => /^\s*(?:[-*+#>|`~]{1,3}|\d{1,3}[.)]?)$/.test(line);

/** The spans behind a place in their source, counted from there. */
const from = (spans: readonly Span[], place: number): Span[] =>
  spans.flatMap(({ text, paint, at = 0 }) =>
    at + text.length <= place
      ? []
      : [{ text: text.slice(Math.max(0, place - at)), paint, at: Math.max(0, at - place) }],
  );

/** A line that is not whole changes nothing for the next one. */
type CodePainter = (line: string, isWhole: boolean) => Span[];

const codePainter = (info: string, theme: Theme): CodePainter | undefined => {
  if (/^\s*(?:diff|patch)\b/i.test(info)) return (line) => [{ text: line, paint: diffPaint(line, theme), at: 0 }];
  const language = theme.code && languageNamed(info);
  if (language === undefined) return undefined;
  const lexer = new CodeLexer(language);
  return (line, isWhole) => codeSpans(isWhole ? lexer.line(line) : lexer.peek(line), theme);
};

const diffPaint = (line: string, { diff, dim }: Theme): Paint | undefined => {
  if (line.startsWith('+')) return diff.added;
  if (line.startsWith('-')) return diff.removed;
  return line.startsWith('@@') ? dim : undefined;
};

/** Markdown that is there as a whole. */
export const markdownLines = (text: string, width: number, theme: Theme): string[] => {
  const stream = new MarkdownStream(theme);
  stream.push(text);
  return stream.end(width);
};
