/**
 * The permission question (Z9). It takes no key that was pressed before it could be read, allows nothing that has not
 * been on the screen whole, and answers for exactly the arguments it shows.
 */

import { AGENT_LIMITS } from '../../agent/limits.ts';
import type { PermissionDecision } from '../../core/events.ts';
import type { Mode } from '../../core/policy/modes.ts';
import { matchesKey } from '../pi-tui.ts';
import { sanitizeLine, sanitizeText } from '../sanitize.ts';
import { cut, fittingEnd, widthOf, wrapSpans } from '../text.ts';
import type { Theme } from '../theme.ts';
import { isEnter, isTyped, typedLine } from '../typed-line.ts';
import { type PermissionQuestion, questionLines } from './permission-body.ts';
import { QuestionBox } from './question-box.ts';
import { RuleDraft } from './rule-draft.ts';
import { ANSWER_FIRST, type KeyMeaning } from './type-ahead.ts';

export const CHOICES: readonly { key: string; label: string; decision: PermissionDecision }[] = [
  { key: '1', label: 'Allow Once', decision: 'allow_once' },
  { key: '2', label: 'Session', decision: 'session' },
  { key: '3', label: 'Remember', decision: 'remember' },
  { key: '4', label: 'Deny', decision: 'deny' },
];
const DENY_KEY = '4';
const TITLE = 'Permission Request';

export type PromptAnswer =
  /** `mode`: the mode of the session from then on. */
  | { type: 'decide'; decision: PermissionDecision; reason?: string; mode?: Mode }
  | { type: 'stop' }
  | { type: 'redraw' }
  /** The whole question goes to the scrollback, where nothing bounds it. */
  | { type: 'open'; lines: string[] };

/** What the keys do, from wide windows to narrow ones. */
const READ_ON = [
  'Space reads on, e prints it all; then choose. 4 denies.',
  'Space reads on, then choose. 4 denies.',
  'Space reads on. 4 denies.',
];
const PRESS = [
  'Press 1, 2, 3 or 4. ? shows more. Esc stops the run.',
  'Press 1, 2, 3 or 4. ?: more',
  'Press 1, 2, 3 or 4.',
];
const PRESS_OR_CHANGE = [
  'Press 1, 2, 3 or 4. r changes what 2 and 3 allow. ? shows more. Esc stops the run.',
  'Press 1, 2, 3 or 4. r: the rule, ?: more',
  ...PRESS.slice(1),
];
const PRESS_OR_EDIT = [
  'Press 1, 2, 3 or 4. a allows all edits of this session. ? shows more. Esc stops the run.',
  'Press 1, 2, 3 or 4. a: all edits, ?: more',
  ...PRESS.slice(1),
];
/** All of it is shown, and the same key leaves it out again. */
const withLess = (words: readonly string[]): readonly string[] => words.map((each) => each.replace('more', 'less'));
/** A message stands in the prompt: every letter goes on with it. */
const DRAFTED = [
  '1, 2, 3 or 4 answers, letters go to your message. Esc stops the run.',
  '1, 2, 3 or 4 answers; letters are text.',
  'Press 1, 2, 3 or 4.',
];
const DRAFTED_READ_ON = [
  'PageDown reads on, then choose. 4 denies. Letters go to your message.',
  'PageDown reads on, then choose. 4 denies.',
  'PageDown reads on. 4 denies.',
];
const NARROW = 60;
/** Unchanged lines round a change, where all of them would not fit. */
const DIFF_CONTEXTS = [1, 0];

