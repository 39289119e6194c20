/** The rules that hold: those the program was given, and those that a person had halter remember for this folder. */
import type { Rule } from '../../core/events.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Mode } from '../../core/policy/modes.ts';
import type { PolicyRules, SourcedRule } from '../../core/policy.ts';
import type { PolicyStore, StoredRule } from '../../core/storage-port.ts';
import { systemClock } from '../../io/clock.ts';
import type { CheckedOptions } from './check-options.ts';

export type Permissions = {
  rules(): PolicyRules;
  /** From now on, and in the next program too; the message says why a rule could not be kept. */
  remember(rule: Rule): Promise<{ ok: true } | { ok: false; message: string }>;
  remembered: RememberedRules;
};

/** What is remembered for this folder, for a person who looks it over. Changes hold from the next call on. */
export type RememberedRules = {
  list(): readonly StoredRule[];
  keep(rule: Rule, decision: StoredRule['decision']): Promise<Outcome<void>>;
  /** A yes of an open session to the same rule counts no more either. */
  forget(rule: Rule): Promise<Outcome<void>>;
};

export type OpenPermissionsOptions = {
  store: PolicyStore;
  /** The folder that rules are remembered for. */
  root: string;
  given: CheckedOptions['rules'];
  mode: Mode;
  onRemembered(rule: Rule): Promise<void>;
  onWarning(code: string, message: string): void;
};

export const openPermissions = async (options: OpenPermissionsOptions): Promise<Permissions> => {
  const { store, root, given, mode } = options;
  const stored = await store.load(root);
  for (const warning of stored.warnings) options.onWarning('policies', warning);
  let remembered: readonly StoredRule[] = stored.rules;
  let revoked: PolicyRules['revoked'] = [];
  const isSame = (one: Rule, other: Rule): boolean => one.tool === other.tool && one.pattern === other.pattern;
  return {
    rules: () => ({
      allow: [...given.allow, ...sourced(remembered, 'allow')],
      deny: [...given.deny, ...sourced(remembered, 'deny')],
      mode,
      revoked,
    }),
    async remember(rule) {
      const entry: StoredRule = { ...rule, decision: 'allow', workspace: root, created_at: systemClock.now() };
      remembered = [...remembered, entry];
      await options.onRemembered(rule);
      const kept = await store.add(entry);
      return kept.ok ? { ok: true } : { ok: false, message: kept.error.message };
    },
    remembered: {
      list: () => remembered,
      async keep(rule, decision) {
        const entry: StoredRule = { ...rule, decision, workspace: root, created_at: systemClock.now() };
        const kept = await store.add(entry);
        if (!kept.ok) return kept;
        remembered = [...remembered.filter((other) => !isSame(other, rule)), entry];
        if (decision === 'allow') await options.onRemembered(rule);
        return kept;
      },
      async forget(rule) {
        // It holds no longer here, whatever becomes of the file.
        remembered = remembered.filter((other) => !isSame(other, rule));
        revoked = [...(revoked ?? []).filter((other) => !isSame(other, rule)), { ...rule, at: systemClock.now() }];
        return store.remove({ ...rule, workspace: root });
      },
    },
  };
};

const sourced = (rules: readonly StoredRule[], decision: 'allow' | 'deny'): SourcedRule[] =>
  rules
    .filter((rule) => rule.decision === decision)
    .map(({ tool, pattern, bound_to }) => ({ tool, source: 'remembered', pattern, bound_to }));
