/**
 * Decides a command line by rules (L1, Z8, Z10). A rule that allows covers only what the whole line really runs: every
 * command of it must be covered, by itself and through what wraps it. A rule that denies sees through the same, and
 * further. What cannot be read without doubt is never allowed by a pattern.
 */

import { matchesWildcard } from '../../core/policy/glob.ts';
import { namedAtHome, tokensOf } from '../../core/policy/program-folders.ts';
import { possibleCommands } from '../../core/policy/shell-words.ts';
import type { Mention } from '../../core/policy.ts';
import { TOOL_LIMITS } from '../../tools/limits.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { composedOutside, composedSecret } from './shell-rules/composed-names.ts';
import { type CommandReading, coveredBy, mentionsOf, reasonsAgainst } from './shell-rules/coverage.ts';
import { denies } from './shell-rules/denial.ts';
import { fedCommands, mayFeed } from './shell-rules/fed-texts.ts';
import { agrees, openGrammar, readTree, type ShellGrammar } from './shell-rules/grammar.ts';
import { lexLine } from './shell-rules/lexer.ts';
import { LineFolders } from './shell-rules/line-folders.ts';
import { maskedCommand } from './shell-rules/masked.ts';
import { isReader } from './shell-rules/objections/option-tables.ts';
import { namedOutside } from './shell-rules/outside.ts';
import { lackingCommands, lackingText, suggestPatterns } from './shell-rules/suggestions.ts';
import { type ShellSurroundings, surroundingsOf } from './shell-rules/surroundings.ts';
import { followedOutside, unnamedMentions } from './shell-rules/unnamed-reads.ts';
import {
  commandOfWords,
  hasUnseenCharacters,
  type ShellAnalysis,
  type ShellCommand,
  staticWord,
} from './shell-rules/words.ts';

/** A rule for the shell. Without a pattern it is about every line; `=…` is one very line. */
export type ShellRule = { pattern?: string };
export type ShellDecision<Rule extends ShellRule = ShellRule> = {
  verdict: 'allow' | 'ask' | 'deny';
  /** A sentence part for people: which rule, or what no rule covers. */
  because: string;
  /** The rules that decided: those that cover the line together, or the one that denies. */
  rules: Rule[];
  /** What the line runs, in words, as far as it is known. */
  commands: string[][];
  /** Where the line would be allowed: files that a rule for something wider does not speak of. */
  mentions: Mention[];
};

export type ShellRules = {
  analyse(line: string): ShellAnalysis;
  decide<Rule extends ShellRule>(
    rules: { allow: readonly Rule[]; deny: readonly Rule[] },
    line: string,
    surroundings: ShellSurroundings,
  ): ShellDecision<Rule>;
  /** One pattern alone against a line, in the form that core's policy takes. */
  commandMatches(pattern: string, line: string, purpose: 'allow' | 'deny', surroundings: ShellSurroundings): boolean;
  /**
   * Up to three patterns that a person could choose to be remembered, the narrowest first (`=LINE`). Beside `given` rules
   * they are about what no rule covers yet.
   */
  suggestPatterns(line: string, given?: GivenRules): string[];
  /** The one command of the line that lacks a rule, where it does not stand alone. */
  lackingCommand(line: string, given?: GivenRules): string | undefined;
};

/** Rules that count already, in the folder that the line runs in. */
export type GivenRules = { allow: readonly ShellRule[]; surroundings: ShellSurroundings };

export { type ShellAnalysis, type ShellSurroundings, surroundingsOf };

export const openShellRules = async (): Promise<ShellRules> => {
  const grammar = await openGrammar();
  const read = (line: string) => analyseLine(grammar, line);
  const analyse = remembering(read);
  const decide: ShellRules['decide'] = (rules, line, surroundings) =>
    surroundings.atOnce(() => decideLine(analyse(line), (inner) => withFed(read(inner)), rules, line, surroundings));
  return {
    analyse,
    decide,
    commandMatches: (pattern, line, purpose, surroundings) =>
      purpose === 'deny'
        ? decide({ allow: [], deny: [{ pattern }] }, line, surroundings).verdict === 'deny'
        : decide({ allow: [{ pattern }], deny: [] }, line, surroundings).verdict === 'allow',
    suggestPatterns: (line, given) => suggestPatterns(analyse(line), line, lackingIn(line, analyse(line), given)),
    lackingCommand: (line, given) => lackingText(line, lackingIn(line, analyse(line), given)),
  };
};

/** What is fed to a program is judged as what stands in a word of it. */
const withFed = (analysis: ShellAnalysis): ShellAnalysis =>
  analysis.ok && analysis.fed !== undefined
    ? { ...analysis, commands: [...analysis.commands, ...analysis.fed], fed: [] }
    : analysis;

const withLoaded = ({ commands, loops, loaded = [] }: Extract<ShellAnalysis, { ok: true }>) => ({
  commands: [...commands, ...loaded],
  loops,
});

