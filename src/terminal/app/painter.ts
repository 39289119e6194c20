/** Puts the parts of the app together into frames: the scrollback above, the live part below with prompt and footer. */
import { counted } from '../../core/number-text.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { OtherScreen } from '../other-screen.ts';
import type { Questions, ShownQuestion } from '../questions.ts';
import { sanitizeLine } from '../sanitize.ts';
import { LiveScreen, type Surface } from '../screen.ts';
import { append, fittingEnd, widthOf } from '../text.ts';
import type { Theme } from '../theme.ts';
import type { View } from '../transcript/items.ts';
import type { Transcript } from '../transcript.ts';
import type { Activity } from './activity.ts';
import type { Outbox } from './outbox.ts';
import type { PromptEditor } from './prompt-editor.ts';
import type { ShellController } from './shell-controller.ts';
import { taskLines } from './task-list.ts';

/** Something that stands in the place of the prompt until it is closed. */
export type Overlay = {
  lines(width: number, rows: number): string[];
  /** False where the key closes it. */
  key(data: string): boolean;
};

/** What the app has its frames made by. */
export type FramePainter = {
  /** Lines that go to the scrollback with the next frame. */
  print(lines: readonly string[]): void;
  /** Another session is shown from the next frame on: below what is there already, or at the start of the app. */
  beginSession(isBelow: boolean): void;
  /** Leaves the terminal to the next program. */
  clear(): void;
  draw(now: number, turn: number): void;
};

export type PaintedParts = {
  transcript(): Transcript;
  activity(): Activity;
  shell: ShellController;
  overlay(): Overlay | undefined;
  questions: Questions;
  outbox: Outbox;
  prompt: PromptEditor;
  takeBackKey: string;
  /** The line at the bottom. */
  footer(view: View): string;
};

/** `isOver`: it stands on the terminal's other screen, so that nothing of it stays. */
type Bottom = { lines: string[]; cursor?: { row: number; column: number } | undefined; isOver?: boolean };

/** Below this height the task list would leave no room for the conversation. */
const TASK_LIST_ROWS = 16;
/** The footer, the line above the question, and two lines of what it asks about. */
const QUESTION_ROWS_LEFT = 4;
/** A question that leaves less of the window to the conversation stands over it. */
const CONVERSATION_SHARE = 1 / 4;
/** What draws a picture is not drawn again. */
const PICTURE = /\x1b(?:_|\]1337)/;

export class Painter implements FramePainter {
  readonly #surface: Surface;
  readonly #theme: Theme;
  readonly #parts: PaintedParts;
  readonly #screen: LiveScreen;
  readonly #other: OtherScreen;
  /** Finished lines that are not in the scrollback yet: the other screen is open. */
  #held: string[] = [];
  /** The end of what is in the scrollback. */
  #above: readonly string[] = [];
  /** The question that the person wants to read in the scrollback. */
  #printedOf: ShownQuestion | undefined;
  /** Lines that go to the scrollback with the next frame. */
  #printed: string[] = [];
  /** The next frame is the first of a session, below one that was shown before. */
  #begins: { isBelow: boolean } | undefined;
  /** What of the transcript stood below the scrollback in the last frame. */
  #tail: { of: Transcript; lines: number } | undefined;

  constructor(surface: Surface, theme: Theme, parts: PaintedParts, options: { reflows: boolean }) {
    this.#surface = surface;
    this.#theme = theme;
    this.#parts = parts;
    this.#screen = new LiveScreen(surface, options);
    this.#other = new OtherScreen(surface);
  }

