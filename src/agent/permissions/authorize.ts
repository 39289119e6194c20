/**
 * Decides about a call for every surface: known tool, valid arguments, rules, policy overrides. The answer is allow, ask
 * or deny. The caller asks the person; nothing runs here.
 */

import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ErrorCode } from '../../core/errors.ts';
import type { Rule } from '../../core/events.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Repair, ToolCall } from '../../core/message.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { isFolderRead } from '../../core/policy/folder-read.ts';
import {
  describedOverrides,
  fileOverrides,
  identityOverride,
  mixedScriptOverrides,
  pathsOf,
  provenanceOverrides,
  quotedOverride,
  type Standing,
  tokenOverrides,
  unheldOverride,
  unknownPathsOverride,
  unsandboxedOverride,
  writesAnywhere,
} from '../../core/policy/overrides.ts';
import { isNeverWritten } from '../../core/policy/sensitive-files.ts';
import { startedFileOverrides } from '../../core/policy/started-files.ts';
import { typedLines } from '../../core/policy/typed-line.ts';
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
} from '../../core/policy.ts';
import { type DescribedTools, describedTools } from '../../core/provenance/described.ts';
import type { Quotation } from '../../core/provenance/quotations.ts';
import type { ArgumentOrigin, CallTrace, TracedTool } from '../../core/provenance.ts';
import { chosenArguments, defaultArguments } from '../../core/tool/argument-schemas.ts';
import { type Absence, absenceOf, identityOf } from '../../core/tool/said-of-itself.ts';
import { onlyReads, type Risk, type Tool } from '../../core/tool.ts';
import type { ToolErrorType, ToolResultMetadata } from '../../core/tool-result.ts';
import { inexactText, repairText, validateArguments } from '../../core/validate-arguments.ts';
import { isRounded, numbersWhere } from '../../core/written-numbers.ts';
import type { ToolPorts } from '../loop/run-tool/tool-ports.ts';
import { commandRulesFor } from './authorize/command-decider.ts';
import { mayBringForeign } from './authorize/foreign-output.ts';
import { coversLine, offeredRules } from './authorize/offered-rules.ts';
import { readsOutside } from './authorize/reads-outside.ts';
import { repositoryWriteOverrides } from './authorize/repository-writes.ts';
import { filePlaces } from './file-places.ts';
import { starterRefusal } from './starter.ts';
import { tokenAt } from './token-files.ts';

export type Refusal = {
  kind: 'refused';
  error_type: Exclude<ToolErrorType, 'none'>;
  message: string;
  code?: number;
  /** `not_configured`: it cannot work with the settings there are, whatever the answer to a question would be. */
  reason?: 'not_configured';
  /** The arguments were at fault, so the model gets another try (K4). */
  arguments_at_fault: boolean;
  /** What is wrong with them, for a person, who does not read schemas. */
  argument_issues?: readonly string[];
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
  /** A mode alone lets it pass. */
  byMode?: true;
  /** A yes counts once. */
  asksEachTime: boolean;
  /** The rule that lets the call pass as a flag of a run; none where only an answer does. */
  flagRule?: Rule;
  /** A command that is known to read or print and to do nothing else. */
  onlyReads?: true;
  /** Its result is untrusted content. */
  untrustedContent: boolean;
  /** Every reason for and against, for `policy explain`. */
  reasons: readonly PolicyReason[];
  /** Where its weighty arguments come from; empty where no untrusted content came in. */
  origins: readonly ArgumentOrigin[];
};
export type Authorization = Refusal | Judgement;

export type AuthorizePorts = Pick<
  ToolPorts,
  | 'registry'
  | 'rules'
  | 'refreshRules'
  | 'commandRules'
  | 'workspace'
  | 'confinement'
  | 'strictArguments'
  | 'withheld'
  | 'startedFiles'
  | 'repositoryWrites'
> &
  Partial<Pick<ToolPorts, 'config' | 'network'>>;
export type AuthorizeOptions = {
  mode: 'strict' | 'model';
  /** How the conversation stands that the call is a part of. */
  standing?: Standing;
  /** A host that the call was allowed to reach sent it to this address. */
  isRedirected?: boolean;
  /** What was typed before into the program that the call types into. */
  typed?: readonly string[];
  /** Another's reader made the arguments of their text: a whole number may have been another one. */
  digitsLost?: boolean;
};

