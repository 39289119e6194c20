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
  /** As long as this agent lives, for its calls and its sessions. */
  grant(rule: Rule): void;
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
  const { given, mode, root } = options;
  const folder = new FolderRules(options);
  await folder.open();
  let granted: readonly SourcedRule[] = [];
  const entry = (rule: Rule, decision: StoredRule['decision']): StoredRule => ({
    ...rule,
    decision,
    workspace: root,
    created_at: systemClock.now(),
  });
  return {
    refresh: () => folder.refresh(),
    rules: () => ({
      allow: [...given.allow, ...sourced(folder.allowing(), 'allow'), ...granted],
      deny: [...given.deny, ...sourced(folder.list(), 'deny')],
      mode,
      revoked: folder.revoked(),
    }),
    grant(rule) {
      granted = [...granted.filter((other) => !isSame(other, rule)), { ...rule, source: 'this session' }];
    },
    remember: (rule) => folder.remember(rule, entry(rule, 'allow')),
    remembered: {
      list: () => folder.list(),
      keep: (rule, decision) => folder.keep(rule, entry(rule, decision)),
      forget(rule) {
        granted = granted.filter((other) => !isSame(other, rule));
        return folder.forget(rule);
      },
    },
  };
};

/** The rules that are remembered for a folder: as they were read last, and what was changed here since. */
class FolderRules {
  readonly #options: OpenPermissionsOptions;
  readonly #warned = new Set<string>();
  /** Those that hold here though the file could not take them. */
  readonly #unkept = new Set<StoredRule>();
  #remembered: readonly StoredRule[] = [];
  #revoked: PolicyRules['revoked'] = [];
  #stamp: string | undefined;
  #isUnread = false;

  constructor(options: OpenPermissionsOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    this.#stamp = await this.#options.store.stamp?.();
    this.#remembered = await this.#load();
  }

  list(): readonly StoredRule[] {
    return this.#remembered;
  }

  /** Those that may allow: what cannot be read allows nothing. */
  allowing(): readonly StoredRule[] {
    return this.#isUnread ? this.#remembered.filter((rule) => this.#unkept.has(rule)) : this.#remembered;
  }

  revoked(): PolicyRules['revoked'] {
    return this.#revoked;
  }

  async refresh(): Promise<void> {
    const now = await this.#options.store.stamp?.();
    if (now !== undefined && now === this.#stamp && !this.#isUnread) return;
    this.#stamp = now;
    const rules = await this.#load();
    // What was forbidden stays so while nothing can be read.
    if (this.#isUnread) return;
    const gone = this.#remembered.filter((rule) => !this.#unkept.has(rule) && !isAmong(rule, rules));
    for (const rule of gone) if (rule.decision === 'allow') this.#revoke(rule);
    const forbidden = rules.filter((rule) => rule.decision === 'deny' && !isAmong(rule, this.#remembered));
    this.#remembered = [...this.#remembered.filter((rule) => !gone.includes(rule)), ...forbidden];
  }

  async remember(rule: Rule, entry: StoredRule): ReturnType<Permissions['remember']> {
    this.#unkept.add(entry);
    this.#remembered = [...this.#remembered, entry];
    await this.#options.onRemembered(rule);
    const kept = await this.#written(this.#options.store.add(entry));
    if (kept.ok) this.#unkept.delete(entry);
    return kept.ok ? { ok: true } : { ok: false, message: kept.error.message };
  }

  async keep(rule: Rule, entry: StoredRule): Promise<Outcome<void>> {
    const kept = await this.#written(this.#options.store.add(entry));
    if (!kept.ok) return kept;
    this.#remembered = [...this.#remembered.filter((other) => !isSame(other, rule)), entry];
    if (entry.decision === 'allow') await this.#options.onRemembered(rule);
    return kept;
  }

  /** It holds no longer here, whatever becomes of the file. */
  async forget(rule: Rule): Promise<Outcome<void>> {
    this.#remembered = this.#remembered.filter((other) => !isSame(other, rule));
    this.#revoke(rule);
    return this.#written(this.#options.store.remove({ ...rule, workspace: this.#options.root }));
  }

  async #load(): Promise<StoredRule[]> {
    const { store, root } = this.#options;
    const { rules, warnings } = await store.load(root);
    for (const warning of warnings) {
      if (!this.#warned.has(warning)) this.#options.onWarning('policies', warning);
      this.#warned.add(warning);
    }
    this.#isUnread = rules.length === 0 && warnings.length > 0;
    return rules;
  }

  /** What this halter writes itself is looked at again too: another may have written at the same time. */
  async #written(write: Promise<Outcome<void>>): Promise<Outcome<void>> {
    const kept = await write;
    this.#stamp = undefined;
    return kept;
  }

  #revoke(rule: Rule): void {
    const others = (this.#revoked ?? []).filter((other) => !isSame(other, rule));
    this.#revoked = [...others, { ...rule, at: systemClock.now() }];
  }
}

const isSame = (one: Rule, other: Rule): boolean => one.tool === other.tool && one.pattern === other.pattern;

const isAmong = (rule: StoredRule, all: readonly StoredRule[]): boolean =>
  all.some((other) => isSame(other, rule) && other.decision === rule.decision);

const sourced = (rules: readonly StoredRule[], decision: 'allow' | 'deny'): SourcedRule[] =>
  rules
    .filter((rule) => rule.decision === decision)
    .map(({ tool, pattern, bound_to }) => ({ tool, source: 'remembered', pattern, bound_to }));
