/**
 * The question of an MCP server. Like a permission question it takes no key that was pressed before it could be read, and
 * sends nothing that has not been on the screen whole; a form is filled in field by field and shown once more at the end.
 */

import { type FormField, fieldHint, formFields, typedValue, withValue } from '../../core/form-fields.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ServerAnswer, ServerQuestion } from '../../core/server-question.ts';
import { MCP_LIMITS } from '../../mcp/limits.ts';
import { matchesKey } from '../pi-tui.ts';
import { sanitizeLine, sanitizeText } from '../sanitize.ts';
import { cut, fittingEnd, widthOf, wrapSpans } from '../text.ts';
import type { Theme } from '../theme.ts';
import { isEnter, typedLine } from '../typed-line.ts';
import { QuestionBox } from './question-box.ts';
import { serverQuestionLines, serverQuestionTitle } from './server-question-body.ts';
import { ANSWER_FIRST, type KeyMeaning } from './type-ahead.ts';

export type ServerPromptAnswer =
  | { type: 'answer'; answer: ServerAnswer; open?: string }
  | { type: 'stop' }
  | { type: 'redraw' }
  /** The whole question goes to the scrollback, where nothing bounds it. */
  | { type: 'print'; lines: string[] };

type Choice = { key: string; label: string; does: 'accept' | 'open' | 'fill' | 'decline' };
const DECLINE: Omit<Choice, 'key'> = { label: 'Decline', does: 'decline' };
const CHOICES: Readonly<Record<ServerQuestion['kind'] | 'filled', readonly Choice[]>> = {
  form: [
    { key: '1', label: 'Fill it in', does: 'fill' },
    { key: '2', ...DECLINE },
  ],
  filled: [
    { key: '1', label: 'Send it', does: 'accept' },
    { key: '2', ...DECLINE },
    { key: '3', label: 'Fill it in anew', does: 'fill' },
  ],
  url: [
    { key: '1', label: 'Open it in the browser', does: 'open' },
    { key: '2', ...DECLINE },
    { key: '3', label: 'I opened it myself', does: 'accept' },
  ],
  sampling: [
    { key: '1', label: 'Let the model answer', does: 'accept' },
    { key: '2', ...DECLINE },
  ],
  sampling_answer: [
    { key: '1', label: 'Send it', does: 'accept' },
    { key: '2', ...DECLINE },
  ],
};
const REDRAW: ServerPromptAnswer = { type: 'redraw' };

export class ServerPrompt {
  readonly question: ServerQuestion;
  readonly #theme: Theme;
  readonly #fields: readonly FormField[];
  readonly #box: QuestionBox;
  /** `isOfDraft`: it speaks of the message in the prompt, and is said as long as one stands there. */
  #notice: { text: string; isOfDraft?: boolean } | undefined;
  #values: JsonObject | undefined;
  /** The field that is being filled in, and what is typed into it. */
  #field: number | undefined;
  #typed = '';

  constructor(question: ServerQuestion, theme: Theme) {
    this.question = question;
    this.#theme = theme;
    this.#box = new QuestionBox(theme);
    this.#fields = question.kind === 'form' ? formFields(question.fields) : [];
  }

  shown(now: number): void {
    this.#box.shown(now);
  }

  isArmed(now: number): boolean {
    return this.#box.isArmed(now);
  }

  /** A field is being filled in. */
  get isWriting(): boolean {
    return this.#field !== undefined;
  }

  meaningOf(data: string): KeyMeaning {
    if (this.#choices.some(({ key }) => key === data) || (data === 'e' && !this.#box.isSeen)) return 'answer';
    return data === ' ' ? 'other' : 'none';
  }

  /** A message is being typed: nothing of it is an answer. */
  wait(now: number): void {
    this.#box.wait(now);
  }

  /** Says why an answer was not taken. */
  refuse(message: string, now: number): void {
    this.#notice = { text: sanitizeLine(message) };
    this.#box.wait(now);
  }

  answerFirst(now: number): void {
    this.#notice = { text: ANSWER_FIRST, isOfDraft: true };
    this.#box.wait(now);
  }

  get #isFilled(): boolean {
    return this.#values !== undefined && this.#field === undefined;
  }

  get #choices(): readonly Choice[] {
    return CHOICES[this.#isFilled ? 'filled' : this.question.kind];
  }

  #body(width: number): string[] {
    return serverQuestionLines(this.question, width, this.#theme, this.#isFilled ? this.#values : undefined);
  }

