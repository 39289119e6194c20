/** The rules that hold in the terminal app, and the way to take one back. */
import type { Agent } from '../agent/create-agent.ts';
import { listedRules, sessionRules } from '../agent/permissions/listed-rules.ts';
import { ruleText } from '../core/policy.ts';
import type { RuleControl } from '../terminal/app-options.ts';

/** `openedAt`: when the session that is shown was opened; a yes of an earlier opening holds no longer. */
export const ruleControl = (halter: Pick<Agent, 'rules' | 'remembered'>, openedAt: () => number): RuleControl => ({
  list: (log) => [
    ...sessionRules(halter, log, openedAt()).map((rule) => ({
      decision: 'allow' as const,
      rule: ruleText(rule),
      source: 'this session' as const,
    })),
    ...listedRules(halter),
  ],
  async takeBack(log, text) {
    const known = [...sessionRules(halter, log, openedAt()), ...halter.remembered.list()];
    const found = known.find((rule) => ruleText(rule) === text);
    if (found === undefined)
      throw new Error(`No rule ${text} of this session or remembered here; /permissions lists them.`);
    const { tool, pattern } = found;
    const gone = await halter.remembered.forget({ tool, ...(pattern === undefined ? {} : { pattern }) });
    if (!gone.ok) throw new Error(gone.error.message);
  },
});
