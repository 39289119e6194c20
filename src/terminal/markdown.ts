/**
 * Markdown as it streams: a line is finished when its line feed has come (a table, when a line that is none has come),
 * and a finished line never changes again. So only the last line is ever rendered twice, and cost grows with the text.
 */
import { languageNamed } from './code/languages.ts';
import { CodeLexer } from './code/lexer.ts';
import { codeSpans } from './code/spans.ts';
import { inlineSpans } from './markdown/inline.ts';
import { isTableLine, tableLines } from './markdown/table.ts';
import { append, indentRoom, type Span, type WrappedLine, widthOf, wrapSpans, wrapText } from './text.ts';
import type { Paint, Theme } from './theme.ts';

const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])\s+(\[[ xX]\]\s+)?(.*)$/;
const QUOTE = /^ {0,3}((?:>\s?)+)(.*)$/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const RULE_WIDTH = 24;
const TABLE_ROWS = 200;
const ITEM_INDENT = 12;

export class MarkdownStream {
  readonly #theme: Theme;
  #partial = '';
  #fence: string | undefined;
  /** The colours of the open block of code. */
  #code: CodePainter | undefined;
  #table: string[] = [];
  /** The columns that the lines of a list item stand in, while one is open. */
  #hang = 0;
  /** The beginning of the open line is on the screen for good already. */
  #isContinued = false;
  #finished: string[] = [];
  #blank = true;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  /** Takes text that is safe already. */
  push(text: string): void {
    const lines = (this.#partial + text).split('\n');
    this.#partial = lines.pop()!;
    this.#finished = this.#finished.length === 0 ? lines : this.#finished.concat(lines);
  }

  get isEmpty(): boolean {
    return this.#finished.length === 0 && this.#partial === '' && this.#table.length === 0;
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
    const lines = tableLinesOrNone(this.#table, width, this.#theme);
    if (this.#partial === '') return lines;
    // What may still become a mark is not shown as text for a moment and then taken back.
    if (!this.#fence && /^\s*(?:[-*+#>|`~]{1,3}|\d{1,3}[.)]?)$/.test(this.#partial)) return lines;
    if (!this.#isContinued && isTableLine(`${this.#partial}|`))
      return tableLinesOrNone([...this.#table, this.#partial], width, this.#theme);
    return [...lines, ...this.#render(this.#partial, width).map((line) => line.text)];
  }

  /** Gives the top of an open line to the scrollback when it has grown past what the screen can redraw. */
  overflow(width: number, rows: number): string[] {
    if (
      this.#table.length > TABLE_ROWS ||
      (this.#table.length > 0 && tableLinesOrNone(this.#table, width, this.#theme).length > rows)
    ) {
      return this.#closeTable(width);
    }
    const lines = this.#render(this.#partial, width);
    if (lines.length <= rows) return [];
    const keep = lines[lines.length - Math.max(1, Math.floor(rows / 2))]!;
    const given = lines.slice(0, lines.indexOf(keep));
    this.#partial = this.#partial.slice(keep.at);
    this.#isContinued = true;
    return given.map((line) => line.text);
  }

  #line(line: string, width: number): string[] {
    const fence = FENCE.exec(line);
    if (this.#fence !== undefined) {
      const closes = fence && fence[2]!.startsWith(this.#fence) && fence[3]!.trim() === '';
      const code = closes ? this.#marker(line, width) : this.#codeLines(line, width, true).map((each) => each.text);
      if (closes) this.#fence = undefined;
      this.#isContinued = false;
      return code;
    }
    if (!this.#isContinued && isTableLine(line)) {
      this.#table.push(line);
      this.#blank = false;
      return [];
    }
    const before = this.#closeTable(width);
    if (fence && !this.#isContinued && !fence[3]!.includes('`')) {
      this.#fence = fence[2]!;
      this.#code = codePainter(fence[3]!, this.#theme);
      this.#blank = false;
      return [...before, ...this.#marker(line, width)];
    }
    if (line.trim() === '' && !this.#isContinued) {
      const isFirst = this.#blank;
      this.#blank = true;
      this.#hang = 0;
      return isFirst ? before : [...before, ''];
    }
    const lines = this.#render(line, width).map((each) => each.text);
    this.#hang = this.#isContinued ? this.#hang : hangOf(line, this.#hang);
    this.#isContinued = false;
    this.#blank = false;
    return [...before, ...lines];
  }

  #closeTable(width: number): string[] {
    const table = this.#table;
    this.#table = [];
    return tableLinesOrNone(table, width, this.#theme);
  }

  #marker(line: string, width: number): string[] {
    return wrapText(line.trim(), width, this.#theme.dim);
  }

  #codeLines(line: string, width: number, isWhole: boolean): WrappedLine[] {
    return wrapSpans(this.#code?.(line, isWhole) ?? [{ text: line, at: 0 }], width);
  }

  /** One line that is no table. */
  #render(line: string, width: number): WrappedLine[] {
    const theme = this.#theme;
    if (this.#fence !== undefined) return this.#codeLines(line, width, false);
    if (this.#isContinued) return wrapSpans(inlineSpans(line, theme), width);
    const heading = HEADING.exec(line);
    if (heading) {
      const at = line.length - heading[2]!.length;
      return wrapSpans(inlineSpans(headingText(heading[2]!), theme, theme.bold, at), width);
    }
    if (RULE.test(line))
      return [{ text: theme.dim(theme.marks.rule.repeat(Math.min(width, RULE_WIDTH))), width: 0, at: 0 }];
    const item = ITEM.exec(line);
    if (item) return this.#item(line, item, width);
    const quote = QUOTE.exec(line);
    if (quote) {
      const bar = `${theme.dim(theme.marks.bar)} `;
      const depth = quote[1]!.replaceAll(/\s/g, '').length;
      const prefix = bar.repeat(Math.min(depth, Math.floor(indentRoom(width) / widthOf(bar))));
      return indented(inlineSpans(quote[2]!, theme, theme.dim, line.length - quote[2]!.length), prefix, prefix, width);
    }
    const hang = /^\s/.test(line) ? ' '.repeat(Math.min(this.#hang, indentRoom(width))) : '';
    const text = line.trimStart();
    return indented(inlineSpans(text, theme, undefined, line.length - text.length), hang, hang, width);
  }

  #item(line: string, item: RegExpExecArray, width: number): WrappedLine[] {
    const [, indent, marker, box, text] = item;
    const { marks } = this.#theme;
    const sign = /\d/.test(marker!) ? marker! : marks.bullet;
    const checked = box === undefined ? '' : /[xX]/.test(box) ? `${marks.done} ` : `${marks.waiting} `;
    const lead = `${sign} ${checked}`;
    const spans = inlineSpans(text!, this.#theme, undefined, line.length - text!.length);
    const left = indentRoom(width) - widthOf(lead);
    // The window is too narrow for a text beside its sign: the sign is its first word.
    if (left < 0) return wrapSpans([{ text: lead, at: indent!.length }, ...spans], width);
    const indentation = ' '.repeat(Math.min(indent!.length, ITEM_INDENT, left));
    return indented(spans, indentation + lead, indentation + ' '.repeat(widthOf(lead)), width);
  }
}

/** Without the signs that may close a heading. */
const headingText = (text: string): string => {
  const whole = text.trimEnd();
  let end = whole.length;
  while (whole[end - 1] === '#') end -= 1;
  return whole.slice(0, end).trimEnd();
};

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

const hangOf = (line: string, hang: number): number => {
  const item = ITEM.exec(line);
  if (item) return Math.min(item[1]!.length, ITEM_INDENT) + (/\d/.test(item[2]!) ? item[2]!.length : 1) + 1;
  return /^\s/.test(line) ? hang : 0;
};

const indented = (spans: readonly Span[], first: string, rest: string, width: number): WrappedLine[] =>
  wrapSpans(spans, width - widthOf(first)).map((line, index) => ({
    ...line,
    text: (index === 0 ? first : rest) + line.text,
  }));

const tableLinesOrNone = (table: readonly string[], width: number, theme: Theme): string[] =>
  table.length === 0 ? [] : tableLines(table, width, theme);

/** Markdown that is there as a whole. */
export const markdownLines = (text: string, width: number, theme: Theme): string[] => {
  const stream = new MarkdownStream(theme);
  stream.push(text);
  return stream.end(width);
};
