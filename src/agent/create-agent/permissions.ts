/** The rules that hold: those of the command line, and those the person had halter remember for this folder. */
import type { Rule } from '../../core/events.ts';
import type { PolicyRules, SourcedRule } from '../../core/policy.ts';
import type { PolicyStore, StoredRule } from '../../core/storage-port.ts';
import { systemClock } from '../../io/clock.ts';
import type { Choices } from './choices.ts';
import type { AgentOptions } from './options.ts';

export type Permissions = {
  rules(): PolicyRules;
  /** From now on, and in the next program too; the message says why a rule could not be kept. */
  remember(rule: Rule): Promise<{ ok: true } | { ok: false; message: string }>;
};

export const openPermissions = async (
  options: AgentOptions,
  place: {
    policies: PolicyStore;
    root: string;
    commandLine: Choices['rules'];
    onRemembered(rule: Rule): Promise<void>;
  },
): Promise<Permissions> => {
  const { policies } = place;
  const stored = await policies.load(place.root);
  for (const warning of stored.warnings) options.onWarning('policies', warning);
  const remembered: StoredRule[] = [...stored.rules];
  return {
    rules: () => ({
      allow: [...place.commandLine.allow, ...sourced(remembered, 'allow')],
      deny: [...place.commandLine.deny, ...sourced(remembered, 'deny')],
      plan: options.plan ?? false,
      yolo: options.yolo ?? false,
    }),
    async remember(rule) {
      const entry: StoredRule = { ...rule, decision: 'allow', workspace: place.root, created_at: systemClock.now() };
      remembered.push(entry);
      await place.onRemembered(rule);
      const kept = await policies.add(entry);
      return kept.ok ? { ok: true } : { ok: false, message: kept.error.message };
    },
  };
};

const sourced = (rules: readonly StoredRule[], decision: 'allow' | 'deny'): SourcedRule[] =>
  rules
    .filter((rule) => rule.decision === decision)
    .map(({ tool, pattern, bound_to }) => ({
      tool,
      source: 'remembered',
      ...(pattern === undefined ? {} : { pattern }),
      ...(bound_to === undefined ? {} : { bound_to }),
    }));
