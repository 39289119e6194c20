/**
 * The same frames for a screen reader: plain lines, each written once and never drawn over. What is typed is echoed as it
 * is typed; what comes while somebody types ends that line first, and the line is begun anew below it.
 */
import { TERMINAL_LIMITS } from '../limits.ts';
import { sanitizeText } from '../sanitize.ts';
import type { Surface } from '../screen.ts';
import { append } from '../text.ts';
import type { Theme } from '../theme.ts';
import type { Activity } from './activity.ts';
import { endOfReplay, type FramePainter, type PaintedParts } from './painter.ts';

/** A question is printed whole: nothing bounds it. */
const ALL_ROWS = 10_000;

export class SpokenPainter implements FramePainter {
  readonly #surface: Surface;
  readonly #theme: Theme;
  readonly #parts: PaintedParts;
  #printed: string[] = [];
  #isFirstOfSession = true;
  /** The line that the cursor stands in. */
  #line = '';
  /** A line that was sent and stands above already: it is not written once more. */
  #sent = '';
  /** What is said when the message stands there. */
  #held = '';
  /** What was said last of each thing that may change. */
  #said = { footer: '', activity: '', queue: new Set<string>(), above: new Set<string>() };

  constructor(surface: Surface, theme: Theme, parts: PaintedParts) {
    this.#surface = surface;
    this.#theme = theme;
    this.#parts = parts;
  }

  print(lines: readonly string[]): void {
    append(this.#printed, lines);
  }

  beginSession(): void {
    this.#isFirstOfSession = true;
  }

  clear(): void {
    if (this.#line !== '') this.#surface.write('\r\n');
    this.#line = '';
  }

  draw(now: number, turn: number): void {
    const width = Math.max(10, this.#surface.columns - 1);
    const view = { width, theme: this.#theme, now, frame: turn };
    const { transcript, activity, outbox, takeBackKey, footer } = this.#parts;
    const taken = transcript().take(view);
    const running = transcript()
      .running()
      .map(({ name }) => name);
    const lines = [
      ...(this.#isFirstOfSession ? endOfReplay(taken, this.#theme) : taken),
      ...this.#printed,
      ...this.#activity(activity(), running),
      ...this.#fresh('queue', outbox.lines(width, this.#theme, takeBackKey)),
      ...this.#footer(footer(view)),
      ...this.#above(width, now),
    ];
    this.#isFirstOfSession = false;
    this.#printed = [];
    this.#write(
      lines.map((line) => line.trimEnd()),
      this.#input(width, now),
    );
  }

  #withoutSent(lines: readonly string[]): readonly string[] {
    const at = lines.indexOf(this.#sent);
    if (at < 0 || this.#sent === '') return lines;
    this.#sent = '';
    return lines.filter((line, index) => index !== at && !(index === at - 1 && line === ''));
  }

  /** What was sent is read before what becomes of it. */
  #activity(activity: Activity, running: readonly string[]): string[] {
    const text = this.#parts.shell.spoken() || activity.spoken(running);
    if (activity.isSending) {
      this.#held = text;
      return [];
    }
    const held = this.#held === '' ? [] : this.#changed('activity', this.#held);
    this.#held = '';
    return [...held, ...this.#changed('activity', text)];
  }

  #changed(what: 'activity', text: string): string[] {
    const isNew = text !== '' && text !== this.#said[what];
    this.#said[what] = text;
    return isNew ? [text] : [];
  }

  /** Lines that did not stand there before. */
  #fresh(what: 'queue' | 'above', lines: readonly string[]): string[] {
    const before = this.#said[what];
    this.#said[what] = new Set(lines);
    return lines.filter((line) => line.trim() !== '' && !before.has(line));
  }

  /** It is said again where its first word changes: the mode, or that the next key leaves. */
  #footer(text: string): string[] {
    const [word = ''] = text.split(' ');
    if (word === this.#said.footer) return [];
    this.#said.footer = word;
    return [text];
  }

  /** A question or a list, as far as it is new; of a list that is gone through, where one is. */
  #above(width: number, now: number): string[] {
    const { questions, overlay } = this.#parts;
    const lines = questions.current
      ? questions.current.lines(width, ALL_ROWS, now, questions.isDrafted).slice(0, -1)
      : (overlay()?.lines(width, TERMINAL_LIMITS.spokenListRows) ?? []);
    const isFirst = this.#said.above.size === 0;
    const fresh = this.#fresh('above', lines);
    const selected = fresh.filter((line) => line.startsWith(this.#theme.marks.chosen));
    return isFirst || selected.length === 0 ? fresh : selected;
  }

  #input(width: number, now: number): string {
    const { questions, overlay, prompt, activity } = this.#parts;
    const hint = questions.current?.lines(width, ALL_ROWS, now, questions.isDrafted).at(-1)?.trim();
    if (hint !== undefined) return hint === this.#theme.marks.ellipsis ? '' : hint;
    const isSilent = overlay() !== undefined || (activity().isRunning && prompt.text === '');
    return isSilent ? '' : `${this.#theme.marks.prompt} ${sanitizeText(prompt.text)}`;
  }

  #write(all: readonly string[], input: string): void {
    const before = this.#line;
    this.#line = input;
    const sign = this.#theme.marks.prompt;
    if (before.startsWith(`${sign} `) && (input === '' || input === `${sign} `)) this.#sent = before.trimEnd();
    const lines = this.#withoutSent(all);
    if (lines.length > 0) {
      const ended = before === '' ? '' : '\r\n';
      this.#surface.write(`${ended}${lines.join('\r\n')}\r\n${input.replaceAll('\n', '\r\n')}`);
    } else if (input.startsWith(before)) {
      const more = input.slice(before.length);
      if (more !== '') this.#surface.write(more.replaceAll('\n', '\r\n'));
    } else if (input === '' && this.#sent !== '') {
      // What was sent stays where it was written.
      this.#surface.write('\r\n');
    } else if (before.startsWith(input) && /^[\x20-\x7e]*$/.test(before.slice(input.length))) {
      this.#surface.write('\b \b'.repeat(before.length - input.length));
    } else this.#surface.write(`\r\n${input.replaceAll('\n', '\r\n')}`);
  }
}