export const authorize = async (
  ports: AuthorizePorts,
  call: Pick<ToolCall, 'name' | 'malformed'> & { arguments: unknown },
  { mode, standing, isRedirected = false, typed = [], digitsLost = false }: AuthorizeOptions,
): Promise<Authorization> => {
  const found = usableCall(ports, call, { mode: ports.strictArguments ? 'strict' : mode, digitsLost });
  if (found.kind === 'refused') return found;
  const { tool, checked, identity, absence } = found;
  const beyond = standing?.isStarter ? await starterRefusal(ports, tool, checked.arguments) : undefined;
  if (beyond !== undefined) return refusal('permission_denied', beyond, false);
  await ports.refreshRules?.();
  const judged = judgedArguments(tool, checked.arguments, typed);
  const own = withCommandNames(withStanding(ports.rules(), standing), ports.registry, tool);
  const rules = withTypedCommands(own, ports.registry, tool, judged);
  const commands = await commandRulesFor(ports, rules, tool);
  const trace = traceOf(tool, judged, standing, isRedirected);
  const described = standing === undefined || onlyReads(tool) ? [] : describedTools(ports.registry.tools);
  const quotation = quotationOf(tool, checked.arguments, standing, described);
  const told = describedOf(tool, checked.arguments, standing, described);
  const origins = originsOf(trace, quotation, told);
  const unheld = tool.effects === 'process' ? await ports.confinement?.unheld?.() : undefined;
  const reach = unheld === undefined ? reachOf(ports, tool, judged) : {};
  const places = filePlaces(ports.workspace.root);
  const judge = (): PolicyJudgement =>
    judgeCall(rules, tool, judged, {
      overrides: [
        ...overridesFor(ports, tool, judged),
        ...(identity === undefined ? [] : [identityOverride(tool, identity)]),
        ...(unheld === undefined ? [] : [unheldOverride(unheld)]),
        ...(quotation === undefined ? [] : [quotedOverride(tool, quotation)]),
        ...describedOverrides(told),
        ...provenanceOverrides(tool, trace, reachesOutside(ports, tool, judged) ? standing?.taint : undefined),
      ],
      decideCommand: commands?.decide,
      reach,
      places,
    });
  const judgement = commands?.atOnce?.(judge) ?? judge();
  const { overrides, ...judgedAs } = judgement;
  const { verdict } = judgedAs;
  const closed = verdict === 'deny' ? undefined : await unreachablePath(ports, tool, checked.arguments);
  if (closed !== undefined) return refusal('validation_failed', closed, false);
  // Nobody is asked about a call that is known to fail.
  if (verdict === 'ask' && absence !== undefined) return knownToFail(ports, tool, absence);
  return {
    kind: 'evaluated',
    tool,
    ...judgedAs,
    origins,
    risk: overrides.some(({ risk }) => risk === 'high') ? 'high' : tool.risk,
    untrustedContent: isUntrusted(ports, tool, checked.arguments),
    exclusive: tool.effects === 'write' || tool.effects === 'process',
    arguments: checked.arguments,
    dropped: checked.dropped,
    repairs: checked.repairs,
    ...(await offeredRules(ports, judgement, { tool, args: judged, origins, reach, rules: rules.allow, places })),
  };
};

/** Where the tool could be used without these arguments, what is refused is what this call asks for. */
const knownToFail = ({ config = {} }: AuthorizePorts, tool: Tool, { reason }: Absence): Refusal =>
  absenceOf(tool, config) === undefined
    ? refusal('permission_denied', reason, false)
    : { ...refusal('io_error', reason, false), reason: 'not_configured' };

const withStanding = (rules: PolicyRules, standing: Standing | undefined): PolicyRules =>
  standing === undefined
    ? rules
    : {
        ...rules,
        allow: [...rules.allow, ...standing.grants.filter((grant) => !isRevoked(rules, grant))],
        mode: standing.mode ?? rules.mode,
      };