const lackingIn = (line: string, analysis: ShellAnalysis, given: GivenRules | undefined): ShellCommand[] => {
  if (!analysis.ok) return [];
  if (given === undefined) return lackingCommands(analysis.commands);
  const { allow, surroundings } = given;
  const readings = reasonsAgainst(analysis, surroundings, new LineFolders(line, surroundings));
  const isCovered = (reading: CommandReading): boolean =>
    allow.some(({ pattern = '' }) => coveredBy(pattern, reading) === true);
  return lackingCommands(analysis.commands.filter((_, index) => !isCovered(readings[index] as CommandReading)));
};

/** The same line is asked about several times in a row: to decide, to suggest, to explain. */
const remembering = <T>(make: (line: string) => T): ((line: string) => T) => {
  let last: { line: string; value: T } | undefined;
  return (line) => {
    if (last?.line !== line) last = { line, value: make(line) };
    return last.value;
  };
};

const analyseLine = (grammar: ShellGrammar, line: string): ShellAnalysis => {
  const unreadable = (reason: string): ShellAnalysis => ({ ok: false, reason, commands: roughCommands(line) });
  if (isTooLong(line)) return unreadable('it is longer than 32 KiB');
  if (line.trim() === '') return unreadable('it is empty');
  if (hasUnseenCharacters(line)) return unreadable('it holds characters that cannot be seen');
  const lexed = lexLine(line);
  const isFeeding = mayFeed(line, lexed?.commands);
  if (lexed !== undefined && !isFeeding && PLAIN.test(line) && lexed.commands.length <= AGENT_LIMITS.shellCommands) {
    return { ok: true, ...lexed, notSimple: [] };
  }
  if (lexed !== undefined && lexed.commands.length > AGENT_LIMITS.shellCommands) {
    return { ok: false, reason: TOO_MANY, commands: [...lexed.commands, ...roughCommands(line)] };
  }
  const tree = grammar.parse(line);
  if (tree === undefined) return unreadable('it cannot be parsed');
  try {
    const { fed, loaded } = isFeeding ? fedCommands(line, tree, grammar) : NOTHING_FED;
    if (lexed !== undefined && agrees(tree, lexed)) {
      return { ok: true, ...lexed, fed, loaded, notSimple: [] };
    }
    const { commands, loops } = readTree(tree);
    if (commands.length > AGENT_LIMITS.shellCommands) return { ok: false, reason: TOO_MANY, commands };
    const notSimple = [
      lexed === undefined ? 'it holds what only the shell can work out' : 'it can be read in two ways',
    ];
    // Where two readers do not agree, a rule that denies hears both, and the rough one.
    return {
      ok: true,
      commands: [...commands, ...(lexed?.commands ?? []), ...roughCommands(line)],
      loops,
      fed,
      loaded,
      notSimple,
    };
  } finally {
    tree.delete();
  }
};
const NOTHING_FED = { fed: [], loaded: [] };
/** Bytes of UTF-8; no character takes more than three for each of its units here. */
const isTooLong = (line: string): boolean =>
  line.length * 3 > TOOL_LIMITS.bashCommandBytes &&
  new TextEncoder().encode(line).length > TOOL_LIMITS.bashCommandBytes;
/**
 * Letters, digits, blanks and globs, variables by their bare name, strings with no more in them than that, files that are
 * read and written, joined by the four plain operators: such a line can be read in one way only, so one reader is enough
 * and the grammar is not asked. A run of blanks is taken whole, and of a name only the first letter, so that nothing can
 * be tried in many ways.
 */
const PLAIN =
  /^(?:[A-Za-z0-9_./:,@%+=*?~^-]|\$[A-Za-z_]|'[^'\n]*'|"(?:[^"$`\\!\n]|\$[A-Za-z_]|\\[^\n])*"| (?:2>&1|2?>>?(?: ?(?=[A-Za-z0-9_./]))|< (?=[A-Za-z0-9_./]))| +(?:(?:\|\|?|&&) |(?![ |&;]))|; )+$/;
const TOO_MANY = `it holds more than ${AGENT_LIMITS.shellCommands} commands`;

