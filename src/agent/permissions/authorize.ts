/**
 * Decides about a call for every surface: known tool, valid arguments, rules, policy overrides. The answer is allow, ask
 * or deny. The caller asks the person; nothing runs here.
 */

import { ErrorCode } from '../../core/errors.ts';
import type { Rule } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Repair, ToolCall } from '../../core/message.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { FOLDER_READ, isFolderRead } from '../../core/policy/folder-read.ts';
import {
  fileOverrides,
  identityOverride,
  pathsOf,
  type Standing,
  type Taint,
  taintOverride,
  unknownPathsOverride,
  unsandboxedOverride,
  writesAnywhere,
} from '../../core/policy/overrides.ts';
import { isNeverWritten } from '../../core/policy/sensitive-files.ts';
import { suggestedRules } from '../../core/policy/suggested-rules.ts';
import {
  type CallReach,
  judgeCall,
  type PolicyJudgement,
  type PolicyOverride,
  type PolicyReason,
  type PolicyRules,
  ruleMatches,
  ruleText,
  type SourcedRule,
  suggestedRule,
} from '../../core/policy.ts';
import type { Risk, Tool } from '../../core/tool.ts';
import type { ToolErrorType } from '../../core/tool-result.ts';
import { repairText, validateArguments } from '../../core/validate-arguments.ts';
import type { ToolPorts } from '../loop/run-tool/tool-ports.ts';
import { commandRulesFor } from './authorize/command-decider.ts';

export type Refusal = {
  kind: 'refused';
  error_type: Exclude<ToolErrorType, 'none'>;
  message: string;
  code?: number;
  /** The arguments were at fault, so the model gets another try (K4). */
  arguments_at_fault: boolean;
};
export type Judgement = {
  kind: 'evaluated';
  tool: Tool;
  verdict: 'allow' | 'ask' | 'deny';
  because: string;
  /** The tool's own, or a higher one where something about this call is worse. */
  risk: Risk;
  exclusive: boolean;
  arguments: JsonObject;
  dropped: string[];
  repairs: Repair[];
  /** What Session and Remember store unless the person says otherwise, and what else could be said. */
  rule: Rule;
  suggestions: Rule[];
  /** A yes counts once. */
  asksEachTime: boolean;
  /** Its result is untrusted content. */
  untrustedContent: boolean;
  /** Every reason for and against, for `policy explain`. */
  reasons: readonly PolicyReason[];
};
export type Authorization = Refusal | Judgement;

export type AuthorizePorts = Pick<ToolPorts, 'registry' | 'rules' | 'commandRules' | 'workspace' | 'confinement'>;
export type AuthorizeOptions = {
  mode: 'strict' | 'model';
  /** How the conversation stands that the call is a part of. */
  standing?: Standing;
};

export const authorize = async (
  ports: AuthorizePorts,
  call: Pick<ToolCall, 'name' | 'malformed'> & { arguments: unknown },
  { mode, standing }: AuthorizeOptions,
): Promise<Authorization> => {
  const found = usableCall(ports, call, mode);
  if (found.kind === 'refused') return found;
  const { tool, checked } = found;
  const rules = withStanding(ports.rules(), standing);
  const commands = await commandRulesFor(ports, rules, tool);
  const judgement = judgeCall(rules, tool, checked.arguments, {
    overrides: overridesFor(ports, tool, checked.arguments, standing?.taint),
    ...(commands ? { decideCommand: commands.decide } : {}),
    reach: reachOf(ports, tool, checked.arguments),
  });
  const { verdict, because, overrides, reasons } = judgement;
  const closed = verdict === 'deny' ? undefined : await unreachablePath(ports, tool, checked.arguments);
  if (closed !== undefined) return refusal('validation_failed', closed, false);
  return {
    kind: 'evaluated',
    tool,
    verdict,
    because,
    reasons,
    risk: overrides.some(({ risk }) => risk === 'high') ? 'high' : tool.risk,
    untrustedContent: isUntrusted(ports, tool, checked.arguments),
    exclusive: tool.effects === 'write' || tool.effects === 'process',
    arguments: checked.arguments,
    dropped: checked.dropped,
    repairs: checked.repairs,
    ...(await offeredRules(ports, judgement, tool, checked.arguments)),
  };
};

/**
 * Offers only rules that would let this call pass the next time: none that an override of the call would set aside, and
 * none that does not cover the line. Where no rule is left, a yes counts once.
 */