/** A denied name that is no tool's is a command's: whoever writes `--deny rm` means it. */
const withCommandNames = (
  rules: PolicyRules,
  registry: AuthorizePorts['registry'],
  { name, effects }: Pick<Tool, 'name' | 'effects'>,
): PolicyRules => {
  if (effects !== 'process') return rules;
  const commands = rules.deny.filter(
    ({ tool, pattern }) => pattern === undefined && !/^mcp__|[*?]/.test(tool) && registry.get(tool) === undefined,
  );
  if (commands.length === 0) return rules;
  const denied = commands.map((rule): SourcedRule => ({ ...rule, tool: name, pattern: `${rule.tool} *` }));
  return { ...rules, deny: [...rules.deny, ...denied] };
};

/** What is typed into a program is judged with the beginning of its line. */
const judgedArguments = (tool: Tool, args: JsonObject, typed: readonly string[]): JsonObject => {
  const name = tool.typed_into === undefined ? undefined : tool.main_argument;
  const text = name === undefined ? undefined : args[name];
  return name !== undefined && typeof text === 'string' ? { ...args, [name]: typedLines(typed, text) } : args;
};

/** The program may be a shell: what is denied to the tools that run commands is denied to what is typed. */
const withTypedCommands = (
  rules: PolicyRules,
  registry: AuthorizePorts['registry'],
  { name, main_argument: main = '', typed_into: into }: Tool,
  args: JsonObject,
): PolicyRules => {
  const text = args[main];
  if (into === undefined || typeof text !== 'string' || text.trim() === '') return rules;
  const ofCommands = rules.deny.filter(
    (rule) => rule.tool !== name && registry.get(rule.tool)?.effects === 'process' && !isFolderRead(rule),
  );
  return { ...rules, deny: [...rules.deny, ...ofCommands.map((rule): SourcedRule => ({ ...rule, tool: name }))] };
};

const isRevoked = ({ revoked = [] }: PolicyRules, { tool, pattern, at = 0 }: SourcedRule): boolean =>
  revoked.some((rule) => rule.tool === tool && rule.pattern === pattern && at <= rule.at);

/**
 * A tool that does not declare what it does and its paths could reach anything, and so could one of an MCP server. One
 * that names no files is about something else than this folder.
 */
const reachOf = (ports: AuthorizePorts, tool: Tool, args: JsonObject): CallReach => {
  const { confinement } = ports;
  if (tool.effects === 'process') return { confined: confinement?.confined === true && !confinement.network };
  const touchesFiles = tool.effects === 'read' || tool.effects === 'write';
  const isKnown = tool.effects_implied !== true && tool.identity === undefined;
  if (!touchesFiles || !isKnown || tool.path_arguments === undefined || tool.path_arguments.length === 0) return {};
  const paths = pathsOf(tool, args);
  const isInside = (path: string): boolean => {
    const place = ports.workspace.resolve(path);
    return place.ok && !isAbsolutePath(place.value);
  };
  // A tool that writes and names no file writes elsewhere.
  return { inFolder: paths.every(isInside) && (tool.effects === 'read' || paths.length > 0) };
};

const isAbsolutePath = (path: string): boolean => /^(?:[/\\]|[A-Za-z]:)/.test(path);

type UsableCall = {
  kind: 'usable';
  tool: Tool;
  checked: Extract<ReturnType<typeof validateArguments>, { ok: true }>;
  identity: string | undefined;
  absence: Absence | undefined;
};