export class PermissionPrompt {
  #question: PermissionQuestion;
  readonly #theme: Theme;
  readonly #box: QuestionBox;
  #reason: string | undefined;
  /** The choice that the arrows are on; Enter takes it. None at first, so that Enter alone decides nothing. */
  #selected: number | undefined;
  /** What stands behind the question is shown too. */
  #showsAll = false;
  /** `isOfDraft`: it speaks of the message in the prompt, and is said as long as one stands there. */
  #notice: { text: string; isOfDraft?: boolean } | undefined;
  /** What was set out for the question as it stands. */
  #set: { question?: PermissionQuestion; all: boolean; lines: Map<string, string[]> } = {
    all: false,
    lines: new Map(),
  };
  /** The rule while the person changes it. */
  #draft: RuleDraft | undefined;

  constructor(question: PermissionQuestion, theme: Theme) {
    this.#question = question;
    this.#theme = theme;
    this.#box = new QuestionBox(theme);
  }

  get question(): PermissionQuestion {
    return this.#question;
  }

  /** It is on the screen. */
  shown(now: number): void {
    this.#box.shown(now);
  }

  isArmed(now: number): boolean {
    return this.#box.isArmed(now);
  }

  /** A reason or a rule is being written. */
  get isWriting(): boolean {
    return this.#reason !== undefined || this.#draft !== undefined;
  }

  meaningOf(data: string): KeyMeaning {
    // After Deny its reason is written at once, so this key does not wait for what follows it.
    if (data === '?' || data === ' ' || data === DENY_KEY) return 'other';
    const isAnswer =
      CHOICES.some(({ key }) => key === data) ||
      (data === 'r' && !this.question.asksEachTime) ||
      (data === 'a' && this.question.isEdit === true) ||
      (data === 'e' && !this.#box.isSeen);
    return isAnswer ? 'answer' : 'none';
  }

  /** A message is being typed: nothing of it is an answer. */
  wait(now: number): void {
    // What was said of the key before is read, and which keys answer is said again.
    this.#notice = undefined;
    // Who types on has not chosen.
    this.#selected = undefined;
    this.#box.wait(now);
  }

  /** Says why an answer was not taken. */
  refuse(message: string, now: number): void {
    this.#notice = { text: sanitizeLine(message) };
    this.#reason = undefined;
    this.#draft = undefined;
    this.#box.wait(now);
  }

  answerFirst(now: number): void {
    this.#notice = { text: ANSWER_FIRST, isOfDraft: true };
    this.#box.wait(now);
  }

  /** Drawn often, and long where a whole change stands in it: set out once a form. */
  #body(width: number, context?: number): string[] {
    if (this.#set.question !== this.#question || this.#set.all !== this.#showsAll)
      this.#set = { question: this.#question, all: this.#showsAll, lines: new Map() };
    const form = `${width} ${context}`;
    const lines =
      this.#set.lines.get(form) ?? questionLines(this.question, width, this.#theme, { all: this.#showsAll, context });
    this.#set.lines.set(form, lines);
    return lines;
  }

  /** `isDrafted`: a message stands in the prompt. */
  lines(width: number, rows: number, now: number, isDrafted = false): string[] {
    return this.#box.draw({
      title:
        this.question.mode === undefined ? TITLE : `${TITLE}${this.#theme.marks.separator}mode ${this.question.mode}`,
      body: (inner) => this.#body(inner),
      shorter: DIFF_CONTEXTS.map((context) => (inner: number) => this.#body(inner, context)),
      choices: CHOICES,
      selected: this.#selected,
      hint: (inner) => this.#hint(inner, now, isDrafted),
      width,
      rows,
      now,
    });
  }

  #hint(width: number, now: number, isDrafted: boolean): string {
    const theme = this.#theme;
    if (this.#reason !== undefined) return this.#reasonLine(this.#reason, width);
    if (this.#draft !== undefined) return this.#draft.line(width, theme);
    if (this.#notice && (isDrafted || !this.#notice.isOfDraft))
      return wrapSpans([{ text: this.#notice.text, paint: theme.bad }], width)[0]!.text;
    if (this.#box.isTooSmall)
      return theme.warn(cut('This window is too small to show what is asked. 4 denies.', width));
    if (!this.isArmed(now)) return theme.dim(theme.marks.ellipsis);
    const words = this.#words(isDrafted);
    return theme.dim(cut(words.find((text) => widthOf(text) <= width) ?? words.at(-1) ?? '', width));
  }

  #words(isDrafted: boolean): readonly string[] {
    if (!this.#box.isSeen) return isDrafted ? DRAFTED_READ_ON : READ_ON;
    if (isDrafted) return DRAFTED;
    const words = this.question.asksEachTime
      ? PRESS
      : this.question.isEdit && !this.#showsAll
        ? PRESS_OR_EDIT
        : PRESS_OR_CHANGE;
    return this.#showsAll ? withLess(words) : words;
  }

  /** Of a long reason the end is shown, where it is written. */
  #reasonLine(reason: string, width: number): string {
    const before = width < NARROW ? 'Why not? ' : 'Why not? (optional, Enter sends) ';
    const room = Math.max(10, width - before.length - 1);
    const safe = sanitizeText(reason);
    const shown = fittingEnd(safe, room, this.#theme.marks.ellipsis);
    return cut(`${before}${shown}${this.#theme.inverse(' ')}`, width);
  }

  /** `isDrafted`: a message stands in the prompt, so that no choice is made by arrows. */
  key(data: string, now: number, isDrafted = false): PromptAnswer {
    if (isTyped(data) || isDrafted) this.#selected = undefined;
    if (!this.isArmed(now)) {
      this.#notice = undefined;
      this.#box.wait(now);
      return matchesKey(data, 'escape') ? { type: 'stop' } : { type: 'redraw' };
    }
    this.#notice = undefined;
    if (this.#reason !== undefined) return this.#reasonKey(data);
    if (this.#draft !== undefined) return this.#draftKey(data, this.#draft);
    if (matchesKey(data, 'escape')) return { type: 'stop' };
    if (data === 'r' && !this.question.asksEachTime) {
      this.#draft = new RuleDraft(this.question);
      return { type: 'redraw' };
    }
    if (data === '?') {
      this.#showsAll = !this.#showsAll;
      return { type: 'redraw' };
    }
    this.#notice = this.#refused(data, isDrafted);
    if (this.#notice !== undefined || (!isDrafted && this.#moves(data))) return { type: 'redraw' };
    if (this.#box.scrolls(data)) return { type: 'redraw' };
    if (data === 'a' && this.question.isEdit && this.#box.isSeen)
      return { type: 'decide', decision: 'allow_once', mode: 'edit' };
    if (data === 'e' && !this.#box.isSeen)
      return { type: 'open', lines: this.#box.print((width) => this.#body(width)) };
    const isTaken = isEnter(data) && this.#selected !== undefined;
    const choice = isTaken ? CHOICES[this.#selected ?? 0] : CHOICES.find((each) => data === each.key);
    if (!choice) return { type: 'redraw' };
    if (choice.decision === 'deny') {
      this.#reason = '';
      this.#selected = undefined;
      return { type: 'redraw' };
    }
    return this.#box.isSeen ? { type: 'decide', decision: choice.decision } : { type: 'redraw' };
  }

  /** What a key would do at the prompt it does not do here; whoever pressed it is told. */
  #refused(data: string, isDrafted: boolean): { text: string; isOfDraft?: boolean } | undefined {
    if (matchesKey(data, 'shift+tab')) return { text: 'Answer first, then change the mode.' };
    if (!isEnter(data) || this.#selected !== undefined) return undefined;
    return isDrafted ? { text: ANSWER_FIRST, isOfDraft: true } : { text: 'Press 1 to 4, or choose by arrows.' };
  }

  /** True where the key goes to another choice. */
  #moves(data: string): boolean {
    const isLong = this.#box.isLong;
    const by =
      matchesKey(data, 'right') || (!isLong && matchesKey(data, 'down'))
        ? 1
        : matchesKey(data, 'left') || (!isLong && matchesKey(data, 'up'))
          ? -1
          : 0;
    if (by === 0) return false;
    const last = CHOICES.length - 1;
    this.#selected =
      this.#selected === undefined ? (by > 0 ? 0 : last) : Math.max(0, Math.min(last, this.#selected + by));
    return true;
  }

  #draftKey(data: string, draft: RuleDraft): PromptAnswer {
    if (matchesKey(data, 'escape')) this.#draft = undefined;
    else if (isEnter(data)) {
      this.#question = { ...this.question, rule: draft.taken };
      this.#draft = undefined;
      // The rule that was written stands in the question from here on.
      this.#showsAll = true;
    } else draft.key(data);
    return { type: 'redraw' };
  }

  #reasonKey(data: string): PromptAnswer {
    const reason = this.#reason ?? '';
    if (isEnter(data)) {
      const text = reason.trim();
      return { type: 'decide', decision: 'deny', ...(text === '' ? {} : { reason: text }) };
    }
    this.#reason = matchesKey(data, 'escape')
      ? undefined
      : typedLine(reason, data, AGENT_LIMITS.denialReasonCharacters);
    return { type: 'redraw' };
  }
}
