/** The rules that a question offers to keep. */
import type { Rule } from '../../../core/events.ts';
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import type { FilePlaces } from '../../../core/policy/denied-files.ts';
import { FILELESS_COMMANDS, FOLDER_READ, READING_COMMANDS } from '../../../core/policy/folder-read.ts';
import { argumentsPattern, suggestedRules } from '../../../core/policy/suggested-rules.ts';
import {
  type CallReach,
  type CommandAnswer,
  countingRules,
  type PolicyJudgement,
  type PolicyOverride,
  ruleMatches,
  rulesForTool,
  type SourcedRule,
  suggestedRule,
} from '../../../core/policy.ts';
import type { ArgumentOrigin } from '../../../core/provenance.ts';
import type { Tool } from '../../../core/tool.ts';
import { BUILT_IN_TOOLS } from '../../../tools/index.ts';
import type { CommandRules } from './command-decider.ts';

export type OfferedRules = {
  rule: Rule;
  suggestions: Rule[];
  asksEachTime: boolean;
  /** The rule that lets the call pass as a flag of a run; none where only an answer does. */
  flagRule?: Rule;
  /** A command that is known to read or print and to do nothing else. */
  onlyReads?: true;
};
type OfferedFor = {
  tool: Tool;
  args: JsonObject;
  origins: readonly ArgumentOrigin[];
  reach: CallReach;
  /** The rules that count already: an offered one may cover a line together with them. */
  rules: readonly SourcedRule[];
  /** The files that its paths mean, where a rule goes by them. */
  places?: FilePlaces;
};
type RulePorts = { commandRules?(): Promise<CommandRules> };

/**
 * Offers only rules that would let this call pass the next time: none that an override of the call would set aside, and
 * none that does not cover the line. Where no rule is left, a yes counts once.
 */
export const offeredRules = async (
  ports: RulePorts,
  { overrides, verdict }: PolicyJudgement,
  { tool, args, origins, reach, rules, places }: OfferedFor,
): Promise<OfferedRules> => {
  const given = countingRules(rules, overrides);
  const once = overrides.some(({ asks_each_time }) => asks_each_time === true);
  const whole = exactRule(tool, args, origins) ?? suggestedRule(tool, args);
  if (verdict !== 'ask') return { rule: whole, suggestions: [], asksEachTime: once };
  const line = lineOf(tool, args);
  const commands = line === undefined ? undefined : await ports.commandRules?.();
  const coversIt = coveringCall({ tool, args, places }, commands);
  const covers = (rule: Rule): boolean => coversIt(rule, { given, isKept: true });
  const own = rulesForTool(given, tool);
  const lacking = commands?.lacking(String(line), own);
  const usual = lacking === undefined ? whole : suggestedRule(tool, { [tool.main_argument ?? '']: lacking });
  const all = suggestedRules(tool, args, commands?.suggest(String(line), own) ?? []);
  const reading: Rule = { tool: FOLDER_READ };
  if (commands !== undefined && stands(overrides, reading) && !namesNoFile(commands, String(lacking ?? line))) {
    all.push(reading);
  }
  const lasting = overrides.filter(
    ({ about, asks_each_time, risk }) => (risk !== undefined || about === 'provenance') && !asks_each_time,
  );
  const honest = (rule: Rule): boolean =>
    lasting.every(({ counts }) => counts({ ...rule, source: 'this session', fresh: true }));
  const suggestions = all.filter((rule) => honest(rule) && covers(rule));
  // One answer for all reading in the folder. Where the call asks for a reason of its own, that answer would not count. A
  // question about a tool of somebody else's names that tool, and a yes to it opens no file to halter's own.
  if (tool.effects === 'read' && isBuiltIn(tool) && overrides.length === 0 && reach.inFolder === true) {
    return {
      rule: { tool: FOLDER_READ },
      suggestions: [{ tool: FOLDER_READ }, ...suggestions],
      asksEachTime: once,
      flagRule: { tool: FOLDER_READ },
    };
  }
  const counts = honest(usual) && covers(usual);
  const asFlag = (rule: Rule): boolean =>
    coversIt(rule, { given: [] }) &&
    overrides.every((override) => override.counts({ ...rule, source: 'command line' }));
  // A yes to one very line that only reads would be asked for again at the next file.
  const isReading =
    usual.pattern?.startsWith('=') === true && suggestions.includes(reading) && !suggestions.some(isOfSubcommand);
  const lasts = isReading ? reading : (narrowerRule(usual, suggestions) ?? (counts ? usual : suggestions[0]));
  const best =
    isReading || lasts?.pattern?.endsWith(' *') !== true ? lasts : (exactCommand(suggestions, line) ?? lasts);
  const flagRule = [lasts, usual, whole, ...all].find((rule) => rule !== undefined && asFlag(rule));
  const rule = ofThisFile(best ?? flagRule ?? usual, suggestions, tool);
  const isOnlyOnce = !counts && suggestions.length === 0;
  const onlyReads = commands !== undefined && isCalm(overrides) && isReadingLine(commands, String(line));
  return {
    rule,
    suggestions,
    asksEachTime: once || isOnlyOnce,
    flagRule,
    ...(onlyReads ? { onlyReads: true } : {}),
  };
};

