/** Ctrl+O: a call or a thought in full, over the conversation, so that closing it leaves no trace. */
import { type Keybindings, keyText } from '../keybindings.ts';
import { matchesKey } from '../pi-tui.ts';
import { cut, widthOf } from '../text.ts';
import type { Theme } from '../theme.ts';
import type { Detail } from '../transcript.ts';

export class DetailPanel {
  readonly #entries: readonly Detail[];
  readonly #theme: Theme;
  readonly #keys: Keybindings;
  #index: number;
  #offset = 0;
  #rows = 1;
  #length = 0;

  constructor(entries: readonly Detail[], theme: Theme, keys: Keybindings) {
    this.#entries = entries;
    this.#theme = theme;
    this.#keys = keys;
    this.#index = entries.length - 1;
  }

  lines(width: number, rows: number): string[] {
    const theme = this.#theme;
    const entry = this.#entries[this.#index]!;
    const body = entry.lines(width - 2);
    this.#rows = Math.max(1, rows - 3);
    this.#length = body.length;
    this.#offset = Math.max(0, Math.min(this.#offset, body.length - this.#rows));
    const visible = body.slice(this.#offset, this.#offset + this.#rows);
    const edge = theme.accent(theme.marks.bar);
    const place = `${this.#index + 1} of ${this.#entries.length}`;
    const range =
      body.length > visible.length
        ? `lines ${this.#offset + 1}-${this.#offset + visible.length} of ${body.length}, `
        : '';
    const closes = `${keyText([this.#keys.keysOf('details')[0] ?? 'escape'])} closes`;
    const hints = [
      `${place}, ${range}left/right others, up/down scroll, ${closes}`,
      `${place}, ${range}${closes}`,
      `${place}, ${closes}`,
      closes,
    ];
    return [
      theme.accent(theme.bold(cut(`${theme.marks.bar} ${entry.title}`, width))),
      ...visible.map((line) => `${edge} ${line}`),
      theme.dim(cut(`${theme.marks.bar} ${hints.find((each) => widthOf(each) <= width - 2) ?? hints.at(-1)}`, width)),
    ];
  }

  /** False where the key closes the panel. */
  key(data: string): boolean {
    if (matchesKey(data, 'escape') || this.#keys.matches(data, 'details') || data === 'q') return false;
    if (matchesKey(data, 'left')) this.#go(-1);
    else if (matchesKey(data, 'right')) this.#go(1);
    else if (matchesKey(data, 'up')) this.#scroll(-1);
    else if (matchesKey(data, 'down')) this.#scroll(1);
    else if (matchesKey(data, 'home')) this.#scroll(-this.#length);
    else if (matchesKey(data, 'end')) this.#scroll(this.#length);
    else if (matchesKey(data, 'pageUp')) this.#scroll(-this.#rows);
    else if (matchesKey(data, 'pageDown') || matchesKey(data, 'space')) this.#scroll(this.#rows);
    return true;
  }

  #go(by: number): void {
    this.#index = Math.max(0, Math.min(this.#entries.length - 1, this.#index + by));
    this.#offset = 0;
  }

  #scroll(by: number): void {
    this.#offset = Math.max(0, Math.min(this.#length - this.#rows, this.#offset + by));
  }
}
