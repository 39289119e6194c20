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
  /**
   * What another halter had taken out of the file holds no more, and what it forbids holds too. What it allows holds from
   * the next start on: nobody was asked here.
   */
  refresh(): Promise<void>;
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
  let stamp = await store.stamp?.();
  const warned = new Set<string>();
  const load = async (): Promise<{ rules: StoredRule[]; isUnread: boolean }> => {
    const { rules, warnings } = await store.load(root);
    for (const warning of warnings) {
      if (!warned.has(warning)) options.onWarning('policies', warning);
      warned.add(warning);
    }
    return { rules, isUnread: rules.length === 0 && warnings.length > 0 };
  };
  const stored = await load();
  let remembered: readonly StoredRule[] = stored.rules;
  let revoked: PolicyRules['revoked'] = [];
  const isSame = (one: Rule, other: Rule): boolean => one.tool === other.tool && one.pattern === other.pattern;
  /** Those that hold here though the file could not take them. */
  const unkept = new Set<StoredRule>();
  let { isUnread } = stored;
  /** What this halter writes itself is looked at again too: another may have written at the same time. */
  const written = async (write: Promise<Outcome<void>>): Promise<Outcome<void>> => {
    const kept = await write;
    stamp = undefined;
    return kept;
  };
  const revoke = (rule: Rule): void => {
    revoked = [...(revoked ?? []).filter((other) => !isSame(other, rule)), { ...rule, at: systemClock.now() }];
  };
  const refresh = async (): Promise<void> => {
    const now = await store.stamp?.();
    if (now !== undefined && now === stamp && !isUnread) return;
    stamp = now;
    const { rules, ...read } = await load();
    isUnread = read.isUnread;
    // What cannot be read allows nothing, and what was forbidden stays so.
    if (isUnread) return;
    const isThere = (rule: StoredRule, all: readonly StoredRule[]): boolean =>
      all.some((other) => isSame(other, rule) && other.decision === rule.decision);
    const gone = remembered.filter((rule) => !unkept.has(rule) && !isThere(rule, rules));
    for (const rule of gone) if (rule.decision === 'allow') revoke(rule);
    const forbidden = rules.filter((rule) => rule.decision === 'deny' && !isThere(rule, remembered));
    remembered = [...remembered.filter((rule) => !gone.includes(rule)), ...forbidden];
  };
  const allowing = (): readonly StoredRule[] => (isUnread ? remembered.filter((rule) => unkept.has(rule)) : remembered);
  return {
    refresh,
    rules: () => ({
      allow: [...given.allow, ...sourced(allowing(), 'allow')],
      deny: [...given.deny, ...sourced(remembered, 'deny')],
      mode,
      revoked,
    }),
    async remember(rule) {
      const entry: StoredRule = { ...rule, decision: 'allow', workspace: root, created_at: systemClock.now() };
      unkept.add(entry);
      remembered = [...remembered, entry];
      await options.onRemembered(rule);
      const kept = await written(store.add(entry));
      if (kept.ok) unkept.delete(entry);
      return kept.ok ? { ok: true } : { ok: false, message: kept.error.message };
    },
    remembered: {
      list: () => remembered,
      async keep(rule, decision) {
        const entry: StoredRule = { ...rule, decision, workspace: root, created_at: systemClock.now() };
        const kept = await written(store.add(entry));
        if (!kept.ok) return kept;
        remembered = [...remembered.filter((other) => !isSame(other, rule)), entry];
        if (decision === 'allow') await options.onRemembered(rule);
        return kept;
      },
      async forget(rule) {
        // It holds no longer here, whatever becomes of the file.
        remembered = remembered.filter((other) => !isSame(other, rule));
        revoke(rule);
        return written(store.remove({ ...rule, workspace: root }));
      },
    },
  };
};

const sourced = (rules: readonly StoredRule[], decision: 'allow' | 'deny'): SourcedRule[] =>
  rules
    .filter((rule) => rule.decision === decision)
    .map(({ tool, pattern, bound_to }) => ({ tool, source: 'remembered', pattern, bound_to }));
