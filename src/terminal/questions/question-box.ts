/**
 * What all questions have in common: the box they stand in, the wait before a key counts, and whether everything that is
 * asked has been on the screen. What is asked and what the answers are is each question's own.
 */
import { counted } from '../../core/number-text.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { matchesKey } from '../pi-tui.ts';
import { cut, widthOf } from '../text.ts';
import { signed, type Theme } from '../theme.ts';

export type BoxFrame = {
  title: string;
  /** What is asked, in this width. */
  body(width: number): string[];
  /** The same with less round what matters, the longest first: taken where the body does not fit. */
  shorter?: readonly ((width: number) => string[])[];
  choices: readonly { key: string; label: string }[];
  /** The choice that the arrows are on. */
  selected?: number | undefined;
  /** The line below: what the keys do, or what is being typed. */
  hint(width: number): string;
  width: number;
  rows: number;
  now: number;
};

/** Rows round the body besides the choices: title, what is left below, hint. */
const FRAME_ROWS = 3;

export class QuestionBox {
  readonly #theme: Theme;
  /** The last moment at which a key would have been meant for something else. */
  #quietSince: number | undefined;
  #offset = 0;
  #rows = 0;
  #length = 0;
  #seen = 0;
  #width = 80;
  #isTooSmall = false;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  shown(now: number): void {
    this.#quietSince ??= now;
  }

  isArmed(now: number): boolean {
    return this.#quietSince !== undefined && now - this.#quietSince >= TERMINAL_LIMITS.questionArmMs;
  }

  /** A key that was on its way to somewhere else, or a new thing to read: the wait begins again. */
  wait(now: number): void {
    if (this.#quietSince !== undefined) this.#quietSince = now;
  }

  get isSeen(): boolean {
    return this.#seen >= this.#length && !this.#isTooSmall;
  }

  /** More than fits is asked: the arrows scroll. */
  get isLong(): boolean {
    return this.#length > this.#rows;
  }

  get isTooSmall(): boolean {
    return this.#isTooSmall;
  }

  /** Something else is asked from here on: nothing of it has been seen. */
  renew(): void {
    this.#length = 0;
    this.#seen = 0;
    this.#offset = 0;
  }

  draw({ title, body, shorter = [], choices, selected, hint, width, rows, now }: BoxFrame): string[] {
    const theme = this.#theme;
    const inner = Math.max(10, width - widthOf(theme.marks.edge) - 1);
    const below = choiceLines(choices, inner, theme.marks.beside);
    this.#rows = Math.max(1, rows - FRAME_ROWS - below.length);
    const lines = this.#fitting(inner, body, shorter);
    if (inner !== this.#width || lines.length !== this.#length) this.#layOut(inner, lines.length);
    this.#isTooSmall = this.#rows + below.length + FRAME_ROWS > rows;
    this.#offset = Math.max(0, Math.min(this.#offset, lines.length - this.#rows));
    const visible = lines.slice(this.#offset, this.#offset + this.#rows);
    if (this.#offset <= this.#seen && !this.#isTooSmall)
      this.#seen = Math.max(this.#seen, this.#offset + visible.length);
    const left = lines.length - this.#offset - visible.length;
    const isReady = this.isArmed(now) && this.isSeen;
    return [
      theme.warn(theme.bold(cut(`${theme.marks.alarm}${title}`, width))),
      ...this.#edged([
        ...visible,
        theme.warn(left > 0 ? `${theme.marks.ellipsis} +${counted(left, 'more line')}` : ''),
        ...below.map((line) =>
          markSelected(isReady ? theme.bold(line) : theme.dim(line), choices[selected ?? -1], theme),
        ),
        hint(inner),
      ]),
    ];
  }

  #fitting(width: number, body: BoxFrame['body'], shorter: readonly BoxFrame['body'][]): string[] {
    const whole = body(width);
    if (whole.length <= this.#rows) return whole;
    for (const form of shorter) {
      const lines = form(width);
      if (lines.length <= this.#rows) return lines;
    }
    return whole;
  }

  /** In another width the same has still been read. */
  #layOut(width: number, length: number): void {
    const wasSeen = this.#length > 0 && this.isSeen;
    this.#width = width;
    this.#length = length;
    this.#seen = wasSeen ? length : 0;
  }

  #edged(lines: readonly string[]): string[] {
    const edge = this.#theme.warn(this.#theme.marks.edge);
    return lines.map((line) => signed(edge, line));
  }

  /** All of it, for the scrollback, where nothing bounds it; so it counts as read. */
  print(body: (width: number) => string[]): string[] {
    this.#seen = this.#length;
    return this.#edged(body(this.#width));
  }

  /** True where the key moves what is seen. */
  scrolls(data: string): boolean {
    if (matchesKey(data, 'space') || matchesKey(data, 'pageDown')) this.#scroll(this.#rows);
    else if (matchesKey(data, 'down')) this.#scroll(1);
    else if (matchesKey(data, 'up')) this.#scroll(-1);
    else if (matchesKey(data, 'pageUp')) this.#scroll(-this.#rows);
    else return false;
    return true;
  }

  #scroll(lines: number): void {
    this.#offset = Math.max(0, Math.min(this.#offset + lines, Math.max(0, this.#length - this.#rows)));
  }
}

const choiceText = ({ key, label }: BoxFrame['choices'][number]): string => `[${key}] ${label}`;

const markSelected = (line: string, choice: BoxFrame['choices'][number] | undefined, theme: Theme): string =>
  choice === undefined ? line : line.replace(choiceText(choice), theme.inverse(choiceText(choice)));

const choiceLines = (choices: BoxFrame['choices'], width: number, gap: string): string[] => {
  const lines: string[] = [];
  for (const choice of choices) {
    const text = choiceText(choice);
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last + gap) + text.length <= width) lines[lines.length - 1] = last + gap + text;
    else lines.push(text);
  }
  return lines;
};
