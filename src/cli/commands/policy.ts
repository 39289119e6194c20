/** `halter policy list`: the rules that hold in a folder, and where each comes from. */
import { MODE_WORDS } from '../../core/policy/modes.ts';
import { ruleText, type SourcedRule } from '../../core/policy.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { openHalter } from '../open-halter.ts';
import { reportFailure } from '../settings.ts';
import { columns } from '../table.ts';

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
    const rows = [
      ...rules.map(({ decision, rule, source }) => [decision, rule, source]),
      ...(mode === 'plan' ? [['deny', 'whatever is not read-only', 'mode plan']] : []),
      ['allow', risks[0]?.tools.join(', ') ?? '', 'safe'],
      ...(mode === 'ask' || mode === 'plan' ? [] : [['allow', MODE_WORDS[mode], `mode ${mode}`]]),
      ['ask', risks[1]?.tools.join(', ') ?? '', 'medium risk'],
      ['ask', risks[2]?.tools.join(', ') ?? '', 'high risk'],
    ];
    io.stdout.write(columns(rows.filter(([, what]) => what !== '')));
    return EXIT.answered;
  },
};