const usableCall = (
  ports: AuthorizePorts,
  call: Pick<ToolCall, 'name' | 'malformed'> & { arguments: unknown },
  { mode, digitsLost = false }: Pick<AuthorizeOptions, 'mode' | 'digitsLost'>,
): UsableCall | Refusal => {
  const { registry } = ports;
  const tool = registry.get(call.name);
  if (call.name.trim() === '') {
    const names = registry.callable.map((schema) => schema.function.name).join(', ') || 'none';
    const what = call.malformed?.cut ? `Not run: ${call.malformed.problem}.` : 'The call names no tool.';
    return refusal('validation_failed', `${what} The tools are: ${names}.`, true);
  }
  const withheld = tool === undefined ? ports.withheld?.(call.name) : undefined;
  if (withheld !== undefined) return refusal('permission_denied', withheld, false);
  if (tool === undefined)
    return {
      ...refusal('not_found', unknownText(registry, call), false),
      code: ErrorCode.ToolNotFound,
    };
  const refused = tool.effects === 'process' ? ports.confinement?.refused : undefined;
  if (refused !== undefined) return refusal('permission_denied', refused, false);
  if (call.malformed) return argumentRefusal('parse_error', tool, [call.malformed.problem]);
  const checked = validateArguments(tool.parameters, call.arguments, mode);
  if (!checked.ok) return argumentRefusal('validation_failed', tool, checked.issues);
  // Another number would be used, and nobody would know.
  const inexact = checked.inexact ?? (digitsLost ? numbersWhere(isRounded, checked.arguments) : []);
  if (inexact.length > 0) return argumentRefusal('validation_failed', tool, inexact.map(inexactText));
  const identity = identityOf(tool);
  if (!identity.ok) return refusal('internal_error', identity.error.message, false);
  const absence = ports.config && absenceOf(tool, ports.config, checked.arguments, ports.network);
  if (absence?.isBroken) return refusal('internal_error', absence.reason, false);
  return { kind: 'usable', tool, checked, identity: identity.value, absence };
};

const refusal = (error_type: Refusal['error_type'], message: string, atFault: boolean): Refusal => ({
  kind: 'refused',
  error_type,
  message,
  arguments_at_fault: atFault,
});

const argumentRefusal = (error_type: Refusal['error_type'], tool: Tool, issues: readonly string[]): Refusal => ({
  ...refusal(error_type, repairText(tool.name, tool.parameters, issues), true),
  argument_issues: issues,
});

type RefusalFacts = Pick<ToolResultMetadata, 'code' | 'reason' | 'argument_issues'>;

/** What the metadata of the result says of a refusal. */
export const refusalFacts = ({ code, reason, argument_issues: issues }: Refusal): RefusalFacts => ({
  ...(code === undefined ? {} : { code }),
  ...(reason === undefined ? {} : { reason }),
  ...(issues === undefined ? {} : { argument_issues: [...issues] }),
});

/** The paths of a call, or its command line. */
const namedIn = (tool: Tool, args: JsonObject): string[] => {
  const line = tool.effects === 'process' ? args[tool.main_argument ?? ''] : undefined;
  return typeof line === 'string' ? [line] : pathsOf(tool, args);
};

