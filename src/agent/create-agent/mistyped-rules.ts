/** Rules whose tool is none, and nearly one: what they were to allow or to deny they do not. */
import { FOLDER_READ } from '../../core/policy/folder-read.ts';
import { type PolicyRules, ruleText } from '../../core/policy.ts';
import { didYouMean } from '../../core/tool/nearest-names.ts';

/** A sentence for each; tools of MCP servers come later, and a pattern may be meant for them. */
export const mistypedRules = (rules: Pick<PolicyRules, 'allow' | 'deny'>, tools: readonly string[]): string[] =>
  (['deny', 'allow'] as const).flatMap((decision) =>
    rules[decision].flatMap((rule) => {
      const { tool, pattern } = rule;
      if (tools.includes(tool) || tool === FOLDER_READ || /^mcp__|[*?]/.test(tool)) return [];
      const meant = didYouMean(tool, tools);
      if (meant === '') return [];
      const holds =
        decision === 'deny' && pattern === undefined ? `It denies the command ${tool} alone.` : 'It holds for nothing.';
      return [`No tool is called ${tool}, which the rule ${decision} ${ruleText(rule)} names. ${holds}${meant}`];
    }),
  );
