/** `halter policy list`: the rules that hold in a folder, and where each comes from. */
import { MODE_WORDS, modeReason, runsCommands } from '../../core/policy/modes.ts';
import { ruleText, type SourcedRule } from '../../core/policy.ts';
import type { Tool } from '../../core/tool.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { openHalter } from '../open-halter.ts';
import { reportFailure } from '../settings.ts';
import { columns } from '../table.ts';

const namesOf = (tools: readonly Tool[]): string => tools.map(({ name }) => name).join(', ');

const readingIn = (runners: readonly Tool[]): string =>
  `reading in this folder${runners.length === 0 ? '' : `, also by commands that only read (${namesOf(runners)})`}`;

export const policyListCommand: CommandCode = {
  async execute({ flags, io }) {
    const opened = await openHalter({ flags, io });
    if (!opened.ok) return reportFailure(opened.error, io);
    const halter = opened.value;
    const { allow, deny, mode } = halter.rules();
    await halter.close();
    const told = (decision: 'allow' | 'deny') => (rule: SourcedRule) => ({
      decision,
      rule: ruleText(rule),
      source: rule.source,
    });
    // In the order in which they are asked.
    const rules = [...deny.map(told('deny')), ...allow.map(told('allow'))];
    const risks = (['safe', 'medium', 'high'] as const).map((risk) => ({
      risk,
      tools: halter.tools.filter((tool) => tool.risk === risk).map(({ name }) => name),
    }));
    if (flags.json) {
      io.stdout.write(
        `${JSON.stringify({ workspace: halter.root, mode, plan: mode === 'plan', yolo: mode === 'yolo', rules, risks })}\n`,
      );
      return EXIT.answered;
    }
    // Of a call that nothing else is known of.
    const saidBy = (tool: Tool) => modeReason(mode, tool, {})?.says;
    const risky = halter.tools.filter(({ risk }) => risk !== 'safe');
    const asked = risky.filter((tool) => saidBy(tool) === undefined);
    const denied = halter.tools.filter((tool) => saidBy(tool) === 'deny');
    // Of these it denies what does more than read.
    const reading = mode === 'plan' ? denied.filter(runsCommands) : [];
    const rows = [
      ...rules.map(({ decision, rule, source }) => [decision, rule, source]),
      ['deny', namesOf(denied.filter((tool) => !reading.includes(tool))), `mode ${mode}`],
      ['deny', reading.map(({ name }) => `${name} (what does more than read)`).join(', '), `mode ${mode}`],
      ['allow', namesOf(halter.tools.filter((tool) => tool.risk === 'safe' && !denied.includes(tool))), 'safe'],
      ...(mode === 'ask' ? [] : [['allow', mode === 'plan' ? readingIn(reading) : MODE_WORDS[mode], `mode ${mode}`]]),
      ['ask', namesOf(asked.filter(({ risk }) => risk === 'medium')), 'medium risk'],
      ['ask', namesOf(asked.filter(({ risk }) => risk === 'high')), 'high risk'],
    ];
    io.stdout.write(columns(rows.filter(([, what]) => what !== '')));
    return EXIT.answered;
  },
};
