/** Rules whose tool is none: what they were to allow or to deny they do not. */
import type { Rule } from '../../core/events.ts';
import { FOLDER_READ } from '../../core/policy/folder-read.ts';
import { matchesWildcard } from '../../core/policy/glob.ts';
import { patternProblem, type RuledTool } from '../../core/policy/rule-forms.ts';
import { argumentPairs } from '../../core/policy/rules.ts';
import { type PolicyRules, ruleText } from '../../core/policy.ts';
import { didYouMean } from '../../core/tool/nearest-names.ts';

/** Tools of MCP servers come later, and a pattern may be meant for them. */
const isKnown = ({ tool }: Rule, tools: readonly string[]): boolean =>
  tools.includes(tool) || tool === FOLDER_READ || /^mcp__|[*?]/.test(tool);

/** Why a rule with a pattern holds for no call of any tool that it names; undefined where it can. */
const emptyWhy = ({ tool, pattern }: Rule, tools: readonly RuledTool[], decision: 'allow' | 'deny') => {
  if (pattern === undefined) return undefined;
  // Tools of servers come later; none of them has an argument that a pattern is about without its name.
  if (/^mcp__/.test(tool) && argumentPairs(pattern).some(([name]) => name === undefined))
    return `a pattern of a tool of a server names arguments: ${tool}(name=text*).`;
  const named = tools.filter(({ name }) => matchesWildcard(tool, name));
  const problems = named.map((each) => patternProblem(pattern, each, decision));
  return problems.includes(undefined) ? undefined : problems[0];
};

/** A sentence for each rule that nearly names a tool: of those that are kept, which a tool that is gone may have left behind. */
export const mistypedRules = (rules: Pick<PolicyRules, 'allow' | 'deny'>, tools: readonly RuledTool[]): string[] => {
  const names = namesOf(tools);
  return (['deny', 'allow'] as const).flatMap((decision) =>
    rules[decision].flatMap((rule) => {
      const { tool, pattern } = rule;
      const why = emptyWhy(rule, tools, decision);
      if (why !== undefined) return [`The rule ${decision} ${ruleText(rule)} holds for nothing: ${why}`];
      if (isKnown(rule, names)) return [];
      const meant = didYouMean(tool.toLowerCase(), names);
      if (meant === '') return [];
      const holds =
        decision === 'deny' && pattern === undefined ? `It denies the command ${tool} alone.` : 'It holds for nothing.';
      return [`No tool is called ${tool}, which the rule ${decision} ${ruleText(rule)} names. ${holds}${meant}`];
    }),
  );
};

const namesOf = (tools: readonly RuledTool[]): string[] => [...new Set(tools.map(({ name }) => name))];

/** As programs are mostly called; tools have a line in their names, or capitals in other agents. */
const COMMAND = /^[a-z0-9][a-z0-9.+-]*$/;

/**
 * The first rule given for this run that denies nothing: whoever wrote it counts on it, so nothing is started. A bare word
 * that is not nearly a tool denies the command of that name, where a tool runs commands.
 */
export const uselessDenial = (
  deny: readonly Rule[],
  given: readonly RuledTool[],
  runsCommands: boolean,
): string | undefined => {
  const tools = namesOf(given);
  for (const rule of deny) {
    const { tool, pattern } = rule;
    const why = emptyWhy(rule, given, 'deny');
    if (why !== undefined) return `The rule deny ${ruleText(rule)} would deny nothing: ${why}`;
    if (isKnown(rule, tools)) continue;
    const meant = didYouMean(tool.toLowerCase(), tools);
    const isCommand = runsCommands && pattern === undefined && COMMAND.test(tool);
    if (isCommand && meant === '') continue;
    const forCommand = isCommand ? ` For the command ${tool} write bash(${tool} *).` : '';
    return `The rule deny ${ruleText(rule)} would deny nothing: no tool is called ${tool}.${meant}${forCommand} The tools are: ${tools.join(', ')}.`;
  }
  return undefined;
};