const offeredRules = async (
  ports: AuthorizePorts,
  { overrides, verdict }: PolicyJudgement,
  tool: Tool,
  args: JsonObject,
): Promise<Pick<Judgement, 'rule' | 'suggestions' | 'asksEachTime'>> => {
  const usual = suggestedRule(tool, args);
  const once = overrides.some(({ asks_each_time }) => asks_each_time === true);
  if (verdict !== 'ask') return { rule: usual, suggestions: [], asksEachTime: once };
  const line = tool.effects === 'process' ? args[tool.main_argument ?? ''] : undefined;
  const commands = typeof line === 'string' ? await ports.commandRules?.() : undefined;
  const covers = (rule: Rule): boolean =>
    commands?.decide({ allow: [{ ...rule, source: 'this session' }], deny: [] }, String(line)).verdict !== 'ask';
  const all = suggestedRules(tool, args, await shellPatterns(ports, tool, args));
  const sensitive = overrides.filter(({ asks_each_time, risk }) => risk !== undefined && !asks_each_time);
  const honest = (rule: Rule): boolean => sensitive.every(({ counts }) => counts({ ...rule, source: 'this session' }));
  const narrow = all.filter((rule) => honest(rule) && covers(rule));
  // One answer for all reading in the folder. Where the call asks for a reason of its own, that answer would not count.
  const isReading = tool.effects === 'read' && overrides.length === 0 && reachOf(ports, tool, args).inFolder === true;
  if (isReading)
    return { rule: { tool: FOLDER_READ }, suggestions: [{ tool: FOLDER_READ }, ...narrow], asksEachTime: once };
  const suggestions = narrow;
  const counts = honest(usual) && covers(usual);
  const start = usual.pattern?.endsWith(' *') ? usual.pattern.slice(0, -1) : undefined;
  // `npm run build *` before `npm run *`.
  const narrower =
    start === undefined
      ? undefined
      : suggestions.find(({ pattern }) => pattern?.startsWith(start) && pattern.endsWith(' *'));
  const rule = narrower ?? (counts ? usual : (suggestions[0] ?? usual));
  return { rule, suggestions, asksEachTime: once || (commands !== undefined && !counts && suggestions.length === 0) };
};

const withStanding = (rules: PolicyRules, standing: Standing | undefined): PolicyRules =>
  standing === undefined
    ? rules
    : { ...rules, allow: [...rules.allow, ...standing.grants], mode: standing.mode ?? rules.mode };

/** A tool that does not declare its paths could reach anything, and so could one of an MCP server. */
const reachOf = (ports: AuthorizePorts, tool: Tool, args: JsonObject): CallReach => {
  const { confinement } = ports;
  if (tool.effects === 'process') return { confined: confinement?.confined === true && !confinement.network };
  const touchesFiles = tool.effects === 'read' || tool.effects === 'write';
  if (!touchesFiles || tool.path_arguments === undefined || tool.identity !== undefined) return {};
  const paths = pathsOf(tool, args);
  const isInside = (path: string): boolean => {
    const place = ports.workspace.resolve(path);
    return place.ok && !isAbsolutePath(place.value);
  };
  // A tool that writes and names no file writes elsewhere.
  return { inFolder: paths.every(isInside) && (tool.effects === 'read' || paths.length > 0) };
};

const isAbsolutePath = (path: string): boolean => /^(?:[/\\]|[A-Za-z]:)/.test(path);

type UsableCall = { kind: 'usable'; tool: Tool; checked: Extract<ReturnType<typeof validateArguments>, { ok: true }> };

const usableCall = (
  ports: AuthorizePorts,
  call: Pick<ToolCall, 'name' | 'malformed'> & { arguments: unknown },
  mode: 'strict' | 'model',
): UsableCall | Refusal => {
  const { registry } = ports;
  const tool = registry.get(call.name);
  if (call.name.trim() === '') {
    const names = registry.tools.map(({ name }) => name).join(', ') || 'none';
    return refusal('validation_failed', `The call names no tool. The tools are: ${names}.`, true);
  }
  if (tool === undefined)
    return { ...refusal('not_found', registry.unknownText(call.name), false), code: ErrorCode.ToolNotFound };
  const refused = tool.effects === 'process' ? ports.confinement?.refused : undefined;
  if (refused !== undefined) return refusal('permission_denied', refused, false);
  if (call.malformed)
    return refusal('parse_error', repairText(tool.name, tool.parameters, [call.malformed.problem]), true);
  const checked = validateArguments(tool.parameters, call.arguments, mode);
  if (!checked.ok) return refusal('validation_failed', repairText(tool.name, tool.parameters, checked.issues), true);
  return { kind: 'usable', tool, checked };
};

const refusal = (error_type: Refusal['error_type'], message: string, atFault: boolean): Refusal => ({
  kind: 'refused',
  error_type,
  message,
  arguments_at_fault: atFault,
});

