/** The output of a person's own command: its first lines as they come, its last ones when it ends, all of it behind Ctrl+O. */
import { counted } from '../../core/number-text.ts';
import { redrawn } from '../../core/redrawn.ts';
import { withoutEnd } from '../../core/without-end.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { sanitizeText, sanitizeTitle } from '../sanitize.ts';
import { append, cut, wrapText } from '../text.ts';
import type { Item, View } from '../transcript/items.ts';
import type { Detail } from '../transcript.ts';

const INDENT = '  ';

export class CommandOutput implements Item {
  readonly kind = 'notice';
  readonly detail: Detail;
  /** Lines for the transcript that were not given out yet. */
  #ready: string[] = [];
  /** The line that is not ended yet, as it came. */
  #partial = '';
  #first: string[] = [];
  /** What came after the first lines, as far as it is kept. */
  #rest: string[] = [];
  #unkept = 0;
  isFinished = false;

  constructor(command: string) {
    let wrapped: { width: number; count: number; lines: string[] } | undefined;
    this.detail = {
      title: sanitizeTitle(`!${command}`),
      lines: (width) => {
        const count = this.#first.length + this.#rest.length + this.#unkept;
        if (wrapped?.width !== width || wrapped.count !== count)
          wrapped = { width, count, lines: wrapText(this.#whole().join('\n'), width) };
        return wrapped.lines;
      },
    };
  }

  write(text: string): void {
    const lines = redrawn(this.#partial + text).split('\n');
    const open = lines.pop() ?? '';
    this.#partial = `${shortened(open)}${open.endsWith('\r') ? '\r' : ''}`;
    for (const line of lines) this.#add(shortened(sanitizeText(line)));
  }

  end(): void {
    const rest = this.#openLine();
    this.#partial = '';
    if (rest !== '') this.#add(rest);
    const last = this.#rest.slice(-TERMINAL_LIMITS.commandLastLines);
    const left = this.#rest.length - last.length + this.#unkept;
    if (left > 0) this.#ready.push(`… ${counted(left, 'line')} between, Ctrl+O opens ${left === 1 ? 'it' : 'them'}`);
    append(this.#ready, last);
    this.isFinished = true;
  }

  take(view: View): string[] {
    const lines = this.peek(view);
    this.#ready = [];
    return lines;
  }

  peek({ width, theme }: View): string[] {
    return this.#ready.flatMap((line) => wrapped(line, width - INDENT.length).map((row) => theme.dim(INDENT + row)));
  }

  live({ width, theme }: View): string[] {
    if (this.isFinished) return [];
    const last = this.#rest.slice(-TERMINAL_LIMITS.liveOutputLines);
    const left = this.#rest.length - last.length + this.#unkept;
    return [
      // Where another thing stands before it, they were not given out yet.
      ...this.#ready,
      ...(left > 0 ? [`… ${counted(left, 'line')}`] : []),
      ...last,
      ...(this.#partial === '' ? [] : [this.#openLine()]),
    ].map((line) => theme.dim(cut(`  ${line}`, width)));
  }

  #openLine(): string {
    return sanitizeText(withoutEnd(this.#partial, /\r/));
  }

  #whole(): string[] {
    const gap =
      this.#unkept > 0 ? [`… ${counted(this.#unkept, 'line')} ${this.#unkept === 1 ? 'was' : 'were'} not kept`] : [];
    return [...this.#first, ...gap, ...this.#rest];
  }

  #add(line: string): void {
    if (this.#first.length < TERMINAL_LIMITS.commandFirstLines) {
      this.#first.push(line);
      this.#ready.push(line);
      return;
    }
    this.#rest.push(line);
    // In steps: to take one from the front of a long list at every line would be slow.
    if (this.#rest.length < 2 * TERMINAL_LIMITS.commandKeptLines) return;
    this.#rest = this.#rest.slice(-TERMINAL_LIMITS.commandKeptLines);
    this.#unkept += TERMINAL_LIMITS.commandKeptLines;
  }
}

/** What goes to the scrollback in a narrow window is there whole when it is wide again. */
const wrapped = (line: string, width: number): string[] => {
  const most = TERMINAL_LIMITS.commandLineRows;
  const rows = wrapText(line, Math.max(1, width));
  if (rows.length <= most) return rows;
  return [...rows.slice(0, most - 1), cut(`${rows[most - 1]} ${rows[most]}`, Math.max(1, width))];
};

/** A program may print for ever without ending a line. */
const shortened = (line: string): string => line.slice(0, TERMINAL_LIMITS.commandLineCharacters);
