/** The rules that hold, as a person looks them over: one list for the page and the terminal. */
import type { Event, Rule } from '../../core/events.ts';
import { type RuleSource, ruleText } from '../../core/policy.ts';
import { activePath } from '../../core/session-tree.ts';
import type { Agent } from '../create-agent.ts';

/** `created_at`: of a remembered one, in milliseconds since 1970. */
export type ListedRule = { decision: 'allow' | 'deny'; rule: string; source: RuleSource; created_at?: number };

type RulesOf = Pick<Agent, 'rules' | 'remembered'>;

export const listedRules = ({ rules, remembered }: RulesOf): ListedRule[] => {
  const { allow, deny } = rules();
  const given = (decision: ListedRule['decision'], list: typeof allow): ListedRule[] =>
    list
      .filter(({ source }) => source !== 'remembered')
      .map((rule) => ({ decision, rule: ruleText(rule), source: rule.source }));
  const kept = remembered.list().map(
    (rule): ListedRule => ({
      decision: rule.decision,
      rule: ruleText(rule),
      source: 'remembered',
      created_at: rule.created_at,
    }),
  );
  return [...kept, ...given('deny', deny), ...given('allow', allow)];
};

/** What a session was allowed since it was opened and nobody took back, each rule once. */
export const sessionRules = ({ rules }: Pick<RulesOf, 'rules'>, log: readonly Event[], openedAt: number): Rule[] => {
  const { revoked = [] } = rules();
  const held = new Map<string, Rule>();
  for (const event of activePath(log)) {
    if (event.type !== 'permission_resolved' || event.decision !== 'session' || !event.rule) continue;
    const { tool, pattern } = event.rule;
    const isGone = revoked.some((one) => one.tool === tool && one.pattern === pattern && event.at <= one.at);
    if (event.at >= openedAt && !isGone) held.set(ruleText(event.rule), event.rule);
  }
  return [...held.values()];
};
