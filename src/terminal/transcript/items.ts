/** The things a conversation is made of on the screen. Each keeps its place from its first line to its last. */
import { counted } from '../../core/number-text.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { MarkdownStream } from '../markdown.ts';
import { Sanitizer, sanitizeText, sanitizeTitle } from '../sanitize.ts';
import { append, cut, fittingEnd, formatDuration, quote, widthOf, wrapSpans, wrapText } from '../text.ts';
import { signed, type Theme } from '../theme.ts';
import type { CallView } from './call-view.ts';

export type View = { width: number; theme: Theme; now: number; frame: number };
export type ItemKind = 'user' | 'text' | 'thought' | 'call' | 'notice';

export type Item = {
  readonly kind: ItemKind;
  readonly isFinished: boolean;
  /** Lines that will not change any more; each is given out once. */
  take(view: View): string[];
  /** What may still change. */
  live(view: View): string[];
  /** What `take` would give, and will: it is finished and waits for one before it. */
  peek(view: View): string[];
  /** Called in each frame: gives up rows that nothing changes any more, and what must scroll away where the live part is too tall. */
  overflow?(view: View, rows: number): string[];
  /**
   * A resize has put the first lines of what `live` gave last into the scrollback. `count`: how many of them do not come
   * again; `after`: what belongs behind them.
   */
  settle?(count: number): { count: number; after: string[] };
};

/** Something that is there as a whole from the start. A line wider than the screen would go on in the next, unseen by us. */
export const fixedItem = (kind: ItemKind, render: (view: View) => string[]): Item => {
  const lines = (view: View): string[] => render(view).map((line) => cut(line, view.width));
  return { kind, isFinished: true, take: lines, peek: lines, live: () => [] };
};

export const userItem = (text: string): Item =>
  fixedItem('user', ({ width, theme }) => {
    const { marks } = theme;
    const lines = wrapText(sanitizeText(text).trimEnd(), Math.max(1, width - 2));
    const shown = lines.slice(0, TERMINAL_LIMITS.messageLines);
    const left = lines.length - shown.length;
    return [
      ...shown.map((line, index) => `${index === 0 ? theme.accent(marks.prompt) : ' '} ${theme.bold(line)}`),
      ...(left > 0
        ? [theme.dim(`  ${marks.ellipsis} ${counted(left, 'more line')}, Ctrl+O opens ${left === 1 ? 'it' : 'them'}`)]
        : []),
    ];
  });

/** A command is echoed too, so that what it printed has its reason above it. */
export const commandItem = (text: string): Item =>
  fixedItem('user', ({ width, theme }) => [theme.dim(cut(`${theme.marks.prompt} ${sanitizeTitle(text)}`, width))]);

export type Severity = 'quiet' | 'warning' | 'error';

export const noticeItem = (severity: Severity, text: string, hint?: string): Item =>
  fixedItem('notice', ({ width, theme }) => {
    const { marks } = theme;
    const mark =
      severity === 'quiet'
        ? theme.dim(marks.notice)
        : severity === 'warning'
          ? theme.warn(marks.warning)
          : theme.bad(marks.failed);
    const paint = severity === 'quiet' ? theme.dim : undefined;
    // A word in the place of a sign is longer than the space that the lines below leave.
    const longer = Math.max(0, widthOf(mark) - 1);
    const lines = quote(sanitizeText(text).trim(), width - longer, '  ', paint);
    return [
      signed(mark, (lines[0] ?? '').slice(2)),
      ...lines.slice(1),
      ...(hint ? quote(sanitizeText(hint).trim(), width, '  ', theme.dim) : []),
    ];
  });

/** A server that is tried again and again is told of once: the last word stands. */
export class RetryItem implements Item {
  readonly kind = 'notice';
  #text = '';
  isFinished = false;

  say(text: string): void {
    this.#text = text;
  }

  end(): void {
    this.isFinished = true;
  }

