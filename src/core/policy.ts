/**
 * Rules and a call → allow, ask or deny, and which rule said so (Z7, Z8, Z10). Pure: where the rules come from and who
 * is asked is the business of others. Deny comes before ask, ask before allow.
 */
import type { PolicyVerdict, Rule } from './events.ts';
import type { JsonObject } from './json.ts';
import type { FilePlaces } from './policy/denied-files.ts';
import { FOLDER_READ, isFolderRead, type ReadingTool, readingRulesFor } from './policy/folder-read.ts';
import { matchesWildcard } from './policy/glob.ts';
import { type CallReach, type Mode, type ModeReason, modeReason, runsCommands } from './policy/modes.ts';
import { type PolicyTool, patternFault, ruleMatches, ruleText } from './policy/rules.ts';
import type { Risk } from './tool.ts';

export { type PolicyTool, parseRule, ruleMatches, ruleText, shownRule, suggestedRule } from './policy/rules.ts';

/** Where a rule comes from, in a person's words. */
export type RuleSource = 'command line' | 'this session' | 'remembered' | 'program';
export type SourcedRule = Rule & {
  source: RuleSource;
  /** Given after untrusted content had entered the conversation. */
  fresh?: boolean;
  /** Of one given in this session: when, in milliseconds since 1970. */
  at?: number;
};

export type PolicyRules = {
  allow: readonly SourcedRule[];
  deny: readonly SourcedRule[];
  mode: Mode;
  /** Rules that the person took out, and when: a yes of a session to one of them that came before counts no more. */
  revoked?: readonly (Rule & { at: number })[];
};
export const NO_RULES: PolicyRules = { allow: [], deny: [], mode: 'ask' };

/** Why a person is asked about a call although a rule would let it pass. */
export type PolicyOverride = {
  because: string;
  /** Rules that count nevertheless. */
  counts(rule: SourcedRule): boolean;
  /** The question is put with this risk, where it is higher than the tool's own. */
  risk?: Risk;
  /** No yes is kept: it is asked again each time. */
  asks_each_time?: true;
  /** It asks because of where the values of the call come from. */
  about?: 'provenance';
};
/**
 * A file that a command line names: a rule for the whole tool does not cover a sensitive one, and the mode `auto` none that
 * lies outside.
 */
export type Mention = { about: 'secret' | 'auto_executed' | 'outside'; text: string };

/** One reason for or against a call: a rule, a mode, the tool's risk or a policy override. */
export type PolicyReason = {
  says: PolicyVerdict;
  because: string;
  rule?: SourcedRule;
  /** Set where the reason does not count here, and why. */
  set_aside?: string;
};
export type PolicyAnswer = { verdict: PolicyVerdict; because: string };
/** With every reason, the strongest first: deny before ask before allow. */
export type PolicyJudgement = PolicyAnswer & {
  reasons: readonly PolicyReason[];
  overrides: readonly PolicyOverride[];
  /** A mode alone lets it pass, which says yes to nothing outside of the folder. */
  byMode?: true;
};
export type { CallReach, Mode };

export type CommandAnswer = PolicyAnswer & {
  /** Those that decided. */
  rules?: readonly SourcedRule[];
  mentions?: readonly Mention[];
};
/**
 * Judges a command line by the rules for its tool, seeing what the whole line really runs. Without one, rules with a
 * pattern cover plain lines only.
 */
export type DecideCommand = (
  rules: { allow: readonly SourcedRule[]; deny: readonly SourcedRule[] },
  line: string,
) => CommandAnswer;

export const evaluatePolicy = (
  rules: PolicyRules,
  tool: PolicyTool,
  args: JsonObject,
  decideCommand?: DecideCommand,
): PolicyAnswer => {
  const { verdict, because } = judgeCall(rules, tool, args, { ...(decideCommand ? { decideCommand } : {}) });
  return { verdict, because };
};

export type JudgeOptions = {
  decideCommand?: DecideCommand;
  overrides?: readonly PolicyOverride[];
  /** Where the effects of the call stay. */
  reach?: CallReach;
  /** The files that paths mean; absent: a rule goes by their names alone. */
  places?: FilePlaces;
};

