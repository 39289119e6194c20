/**
 * A picture in the conversation: its path in a line, and the picture itself where the terminal has a way to show one. The
 * bytes go out as base64 inside a sequence that is written here, so nothing of a picture can speak to the terminal.
 */
import { TERMINAL_LIMITS } from '../limits.ts';
import { sanitizeLine } from '../sanitize.ts';
import { cut } from '../text.ts';
import { type Environment, signed } from '../theme.ts';
import type { Item, View } from './items.ts';

export type PictureProtocol = 'kitty' | 'iterm2';
export type Picture = { bytes: Uint8Array; mimeType: string; width: number; height: number };

/** By what terminals say of themselves. tmux and screen stand between, and would print the bytes as text. */
export const pictureProtocol = (environment: Environment): PictureProtocol | undefined => {
  const term = environment['TERM'] ?? '';
  if (environment['TMUX'] || environment['STY'] || /^(?:tmux|screen)/.test(term)) return undefined;
  const program = (environment['TERM_PROGRAM'] ?? environment['LC_TERMINAL'] ?? '').toLowerCase();
  if (['iterm.app', 'iterm2', 'wezterm', 'mintty'].includes(program)) return 'iterm2';
  if (environment['KITTY_WINDOW_ID'] || /kitty|ghostty/.test(term) || program === 'ghostty') return 'kitty';
  return undefined;
};

/** A character is taken to be twice as high as it is wide. */
const CELL_WIDTH = 9;
const CELL_HEIGHT = 18;
/** What the protocol takes in one sequence. */
const KITTY_CHUNK = 4_096;

type Cells = { columns: number; rows: number };

const cellsOf = ({ width, height }: Picture, columnsMax: number, rowsMax: number): Cells => {
  const scale = Math.min(1, (columnsMax * CELL_WIDTH) / width, (rowsMax * CELL_HEIGHT) / height);
  const cells = (points: number, cell: number): number => Math.max(1, Math.round((points * scale) / cell));
  return { columns: cells(width, CELL_WIDTH), rows: cells(height, CELL_HEIGHT) };
};

const kittySequence = (base64: string, { columns, rows }: Cells): string => {
  let out = '';
  for (let at = 0; at < base64.length; at += KITTY_CHUNK) {
    const more = at + KITTY_CHUNK < base64.length ? 1 : 0;
    const head = at === 0 ? `a=T,f=100,q=2,C=1,c=${columns},r=${rows},m=${more}` : `q=2,m=${more}`;
    out += `\x1b_G${head};${base64.slice(at, at + KITTY_CHUNK)}\x1b\\`;
  }
  return out;
};

const itermSequence = (base64: string, { columns, rows }: Cells): string =>
  `\x1b]1337;File=inline=1;width=${columns};height=${rows};preserveAspectRatio=1:${base64}\x07`;

/**
 * The rows are made first, so that the picture never meets the end of the screen, and it is drawn upwards from below. All
 * of it is one line for the screen, which writes finished lines once and as they are.
 */
export const pictureLine = (
  picture: Picture,
  protocol: PictureProtocol | undefined,
  room: Cells,
): string | undefined => {
  if (protocol === undefined || room.rows < 2 || picture.width < 1 || picture.height < 1) return undefined;
  if (picture.bytes.length > TERMINAL_LIMITS.pictureBytes) return undefined;
  // Kitty's protocol takes no other form.
  if (protocol === 'kitty' && picture.mimeType !== 'image/png') return undefined;
  const cells = cellsOf(picture, room.columns, Math.min(room.rows, TERMINAL_LIMITS.pictureRows));
  const base64 = Buffer.from(picture.bytes).toString('base64');
  const sequence = protocol === 'kitty' ? kittySequence(base64, cells) : itermSequence(base64, cells);
  return `${'\r\n'.repeat(cells.rows)}\x1b7\r\x1b[${cells.rows}A${sequence}\x1b8`;
};

export class PictureItem implements Item {
  readonly kind = 'notice';
  readonly #caption: string;
  readonly #protocol: PictureProtocol | undefined;
  readonly #rows: () => number;
  #picture: Picture | undefined;
  isFinished = false;

  constructor(caption: string, protocol: PictureProtocol | undefined, rows: () => number) {
    this.#caption = sanitizeLine(caption);
    this.#protocol = protocol;
    this.#rows = rows;
  }

  /** Undefined: there is nothing to show but the line. */
  end(picture: Picture | undefined): void {
    this.#picture = picture;
    this.isFinished = true;
  }

  take(view: View): string[] {
    if (!this.isFinished) return [];
    // The prompt and the footer stay below it.
    const room = { columns: view.width, rows: Math.floor(this.#rows() / 2) };
    const shown = this.#picture && pictureLine(this.#picture, this.#protocol, room);
    return [...this.peek(view), ...(shown === undefined ? [] : [shown])];
  }

  live(view: View): string[] {
    return this.isFinished ? [] : this.peek(view);
  }

  peek({ width, theme }: View): string[] {
    return [cut(signed(theme.dim(theme.marks.notice), this.#caption), width)];
  }
}

/** The path that generate_image says of what it has made. */
export const madePicture = (data: string | null): { path: string; caption: string } | undefined => {
  try {
    const made = JSON.parse(data ?? '') as Record<string, unknown> | null;
    const { path, width, height } = made ?? {};
    if (typeof path !== 'string') return undefined;
    const size = typeof width === 'number' && typeof height === 'number' ? `, ${width} × ${height}` : '';
    return { path, caption: `${path}${size}` };
  } catch {
    return undefined;
  }
};
