/** The shell's rules, read by what a line really runs. Loaded once, and only where a command line is to be judged. */
import { matchesWildcard } from '../core/glob.ts';
import type { DecideCommand, PolicyRules } from '../core/policy.ts';
import type { ToolRegistry } from './tool-registry.ts';

export const openCommandDecider = (root: string): (() => Promise<DecideCommand>) => {
  let opened: Promise<DecideCommand> | undefined;
  const open = async (): Promise<DecideCommand> => {
    const { openShellRules, surroundingsOf } = await import('../permissions/shell-rules.ts');
    const rules = await openShellRules();
    const surroundings = surroundingsOf(root);
    return (own, line) => {
      const { verdict, because, rules: decided } = rules.decide(own, line, surroundings);
      const sources = [...new Set(decided.map((rule) => rule.source))].join(', ');
      return { verdict, because: sources === '' ? because : `${because} (${sources})` };
    };
  };
  return () => {
    opened ??= open();
    return opened;
  };
};

/** Only tools that start processes are judged so, and only where a rule speaks of them. */
export const commandDecider = async (
  ports: { registry: ToolRegistry; decideCommand?(): Promise<DecideCommand> },
  rules: PolicyRules,
  name: string,
): Promise<DecideCommand | undefined> => {
  if (ports.registry.get(name)?.effects !== 'process') return undefined;
  const spoken = [...rules.allow, ...rules.deny].some((rule) => matchesWildcard(rule.tool, name));
  return spoken ? ports.decideCommand?.() : undefined;
};
