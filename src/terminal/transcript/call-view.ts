/** A tool call: one line while it goes well; a failure opens itself; everything else is one key away. */

import { asWritten } from '../../core/call-arguments.ts';
import { changeSize } from '../../core/change-size.ts';
import { type CallEnd, callEnd, failureWord, notRunWord, refusedBecause } from '../../core/failure-word.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Repair, ToolCall } from '../../core/message.ts';
import { counted } from '../../core/number-text.ts';
import { redrawn } from '../../core/redrawn.ts';
import { reasonFor, timeTaken } from '../../core/tool/display-status.ts';
import type { Preview, Tool } from '../../core/tool.ts';
import type { ToolResult } from '../../core/tool-result.ts';
import { diffLines, firstChangedLines } from '../diff-lines.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { sanitizeLine, sanitizeText } from '../sanitize.ts';
import { cut, formatBytes, formatDuration, quote, widthOf, wrapText } from '../text.ts';
import type { Theme } from '../theme.ts';
import { jsonLines } from './json-view.ts';

export type CallState = 'waiting' | 'asks' | 'running' | CallEnd;

export class CallView {
  readonly id: string;
  readonly name: string;
  readonly repairs: readonly Repair[];
  arguments: JsonObject;
  /** As JSON text with the model's own digits, where the values have lost some. */
  readonly written?: string;
  state: CallState = 'waiting';
  result: ToolResult | undefined;
  startedAt = 0;
  reason: string | undefined;
  preview: Preview | undefined;
  readonly #mainArgument: string | undefined;
  readonly #isCommand: boolean;
  readonly #malformed: string | undefined;
  /** As it came, but for lines that were drawn again. */
  #output = '';

  constructor(call: ToolCall, tool: Tool | undefined) {
    this.id = call.id;
    this.name = sanitizeLine(call.name);
    if (call.written !== undefined) this.written = call.written;
    this.arguments = asWritten(call, call.arguments);
    this.repairs = call.repairs;
    this.#mainArgument = tool?.main_argument;
    this.#isCommand = tool?.effects === 'process';
    this.#malformed = call.malformed?.text;
  }

  get isFinished(): boolean {
    return ['done', 'failed', 'denied', 'not_run'].includes(this.state);
  }

  addOutput(delta: string): void {
    // The model reads the whole; this is only what can be seen while it runs.
    this.#output = redrawn(this.#output + delta).slice(-TERMINAL_LIMITS.liveOutputCharacters);
  }

  finish(result: ToolResult): void {
    this.result = result;
    if (this.state !== 'denied') this.state = callEnd(result, this.startedAt > 0);
  }

