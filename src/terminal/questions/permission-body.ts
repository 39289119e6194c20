/** What a permission question says. Everything in it that comes from a model is escaped and stands behind the edge. */

import { capital } from '../../core/capital.ts';
import type { Rule } from '../../core/events.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { mixedScriptLines } from '../../core/mixed-scripts.ts';
import { isFolderRead } from '../../core/policy/folder-read.ts';
import { MODE_WORDS, type Mode } from '../../core/policy/modes.ts';
import { shownRule } from '../../core/policy/rules.ts';
import { type ArgumentOrigin, originLines } from '../../core/provenance/origin.ts';
import { isContentIn, isWholeDiff, withContext } from '../../core/short-diff.ts';
import type { Preview, Risk } from '../../core/tool.ts';
import { keepWritten } from '../../core/written-numbers.ts';
import type { SandboxFacts } from '../app-options.ts';
import { changedLines } from '../diff-lines.ts';
import { sanitizeLine } from '../sanitize.ts';
import { labelled, wrapSpans } from '../text.ts';
import type { Paint, Theme } from '../theme.ts';
import { inlineJson, safeString } from '../transcript/json-view.ts';

export type PermissionQuestion = {
  callId: string;
  name: string;
  arguments: JsonObject;
  risk: Risk;
  rule: Rule;
  /** Why it is asked. */
  because?: string | undefined;
  /** Whose words the weighty arguments are. */
  provenance?: readonly ArgumentOrigin[] | undefined;
  /** Other rules to choose from. */
  suggestions?: readonly Rule[] | undefined;
  /** Whatever is answered counts once. */
  asksEachTime?: boolean | undefined;
  /** A command that is known to read or print and to do nothing else. */
  onlyReads?: boolean | undefined;
  preview?: Preview | undefined;
  mainArgument?: string | undefined;
  sandbox: SandboxFacts;
  /** What arguments are where a call leaves them out. */
  defaults?: JsonObject | undefined;
  /** The mode it is asked in. */
  mode?: Mode | undefined;
  /** What is asked about is worse than the tool itself: a secret, a file that runs by itself. */
  isRaised?: boolean | undefined;
  /** A change to files, so that all further ones can be allowed by the mode `edit`. */
  isEdit?: boolean | undefined;
};

const RISK_WORDS: Record<Risk, string> = {
  safe: 'reads nothing private and changes nothing',
  medium: 'reads your files or reaches the network',
  high: 'changes files, runs programs or shows secrets; read it before you allow it',
};
/** The same where there is little room. */
const SHORT_RISK_WORDS: Record<Risk, string> = { safe: 'harmless', medium: 'reads or fetches', high: 'read it first' };
const NARROW = 60;
const LONG_CHARACTERS = 200;
/** A command of so many characters is the question itself. */
const NAMED_CHARACTERS = 60;
const SHORT_LINES = 1;
const EMPTY_LINES = 3;

/** The rule as one writes it on the command line. */
export const ruleText = (rule: Rule): string =>
  sanitizeLine(rule.pattern === undefined ? rule.tool : `${rule.tool}(${rule.pattern})`);