const roughCommands = (line: string): ShellCommand[] => [
  ...wordsOf(line),
  // {rm,-rf,x} is a command, and a newline behind a backslash ends no word.
  ...(/\{[^{}]*,|\\\n/.test(line)
    ? wordsOf(line.replaceAll('\\\n', '').replaceAll(/\{([^{}]*)\}/g, (_, inner: string) => inner.replaceAll(',', ' ')))
    : []),
];
const wordsOf = (line: string): ShellCommand[] =>
  possibleCommands(line).map((words) => commandOfWords(words.map(staticWord)));

const decideLine = <Rule extends ShellRule>(
  told: ShellAnalysis,
  analyseWithin: (line: string) => ShellAnalysis,
  rules: { allow: readonly Rule[]; deny: readonly Rule[] },
  line: string,
  surroundings: ShellSurroundings,
): ShellDecision<Rule> => {
  const commands = told.commands.map((command) => command.words.map(({ text }) => text));
  const analysis = withFed(told);
  const answer: Answer<Rule> = (verdict, because, deciding, mentions = []) => ({
    verdict,
    because,
    rules: deciding,
    commands,
    mentions,
  });
  const denying = rules.deny.find((rule) => denies(rule.pattern, analysis.commands, line, analyseWithin));
  if (denying !== undefined) return answer('deny', `${patternText(denying)} is denied`, [denying]);
  if (!analysis.ok) return answer('ask', `no rule can allow this line: ${analysis.reason}`, []);

  const whole = rules.allow.find((rule) => rule.pattern === undefined || rule.pattern === `=${line}`);
  const [obstacle] = analysis.notSimple;
  if (whole === undefined && obstacle !== undefined)
    return answer('ask', `no pattern can allow this line: ${obstacle}`, []);
  const folders = new LineFolders(line, surroundings);
  const readings = reasonsAgainst(analysis, surroundings, folders);
  if (whole !== undefined) {
    // Who denies something and allows all the rest has to see what runs.
    const context = { patterns: rules.deny.map(({ pattern }) => pattern), analyse: analyseWithin };
    const masked =
      whole.pattern === undefined && rules.deny.length > 0 ? maskedCommand(analysis.commands, context) : undefined;
    if (masked !== undefined) return answer('ask', `${masked} could be what is denied`, []);
    // The person's yes to these words is no yes to what a repository's settings make of them.
    const hidden = whole.pattern === undefined ? undefined : readings.flatMap(({ hidden: texts }) => texts)[0];
    if (hidden === undefined) {
      const around = { surroundings, analyse: analyseWithin };
      const named = namedOutside(analysis.commands, readings, line, surroundings);
      const outside =
        named === undefined
          ? (followedOutside(analysis, folders.all, around) ??
            composedOutside(withLoaded(analysis), folders.all, around))
          : `${named} lies outside this folder`;
      const mentions = [
        ...mentionsOf(readings, line, surroundings),
        ...unnamedMentions(analysis, folders.all, around),
        ...composedSecret(withLoaded(analysis), folders.all, around),
      ];
      if (outside !== undefined) mentions.push({ about: 'outside', text: outside });
      return answer('allow', `${patternText(whole)} is allowed`, [whole], mentions);
    }
    return answer('ask', hidden, []);
  }
  const covered = cover(readings, rules.allow, answer);
  // A program that is known to read what it is told reads nothing else.
  const mayLook = readings.some(({ words, needsNoRule }) => !needsNoRule && !isReader(words[0] ?? ''));
  const shown = covered.verdict === 'allow' && mayLook ? shownAtHome(line, covered.rules, surroundings) : undefined;
  return shown === undefined ? covered : answer('ask', `${shown} lies outside this folder, and the line names it`, []);
};

/**
 * The sandbox shows a command what its line names of the home folder, in whatever text: in a comment, behind `echo`. A rule
 * that does not name it is no yes to that.
 */
const shownAtHome = (
  line: string,
  rules: readonly ShellRule[],
  { home, isOutside }: ShellSurroundings,
): string | undefined => {
  const allowed = rules.flatMap(({ pattern = '' }) =>
    tokensOf(pattern)
      .map((token) => token.replace(HOME, home))
      .filter((token) => token.startsWith('/')),
  );
  const isAllowed = (name: string): boolean =>
    allowed.some((place) => name.startsWith(`${place}/`) || matchesWildcard(place, name));
  return namedAtHome(line, home).find((name) => isOutside('', name) && !isAllowed(name));
};
const HOME = /^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/;

type Answer<Rule extends ShellRule> = (
  verdict: ShellDecision['verdict'],
  because: string,
  deciding: Rule[],
  mentions?: Mention[],
) => ShellDecision<Rule>;

const cover = <Rule extends ShellRule>(
  readings: readonly CommandReading[],
  allow: readonly Rule[],
  answer: Answer<Rule>,
): ShellDecision<Rule> => {
  const deciding = new Set<Rule>();
  for (const reading of readings) {
    let nearest: string | undefined;
    const rule = allow.find((candidate) => {
      const result = coveredBy(candidate.pattern ?? '', reading);
      if (typeof result === 'string') nearest ??= result;
      return result === true;
    });
    if (rule === undefined && reading.needsNoRule) continue;
    if (rule === undefined) return answer('ask', nearest ?? `no rule covers ${reading.text}`, []);
    deciding.add(rule);
  }
  if (deciding.size === 0) return answer('ask', 'no rule covers this line', []);
  const names = [...deciding].map(patternText).join(', ');
  const because = `${names} ${deciding.size === 1 ? 'is' : 'are'} allowed`;
  return answer('allow', because, [...deciding], mentionsOf(readings, ''));
};

const patternText = (rule: ShellRule): string => rule.pattern ?? 'every command';
