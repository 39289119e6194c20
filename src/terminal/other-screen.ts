/**
 * The terminal's other screen, which has no scrollback: what takes most of the window for a while stands there. However the
 * window changes meanwhile, nothing of it stays, and what stood there before stands there again.
 */
import type { Surface } from './screen.ts';

/** The other screen has a mode of the keyboard of its own: the one that the app asks for at its start. */
const OPEN = '\x1b[?1049h\x1b[>7u';
const CLOSE = '\x1b[<u\x1b[?1049l';
const BEGIN = '\x1b[?2026h\x1b[?25l\x1b[?7l';
const END = '\x1b[?7h\x1b[?2026l';

const at = (row: number, column: number): string => `\x1b[${row + 1};${column + 1}H`;

export class OtherScreen {
  readonly #surface: Surface;
  #rows: readonly string[] | undefined;
  #size = '';
  #cursor = '';

  constructor(surface: Surface) {
    this.#surface = surface;
  }

  get isOpen(): boolean {
    return this.#rows !== undefined;
  }

  /** The rows from the top on, and where the cursor rests, if it is shown. */
  draw(rows: readonly string[], cursor: { row: number; column: number } | undefined): void {
    const size = `${this.#surface.columns}x${this.#surface.rows}`;
    const isNew = this.#rows === undefined || size !== this.#size;
    const before = isNew ? [] : (this.#rows ?? []);
    let body = this.#rows === undefined ? OPEN : '';
    for (const [index, row] of rows.entries())
      if (isNew || row !== before[index]) body += `${at(index, 0)}\x1b[K${row}`;
    if (isNew || rows.length < before.length)
      body += rows.length < this.#surface.rows ? `${at(rows.length, 0)}\x1b[J` : '';
    const place = cursor === undefined ? '' : `${at(cursor.row, cursor.column)}\x1b[?25h`;
    if (body !== '' || place !== this.#cursor) this.#surface.write(BEGIN + body + place + END);
    this.#rows = rows;
    this.#size = size;
    this.#cursor = place;
  }

  close(): void {
    if (!this.isOpen) return;
    this.#rows = undefined;
    this.#surface.write(CLOSE);
  }
}