  /** The one argument that tells this call from the next. */
  get subject(): string {
    const value =
      this.#mainArgument === undefined
        ? Object.values(this.arguments).find((each) => typeof each === 'string' || typeof each === 'number')
        : this.arguments[this.#mainArgument];
    return value === undefined ? '' : sanitizeLine(typeof value === 'string' ? value : JSON.stringify(value));
  }

  lines(width: number, theme: Theme, now: number, frame: number): string[] {
    const lines = [this.#headline(width, theme, now, frame)];
    if (this.state === 'running') lines.push(...this.#tail(width, theme));
    if (this.state === 'done') lines.push(...this.#change(width, theme), ...this.#lastOutput(width, theme));
    const refused = this.state === 'denied' ? refusedBecause(this.result, this.reason) : undefined;
    if (refused) lines.push(...quote(sanitizeText(refused), width, '  ', theme.dim));
    if (this.state === 'failed') lines.push(...this.#failure(width, theme));
    return lines;
  }

  #headline(width: number, theme: Theme, now: number, frame: number): string {
    const facts = this.#facts(now);
    const meta = facts.length > 0 ? `${theme.marks.beside}${facts.join(theme.marks.separator)}` : '';
    const mark = this.#mark(theme, frame);
    const room = width - widthOf(mark) - 1;
    const name = cut(this.name, room);
    const whole = this.subject;
    const most = Math.max(0, room - widthOf(name) - 1);
    // What it is about says more than how long it took.
    const beside = most - widthOf(meta);
    const isNarrow = beside < Math.min(widthOf(whole), TERMINAL_LIMITS.subjectColumns);
    const subject = cut(whole, isNarrow ? most : beside);
    const fits = widthOf(name) + widthOf(subject) + widthOf(meta) + 1 <= room;
    return `${mark} ${theme.bold(name)}${subject ? ` ${subject}` : ''}${fits ? theme.dim(meta) : ''}`;
  }

  #mark(theme: Theme, frame: number): string {
    const { marks } = theme;
    switch (this.state) {
      case 'waiting':
        return theme.dim(marks.waiting);
      case 'asks':
        return theme.warn(marks.asks);
      case 'running':
        return theme.accent(marks.spinner[frame % marks.spinner.length]!);
      case 'done':
        return theme.good(marks.done);
      case 'failed':
        return theme.bad(marks.failed);
      case 'denied':
        return theme.warn(marks.denied);
      case 'not_run':
        return theme.dim(marks.waiting);
    }
  }

  #facts(now: number): string[] {
    if (this.state === 'asks') return ['waiting for you'];
    if (this.state === 'running')
      return [now - this.startedAt >= 1_000 ? formatDuration(now - this.startedAt) : 'running'];
    if (this.state === 'waiting') return [];
    const metadata = this.result?.metadata;
    const size = this.state === 'done' && this.preview?.diff ? changeSize(this.preview.diff) : undefined;
    const taken = this.result && timeTaken(this.result);
    const notRun = notRunWord(this.result, this.startedAt > 0);
    return [
      ...(notRun === undefined ? [] : [notRun]),
      ...(this.state === 'failed' && this.result ? [failureWord(this.result)] : []),
      ...(this.state === 'denied' ? ['denied'] : []),
      ...(size === undefined ? [] : [size]),
      ...(taken !== undefined && (this.state === 'done' || this.startedAt > 0) ? [formatDuration(taken)] : []),
      ...(metadata && metadata.data_size_bytes > 0 ? [formatBytes(metadata.data_size_bytes)] : []),
      ...(this.repairs.length > 0 ? [counted(this.repairs.length, 'repair')] : []),
      ...(metadata?.cached ? ['from cache'] : []),
    ];
  }

  /** What was changed stays in sight; of a long change its beginning. */
  #change(width: number, theme: Theme): string[] {
    if (!this.preview?.diff) return [];
    const most = TERMINAL_LIMITS.transcriptDiffLines;
    const { lines, left } = firstChangedLines(this.preview.diff, width - 2, theme, most);
    return [...lines.map((line) => `  ${line}`), ...(left > 0 ? [this.#moreLines(left, theme)] : [])];
  }

  /** Of a command the end of what it printed, which says how it went. */
  #lastOutput(width: number, theme: Theme): string[] {
    if (!this.#isCommand) return [];
    const lines = sanitizeText(this.result?.data ?? '')
      .trimEnd()
      .split('\n');
    if (lines.length === 1 && lines[0] === '') return [];
    // Few lines are read whole: a cut one may hold the very reason why nobody reaches a server.
    const most = TERMINAL_LIMITS.transcriptOutputLines;
    const room = width - widthOf(`  ${theme.marks.bar} `);
    const wrapped = lines.length > most ? [] : wrapText(lines.join('\n'), room);
    if (wrapped.length > 0 && (wrapped.length <= most || lines.length === 1)) {
      const cutOff = wrapped.length - most;
      return [
        ...wrapped.slice(0, most).map((line) => theme.dim(`  ${theme.marks.bar} ${line}`)),
        ...(cutOff > 0 ? [this.#moreLines(cutOff, theme)] : []),
      ];
    }
    const shown = lines.slice(-most);
    const left = lines.length - shown.length;
    return [
      ...(left > 0 ? [this.#moreLines(left, theme)] : []),
      ...shown.map((line) => theme.dim(cut(`  ${theme.marks.bar} ${line}`, width))),
    ];
  }

  #moreLines(count: number, theme: Theme): string {
    return theme.dim(
      `  ${theme.marks.ellipsis} ${counted(count, 'more line')}, Ctrl+O opens ${count === 1 ? 'it' : 'them'}`,
    );
  }

  #tail(width: number, theme: Theme): string[] {
    if (this.#output.trim() === '') return [];
    const lines = this.#output.trimEnd().split('\n').slice(-TERMINAL_LIMITS.liveOutputLines);
    return lines.map((line) => theme.dim(cut(`  ${theme.marks.bar} ${sanitizeText(line)}`, width)));
  }

  #failure(width: number, theme: Theme): string[] {
    const message = sanitizeText((this.result && reasonFor(this.result)) ?? 'It ended without a result.');
    const raw = sanitizeText(this.result?.data ?? this.#malformed ?? '').trimEnd();
    const rawLines = raw === '' ? [] : quote(raw, width, `  ${theme.marks.bar} `, theme.dim);
    // The end of what a command printed says why it failed.
    const shown = this.#isCommand
      ? rawLines.slice(-TERMINAL_LIMITS.failureLines)
      : rawLines.slice(0, TERMINAL_LIMITS.failureLines);
    const left = rawLines.length - shown.length;
    const more = left > 0 ? [this.#moreLines(left, theme)] : [];
    return [...quote(message, width, '  '), ...(this.#isCommand ? [...more, ...shown] : [...shown, ...more])];
  }

  /** The opened call: arguments, repairs, result. */
  details(width: number, theme: Theme): string[] {
    const heading = (text: string): string => theme.dim(text);
    const result = this.result;
    const data = sanitizeText(result ? (result.data ?? '') : this.#output.trimEnd()).trimEnd();
    return [
      heading('Arguments'),
      ...(this.#malformed === undefined
        ? jsonLines(this.arguments, width, theme)
        : wrapText(sanitizeText(this.#malformed), width)),
      ...(this.preview?.diff ? [heading('Change'), ...diffLines(this.preview.diff, width, theme).slice(1)] : []),
      ...(this.repairs.length === 0
        ? []
        : [heading('Repairs'), ...this.repairs.flatMap((each) => wrapText(sanitizeText(each.detail), width))]),
      ...(result?.error_message ? [heading('Reason'), ...wrapText(sanitizeText(reasonFor(result) ?? ''), width)] : []),
      heading(result ? 'Result' : 'Output so far'),
      ...(data === '' ? [theme.dim('(nothing)')] : wrapText(data, width)),
    ];
  }
}