const overridesFor = (
  ports: AuthorizePorts,
  tool: Tool,
  args: JsonObject,
  taint: Taint | undefined,
): PolicyOverride[] => [
  ...fileOverrides(tool, args),
  ...(writesAnywhere(tool) ? [unknownPathsOverride(tool)] : []),
  ...(tool.effects === 'process' && ports.confinement?.confined !== true ? [unsandboxedOverride()] : []),
  ...(tool.identity ? [identityOverride(tool, tool.identity())] : []),
  ...(taint !== undefined && reachesOutside(ports, tool, args) ? [taintOverride(taint)] : []),
];

/**
 * A sensitive file outside the workspace behind a link is refused here, as the file port would refuse it. No question is
 * asked, because an earlier call of the same message could replace the link's target after the answer.
 */
const unreachablePath = async (
  { workspace }: AuthorizePorts,
  tool: Tool,
  args: JsonObject,
): Promise<string | undefined> => {
  // Of other tools it is not known whether a text is a path at all.
  if (tool.path_arguments === undefined || fileOverrides(tool, args).length === 0) return undefined;
  for (const path of pathsOf(tool, args)) {
    if (tool.effects === 'write' && isNeverWritten(path)) return `${path} is protected: tools do not write there`;
    const place = workspace.resolve(path);
    if (!place.ok) return place.error.message;
    const found = await workspace.stat(path);
    if (!found.ok && found.error.error_type === 'validation_failed') return found.error.message;
  }
  return undefined;
};

const reachesOutside = (ports: AuthorizePorts, tool: Tool, args: JsonObject): boolean =>
  tool.effects === 'network' ||
  tool.effects === 'process' ||
  (tool.effects === 'write' && (writesAnywhere(tool) || liesOutside(ports, tool, args)));

/** In a folder that the person opened besides the workspace: such paths stay absolute. */
const liesOutside = ({ workspace }: AuthorizePorts, tool: Tool, args: JsonObject): boolean => {
  if (tool.effects !== 'read' && tool.effects !== 'write') return false;
  return pathsOf(tool, args).some((path) => {
    const place = workspace.resolve(path);
    return place.ok && isAbsolutePath(place.value);
  });
};

/** Programs that bring what others wrote, where a command has a network. */
const FETCHERS =
  /\b(?:curl|wget|aria2c|lynx|w3m|links|http|https|xh|fetch|ftp|scp|rsync|nc|gh|glab|git\s+(?:clone|fetch|pull))\b/;

const isUntrusted = (ports: AuthorizePorts, tool: Tool, args: JsonObject): boolean => {
  if (tool.untrusted_content === true) return true;
  if (tool.effects !== 'process') return liesOutside(ports, tool, args);
  const line = args[tool.main_argument ?? ''];
  const isCutOff = ports.confinement?.confined === true && !ports.confinement.network;
  return !isCutOff && typeof line === 'string' && FETCHERS.test(line);
};

/** Loaded only for a question: a call that is allowed needs no suggestion. */
const shellPatterns = async (ports: AuthorizePorts, tool: Tool, args: JsonObject): Promise<string[]> => {
  const line = tool.effects === 'process' ? args[tool.main_argument ?? ''] : undefined;
  if (typeof line !== 'string' || ports.commandRules === undefined) return [];
  return (await ports.commandRules()).suggest(line);
};

/** Whether a rule that a person wrote for a call covers it, so that what they said yes to is what they get. */
export const checkRule = async (
  ports: AuthorizePorts,
  rule: Rule,
  tool: Tool,
  args: JsonObject,
): Promise<Outcome<void>> => {
  const sourced: SourcedRule = { ...rule, source: 'this session' };
  const commands = await commandRulesFor(ports, { allow: [sourced], deny: [], mode: 'ask' }, tool);
  const line = args[tool.main_argument ?? ''];
  if (isFolderRead(rule)) {
    const reach = reachOf(ports, tool, args);
    const rules: PolicyRules = { allow: [sourced], deny: [], mode: 'ask' };
    const { verdict } = judgeCall(rules, tool, args, {
      reach,
      ...(commands ? { decideCommand: commands.decide } : {}),
    });
    if (verdict === 'allow') return succeed(undefined);
    return failure('validation_failed', `${ruleText(rule)} does not cover this call.`);
  }
  const covers =
    commands && typeof line === 'string' && rule.pattern !== `=${line}`
      ? commands.decide({ allow: [sourced], deny: [] }, line).verdict === 'allow'
      : ruleMatches(rule, tool, args, 'allow');
  if (covers) return succeed(undefined);
  return failure('validation_failed', `${ruleText(rule)} does not cover this call.`);
};
