/** A table as it streams: its columns in line, or its cells below each other where the window is too narrow for that. */
import { stripVTControlCharacters } from 'node:util';
import { append, padEnd, type Span, widestPiece, wrapSpans } from '../text.ts';
import type { Theme } from '../theme.ts';
import { inlineSpans } from './inline.ts';

const SEPARATOR = /^(?:\| *)?(?::?-+:? *\| *)+(?::?-*:?(?<=[:-]) *\|?)?$/;
const COLUMN_MIN = 6;
/** A column of longer cells is not made narrower than this: most words would be broken. */
const READABLE_COLUMN = 9;
const GAP = 2;
/** Between rows whose cells stand below each other. */
const RULE_WIDTH = 24;
const HANG = '  ';

export const isTableLine = (line: string): boolean => /^ *\|.*\| *$/.test(line);
const isSeparator = (line: string): boolean => SEPARATOR.test(line.trim()) && line.includes('-');

/** `| a | b \| c |` → its cells. */
const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());

/** How rows stand at a width; `columns` undefined: their cells stand below each other. */
type Column = { cell: number; word: number };
type Layout = { width: number; columns: readonly number[] | undefined };

export class OpenTable {
  readonly #theme: Theme;
  /** Rows that have not been given out, as they were written. */
  #rows: string[] = [];
  /** Lines that came, the one below the head among them. */
  #seen = 0;
  #given = 0;
  /** Undefined until the second line has come; false: it is shown as it was written. */
  #isTable: boolean | undefined;
  #head: readonly string[] = [];
  /** The widest cell of each column so far, and the longest word. */
  #widest: readonly Column[] = [];
  /** What was given out stands like this, and so does what follows. */
  #layout: Layout | undefined;
  /** What `lines` gave last. */
  #drawn: { layout: Layout | undefined; blocks: readonly string[][] } = { layout: undefined, blocks: [] };

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  get isEmpty(): boolean {
    return this.#seen === 0;
  }

  /** How many `lines` gave last. */
  get drawnLines(): number {
    return this.#drawn.blocks.reduce((sum, each) => sum + each.length, 0);
  }