export const judgeCall = (
  all: PolicyRules,
  tool: PolicyTool,
  args: JsonObject,
  { decideCommand, overrides: given = [], reach = {}, places }: JudgeOptions,
): PolicyJudgement => {
  // Wherever such a rule came from: what its pattern does not narrow allows nothing, and denies what it denied.
  const rules = { ...all, allow: all.allow.filter((rule) => patternFault(rule) === undefined) };
  const find = finder(tool, args, { decideCommand, reach, places });
  const denied = find(rules.allow, rules.deny);
  const mode = readsInPlan(rules, tool, find, decideCommand !== undefined) ?? modeReason(rules.mode, tool, reach);
  const line = mode?.says === 'allow' ? lineInMode(rules, tool, find, decideCommand !== undefined) : undefined;
  const mentions = [...(denied.mentions ?? []), ...(line?.mentions ?? [])];
  const overrides = tool.risk === 'safe' ? [] : [...given, ...mentions.map(mentionOverride)];
  const reasons: PolicyReason[] = [];
  if (denied.verdict === 'deny') reasons.push(...reasonsOf('deny', denied));
  if (mode?.says === 'deny') reasons.push(mode);
  reasons.push(...overrides.map(({ because }): PolicyReason => ({ says: 'ask', because })));
  const allowed = denied.verdict === 'deny' ? find(rules.allow, []) : denied;
  const granted = overrides.length === 0 ? allowed : find(countingRules(rules.allow, overrides), []);
  if (tool.risk === 'safe') reasons.push({ says: 'allow', because: `${tool.name} is safe` });
  if (allowed.verdict === 'allow') {
    const against = overrides.find(({ counts }) => allowed.rules?.some((rule) => !counts(rule)) ?? true);
    const aside = granted.verdict === 'allow' ? undefined : (against ?? overrides[0])?.because;
    reasons.push(...reasonsOf('allow', granted.verdict === 'allow' ? granted : allowed, aside));
  }
  if (mode?.says === 'allow') {
    const aside = rules.mode === 'yolo' ? line?.against : (overrides[0]?.because ?? line?.against);
    reasons.push(aside === undefined ? mode : { ...mode, set_aside: aside });
  }
  const answer = verdictOf(reasons, tool, overrides, denied);
  const counting = reasons.find(({ says, set_aside }) => says === 'allow' && set_aside === undefined);
  const isByMode = answer.verdict === 'allow' && counting === mode && rules.mode !== 'yolo';
  return { ...answer, reasons, overrides, ...(isByMode ? { byMode: true } : {}) };
};

/** A command line that `folder:read` would cover, and that mentions nothing which is asked about, only reads. */
const readsInPlan = (rules: PolicyRules, tool: PolicyTool, find: Find, isReadable: boolean): ModeReason | undefined => {
  if (rules.mode !== 'plan' || !runsCommands(tool) || !isReadable) return undefined;
  const answer = find([{ tool: FOLDER_READ, source: 'program' }], rules.deny);
  return answer.verdict === 'allow' && (answer.mentions ?? []).length === 0
    ? { says: 'allow', because: 'plan mode runs commands that only read in this folder' }
    : undefined;
};

/**
 * A command line that `auto` would let pass is read as if a rule allowed every command: what it mentions is asked about,
 * and a line that cannot be read, or that could be what a rule denies, does not pass. The last holds in `yolo` too, where
 * something is denied.
 */
const lineInMode = (
  rules: PolicyRules,
  tool: PolicyTool,
  find: Find,
  isReadable: boolean,
): { mentions: readonly Mention[]; against?: string } | undefined => {
  const isYolo = rules.mode === 'yolo';
  if ((rules.mode !== 'auto' && !isYolo) || tool.effects !== 'process') return undefined;
  if (isYolo && !rules.deny.some((rule) => matchesWildcard(rule.tool, tool.name))) return undefined;
  if (!isReadable) return { mentions: [], against: 'the command line cannot be read here' };
  const answer = find([{ tool: tool.name, source: 'program' }], rules.deny);
  return answer.verdict === 'allow'
    ? { mentions: isYolo ? [] : (answer.mentions ?? []) }
    : { mentions: [], against: answer.because || 'no rule can allow this line' };
};