/** What is asked, whole: a sentence, tool, arguments and risk, and the change itself. */
export const questionLines = (
  question: PermissionQuestion,
  width: number,
  theme: Theme,
  /** `all` adds what stands behind it; `context`: so many unchanged lines stay round each change. */
  { all = false, context }: { all?: boolean | undefined; context?: number | undefined } = {},
): string[] => {
  const wrap = (label: string, text: string, paint?: Paint): string[] => labelled(label, text, width, theme, paint);
  const server = /^mcp__(.+?)__(.+)$/.exec(question.name);
  const host = foreignHost(question.arguments);
  const origins = question.provenance ?? [];
  const isReading = question.onlyReads === true || isFolderReadByCommand(question);
  // The tool could do anything; this very call does not.
  const risk = isReading ? 'READS ONLY' : question.risk.toUpperCase();
  const isLoud = question.risk === 'high' && !isReading;
  const warning = `${theme.marks.separator}${riskWords(question, width < NARROW)}`;
  return [
    ...wrapSpans([{ text: sentence(question, all) }], width, '  ').map((line) => line.text),
    ...wrap('Tool: ', sanitizeLine(question.name)),
    ...(server ? wrap('MCP server: ', `${sanitizeLine(server[1]!)}, tool ${sanitizeLine(server[2]!)}`) : []),
    ...argumentLines(all ? question : withoutKnown(question), question, width, theme),
    ...(host ? wrap('Host: ', host, theme.warn) : []),
    ...mixedScriptLines(question.arguments).flatMap((line) => wrap('', sanitizeLine(line), theme.warn)),
    ...wrapSpans(
      [
        { text: 'Risk: ', paint: theme.bold },
        { text: risk, paint: isLoud ? theme.bad : theme.warn },
        { text: warning, paint: isLoud ? theme.bad : theme.dim },
      ],
      width,
      '  ',
    ).map((line) => line.text),
    ...(all || !question.sandbox.confined
      ? wrap('Sandbox: ', sanitizeLine(question.sandbox.text), question.sandbox.confined ? undefined : theme.warn)
      : []),
    ...(question.because && (all || isSurprising(question))
      ? wrap('Asked because: ', sanitizeLine(question.because))
      : []),
    ...originLines(origins).flatMap((line) => wrap('Where from: ', sanitizeLine(line))),
    ...(all || question.asksEachTime
      ? wrap('Remember would store: ', rememberText(question))
      : wrap('Remember: ', `allow ${shortRule(question)} here${width < NARROW ? '' : plainly(question.rule)}`)),
    ...(all && question.mode ? wrap('Mode: ', `${question.mode}, ${MODE_WORDS[question.mode]}`) : []),
    ...(question.preview?.diff ? ['', ...changedLines(shownDiff(question.preview.diff, context), width, theme)] : []),
  ];
};

/** Where questions are few, or this one is not of the usual kind, its reason stands in it. */
const isSurprising = ({ isRaised, asksEachTime, mode, provenance = [] }: PermissionQuestion): boolean =>
  isRaised === true || asksEachTime === true || mode === 'auto' || provenance.length > 0;

const shownDiff = (diff: string, context: number | undefined): string =>
  context === undefined ? diff : withContext(diff, context);

const rememberText = (question: PermissionQuestion): string =>
  question.asksEachTime
    ? 'nothing: a yes counts once here, whichever it is'
    : `allow ${ruleText(question.rule)} in this folder, kept for later sessions`;

/** What a lasting yes allows: a command that stands above already is not written again. */
const shortRule = ({ rule, arguments: args, mainArgument }: PermissionQuestion): string => {
  const command = mainArgument === 'command' ? args[mainArgument] : undefined;
  if (typeof command === 'string' && rule.pattern === `=${command}`) return 'this very command';
  return sanitizeLine(shownRule(rule));
};

/** A name of a rule that nobody has to know, in words. */
const plainly = (rule: Rule): string => (isFolderRead(rule) ? ' (all files of this folder, no secrets)' : '');

/** `all`: the command stands among the arguments. */
const sentence = (question: PermissionQuestion, all: boolean): string => {
  if (question.preview) return capital(`${sanitizeLine(question.preview.summary)}.`);
  const named = question.mainArgument === undefined ? undefined : question.arguments[question.mainArgument];
  if (isFolderReadByCommand(question)) return 'Run a command that only reads files here? Secrets still ask.';
  if (isFolderRead(question.rule)) return 'Read files here? Secrets still ask.';
  if (typeof named !== 'string') return `Run ${sanitizeLine(question.name)}?`;
  if (!all && isNamedCommand(question)) return `Run ${safeString(named)}?`;
  if (question.mainArgument === 'command') return 'Run this command?';
  return `Run ${sanitizeLine(question.name)} with ${question.mainArgument} ${shortForm(named)}?`;
};

/** A command that stands in the sentence as it is, and so is whole there. */
const isNamedCommand = ({ mainArgument, arguments: args, preview, rule }: PermissionQuestion): boolean => {
  const command = mainArgument === 'command' ? args[mainArgument] : undefined;
  if (typeof command !== 'string' || preview !== undefined || isFolderRead(rule)) return false;
  return command.length <= NAMED_CHARACTERS && safeString(command) === `"${command}"`;
};

/** The folder's reading is offered for a command only where the rules know that it reads and does nothing else. */
const isFolderReadByCommand = ({ rule, mainArgument }: PermissionQuestion): boolean =>
  isFolderRead(rule) && mainArgument === 'command';