  push(line: string): void {
    this.#seen += 1;
    if (this.#seen === 2) {
      this.#isTable = isSeparator(line);
      if (this.#isTable) return;
    }
    if (this.#seen === 1) this.#head = cellsOf(line);
    this.#rows.push(line);
    if (this.#isTable !== false) this.#widest = this.#widestWith(line);
  }

  /** What has not been given out; `open`: a row that is still being written. */
  lines(width: number, open?: string): string[] {
    const layout = this.#layoutAt(width, open === undefined ? this.#widest : this.#widestWith(open));
    const blocks = this.#blocks(layout, open);
    this.#drawn = { layout, blocks };
    return blocks.flat();
  }

  /** Gives out, for good, the rows that the first so many lines belong to: all lines of these rows. */
  release(width: number, count: number): string[] {
    this.lines(width);
    return this.releaseDrawn(count);
  }

  /** The same of the lines that `lines` gave last; a row that is still being written stays. */
  releaseDrawn(count: number): string[] {
    const { layout, blocks } = this.#drawn;
    const out: string[] = [];
    let rows = 0;
    for (; rows < Math.min(blocks.length, this.#rows.length) && out.length < count; rows += 1)
      append(out, blocks[rows]!);
    if (rows > 0) this.#layout = layout;
    this.#rows = this.#rows.slice(rows);
    this.#given += rows;
    return out;
  }

  /** The lines of each row. */
  #blocks({ width, columns }: Layout, open?: string): string[][] {
    const isSecond = this.#seen === 1 && open !== undefined && isSeparator(open);
    const rows = open === undefined || isSecond ? this.#rows : [...this.#rows, open];
    if (!(this.#isTable ?? isSecond)) return rows.map((row) => texts(inlineSpans(row, this.#theme), width));
    const heads = this.#given === 0 ? 1 : 0;
    if (columns === undefined && heads === rows.length) return rows.map((row) => this.#namesAlone(row, width));
    return rows.map((row, index) => {
      const isHead = index < heads;
      if (columns !== undefined) return this.#across(cellsOf(row), columns, isHead);
      return isHead ? [] : this.#below(cellsOf(row), width, this.#given + index > 1);
    });
  }

  #widestWith(line: string): Column[] {
    const cells = cellsOf(line);
    return Array.from({ length: Math.max(this.#widest.length, cells.length) }, (_, column) => {
      const { cell = 0, word = 0 } = this.#widest[column] ?? {};
      const [written] = wrapSpans(inlineSpans(cells[column] ?? '', this.#theme), Number.MAX_SAFE_INTEGER);
      return {
        cell: Math.max(cell, written?.width ?? 0),
        word: Math.max(word, widestPiece(stripVTControlCharacters(written?.text ?? ''))),
      };
    });
  }

  #layoutAt(width: number, widest: readonly Column[]): Layout {
    if (this.#layout?.width === width) return this.#layout;
    const room = width - GAP * (widest.length - 1);
    const least = widest.reduce((sum, { cell }) => sum + Math.min(Math.max(cell, COLUMN_MIN), READABLE_COLUMN), 0);
    return { width, columns: least > room ? undefined : columnsIn(widest, room) };
  }

  /** Where columns are given already, further cells of a row share the last one. */
  #across(row: readonly string[], columns: readonly number[], isHead: boolean): string[] {
    const theme = this.#theme;
    const last = columns.length - 1;
    const cells = row.length > columns.length ? [...row.slice(0, last), row.slice(last).join(' | ')] : row;
    const paint = isHead ? theme.bold : undefined;
    const wrapped = columns.map((width, column) => texts(inlineSpans(cells[column] ?? '', theme, paint), width));
    const height = Math.max(...wrapped.map((each) => each.length));
    const gap = ' '.repeat(GAP);
    const lines = Array.from({ length: height }, (_, line) =>
      wrapped
        .map((cell, column) => padEnd(cell[line] ?? '', columns[column]!))
        .join(gap)
        .trimEnd(),
    );
    if (isHead) lines.push(theme.dim(columns.map((each) => theme.marks.rule.repeat(each)).join(gap)));
    return lines;
  }

  /** Each cell behind the name of its column. */
  #below(row: readonly string[], width: number, isAfterOther: boolean): string[] {
    const theme = this.#theme;
    const lines = isAfterOther ? [theme.dim(theme.marks.rule.repeat(Math.min(width, RULE_WIDTH)))] : [];
    for (let column = 0; column < Math.max(row.length, this.#head.length); column += 1) {
      const name = this.#head[column] ?? '';
      const cell = row[column] ?? '';
      if (name === '' && cell === '') continue;
      const label: Span[] = name === '' ? [] : [...inlineSpans(name, theme, theme.bold), { text: ': ' }];
      append(lines, texts([...label, ...inlineSpans(cell, theme)], width, HANG));
    }
    return lines;
  }

  /** A head without rows. */
  #namesAlone(row: string, width: number): string[] {
    return texts(inlineSpans(cellsOf(row).join(' | '), this.#theme, this.#theme.bold), width);
  }
}

const texts = (spans: readonly Span[], width: number, hang = ''): string[] =>
  wrapSpans(spans, width, hang).map((line) => line.text);

const sum = (columns: readonly number[]): number => columns.reduce((all, each) => all + each, 0);

/** The widest column gives way first, so that short ones stay whole; no word is broken as long as another has blanks to give. */
const columnsIn = (widest: readonly Column[], room: number): number[] => {
  const roomy = widest.map(({ cell }) => Math.max(cell, COLUMN_MIN));
  if (sum(roomy) <= room) return roomy;
  const columns = widest.map(({ cell }) => Math.max(1, Math.min(cell, room)));
  for (let over = sum(columns) - room; over > 0; over -= 1) {
    const beyond = columns.map((each, column) => (each > widest[column]!.word ? each : 0));
    const most = Math.max(...beyond);
    columns[most > 0 ? beyond.indexOf(most) : columns.indexOf(Math.max(...columns))]! -= 1;
  }
  return columns;
};
