/**
 * The lower end of the main screen. What is finished is written once and belongs to the terminal from then on; only the
 * lines below it are redrawn. The scrollback is never cleared and never written to twice.
 */
import { stripVTControlCharacters } from 'node:util';
import { sliceByColumn } from './pi-tui.ts';
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
  /** So many of the lines that a resize has pushed out count as given: they are what stands there for good. */
  settled?: number;
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

/** More columns than a line has. */
const ALL = Number.MAX_SAFE_INTEGER;

type PushedOut = { lines: number; rest: string };

const sum = (counts: readonly number[]): number => counts.reduce((all, each) => all + each, 0);

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
  /** Live lines that a resize has put into the scrollback, right above the first live one: the window may bring them back. */
  #stale: readonly string[] = [];

  constructor(surface: Surface, options: { reflows: boolean }) {
    this.#surface = surface;
    this.#reflows = options.reflows;
    this.#columns = surface.columns;
    this.#rows = surface.rows;
  }

  draw(frame: Frame): void {
    const { columns, rows } = this.#surface;
    const left = Math.max(0, frame.live.length - rows);
    const live = left > 0 ? frame.live.slice(left) : frame.live;
    const cursor = frame.cursor && { row: Math.max(0, frame.cursor.row - left), column: frame.cursor.column };
    // A lower window has lost the rows below the cursor.
    const isResized = columns !== this.#columns || rows !== this.#rows;
    const body = frame.finished.length > 0 || isResized ? this.#rewrite(frame, live, isResized) : this.#update(live);
    const isSameCursor = cursor?.row === this.#cursor?.row && cursor?.column === this.#cursor?.column;
    if (body === '' && isSameCursor) return;
    this.#surface.write(BEGIN + body + this.#place(cursor) + END);
    this.#live = live;
    this.#cursor = cursor;
  }

  /**
   * How many of the live lines a resize has put into the scrollback, the last of them perhaps in part: `rest` is what of it
   * still stands on the screen. Where the window had empty rows below the live lines it is more; then they stand twice.
   */
  pushedOut(): PushedOut {
    const { lines, column } = this.#pushed();
    return { lines, rest: column > 0 ? sliceByColumn(this.#live[lines - 1] ?? '', column, ALL) : '' };
  }

  /** The same; `column`: where the rest of the last line begins, 0 where all of it is gone. */
  #pushed(): { lines: number; column: number } {
    const { rows } = this.#surface;
    const below = this.#live.length - 1 - this.#row;
    // The rows below the cursor give way first.
    const kept = below - Math.min(below, Math.max(0, this.#rows - rows));
    const lines = this.#live.slice(0, this.#row + 1 + kept).map((line) => this.#starts(line));
    let left = sum(lines.map((each) => each.length)) - rows;
    for (const [index, each] of lines.entries()) {
      if (left <= 0) return { lines: index, column: 0 };
      if (left < each.length) return { lines: index + 1, column: each[left]! };
      left -= each.length;
    }
    return { lines: lines.length, column: 0 };
  }

  /** Of a line that was written for the earlier size: the columns at which its rows begin now. */
  #starts(line: string): number[] {
    const { columns } = this.#surface;
    return columns < this.#columns && this.#reflows ? rowStarts(line, Math.max(1, columns)) : [0];
  }

  /** Takes the live lines away and leaves the cursor where the next program may write. */
  clear(): void {
    this.hide();
    this.#surface.write('\x1b[?25h');
    this.#stale = [];
  }

  /** Takes the live lines away for a while in which nothing else is written here. */
  hide(settled = 0): void {
    this.#surface.write(this.#begin(settled) + ERASE_BELOW);
    this.#live = [];
    this.#cursor = undefined;
    this.#row = 0;
  }

  /** To the start of the first live line, wherever a resize may have put it, and of those that it has brought back. */
  #begin(settled = 0): string {
    const { columns, rows } = this.#surface;
    let up = sum(this.#live.slice(0, this.#row).map((line) => this.#starts(line).length));
    const column = this.#cursor?.column ?? 0;
    up += this.#starts(this.#live[this.#row] ?? '').findLastIndex((start) => start <= column);
    up = Math.min(up + this.#bringBack(settled), Math.max(0, rows - 1));
    this.#columns = columns;
    this.#rows = rows;
    return up > 0 ? `\r\x1b[${up}A` : '\r';
  }

  /**
   * A window that gets higher has rows of the scrollback again. How many of them are live ones of an earlier frame; those that
   * a resize has put there now are kept in mind. A terminal that brings none back has its first live line at the top.
   */
  #bringBack(settled: number): number {
    const wrapped = this.#stale.map((line) =>
      this.#reflows ? rowStarts(line, Math.max(1, this.#surface.columns)) : [0],
    );
    const live = sum(this.#live.map((line) => this.#starts(line).length));
    const grown = this.#surface.rows - this.#rows - (live - this.#live.length);
    let left = Math.max(0, Math.min(grown, sum(wrapped.map((each) => each.length))));
    const back = left;
    const stale = [...this.#stale];
    while (left > 0) {
      const starts = wrapped.pop()!;
      const line = stale.pop()!;
      if (left < starts.length) stale.push(sliceByColumn(line, 0, starts[starts.length - left]!));
      left -= starts.length;
    }
    const { lines, column } = this.#pushed();
    const pushed = this.#live.slice(settled, lines);
    if (column > 0 && pushed.length > 0) pushed.push(sliceByColumn(pushed.pop()!, 0, column));
    this.#stale = [...stale, ...pushed];
    return back;
  }

  #rewrite({ finished, settled }: Frame, live: readonly string[], isResized: boolean): string {
    // Rows that a resize wrapped stay joined for the terminal when they are only written over.
    let out = this.#begin(settled) + (isResized ? ERASE_BELOW : '');
    // What is between them and the live ones then is there for good.
    if (finished.length > 0) this.#stale = [];
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

/** The columns at which the rows of a line begin, once it is wrapped. Behind its end the cursor stays in the last one. */
const rowStarts = (line: string, columns: number): number[] => {
  const starts = [0];
  let at = 0;
  for (const { segment } of graphemes.segment(stripVTControlCharacters(line))) {
    const width = widthOf(segment);
    if (at + width - starts.at(-1)! > columns) starts.push(at);
    at += width;
  }
  return starts;
};