const riskWords = (question: PermissionQuestion, isNarrow: boolean): string => {
  if (isFolderReadByCommand(question)) return isNarrow ? 'only reads' : 'runs a command that only reads files here';
  if (question.onlyReads) return isNarrow ? 'only prints' : 'runs a command that only reads or prints';
  if (question.mainArgument === 'command' && !isNarrow) return 'runs this command; read it before you allow it';
  if (question.risk === 'medium') return mediumWords(question, isNarrow);
  return (isNarrow ? SHORT_RISK_WORDS : RISK_WORDS)[question.risk];
};

/** Which of the two it does, where the call says so. */
const mediumWords = ({ mainArgument, rule, arguments: args }: PermissionQuestion, isNarrow: boolean): string => {
  if (isFolderRead(rule) || mainArgument === 'path') return isNarrow ? 'reads' : 'reads your files';
  if (typeof args['url'] === 'string') return isNarrow ? 'fetches' : 'reaches the network';
  return (isNarrow ? SHORT_RISK_WORDS : RISK_WORDS).medium;
};

const shortForm = (text: string): string =>
  text.length <= LONG_CHARACTERS ? safeString(text) : `of ${text.length} characters, in full below`;

/**
 * What says nothing new is behind `?`: arguments that have their defaults, and what an edit takes and puts, which the
 * change below shows line for line.
 */
const withoutKnown = (question: PermissionQuestion): PermissionQuestion => {
  const { arguments: args, defaults = {}, mainArgument, preview } = question;
  const isEdit = question.isEdit === true && isWholeDiff(preview?.diff ?? '');
  const kept = Object.entries(args).filter(
    ([name, value]) =>
      defaults[name] !== value &&
      !(name === mainArgument && isNamedCommand(question)) &&
      (!isEdit || name === mainArgument || typeof value !== 'string'),
  );
  return { ...question, arguments: keepWritten(args, Object.fromEntries(kept)) };
};

/** The arguments in full: on one line, with texts of several lines set out below it or, line for line, in the diff. */
const argumentLines = (
  question: PermissionQuestion,
  whole: PermissionQuestion,
  width: number,
  theme: Theme,
): string[] => {
  const shown = new Set((question.preview?.diff ?? '').split('\n').map((line) => line.slice(1)));
  const isInDiff = (path: string, text: string): boolean =>
    question.preview?.diff !== undefined &&
    (isContentIn(question.preview.diff, path.slice(1), text) ||
      text.split('\n').every((line) => line === '' || shown.has(line)));
  const notes: string[] = [];
  const blocks: string[] = [];
  const text = inlineJson(question.arguments, (path, value) => {
    const lines = value.split('\n');
    if (value.length <= LONG_CHARACTERS && lines.length <= SHORT_LINES) return undefined;
    const size = `${counted(value.length, 'character')}${lines.length > 1 ? ` in ${counted(lines.length, 'line')}` : ''}`;
    if (isInDiff(path, value)) return `"… ${size}, whole in the diff below …"`;
    if (lines.length === 1) {
      notes.push(` (${sanitizeLine(path.slice(1))} has ${size})`);
      return undefined;
    }
    blocks.push(theme.bold(`${sanitizeLine(path.slice(1))}:`), ...blockLines(lines, width, theme));
    return `"… ${size}, whole below …"`;
  });
  if (question !== whole && Object.keys(question.arguments).length === 0 && isNamedCommand(whole)) return [];
  return [...labelled('Arguments: ', text + notes.join(''), width, theme), ...blocks];
};

/** Every line feed is seen as one, and many empty lines cannot push the next one out of sight. */
const blockLines = (lines: readonly string[], width: number, theme: Theme): string[] => {
  const out: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    let empty = index;
    while (lines[empty] === '' && empty < lines.length - 1) empty += 1;
    if (empty - index > EMPTY_LINES) {
      out.push(theme.warn(`  … ${counted(empty - index, 'empty line')} …`));
      index = empty - 1;
      continue;
    }
    const end = index < lines.length - 1 ? [{ text: '\\n', paint: theme.dim }] : [];
    out.push(
      ...wrapSpans([{ text: `  ${sanitizeLine(lines[index]!)}` }, ...end], width, '    ').map((each) => each.text),
    );
  }
  return out;
};

/** A host that looks like another one is shown as the network knows it. */
const foreignHost = (args: JsonObject): string | undefined => {
  const value: JsonValue | undefined = args['url'];
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { host } = new URL(value);
  return value.toLowerCase().includes(host.toLowerCase()) ? undefined : sanitizeLine(host);
};

/** Digits stay together, as programs write the same number. */
const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
