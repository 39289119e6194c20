/** What a yes is kept as, to the call of a model and to one that no model made. */
import type { PermissionDecision, Rule } from '../../core/events.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { identityOf } from '../../core/tool/said-of-itself.ts';
import type { Tool } from '../../core/tool.ts';

/** What a yes comes to: for a tool that is asked about once a session it holds so long, for some files never. */
export const kindOfYes = (
  decision: PermissionDecision,
  tool: Pick<Tool, 'session_scope'> | undefined,
  asksEachTime: boolean,
): PermissionDecision => {
  if (decision === 'deny') return decision;
  if (asksEachTime) return 'allow_once';
  return decision === 'allow_once' && tool?.session_scope ? 'session' : decision;
};

/** A yes to a tool of an MCP server is a yes to what the tool is now. */
export const boundRule = (rule: Rule, tool: Tool): Outcome<Rule> => {
  const identity = identityOf(tool);
  if (!identity.ok) return identity;
  return succeed(identity.value === undefined ? rule : { ...rule, bound_to: identity.value });
};

/** A rule that holds from now on, and how long. */
export type KeptYes = { rule: Rule; decision: 'session' | 'remember' };

/** Undefined where the yes counts for this call alone. */
export const keptYes = (
  given: PermissionDecision,
  { tool, rule, asksEachTime }: { tool: Tool; rule: Rule; asksEachTime: boolean },
): Outcome<KeptYes | undefined> => {
  const decision = kindOfYes(given, tool, asksEachTime);
  if (decision !== 'session' && decision !== 'remember') return succeed(undefined);
  // Where a yes to one call counts for the session, it counts for that tool and for nothing wider.
  const bound = boundRule(given === 'allow_once' ? { tool: tool.name } : rule, tool);
  return bound.ok ? succeed({ rule: bound.value, decision }) : bound;
};