  print(lines: readonly string[]): void {
    this.#printedOf = this.#parts.questions.current;
    append(this.#printed, lines);
  }

  beginSession(isBelow: boolean): void {
    this.#begins = { isBelow };
  }

  clear(): void {
    if (this.#other.isOpen) this.#drawBelow({ lines: [''] }, [], 0);
    this.#screen.clear();
  }

  draw(now: number, turn: number): void {
    const { rows, columns } = this.#surface;
    const view: View = { width: Math.max(10, columns - 1), theme: this.#theme, now, frame: turn };
    const transcript = this.#parts.transcript();
    const settled = this.#settle(transcript);
    append(this.#held, [...settled.lines, ...this.#shorten(transcript.take(view)), ...this.#printed]);
    this.#printed = [];
    const bottom = this.#bottom(view, rows);
    const room = bottom.isOver ? rows : Math.max(0, rows - bottom.lines.length);
    const tail = transcript.live(view, room, this.#held);
    this.#tail = { of: transcript, lines: tail.length };
    if (bottom.isOver) this.#drawOver(bottom, tail, settled.count);
    else this.#drawBelow(bottom, tail, settled.count);
  }

  #drawBelow(bottom: Bottom, tail: readonly string[], settled: number): void {
    this.#other.close();
    const finished = this.#held;
    this.#held = [];
    this.#above = endOf([...this.#above, ...finished], this.#surface.rows);
    const cursor = bottom.cursor && { row: tail.length + bottom.cursor.row, column: bottom.cursor.column };
    this.#screen.draw({ finished, live: [...tail, ...bottom.lines], cursor, settled });
  }

  /** As if it stood below the conversation. */
  #drawOver({ lines, cursor }: Bottom, tail: readonly string[], settled: number): void {
    const { rows } = this.#surface;
    const below = endOf(lines, rows);
    const above = endOf([...this.#above, ...this.#held, ...tail], rows - below.length);
    const moved = above.length + below.length - lines.length;
    if (!this.#other.isOpen) this.#screen.hide(settled);
    this.#other.draw(
      [...above.map((line) => (PICTURE.test(line) ? '' : line)), ...below],
      cursor && { row: Math.max(0, moved + cursor.row), column: cursor.column },
    );
  }

  /** What a resize has put into the scrollback stays there: it does not come again, only the rest of its last line. */
  #settle(transcript: Transcript): { count: number; lines: string[] } {
    if (this.#tail?.of !== transcript) return { count: 0, lines: [] };
    const pushed = this.#screen.pushedOut();
    const { count, after } = transcript.settle(Math.min(pushed.lines, this.#tail.lines));
    const isRestOurs = pushed.rest.trim() !== '' && count === pushed.lines;
    return { count, lines: isRestOurs ? [pushed.rest, ...after] : after };
  }

  #shorten(lines: string[]): string[] {
    const begins = this.#begins;
    this.#begins = undefined;
    if (begins === undefined) return lines;
    const shown = endOfReplay(lines, this.#theme);
    return begins.isBelow ? ['', ...shown] : shown;
  }

  #bottom(view: View, rows: number): Bottom {
    const { width, now } = view;
    const { questions, overlay, footer } = this.#parts;
    const last = footer(view);
    const question = questions.current;
    if (question) {
      const draft = this.#draft(width);
      const room = rows - QUESTION_ROWS_LEFT - (draft === undefined ? 0 : 1);
      const asked = ['', ...question.lines(width, room, now, questions.isDrafted)];
      const isOver = rows - asked.length < rows * CONVERSATION_SHARE && question !== this.#printedOf;
      if (draft === undefined) return { lines: [...asked, last], isOver };
      return { lines: [...asked, draft.line, last], cursor: { row: asked.length, column: draft.column }, isOver };
    }
    const over = overlay();
    if (over) return { lines: ['', ...over.lines(width, rows - 2), last], isOver: true };
    const above = this.#abovePrompt(view, rows);
    const prompt = this.#parts.prompt.render(width);
    const cursor = prompt.cursor && { row: above.length + prompt.cursor.row, column: prompt.cursor.column };
    return { lines: [...above, ...prompt.lines, last], cursor };
  }

  /** Where a message is being written while something is asked: what is typed goes there. */
  #draft(width: number): { line: string; column: number } | undefined {
    const text = sanitizeLine(this.#parts.prompt.text);
    if (text.trim() === '') return undefined;
    const { lines, cursor } = this.#parts.prompt.render(width);
    const row = cursor?.row ?? lines.length - 1;
    const isAtEnd = row === lines.length - 1 && (cursor?.column ?? width) >= widthOf(lines[row] ?? '');
    if (!isAtEnd) return { line: lines[row] ?? '', column: cursor?.column ?? 0 };
    const { prompt, ellipsis } = this.#theme.marks;
    const room = Math.max(10, width - widthOf(prompt) - 2);
    const line = `${prompt} ${fittingEnd(text, room, ellipsis)}`;
    return { line: this.#theme.dim(line), column: widthOf(line) };
  }

  /** Tasks, what is typed ahead, and what is happening now. */
  #abovePrompt(view: View, rows: number): string[] {
    const { width, theme } = view;
    const { transcript, activity, shell, outbox, takeBackKey } = this.#parts;
    const tasks = rows < TASK_LIST_ROWS ? [] : taskLines([...transcript().tasks.values()], width, theme);
    const running = transcript()
      .running()
      .map((call) => call.name);
    return [
      '',
      ...tasks,
      ...(tasks.length > 0 ? [''] : []),
      ...outbox.lines(width, theme, takeBackKey),
      ...activity().line(view, running, !shell.isRunning),
      ...shell.line(view),
    ];
  }
}

const endOf = (lines: readonly string[], count: number): readonly string[] =>
  lines.slice(Math.max(0, lines.length - count));

/** An old session is not poured out whole: its end is what one comes back to. */
export const endOfReplay = (lines: string[], theme: Theme): string[] => {
  const left = lines.length - TERMINAL_LIMITS.replayLines;
  if (left <= 0) return lines;
  const note = `${theme.marks.ellipsis} ${counted(left, 'earlier line')} of this session ${left === 1 ? 'is' : 'are'} not shown`;
  return [theme.dim(note), ...lines.slice(left)];
};