  /** `isDrafted`: a message stands in the prompt. */
  lines(width: number, rows: number, now: number, isDrafted = false): string[] {
    return this.#box.draw({
      title: serverQuestionTitle(this.question),
      body: (inner) => this.#body(inner),
      choices: this.#field === undefined ? this.#choices : [],
      hint: (inner) => this.#hint(inner, now, isDrafted),
      width,
      rows,
      now,
    });
  }

  #hint(width: number, now: number, isDrafted: boolean): string {
    const theme = this.#theme;
    if (this.#notice !== undefined && (isDrafted || !this.#notice.isOfDraft)) {
      const [line] = wrapSpans([{ text: this.#notice.text, paint: theme.bad }], width);
      if (this.#field === undefined) return line?.text ?? '';
    }
    const field = this.#field === undefined ? undefined : this.#fields[this.#field];
    if (field !== undefined) return this.#fieldLine(field, width);
    if (this.#box.isTooSmall)
      return theme.warn(cut('This window is too small to show what is asked. 2 declines.', width));
    if (!this.isArmed(now)) return theme.dim(theme.marks.ellipsis);
    const words = this.#words(isDrafted);
    return theme.dim(cut(words.find((text) => widthOf(text) <= width) ?? words.at(-1) ?? '', width));
  }

  /** What the keys do, from wide windows to narrow ones. Over a message every letter goes on with it. */
  #words(isDrafted: boolean): readonly string[] {
    const keys = this.#choices.map(({ key }) => key).join(' or ');
    if (!this.#box.isSeen)
      return isDrafted
        ? ['PageDown reads on, then choose. 2 declines.', 'PageDown reads on. 2 declines.']
        : ['Space reads on, e prints it all; then choose. 2 declines.', 'Space reads on. 2 declines.'];
    return isDrafted
      ? [`${keys} answers, letters go to your message. Esc stops the run.`, `${keys} answers; letters are text.`]
      : [`Press ${keys}. Esc stops the run.`, `Press ${keys}.`];
  }

  /** Of a long text the end is shown, where it is written. */
  #fieldLine(field: FormField, width: number): string {
    const theme = this.#theme;
    const name = `${sanitizeLine(field.name)}: `;
    const hint = this.#notice?.text ?? fieldHint(field);
    const after = `  ${sanitizeLine(hint === '' ? 'Enter takes it, Esc leaves the form' : hint)}`;
    const room = Math.max(10, width - widthOf(name) - Math.min(widthOf(after), Math.floor(width / 2)) - 1);
    const safe = sanitizeText(this.#typed);
    const typed = fittingEnd(safe, room, theme.marks.ellipsis);
    const paint = this.#notice === undefined ? theme.dim : theme.bad;
    return cut(`${theme.bold(name)}${typed}${theme.inverse(' ')}${paint(after)}`, width);
  }

  key(data: string, now: number): ServerPromptAnswer {
    if (!this.isArmed(now)) {
      this.#box.wait(now);
      return matchesKey(data, 'escape') ? { type: 'stop' } : REDRAW;
    }
    this.#notice = undefined;
    if (this.#field !== undefined) return this.#fieldKey(data, this.#field);
    if (matchesKey(data, 'escape')) return { type: 'stop' };
    if (this.#box.scrolls(data)) return REDRAW;
    if (data === 'e' && !this.#box.isSeen)
      return { type: 'print', lines: this.#box.print((width) => this.#body(width)) };
    const choice = this.#choices.find(({ key }) => key === data);
    return choice === undefined ? REDRAW : this.#choose(choice.does);
  }

  #choose(does: Choice['does']): ServerPromptAnswer {
    if (does === 'decline') return { type: 'answer', answer: { action: 'decline' } };
    if (!this.#box.isSeen) return REDRAW;
    if (does === 'fill') return this.#fillFrom(0);
    const accept = { action: 'accept' as const, ...(this.#values === undefined ? {} : { content: this.#values }) };
    const { question } = this;
    return {
      type: 'answer',
      answer: accept,
      ...(does === 'open' && question.kind === 'url' ? { open: question.url } : {}),
    };
  }

  #fillFrom(index: number): ServerPromptAnswer {
    this.#typed = '';
    this.#values = index === 0 ? {} : this.#values;
    this.#field = index < this.#fields.length ? index : undefined;
    this.#box.renew();
    return REDRAW;
  }

  #fieldKey(data: string, index: number): ServerPromptAnswer {
    const field = this.#fields[index] as FormField;
    if (matchesKey(data, 'escape')) {
      this.#field = undefined;
      this.#values = undefined;
      this.#box.renew();
    } else if (isEnter(data)) {
      const read = typedValue(field, this.#typed);
      if (!read.ok) this.#notice = { text: sanitizeLine(read.message) };
      else {
        this.#values = withValue(this.#values ?? {}, field, read.value);
        return this.#fillFrom(index + 1);
      }
    } else this.#typed = typedLine(this.#typed, data, MCP_LIMITS.mcpQuestionCharacters);
    return REDRAW;
  }
}
