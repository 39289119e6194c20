/** The shell's rules, read by what a line really runs. Loaded once, and only where a command line is to be judged. */
import { isFolderRead } from '../../../core/policy/folder-read.ts';
import { matchesWildcard } from '../../../core/policy/glob.ts';
import { runsCommands } from '../../../core/policy/modes.ts';
import {
  type CommandAnswer,
  type DecideCommand,
  type PolicyRules,
  ruleMatches,
  type SourcedRule,
} from '../../../core/policy.ts';
import { thrownText } from '../../../core/thrown-text.ts';
import type { Tool } from '../../../core/tool.ts';
import type { SurroundingsOptions } from '../shell-rules/surroundings.ts';

export type CommandRules = {
  decide: DecideCommand;
  /** What the decisions of `work` look at on the disk is looked at once. */
  atOnce?<T>(work: () => T): T;
  /** Patterns that a person could choose for a line beside the rules that count already, the narrowest first. */
  suggest(line: string, given?: GivenPatterns): string[];
  /** The one command of the line that lacks a rule, where it does not stand alone. */
  lacking(line: string, given: GivenPatterns): string | undefined;
};
type GivenPatterns = readonly Pick<SourcedRule, 'pattern'>[];

/** The folder that lines run in. */
export type CommandPlace = { root: string } & SurroundingsOptions;

export const openCommandRules = (place: CommandPlace, open = loadShellRules): (() => Promise<CommandRules>) => {
  let opened: Promise<CommandRules> | undefined;
  return () => {
    opened ??= open(place).catch((error: unknown) => withoutGrammar(thrownText(error)));
    return opened;
  };
};

const loadShellRules = async ({ root, ...known }: CommandPlace): Promise<CommandRules> => {
  const { openShellRules, surroundingsOf } = await import('../shell-rules.ts');
  const rules = await openShellRules();
  const surroundings = surroundingsOf(root, known);
  return {
    decide: (own, line) => {
      const { verdict, because, rules: decided, mentions } = rules.decide(own, line, surroundings);
      const sources = [...new Set(decided.map((rule) => rule.source))].join(', ');
      return { verdict, because: sources === '' ? because : `${because} (${sources})`, rules: decided, mentions };
    },
    // A pattern that would not have let this very line pass is no answer to the question.
    atOnce: surroundings.atOnce,
    suggest: (line, allow = []) =>
      surroundings.atOnce(() => {
        const given = { allow, surroundings };
        const covers = (pattern: string): boolean =>
          rules.decide({ allow: [...allow, { pattern }], deny: [] }, line, surroundings).verdict === 'allow';
        const lacking = rules.lackingCommand(line, given);
        const [exact = `=${line}`, ...wider] = rules.suggestPatterns(line, given);
        return [exact, ...[...(lacking === undefined ? [] : [`=${lacking}`]), ...wider].filter(covers)];
      }),
    lacking: (line, allow) => rules.lackingCommand(line, { allow, surroundings }),
  };
};

/** A broken installation must not let a line pass, nor end a run: what is denied stays denied, all else is asked about. */
const withoutGrammar = (message: string): CommandRules => ({
  decide: ({ deny }, line): CommandAnswer => {
    const shell = (name: string): Pick<Tool, 'name' | 'risk' | 'effects' | 'main_argument'> => ({
      name,
      risk: 'high',
      effects: 'process',
      main_argument: 'line',
    });
    const denying = deny.find((rule) => ruleMatches({ ...rule, tool: '*' }, shell('*'), { line }, 'deny'));
    if (denying)
      return {
        verdict: 'deny',
        because: `${denying.pattern ?? denying.tool} is denied (${denying.source})`,
        rules: [denying],
      };
    return {
      verdict: 'ask',
      because: `the shell's grammar cannot be loaded, so no rule can be trusted to cover a line (${message})`,
    };
  },
  suggest: (line) => [`=${line}`],
  lacking: () => undefined,
});

/** Only tools that start processes are judged so, and only where a rule speaks of them or the mode goes by their words. */
export const commandRulesFor = async (
  ports: { commandRules?(): Promise<CommandRules> },
  rules: PolicyRules,
  tool: Tool,
): Promise<CommandRules | undefined> => {
  if (tool.effects !== 'process') return undefined;
  const speaks = (rule: SourcedRule): boolean => isFolderRead(rule) || matchesWildcard(rule.tool, tool.name);
  const byWords = rules.mode === 'auto' || (rules.mode === 'plan' && runsCommands(tool));
  const spoken = byWords || rules.allow.some(speaks) || rules.deny.some(speaks);
  return spoken ? ports.commandRules?.() : undefined;
};
