/**
 * A terminal window that is resized. `tmux` wraps and joins lines again as tmux 3.3 does, with its history; `cuts` keeps
 * every row and cuts what is drawn, as xterm does. Only what the app's drawing writes is known; anything else throws.
 */
import { visibleWidth } from '../../src/terminal/pi-tui.ts';

export type ResizeManner = 'tmux' | 'cuts';

/** One cell a character; the second cell of a wide one is empty. `isWrapped`: the next row goes on with this line. */
type Row = { cells: string[]; isWrapped: boolean };

const CONTROL =
  /\x1b\[[<>]\d*u|\x1b\[(\d+);(\d+)H|\x1b\[\?(\d+)([hl])|\x1b\[(\d*)([ABCKJ])|\x1b\[[\d;]*m|(\r)|(\n)|([^\x00-\x1f\x7f-\x9f]\p{M}*)|([\s\S])/gu;

const emptyRow = (): Row => ({ cells: [], isWrapped: false });

export class ReflowingTerminal {
  readonly #manner: ResizeManner;
  columns: number;
  rows: number;
  /** History and screen. */
  #lines: Row[];
  /** The first row of the screen, among the lines. */
  #top = 0;
  #row = 0;
  #column = 0;
  #wraps = true;
  /** The screen and its history as they stand behind the other one, which has none. */
  #behind: { columns: number; rows: number; lines: Row[]; top: number; row: number; column: number } | undefined;

  constructor(manner: ResizeManner, columns: number, rows: number) {
    this.#manner = manner;
    this.columns = columns;
    this.rows = rows;
    this.#lines = Array.from({ length: rows }, emptyRow);
  }

  /** Everything ever shown and still there, history first. */
  all(): string[] {
    return this.#lines.map((line) => line.cells.join('').trimEnd());
  }

  /** What can be seen. */
  screen(): string[] {
    return this.all().slice(this.#top);
  }

  write(data: string): void {
    for (const [
      ,
      toRow,
      toColumn,
      mode,
      onOff,
      count,
      letter,
      carriageReturn,
      lineFeed,
      character,
      unknown,
    ] of data.matchAll(CONTROL)) {
      if (toRow) this.#goTo(Number(toRow) - 1, Number(toColumn) - 1);
      else if (mode === '1049') this.#switch(onOff === 'h');
      else if (mode === '7') this.#wraps = onOff === 'h';
      else if (letter) this.#control(Number(count || 1), letter);
      else if (carriageReturn) this.#column = 0;
      else if (lineFeed) this.#lineFeed();
      else if (character) this.#put(character);
      else if (unknown !== undefined) throw new Error(`not known: ${JSON.stringify(unknown)}`);
    }
  }

  resize(columns: number, rows: number): void {
    if (this.#behind) this.#cut(columns, rows);
    else this.#resizeShown(columns, rows);
  }

  /** The other screen is cut, or has empty rows more. */
  #cut(columns: number, rows: number): void {
    this.#lines.length = Math.min(this.#lines.length, rows);
    while (this.#lines.length < rows) this.#lines.push(emptyRow());
    for (const line of this.#lines) line.cells.length = Math.min(line.cells.length, columns);
    this.#row = Math.min(this.#row, rows - 1);
    this.#column = Math.min(this.#column, columns - 1);
    this.columns = columns;
    this.rows = rows;
  }

  /** What stood behind comes back in its own size, and takes the present one. */
  #switch(isOther: boolean): void {
    const { columns, rows } = this;
    if (isOther === (this.#behind !== undefined)) return;
    if (isOther) {
      this.#behind = { columns, rows, lines: this.#lines, top: this.#top, row: this.#row, column: this.#column };
      this.#lines = Array.from({ length: rows }, emptyRow);
      this.#top = 0;
      return;
    }
    const behind = this.#behind!;
    this.#behind = undefined;
    this.columns = behind.columns;
    this.rows = behind.rows;
    this.#lines = behind.lines;
    this.#top = behind.top;
    this.#row = behind.row;
    this.#column = behind.column;
    this.#resizeShown(columns, rows);
  }

  #goTo(row: number, column: number): void {
    this.#row = Math.min(this.rows - 1, row);
    this.#column = Math.min(this.columns - 1, column);
  }

  #resizeShown(columns: number, rows: number): void {
    this.#resizeRows(rows);
    if (columns !== this.columns && this.#manner === 'tmux') this.#reflow(columns);
    this.columns = columns;
    this.#column = Math.min(this.#column, columns - 1);
  }

  get #line(): Row {
    return this.#lines[this.#top + this.#row]!;
  }

  #put(character: string): void {
    const width = visibleWidth(character);
    if (this.#column + width > this.columns) {
      if (!this.#wraps) return;
      this.#line.isWrapped = true;
      this.#lineFeed();
      this.#column = 0;
    }
    const { cells } = this.#line;
    while (cells.length < this.#column) cells.push(' ');
    cells.splice(this.#column, width, character, ...Array.from({ length: width - 1 }, () => ''));
    this.#column += width;
  }

  #lineFeed(): void {
    if (this.#row < this.rows - 1) this.#row += 1;
    else {
      this.#top += 1;
      this.#lines.push(emptyRow());
    }
  }

  #control(count: number, letter: string): void {
    if (letter === 'A') this.#row = Math.max(0, this.#row - count);
    else if (letter === 'B') this.#row = Math.min(this.rows - 1, this.#row + count);
    else if (letter === 'C') this.#column = Math.min(this.columns - 1, this.#column + count);
    else {
      if (letter === 'J') this.#eraseBelow();
      this.#eraseToEnd(this.#top + this.#row);
    }
  }

  #eraseBelow(): void {
    // An erasing of the whole screen goes to the history first: nothing that was shown is lost in tmux.
    if (this.#row === 0 && this.#column === 0 && this.#manner === 'tmux' && !this.#behind) {
      const used = this.#lines.slice(this.#top).findLastIndex((line) => line.cells.length > 0) + 1;
      this.#top += used;
      for (let made = 0; made < used; made += 1) this.#lines.push(emptyRow());
    }
    for (let row = this.#row + 1; row < this.rows; row += 1) this.#lines[this.#top + row] = emptyRow();
  }

  #eraseToEnd(at: number): void {
    if (this.#column > 0) {
      this.#lines[at]!.cells.length = Math.min(this.#lines[at]!.cells.length, this.#column);
      return;
    }
    this.#lines[at] = emptyRow();
    if (at > 0) this.#lines[at - 1]!.isWrapped = false;
  }

  #resizeRows(rows: number): void {
    const gone = this.rows - rows;
    if (gone > 0) {
      // Rows below the cursor go first, then the highest ones into the history.
      const below = Math.min(gone, this.rows - 1 - this.#row);
      this.#lines.length -= below;
      this.#top += gone - below;
      this.#row -= gone - below;
    } else {
      const fromHistory = this.#manner === 'tmux' ? Math.min(-gone, this.#top) : 0;
      this.#top -= fromHistory;
      this.#row += fromHistory;
      for (let row = fromHistory; row < -gone; row += 1) this.#lines.push(emptyRow());
    }
    this.rows = rows;
  }

  #reflow(columns: number): void {
    const cursor = this.#top + this.#row;
    const made: Row[] = [];
    let at = { row: 0, column: 0 };
    let cells: string[] = [];
    let offset: number | undefined;
    for (const [index, line] of this.#lines.entries()) {
      if (index === cursor)
        offset = this.#column >= line.cells.length ? Number.POSITIVE_INFINITY : cells.length + this.#column;
      cells.push(...line.cells);
      if (line.isWrapped && index < this.#lines.length - 1) continue;
      const pieces = split(cells, columns);
      if (offset !== undefined) {
        at = placeIn(pieces, offset);
        at.row += made.length;
        offset = undefined;
      }
      made.push(...pieces);
      cells = [];
    }
    while (made.length < this.rows) made.push(emptyRow());
    this.#lines = made;
    this.#top = made.length - this.rows;
    this.#row = at.row - this.#top;
    this.#column = at.column;
    if (this.#row < 0) {
      this.#row = 0;
      this.#column = 0;
    }
  }
}

const split = (cells: readonly string[], columns: number): Row[] => {
  const rows: Row[] = [];
  for (let from = 0; from < cells.length; ) {
    let to = Math.min(cells.length, from + columns);
    // A wide character is never cut in two.
    if (to < cells.length && cells[to] === '') to -= 1;
    rows.push({ cells: cells.slice(from, to), isWrapped: to < cells.length });
    from = to;
  }
  return rows.length > 0 ? rows : [emptyRow()];
};

const placeIn = (pieces: readonly Row[], offset: number): { row: number; column: number } => {
  let left = offset;
  for (const [row, piece] of pieces.entries()) {
    if (left < piece.cells.length) return { row, column: left };
    left -= piece.cells.length;
  }
  return { row: pieces.length - 1, column: pieces.at(-1)!.cells.length };
};
