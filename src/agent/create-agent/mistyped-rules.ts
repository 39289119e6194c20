/** Rules whose tool is none: what they were to allow or to deny they do not. */
import type { Rule } from '../../core/events.ts';
import { FOLDER_READ } from '../../core/policy/folder-read.ts';
import { type PolicyRules, ruleText } from '../../core/policy.ts';
import { didYouMean } from '../../core/tool/nearest-names.ts';

/** Tools of MCP servers come later, and a pattern may be meant for them. */
const isKnown = ({ tool }: Rule, tools: readonly string[]): boolean =>
  tools.includes(tool) || tool === FOLDER_READ || /^mcp__|[*?]/.test(tool);

/** A sentence for each rule that nearly names a tool: of those that are kept, which a tool that is gone may have left behind. */
export const mistypedRules = (rules: Pick<PolicyRules, 'allow' | 'deny'>, tools: readonly string[]): string[] =>
  (['deny', 'allow'] as const).flatMap((decision) =>
    rules[decision].flatMap((rule) => {
      const { tool, pattern } = rule;
      if (isKnown(rule, tools)) return [];
      const meant = didYouMean(tool.toLowerCase(), tools);
      if (meant === '') return [];
      const holds =
        decision === 'deny' && pattern === undefined ? `It denies the command ${tool} alone.` : 'It holds for nothing.';
      return [`No tool is called ${tool}, which the rule ${decision} ${ruleText(rule)} names. ${holds}${meant}`];
    }),
  );

/** As programs are mostly called; tools have a line in their names, or capitals in other agents. */
const COMMAND = /^[a-z0-9][a-z0-9.+-]*$/;

/**
 * The first rule given for this run that denies nothing: whoever wrote it counts on it, so nothing is started. A bare word
 * that is not nearly a tool denies the command of that name, where a tool runs commands.
 */
export const uselessDenial = (
  deny: readonly Rule[],
  tools: readonly string[],
  runsCommands: boolean,
): string | undefined => {
  for (const rule of deny) {
    const { tool, pattern } = rule;
    if (isKnown(rule, tools)) continue;
    const meant = didYouMean(tool.toLowerCase(), tools);
    const isCommand = runsCommands && pattern === undefined && COMMAND.test(tool);
    if (isCommand && meant === '') continue;
    const forCommand = isCommand ? ` For the command ${tool} write bash(${tool} *).` : '';
    return `The rule deny ${ruleText(rule)} would deny nothing: no tool is called ${tool}.${meant}${forCommand} The tools are: ${tools.join(', ')}.`;
  }
  return undefined;
};