const overridesFor = (ports: AuthorizePorts, tool: Tool, args: JsonObject): PolicyOverride[] => [
  ...fileOverrides(tool, args),
  ...tokenOverrides(tool, args, (path) => tokenAt(resolve(ports.workspace.root, path.replace(/^file:\/\//i, '')))),
  ...startedFileOverrides(tool, pathsOf(tool, args), (path) => serverStartedFrom(ports, path)),
  ...repositoryOverrides(ports, tool, args),
  ...mixedScriptOverrides(namedIn(tool, args)),
  ...(writesAnywhere(tool) ? [unknownPathsOverride(tool)] : []),
  ...(tool.effects === 'process' && ports.confinement?.confined !== true ? [unsandboxedOverride()] : []),
];

const repositoryOverrides = ({ workspace, repositoryWrites }: AuthorizePorts, tool: Tool, args: JsonObject) =>
  repositoryWrites ? repositoryWriteOverrides(tool, args, { root: workspace.root, openWrites: repositoryWrites }) : [];

/** A server's tools take whole paths, which halter's own refuse. */
const serverStartedFrom = ({ workspace, startedFiles }: AuthorizePorts, path: string): string | undefined =>
  startedFiles?.().serverOf(resolve(workspace.root, path.replace(/^file:\/\//i, '')));

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

const tracedTool = (tool: Tool): TracedTool => {
  const isCommand = tool.effects === 'process';
  return {
    name: tool.name,
    sinks: isCommand && tool.main_argument !== undefined ? [tool.main_argument] : tool.sinks,
    written: tool.written_arguments,
    paths: tool.path_arguments,
    isCommand,
    readsOnly: tool.reads_only === true,
    defaults: defaultArguments(tool.parameters),
    chosen: chosenArguments(tool.parameters),
  };
};

/** Reading the workspace and keeping tasks moves nothing, whoever's words they are. */
const traceOf = (
  tool: Tool,
  args: JsonObject,
  standing: Standing | undefined,
  isRedirected: boolean,
): CallTrace | undefined =>
  onlyReads(tool) ? undefined : standing?.provenance.trace({ ...tracedTool(tool), isRedirected }, args);

/** The value of the call that only the descriptions of servers' tools name. */
const describedOf = (
  tool: Tool,
  args: JsonObject,
  standing: Standing | undefined,
  described: readonly DescribedTools[],
): ArgumentOrigin | undefined =>
  onlyReads(tool) ? undefined : standing?.provenance.describedIn(tracedTool(tool), args, described);

/** Of an argument that several speak of, the one that asks. */
const originsOf = (
  trace: CallTrace | undefined,
  quotation: Quotation | undefined,
  told: ArgumentOrigin | undefined,
): readonly ArgumentOrigin[] => {
  const origins = trace?.origins ?? quotation?.origins ?? [];
  return told === undefined ? origins : [told, ...origins.filter(({ argument }) => argument !== told.argument)];
};

/** Where the call stands in what the model read, unless the person's own words ask for it. */
const quotationOf = (
  tool: Tool,
  args: JsonObject,
  standing: Standing | undefined,
  described: readonly DescribedTools[],
): Quotation | undefined => {
  if (standing === undefined || onlyReads(tool)) return undefined;
  const traced = tracedTool(tool);
  const given = Object.keys(args).filter((name) => !isDeepStrictEqual(args[name], traced.defaults?.[name]));
  const weighty = traced.isCommand ? (traced.sinks ?? given) : given;
  const quotation = standing.quotations.find({ name: tool.name, arguments: args }, weighty, described);
  return quotation === undefined || standing.provenance.asksFor(traced, args) ? undefined : quotation;
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

const isUntrusted = (ports: AuthorizePorts, tool: Tool, args: JsonObject): boolean => {
  if (tool.untrusted_content === true) return true;
  if (tool.effects !== 'process') return liesOutside(ports, tool, args);
  const line = args[tool.main_argument ?? ''];
  if (typeof line !== 'string') return false;
  const isCutOff = ports.confinement?.confined === true && !ports.confinement.network;
  return (!isCutOff && mayBringForeign(line)) || readsOutside(line);
};

type CheckedCall = { tool: Tool; args: JsonObject; grants: readonly SourcedRule[]; typed?: readonly string[] };

/**
 * Whether a rule that a person wrote for a call covers it, so that what they said yes to is what they get. Of a line with
 * several commands it may cover those that the rules of before do not; `grants` are those of the session.
 */
export const checkRule = async (
  ports: AuthorizePorts,
  rule: Rule,
  { tool, args: given, grants, typed = [] }: CheckedCall,
): Promise<Outcome<void>> => {
  const args = judgedArguments(tool, given, typed);
  const sourced: SourcedRule = { ...rule, source: 'this session' };
  const commands = await commandRulesFor(ports, { allow: [sourced], deny: [], mode: 'ask' }, tool);
  const line = args[tool.main_argument ?? ''];
  if (commands && typeof line === 'string') {
    const standing = ports.rules();
    const before = [...standing.allow, ...grants.filter((grant) => !isRevoked(standing, grant))];
    if (rule.pattern === `=${line}` || coversLine(rule, tool, line, { commands, given: before }))
      return succeed(undefined);
    return failure('validation_failed', `${ruleText(rule)} does not cover this call.`);
  }
  if (isFolderRead(rule)) {
    const reach = reachOf(ports, tool, args);
    const rules: PolicyRules = { allow: [sourced], deny: [], mode: 'ask' };
    if (judgeCall(rules, tool, args, { reach }).verdict === 'allow') return succeed(undefined);
    return failure('validation_failed', `${ruleText(rule)} does not cover this call.`);
  }
  if (ruleMatches(rule, tool, args, 'allow', filePlaces(ports.workspace.root))) return succeed(undefined);
  return failure('validation_failed', `${ruleText(rule)} does not cover this call.`);
};

const unknownText = (
  registry: ToolPorts['registry'],
  { name, arguments: args }: { name: string; arguments: unknown },
): string => registry.unknownText(name, isObject(args) ? args : {});
