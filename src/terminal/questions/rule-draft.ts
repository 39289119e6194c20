/** The rule of Session and Remember while a person changes it: always one of the call's own tool, or one that was offered. */
import type { Rule } from '../../core/events.ts';
import { isFolderRead } from '../../core/policy/folder-read.ts';
import { wholeRule } from '../../core/policy/whole-rule.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { matchesKey } from '../pi-tui.ts';
import { sanitizeLine } from '../sanitize.ts';
import { fittingEnd, widthOf } from '../text.ts';
import type { Theme } from '../theme.ts';
import { typedLine } from '../typed-line.ts';
import type { PermissionQuestion } from './permission-body.ts';

/** What the keys do, from wide windows to narrow ones. */
const HELP = ['  Enter takes it, Tab the next one, Esc leaves it', '  Tab: next, Esc: leave', ''];
/** The sign for the place where it is written. */
const CURSOR_COLUMNS = 1;

export class RuleDraft {
  readonly #question: Pick<PermissionQuestion, 'name' | 'rule' | 'suggestions'>;
  #rule: Rule;

  /** A rule about the whole folder takes no pattern, so the narrowest of the call's own tool is begun with. */
  constructor(question: Pick<PermissionQuestion, 'name' | 'rule' | 'suggestions'>) {
    this.#question = question;
    const { name, rule, suggestions = [] } = question;
    const narrow = suggestions.find(({ tool, pattern }) => tool === name && pattern !== undefined);
    this.#rule = isFolderRead(rule) ? editable(narrow ?? { tool: name }) : editable(rule);
  }

  key(data: string): void {
    if (matchesKey(data, 'tab')) this.#rule = this.#next();
    else this.#write(data);
  }

  #write(data: string): void {
    const { pattern = '' } = this.#rule;
    const typed = typedLine(pattern, data, TERMINAL_LIMITS.permissionPatternCharacters);
    if (typed === pattern) return;
    this.#rule = { tool: isFolderRead(this.#rule) ? this.#question.name : this.#rule.tool, pattern: typed };
  }

  #next(): Rule {
    const all = (this.#question.suggestions ?? []).map(editable);
    const at = all.findIndex(({ tool, pattern }) => tool === this.#rule.tool && pattern === this.#rule.pattern);
    return all[(at + 1) % Math.max(1, all.length)] ?? this.#rule;
  }

  /** The rule as it stands; without a pattern what was offered for the whole tool, or else at first. */
  get taken(): Rule {
    const { tool, pattern = '' } = this.#rule;
    const text = pattern.trim();
    const { rule, suggestions = [] } = this.#question;
    return text === '' || text === '*' ? wholeRule(rule, suggestions, tool) : { tool, pattern: text };
  }

  /** In one line: the rule before the help, and of a long pattern the end, where it is written. */
  line(width: number, theme: Theme): string {
    const { tool, pattern = '' } = this.#rule;
    const isWhole = pattern === '' && this.taken.tool === tool && this.taken.pattern === undefined;
    const before = `Allow ${tool}${isWhole ? '' : '('}`;
    const after = isWhole ? (isFolderRead(this.#rule) ? ' (all files here, no secrets)' : ' (the whole tool)') : ')';
    const fixed = widthOf(before) + CURSOR_COLUMNS + widthOf(after);
    const text = sanitizeLine(pattern);
    const shown = fittingEnd(text, Math.max(1, width - fixed), theme.marks.ellipsis);
    const left = width - fixed - widthOf(shown);
    const help = HELP.find((words) => widthOf(words) <= left) ?? '';
    return `${before}${shown}${theme.inverse(' ')}${after}${theme.dim(help)}`;
  }
}

/** A pattern that cannot be shown on one line as it is cannot be changed there either: the person starts anew. */
const editable = ({ tool, pattern }: Rule): Rule =>
  pattern === undefined ? { tool } : { tool, pattern: sanitizeLine(pattern) === pattern ? pattern : '' };
