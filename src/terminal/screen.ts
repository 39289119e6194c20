/**
 * The lower end of the main screen. What is finished is written once and belongs to the terminal from then on; only the
 * lines below it are redrawn. The scrollback is never cleared and never written to twice.
 */
import { stripVTControlCharacters } from 'node:util';
import { widthOf } from './text.ts';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The part of a terminal that drawing needs. */
export type Surface = { write(data: string): void; readonly columns: number; readonly rows: number };

export type Frame = {
  /** Finished lines, written above the live ones, once. */
  finished: readonly string[];
  /** At most `rows` of them are shown; no line may be wider than `columns - 1`. */
  live: readonly string[];
  /** Where the cursor rests, counted inside `live`; absent: it is hidden. */
  cursor?: { row: number; column: number } | undefined;
};

const BEGIN = '\x1b[?2026h\x1b[?25l';
const END = '\x1b[?2026l';
/**
 * A window may have become narrower without our having heard of it yet. A live line that wrapped then would put every
 * row below it one off, so live lines are cut by the terminal; finished lines may wrap, for nothing of them may be lost.
 */
const WRAP_OFF = '\x1b[?7l';
const WRAP_ON = '\x1b[?7h';
/**
 * The whole row, since the cursor is at its start, and then the line; not the line and then what is right of it: tmux
 * remembers how wide a row once was until all of it is erased, and wraps those blanks into rows of their own when the
 * window gets narrower. The form is also not the one that hostile text has (`2K`), so that a raw one is never ours.
 */
const ERASE_LINE = '\x1b[K';
/**
 * From the start of a row. tmux puts a screen that is erased from its first cell into the scrollback, where it would stay
 * with its prompt and footer; from the second cell on it only erases.
 */
const ERASE_BELOW = ` \x1b[J\r${ERASE_LINE}`;
const ERASE_REST = '\x1b[J';

export class LiveScreen {
  readonly #surface: Surface;
  /** Some terminals cut long lines when they get narrower, most wrap them again. */
  readonly #reflows: boolean;
  #live: readonly string[] = [];
  #cursor: Frame['cursor'];
  /** The row the cursor is on, counted from the first live line. */
  #row = 0;
  #columns: number;
  #rows: number;

  constructor(surface: Surface, options: { reflows: boolean }) {
    this.#surface = surface;
    this.#reflows = options.reflows;
    this.#columns = surface.columns;
    this.#rows = surface.rows;
  }

  draw(frame: Frame): void {
    const rows = this.#surface.rows;
    const left = Math.max(0, frame.live.length - rows);
    const live = left > 0 ? frame.live.slice(left) : frame.live;
    const cursor = frame.cursor && { row: Math.max(0, frame.cursor.row - left), column: frame.cursor.column };
    // A lower window has lost the rows below the cursor.
    const isResized = this.#surface.columns !== this.#columns || rows !== this.#rows;
    const body =
      frame.finished.length > 0 || isResized ? this.#rewrite(frame.finished, live, isResized) : this.#update(live);
    const isSameCursor = cursor?.row === this.#cursor?.row && cursor?.column === this.#cursor?.column;
    if (body === '' && isSameCursor) return;
    this.#surface.write(BEGIN + body + this.#place(cursor) + END);
    this.#live = live;
    this.#columns = this.#surface.columns;
    this.#rows = rows;
    this.#cursor = cursor;
  }

  /** Takes the live lines away and leaves the cursor where the next program may write. */
  clear(): void {
    this.#surface.write(`${this.#up()}${ERASE_BELOW}\x1b[?25h`);
    this.#live = [];
    this.#cursor = undefined;
    this.#row = 0;
  }

  /** To the start of the first live line, wherever a resize may have put it. */
  #up(): string {
    let up = this.#row;
    const columns = Math.max(1, this.#surface.columns);
    if (columns < this.#columns && this.#reflows) {
      for (const line of this.#live.slice(0, this.#row)) up += wrappedRow(line, Number.POSITIVE_INFINITY, columns);
      up += wrappedRow(this.#live[this.#row] ?? '', this.#cursor?.column ?? 0, columns);
    }
    up = Math.min(up, Math.max(0, this.#surface.rows - 1));
    return up > 0 ? `\r\x1b[${up}A` : '\r';
  }

  #rewrite(finished: readonly string[], live: readonly string[], isResized: boolean): string {
    // Rows that a resize wrapped stay joined for the terminal when they are only written over.
    let out = this.#up() + (isResized ? ERASE_BELOW : '');
    for (const line of finished) out += `${ERASE_LINE}${line}\r\n`;
    out += WRAP_OFF + live.map((line) => ERASE_LINE + line).join('\r\n');
    this.#row = Math.max(0, live.length - 1);
    return out + (live.at(-1) === '' ? ERASE_BELOW : ERASE_REST) + WRAP_ON;
  }

  #update(live: readonly string[]): string {
    let out = '';
    let bottom = Math.max(0, this.#live.length - 1);
    for (const [index, line] of live.entries()) {
      if (index < this.#live.length && line === this.#live[index]) continue;
      out += this.#moveTo(Math.min(index, bottom));
      for (; bottom < index; bottom += 1) {
        out += '\r\n';
        this.#row += 1;
      }
      out += ERASE_LINE + line;
    }
    if (live.length < this.#live.length) out += this.#moveTo(live.length) + ERASE_BELOW;
    return out === '' ? '' : WRAP_OFF + out + WRAP_ON;
  }

  /** Down by line feeds: where a smaller window has taken the rows below the cursor, they make them again. */
  #moveTo(row: number): string {
    const down = row - this.#row;
    this.#row = row;
    return down >= 0 ? `\r${'\n'.repeat(down)}` : `\r\x1b[${-down}A`;
  }

  #place(cursor: Frame['cursor']): string {
    // At the start of the first row: however the rows below are wrapped, that is where the next frame begins.
    if (!cursor) return this.#moveTo(0);
    return `${this.#moveTo(cursor.row)}${cursor.column > 0 ? `\x1b[${cursor.column}C` : ''}\x1b[?25h`;
  }
}

/** How many rows below the start of its line a column stands, once the line is wrapped. */
const wrappedRow = (line: string, column: number, columns: number): number => {
  let row = 0;
  let used = 0;
  let at = 0;
  // Behind the end of a line the cursor stays in the row where it ends.
  for (const { segment } of graphemes.segment(stripVTControlCharacters(line))) {
    const width = widthOf(segment);
    if (used + width > columns) {
      row += 1;
      used = 0;
    }
    if (column < at + width) break;
    used += width;
    at += width;
  }
  return row;
};