  take(view: View): string[] {
    return this.isFinished ? noticeItem('warning', this.#text).take(view) : [];
  }

  peek(view: View): string[] {
    return this.take(view);
  }

  live(view: View): string[] {
    return this.isFinished ? [] : noticeItem('warning', this.#text).take(view);
  }
}

/** The model's answer, as it comes. */
export class TextItem implements Item {
  readonly kind = 'text';
  readonly #stream: MarkdownStream;
  readonly #sanitizer = new Sanitizer('text');
  readonly #pieces: string[] = [];
  #ready: string[] = [];
  #isEnded = false;
  isFinished = false;

  constructor(theme: Theme) {
    this.#stream = new MarkdownStream(theme);
  }

  push(delta: string): void {
    this.#pieces.push(delta);
    this.#stream.push(this.#sanitizer.push(delta));
  }

  /** `content` is the log's word; where it only adds to what streamed, the rest is shown. */
  end(content?: string): void {
    const streamed = this.#pieces.join('');
    if (content?.startsWith(streamed)) this.push(content.slice(streamed.length));
    this.#stream.push(this.#sanitizer.end());
    this.#pieces.length = 0;
    this.#isEnded = true;
    this.isFinished = true;
  }

  take({ width }: View): string[] {
    const lines = this.#pull(width);
    this.#ready = [];
    return lines;
  }

  live({ width }: View): string[] {
    return this.#isEnded ? this.#pull(width) : [...this.#pull(width), ...this.#stream.live(width)];
  }

  peek(view: View): string[] {
    return this.live(view);
  }

  /** Finished lines that nobody has taken yet. */
  #pull(width: number): string[] {
    append(this.#ready, this.#isEnded ? this.#stream.end(width) : this.#stream.take(width));
    return this.#ready;
  }

  overflow({ width }: View, rows: number): string[] {
    return this.#stream.overflow(width, rows);
  }

  settle(count: number): { count: number; after: string[] } {
    return this.#stream.settle(count);
  }
}

/** Reasoning is one dim line, open or done; its words are behind Ctrl+O. */
/** Of a thought, so many widths of the window are looked at for its last line. */
const KEPT_WIDTHS = 2;

export class ThoughtItem implements Item {
  readonly kind = 'thought';
  readonly #startedAt: number;
  readonly #sanitizer = new Sanitizer('text');
  #text = '';
  #seconds = 0;
  isFinished = false;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  push(delta: string): void {
    this.#text += this.#sanitizer.push(delta);
  }

  end(now: number): void {
    if (this.isFinished) return;
    this.#text += this.#sanitizer.end();
    this.#seconds = now - this.#startedAt;
    this.isFinished = true;
  }

  #line({ width, theme, now }: View): string[] {
    const time = this.isFinished ? this.#seconds : now - this.#startedAt;
    const spent = time >= 1_000 ? ` for ${formatDuration(time)}` : '';
    const head = `${signed(theme.marks.thought, this.isFinished ? 'Thought' : 'Thinking')}${spent}`;
    const room = width - widthOf(head) - widthOf(theme.marks.separator);
    const last = this.isFinished ? '' : this.#lastLine(width, room, theme.marks.ellipsis);
    return [theme.dim(cut(last ? `${head}${theme.marks.separator}${last}` : head, width))];
  }

  /** Of a long line its end: the newest words are those that show that it goes on. */
  #lastLine(width: number, room: number, ellipsis: string): string {
    const line =
      this.#text
        .slice(-KEPT_WIDTHS * width)
        .trimEnd()
        .split('\n')
        .at(-1) ?? '';
    return fittingEnd(line, room, ellipsis);
  }

  take(view: View): string[] {
    return this.isFinished ? this.#line(view) : [];
  }

  peek(view: View): string[] {
    return this.take(view);
  }

  live(view: View): string[] {
    return this.isFinished ? [] : this.#line(view);
  }

  details(width: number): string[] {
    return wrapText(this.#text.trim(), width);
  }

  get title(): string {
    return 'Thinking';
  }
}

export class CallItem implements Item {
  readonly kind = 'call';
  readonly call: CallView;

  constructor(call: CallView) {
    this.call = call;
  }

  get isFinished(): boolean {
    return this.call.isFinished;
  }

  take({ width, theme, now, frame }: View): string[] {
    return this.isFinished ? this.call.lines(width, theme, now, frame) : [];
  }

  peek(view: View): string[] {
    return this.take(view);
  }

  live({ width, theme, now, frame }: View): string[] {
    return this.isFinished ? [] : this.call.lines(width, theme, now, frame);
  }
}

export const sourcesItem = (sources: readonly string[]): Item =>
  fixedItem('notice', ({ width, theme }) =>
    wrapSpans(
      [{ text: `Sources: ${sources.map((each) => sanitizeText(each)).join(', ')}`, paint: theme.dim }],
      width,
      '  ',
    ).map((line) => line.text),
  );