/** Those that no override sets aside. */
export const countingRules = (rules: readonly SourcedRule[], overrides: readonly PolicyOverride[]): SourcedRule[] =>
  rules.filter((rule) => overrides.every((override) => override.counts(rule)));

const verdictOf = (
  reasons: readonly PolicyReason[],
  tool: PolicyTool,
  overrides: readonly PolicyOverride[],
  judged: CommandAnswer,
): PolicyAnswer => {
  const denies = reasons.find(({ says }) => says === 'deny');
  if (denies) return { verdict: 'deny', because: denies.because };
  const allows = reasons.filter(({ says }) => says === 'allow');
  const counting = allows.find(({ set_aside }) => set_aside === undefined);
  if (counting) return { verdict: 'allow', because: counting.because };
  // An override with a risk is always reported; the others only where a rule would have let the call pass.
  const because = allows[0]?.set_aside ?? overrides.find(({ risk }) => risk)?.because ?? judged.because;
  return { verdict: 'ask', because: because || `${tool.name} has ${tool.risk} risk and no rule covers this call` };
};

/** The rules that speak of a tool; `folder:read` as the commands that only read. */
export const rulesForTool = <R extends Rule>(
  rules: readonly R[],
  tool: ReadingTool,
  purpose: 'allow' | 'deny' = 'allow',
): R[] =>
  rules.flatMap((rule) =>
    isFolderRead(rule) ? readingRulesFor(rule, tool, purpose) : matchesWildcard(rule.tool, tool.name) ? [rule] : [],
  );

type Find = (allow: readonly SourcedRule[], deny: readonly SourcedRule[]) => CommandAnswer;

/** The rules that speak of this call: those of the shell by what the line runs, the others by their pattern. */
const finder = (
  tool: PolicyTool,
  args: JsonObject,
  { decideCommand, reach: { inFolder = false } = {}, places }: Pick<JudgeOptions, 'decideCommand' | 'reach' | 'places'>,
): Find => {
  const line = tool.effects === 'process' && tool.main_argument ? args[tool.main_argument] : undefined;
  const matches = (rule: SourcedRule, purpose: 'allow' | 'deny'): boolean =>
    isFolderRead(rule)
      ? tool.effects === 'read' && (purpose === 'deny' || inFolder)
      : ruleMatches(rule, tool, args, purpose, places);
  return (allow, deny) => {
    if (decideCommand && typeof line === 'string')
      return decideCommand({ allow: rulesForTool(allow, tool), deny: rulesForTool(deny, tool, 'deny') }, line);
    const denying = deny.find((rule) => matches(rule, 'deny'));
    if (denying) return said('deny', denying, 'is denied');
    const allowing = allow.find((rule) => matches(rule, 'allow'));
    if (allowing) return said('allow', allowing, 'is allowed');
    const byName = places && allow.find((rule) => ruleMatches(rule, tool, args, 'allow'));
    const because = byName ? `${ruleText(byName)} covers this name, and not the file that it leads to` : '';
    return { verdict: 'ask', because };
  };
};

const said = (verdict: PolicyVerdict, rule: SourcedRule, what: string): CommandAnswer => ({
  verdict,
  because: `${ruleText(rule)} ${what} (${rule.source})`,
  rules: [rule],
});

const reasonsOf = (says: PolicyVerdict, answer: CommandAnswer, setAside?: string): PolicyReason[] => {
  const aside = setAside === undefined ? {} : { set_aside: setAside };
  const [rule] = answer.rules ?? [];
  return [{ says, because: answer.because, ...(rule ? { rule } : {}), ...aside }];
};

const mentionOverride = ({ about, text }: Mention): PolicyOverride => {
  // Whoever wrote a rule knows that commands reach outside; a mode says nothing of it.
  if (about === 'outside') return { because: text, counts: () => true };
  return about === 'secret'
    ? { because: text, risk: 'high', counts: (rule) => rule.pattern !== undefined }
    : autoExecutedOverride(text, (rule) => rule.pattern !== undefined);
};

/** Files that other programs execute automatically are written only where a flag of this run names them. */
export const autoExecutedOverride = (because: string, spells: (rule: SourcedRule) => boolean): PolicyOverride => ({
  because,
  risk: 'high',
  asks_each_time: true,
  counts: (rule) => rule.source === 'command line' && spells(rule),
});