/** A yes to one file is no yes to all: what is wider is offered beside it. */
const ofThisFile = (rule: Rule, suggestions: readonly Rule[], { name, effects }: Tool): Rule => {
  const isOfFiles = effects === 'read' || effects === 'write';
  if (!isOfFiles || rule.tool !== name || rule.pattern !== undefined) return rule;
  return suggestions.find(({ tool, pattern }) => tool === name && pattern?.startsWith('=')) ?? rule;
};

const isBuiltIn = ({ name }: Tool): boolean => BUILT_IN_TOOLS.some((own) => own.name === name);

/** After untrusted content a rule for the whole tool lets nothing pass: the one that does names what weighs. */
const exactRule = (tool: Tool, args: JsonObject, origins: readonly ArgumentOrigin[]): Rule | undefined => {
  const doubtful = origins.filter(({ origin }) => origin === 'untrusted' || origin === 'unknown');
  if (tool.main_argument !== undefined || doubtful.length === 0) return undefined;
  const names = new Set(doubtful.map(({ argument }) => argument.replace(/[[.].*$/s, '')));
  const pattern = argumentsPattern(args, [...names]);
  return pattern === undefined ? undefined : { tool: tool.name, pattern };
};

/** `echo one`: a yes to it says nothing of the files here. */
const namesNoFile = (commands: CommandRules, line: string): boolean =>
  coveredByAll(FILELESS_COMMANDS, commands, line).verdict === 'allow';

/** A line that reads or prints, and names nothing that weighs more: no secret, no place outside. */
const isReadingLine = (commands: CommandRules, line: string): boolean => {
  const { verdict, mentions = [] } = coveredByAll(READING_COMMANDS, commands, line);
  return verdict === 'allow' && mentions.length === 0;
};

/** Nothing is worse about this call: that no sandbox holds it says nothing of a line that only reads. */
const isCalm = (overrides: readonly PolicyOverride[]): boolean =>
  overrides.every(({ about, asks_each_time, risk }) => about === undefined && !asks_each_time && risk === undefined);

const coveredByAll = (patterns: readonly string[], commands: CommandRules, line: string): CommandAnswer => {
  const allow = patterns.map((pattern): SourcedRule => ({ tool: 'bash', pattern, source: 'this session' }));
  return commands.decide({ allow, deny: [] }, line);
};

const stands = (overrides: readonly PolicyOverride[], rule: Rule): boolean =>
  overrides.every(({ counts }) => counts({ ...rule, source: 'this session', fresh: true }));

/** `git log *`: more than the very line, and less than all reading in the folder. */
const isOfSubcommand = ({ pattern = '' }: Rule): boolean => /^[^=]\S* .+ \*$/.test(pattern);

/** The shortest part of the line that says the command exactly: without the filter behind it, with what it was quoted by. */
const exactCommand = (suggestions: readonly Rule[], line: JsonValue | undefined): Rule | undefined =>
  suggestions.findLast(({ pattern }) => pattern?.startsWith('=') && String(line).includes(pattern.slice(1)));

/** `npm run build *` before `npm run *`. */
const narrowerRule = (usual: Rule, suggestions: readonly Rule[]): Rule | undefined => {
  const start = usual.pattern?.endsWith(' *') ? usual.pattern.slice(0, -1) : undefined;
  if (start === undefined) return undefined;
  return suggestions.find(({ pattern }) => pattern?.startsWith(start) && pattern.endsWith(' *'));
};

/** Whether a rule lets this very call pass: a line by what it runs, anything else by what its arguments mean. */
const coveringCall =
  ({ tool, args, places }: Pick<OfferedFor, 'tool' | 'args' | 'places'>, commands: CommandRules | undefined) =>
  (rule: Rule, own: Omit<Covering, 'commands'>): boolean =>
    commands === undefined
      ? ruleMatches(rule, tool, args, 'allow', places)
      : coversLine(rule, tool, String(lineOf(tool, args)), { commands, ...own });

type Covering = { commands: CommandRules; given: readonly SourcedRule[]; isKept?: boolean };

/**
 * Whether the rule lets the line pass, together with those that count already. One that adds nothing does not, nor one that
 * is kept, where the line writes a file that is asked about each time.
 */
export const coversLine = (rule: Rule, tool: Tool, line: string, { commands, given, isKept }: Covering): boolean => {
  const own = rulesForTool<SourcedRule>([{ ...rule, source: 'this session' }], tool);
  const answer = commands.decide({ allow: [...own, ...rulesForTool(given, tool)], deny: [] }, line);
  const { verdict, rules = [], mentions = [] } = answer;
  if (isKept && mentions.some(({ about }) => about === 'auto_executed')) return false;
  return verdict === 'allow' && rules.some((deciding) => own.includes(deciding));
};

const lineOf = (tool: Tool, args: JsonObject): string | undefined => {
  const line = tool.effects === 'process' ? args[tool.main_argument ?? ''] : undefined;
  return typeof line === 'string' ? line : undefined;
};
