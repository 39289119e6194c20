/**
 * Rules and a call → allow, ask or deny, and which rule said so (Z7, Z8, Z10). Pure: where the rules come from and who
 * is asked is the business of others. Deny comes before ask, ask before allow.
 */
import type { PolicyVerdict, Rule } from './events.ts';
import { matchesGlob, matchesWildcard } from './glob.ts';
import type { JsonObject } from './json.ts';
import { failure, type Outcome, succeed } from './outcome.ts';
import { plainShellWords, possibleCommands } from './shell-words.ts';
import type { Tool } from './tool.ts';

/** Where a rule comes from, in a person's words. */
export type RuleSource = 'command line' | 'this session' | 'remembered' | 'program';
export type SourcedRule = Rule & { source: RuleSource };

export type PolicyRules = {
  allow: readonly SourcedRule[];
  deny: readonly SourcedRule[];
  /** Read-only: whatever writes, starts a process or reaches the network is refused. */
  plan: boolean;
  /** Everything that is not denied is allowed. */
  yolo: boolean;
};
export const NO_RULES: PolicyRules = { allow: [], deny: [], plan: false, yolo: false };

export type PolicyAnswer = { verdict: PolicyVerdict; because: string };
export type PolicyTool = Pick<Tool, 'name' | 'risk' | 'effects' | 'main_argument'>;

/**
 * Judges a command line by the rules for its tool, seeing what the whole line really runs. Without one, rules with a
 * pattern cover plain lines only.
 */
export type DecideCommand = (
  rules: { allow: readonly SourcedRule[]; deny: readonly SourcedRule[] },
  line: string,
) => PolicyAnswer;

export const evaluatePolicy = (
  rules: PolicyRules,
  tool: PolicyTool,
  args: JsonObject,
  decideCommand?: DecideCommand,
): PolicyAnswer => {
  const line = tool.effects === 'process' && tool.main_argument ? args[tool.main_argument] : undefined;
  const judged = decideCommand && typeof line === 'string' ? judge(decideCommand, rules, tool, line) : undefined;
  if (judged?.verdict === 'deny') return judged;
  const denied = judged ? undefined : rules.deny.find((rule) => ruleMatches(rule, tool, args, 'deny'));
  if (denied) return { verdict: 'deny', because: `${ruleText(denied)} is denied (${denied.source})` };
  if (rules.plan && !['none', 'read'].includes(tool.effects)) {
    return { verdict: 'deny', because: `plan mode is read-only and ${tool.name} is not` };
  }
  if (tool.risk === 'safe') return { verdict: 'allow', because: `${tool.name} is safe` };
  if (judged?.verdict === 'allow') return judged;
  const allowed = judged ? undefined : rules.allow.find((rule) => ruleMatches(rule, tool, args, 'allow'));
  if (allowed) return { verdict: 'allow', because: `${ruleText(allowed)} is allowed (${allowed.source})` };
  if (rules.yolo) return { verdict: 'allow', because: 'everything that is not denied is allowed (--yolo)' };
  return {
    verdict: 'ask',
    because: judged?.because ?? `${tool.name} has ${tool.risk} risk and no rule covers this call`,
  };
};

const judge = (decide: DecideCommand, rules: PolicyRules, tool: PolicyTool, line: string): PolicyAnswer => {
  const own = (list: readonly SourcedRule[]): SourcedRule[] =>
    list.filter((rule) => matchesWildcard(rule.tool, tool.name));
  return decide({ allow: own(rules.allow), deny: own(rules.deny) }, line);
};

/** What the model reads of a call that a rule or the person refused, whichever way it came. */
export const deniedByRule = (because: string): string => `Not allowed: ${because}.`;
export const deniedByPerson = (reason: string | undefined): string =>
  reason ? `The person denied this call: ${reason}` : 'The person denied this call.';

/** `bash(git log *)` → a rule. The person's own syntax, on the command line and in files. */
export const parseRule = (text: string): Outcome<Rule> => {
  const match = /^([A-Za-z0-9_.:*-]+)(?:\((.*)\))?$/s.exec(text.trim());
  const [, tool, pattern] = match ?? [];
  if (tool === undefined) {
    return failure(
      'validation_failed',
      `"${text}" is not a rule. Write a tool name, or a tool with a pattern: bash(git log *)`,
    );
  }
  if (pattern === undefined || pattern === '*' || pattern === '**') return succeed({ tool });
  if (pattern.trim() === '') return failure('validation_failed', `"${text}" has an empty pattern`);
  return succeed({ tool, pattern });
};

export const ruleText = (rule: Rule): string =>
  rule.pattern === undefined ? rule.tool : `${rule.tool}(${rule.pattern})`;

export const ruleMatches = (rule: Rule, tool: PolicyTool, args: JsonObject, purpose: 'allow' | 'deny'): boolean => {
  if (!matchesWildcard(rule.tool, tool.name)) return false;
  if (rule.pattern === undefined) return true;
  const value = tool.main_argument === undefined ? undefined : args[tool.main_argument];
  if (typeof value !== 'string') return false;
  // A pattern that begins with `=` is the value itself, stars and all.
  if (rule.pattern.startsWith('=')) return rule.pattern.slice(1) === value;
  if (tool.effects === 'process') return commandMatches(rule.pattern, value, purpose);
  return matchesGlob(rule.pattern, value.replace(/^(?:\.\/)+/, ''));
};

/** Word by word; a `*` at the end stands for any further words. An allowing rule covers plain lines only. */
const commandMatches = (pattern: string, line: string, purpose: 'allow' | 'deny'): boolean => {
  const expected = pattern.trim().split(/\s+/);
  if (purpose === 'deny') return possibleCommands(line).some((words) => wordsMatch(expected, words));
  const words = plainShellWords(line);
  return words !== undefined && wordsMatch(expected, words);
};

const wordsMatch = (expected: readonly string[], words: readonly string[]): boolean => {
  const open = expected.at(-1) === '*';
  const fixed = open ? expected.slice(0, -1) : expected;
  if (open ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((pattern, index) => matchesWildcard(pattern, words[index] as string));
};

/**
 * The rule that Session and Remember would store. A shell line is covered by its first words, so that a yes to
 * `git log -3` is not a yes to `git push`; where the first words say too little, or the line is not plain, it is
 * covered exactly as it is.
 */
export const suggestedRule = (tool: PolicyTool, args: JsonObject): Rule => {
  const value = tool.main_argument === undefined ? undefined : args[tool.main_argument];
  if (tool.effects !== 'process' || typeof value !== 'string') return { tool: tool.name };
  const words = plainShellWords(value) ?? [];
  const [program = '', subcommand = ''] = words;
  if (words.length > 2 && PROGRAMS_OF_COMMANDS.has(program) && SUBCOMMAND.test(subcommand)) {
    return { tool: tool.name, pattern: `${program} ${subcommand} *` };
  }
  return { tool: tool.name, pattern: `=${value}` };
};

/** Programs whose second word says what they do; of any other, the second word is just an argument. */
const PROGRAMS_OF_COMMANDS: ReadonlySet<string> = new Set(
  'git npm pnpm yarn cargo go docker podman kubectl pip uv apt brew systemctl gh'.split(' '),
);
const SUBCOMMAND = /^[a-z][a-z0-9-]*$/;
