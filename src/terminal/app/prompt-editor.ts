/** The prompt line: pi-tui's editor without its frame, with the terminal's own cursor in it. */

import { TERMINAL_LIMITS } from '../limits.ts';
import { CURSOR_MARKER, Editor, matchesKey, type TUI } from '../pi-tui.ts';
import { widthOf } from '../text.ts';
import type { Theme } from '../theme.ts';
import { originalText, putAsPasted, putStandIns, shownStandIns, withWholeStandIns } from './stand-ins.ts';

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const PLACEHOLDER = 'Ask about this folder, or say what to change';
const SHORT_PLACEHOLDERS = ['Ask about this folder', 'Ask'];
/** From here on the editor folds what is pasted. */
const FOLDED_LINES = 10;
const FOLDED_CHARACTERS = 1_000;
const CURSOR_CELL = /\x1b\[7m([\s\S]*?)\x1b\[0m/;

/** What the editor takes for one character, in every movement and wherever a line is broken. */
type Segmenting = { segment(text: string, mode: 'word' | 'grapheme'): Iterable<Intl.SegmentData> };

class FramelessEditor extends Editor {
  protected override renderTopBorder(): string {
    return '';
  }
  protected override renderBottomBorder(): string {
    return '';
  }
}

/** The package declares it private; its version is pinned, and the tests of the prompt walk over it. */
const keepStandInsWhole = (editor: Segmenting): void => {
  const segment = editor.segment.bind(editor);
  editor.segment = (text, mode) => withWholeStandIns(text, segment(text, mode));
};

type Placing = { setTextInternal(text: string, place?: 'start' | 'end'): void };

/** What Up brings back is gone on with at its end, as in a shell; of several lines the first is nearer to the next Up. */
const placeAtEnd = (editor: Placing): void => {
  const set = editor.setTextInternal.bind(editor);
  editor.setTextInternal = (text, place) => set(text, text.includes('\n') ? place : 'end');
};

export type PromptView = { lines: string[]; cursor: { row: number; column: number } | undefined };

export class PromptEditor {
  readonly editor: Editor;
  readonly #theme: Theme;
  readonly #rows: () => number;
  /** A frame of a stream changes nothing here, and laying the text out is the dearest thing in a frame. */
  #drawn: (PromptView & { width: number; rows: number }) | undefined;
  /** The person went through the list of completions. */
  #isChosen = false;
  /** The key at hand sends what is typed, with what the list offers by itself. */
  #isSending = false;

  constructor(host: { rows(): number; requestRender(): void }, theme: Theme) {
    this.#rows = () => host.rows();
    this.#theme = theme;
    const surface = {
      terminal: {
        get rows() {
          return host.rows();
        },
      },
      requestRender: () => {
        this.#drawn = undefined;
        host.requestRender();
      },
    };
    const list = {
      selectedPrefix: (text: string) => theme.accent(text),
      selectedText: (text: string) => theme.accent(text),
      description: (text: string) => theme.dim(text),
      scrollInfo: (text: string) => theme.dim(text),
      noMatch: (text: string) => theme.dim(text),
    };
    // The editor asks its host for nothing but the height and a redraw.
    this.editor = new FramelessEditor(
      surface as unknown as TUI,
      { borderColor: (text) => text, selectList: list },
      { autocompleteMaxVisible: TERMINAL_LIMITS.completions },
    );
    this.editor.focused = true;
    keepStandInsWhole(this.editor as unknown as Segmenting);
    placeAtEnd(this.editor as unknown as Placing);
  }

  /** As it was typed and pasted. */
  get text(): string {
    return originalText(this.editor.getExpandedText());
  }

  get isSending(): boolean {
    return this.#isSending;
  }

  onSubmit(submit: (text: string) => void): void {
    this.editor.onSubmit = (text) => submit(originalText(text));
  }

  /** Whole characters, one key, or one paste. What must not reach the terminal is shown by a sign and sent as it is. */
  input(data: string): void {
    this.#drawn = undefined;
    if (data.startsWith(PASTE_START)) {
      const end = data.endsWith(PASTE_END) ? -PASTE_END.length : undefined;
      // Terminals send the ends of pasted lines as the key Enter does.
      const pasted = data.slice(PASTE_START.length, end).replaceAll(/\r\n?/g, '\n');
      this.#paste(pasted);
      return;
    }
    const moves = matchesKey(data, 'up') || matchesKey(data, 'down');
    this.#isSending = matchesKey(data, 'enter') && !this.#isChosen;
    this.#isChosen = moves && this.editor.isShowingAutocomplete();
    const isKey = data.length === 1 ? data < ' ' || data === '\x7f' : data.startsWith('\x1b');
    this.editor.handleInput(isKey ? data : putStandIns(data));
  }

  /** The editor folds a long paste to one word; a short one goes in as it is, without the editor's own corrections. */
  #paste(text: string): void {
    const safe = putStandIns(text);
    const isLong = safe.length > FOLDED_CHARACTERS || safe.split('\n').length > FOLDED_LINES;
    if (!isLong) {
      this.editor.insertTextAtCursor(safe);
      return;
    }
    // The end of the last line begins no line that would be counted.
    const end = text.endsWith('\n') ? '\n' : '';
    this.editor.handleInput(`${PASTE_START}${putAsPasted(text.slice(0, text.length - end.length))}${PASTE_END}`);
    this.editor.insertTextAtCursor(end);
  }

  /** What was sent before, for the up arrow. An old log may hold anything. */
  remember(text: string): void {
    this.editor.addToHistory(putStandIns(text));
  }

  /** The looks have changed. */
  invalidate(): void {
    this.#drawn = undefined;
  }

  set(text: string): void {
    this.#drawn = undefined;
    this.editor.setText(putStandIns(text));
  }

  /** Where the cursor is. */
  insert(text: string): void {
    this.#drawn = undefined;
    this.editor.insertTextAtCursor(putStandIns(text));
  }

  /** What was typed, which is not in the prompt any more. */
  take(): string {
    const { text } = this;
    this.set('');
    return text;
  }

  render(width: number): PromptView {
    const rows = this.#rows();
    if (this.#drawn?.width !== width || this.#drawn.rows !== rows)
      this.#drawn = { ...this.#layOut(width), width, rows };
    return this.#drawn;
  }

  #layOut(width: number): PromptView {
    const sign = `${this.#theme.accent(this.#theme.marks.prompt)} `;
    const rendered = this.editor.render(Math.max(4, width - 2));
    const body: string[] = [];
    let cursor: PromptView['cursor'];
    let inBody = false;
    let isBelow = false;
    for (const line of rendered) {
      if (line === '') {
        isBelow = inBody;
        inBody = true;
        continue;
      }
      const at = line.indexOf(CURSOR_MARKER);
      if (at >= 0) cursor = { row: body.length, column: 2 + widthOf(shownStandIns(line.slice(0, at))) };
      const clean = line
        .replace(CURSOR_MARKER, '')
        .replace(CURSOR_CELL, at >= 0 ? '$1' : '$&')
        .trimEnd();
      const safe = shownStandIns(clean);
      body.push(`${body.length === 0 && !isBelow ? sign : '  '}${safe}`);
    }
    // The first line is the sign alone while nothing is typed.
    if (body.length === 1 && this.text === '')
      body[0] = `${sign}${this.#theme.dim([PLACEHOLDER, ...SHORT_PLACEHOLDERS].find((each) => each.length <= width - 2) ?? '')}`;
    return { lines: body, cursor };
  }
}
