/** The rules that a question offers to keep. */
import type { Rule } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import { FOLDER_READ } from '../../../core/policy/folder-read.ts';
import { argumentsPattern, suggestedRules } from '../../../core/policy/suggested-rules.ts';
import { type CallReach, type PolicyJudgement, suggestedRule } from '../../../core/policy.ts';
import type { ArgumentOrigin } from '../../../core/provenance.ts';
import type { Tool } from '../../../core/tool.ts';
import type { CommandRules } from './command-decider.ts';

export type OfferedRules = {
  rule: Rule;
  suggestions: Rule[];
  asksEachTime: boolean;
  /** The rule that lets the call pass as a flag of a run; none where only an answer does. */
  flagRule?: Rule;
};
type OfferedFor = { tool: Tool; args: JsonObject; origins: readonly ArgumentOrigin[]; reach: CallReach };
type RulePorts = { commandRules?(): Promise<CommandRules> };

/**
 * Offers only rules that would let this call pass the next time: none that an override of the call would set aside, and
 * none that does not cover the line. Where no rule is left, a yes counts once.
 */
export const offeredRules = async (
  ports: RulePorts,
  { overrides, verdict }: PolicyJudgement,
  { tool, args, origins, reach }: OfferedFor,
): Promise<OfferedRules> => {
  const once = overrides.some(({ asks_each_time }) => asks_each_time === true);
  const usual = exactRule(tool, args, origins) ?? suggestedRule(tool, args);
  if (verdict !== 'ask') return { rule: usual, suggestions: [], asksEachTime: once };
  const line = tool.effects === 'process' ? args[tool.main_argument ?? ''] : undefined;
  const commands = typeof line === 'string' ? await ports.commandRules?.() : undefined;
  const covers = (rule: Rule): boolean =>
    commands?.decide({ allow: [{ ...rule, source: 'this session' }], deny: [] }, String(line)).verdict !== 'ask';
  const all = suggestedRules(tool, args, await shellPatterns(ports, tool, args));
  const lasting = overrides.filter(
    ({ about, asks_each_time, risk }) => (risk !== undefined || about === 'provenance') && !asks_each_time,
  );
  const honest = (rule: Rule): boolean =>
    lasting.every(({ counts }) => counts({ ...rule, source: 'this session', fresh: true }));
  const suggestions = all.filter((rule) => honest(rule) && covers(rule));
  // One answer for all reading in the folder. Where the call asks for a reason of its own, that answer would not count.
  if (tool.effects === 'read' && overrides.length === 0 && reach.inFolder === true) {
    return {
      rule: { tool: FOLDER_READ },
      suggestions: [{ tool: FOLDER_READ }, ...suggestions],
      asksEachTime: once,
      flagRule: { tool: FOLDER_READ },
    };
  }
  const counts = honest(usual) && covers(usual);
  const asFlag = (rule: Rule): boolean =>
    covers(rule) && overrides.every((override) => override.counts({ ...rule, source: 'command line' }));
  const best = narrowerRule(usual, suggestions) ?? (counts ? usual : suggestions[0]);
  const flagRule = [best, usual, ...all].find((rule) => rule !== undefined && asFlag(rule));
  const rule = best ?? flagRule ?? usual;
  const isOnlyOnce = !counts && suggestions.length === 0 && (commands !== undefined || lasting.length > 0);
  return { rule, suggestions, asksEachTime: once || isOnlyOnce, flagRule };
};

/** After untrusted content a rule for the whole tool lets nothing pass: the one that does names what weighs. */
const exactRule = (tool: Tool, args: JsonObject, origins: readonly ArgumentOrigin[]): Rule | undefined => {
  const doubtful = origins.filter(({ origin }) => origin === 'untrusted' || origin === 'unknown');
  if (tool.main_argument !== undefined || doubtful.length === 0) return undefined;
  const names = new Set(doubtful.map(({ argument }) => argument.replace(/[[.].*$/s, '')));
  const pattern = argumentsPattern(args, [...names]);
  return pattern === undefined ? undefined : { tool: tool.name, pattern };
};

/** `npm run build *` before `npm run *`. */
const narrowerRule = (usual: Rule, suggestions: readonly Rule[]): Rule | undefined => {
  const start = usual.pattern?.endsWith(' *') ? usual.pattern.slice(0, -1) : undefined;
  if (start === undefined) return undefined;
  return suggestions.find(({ pattern }) => pattern?.startsWith(start) && pattern.endsWith(' *'));
};

/** Loaded only for a question: a call that is allowed needs no suggestion. */
const shellPatterns = async (ports: RulePorts, tool: Tool, args: JsonObject): Promise<string[]> => {
  const line = tool.effects === 'process' ? args[tool.main_argument ?? ''] : undefined;
  if (typeof line !== 'string' || ports.commandRules === undefined) return [];
  return (await ports.commandRules()).suggest(line);
};
