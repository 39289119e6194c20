/** The options with every default filled in, checked before anything is opened: a wrong name is reported at once. */

import { resolve } from 'node:path';
import { readAdapters, SPECULATIONS } from '../../core/engine-options.ts';
import { checkNames } from '../../core/known-options.ts';
import type { Limits } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { isMode, MODES, type Mode, passesInPlan } from '../../core/policy/modes.ts';
import type { SourcedRule } from '../../core/policy.ts';
import { findPreset, type Preset, presetNames } from '../../core/presets.ts';
import { quotedName } from '../../core/quoted-name.ts';
import type { ResultForm } from '../../core/tool/model-content.ts';
import type { Tool } from '../../core/tool.ts';
import { TOOL_STRATEGIES } from '../../core/tool-strategy.ts';
import { COMPACTION_MODES } from '../../core/window/compaction-mode.ts';
import { dialectNames } from '../../dialects/index.ts';
import { type HalterPaths, halterPaths } from '../../storage/paths.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import { nearestNames } from '../loop/run-tool/tool-registry.ts';
import type { PrepareStep } from '../loop/step-overrides.ts';
import type { ToolsAsNamed } from '../loop/window/prompt-prefix.ts';
import { isServerTool } from '../mcp/server-tool-names.ts';
import { checkWindow, limitsWith, parseRules } from './check-values.ts';
import { uselessDenial } from './mistyped-rules.ts';
import { optionKinds } from './option-groups.ts';
import type {
  AgentOptions,
  IoOptions,
  ModelOptions,
  PermissionOptions,
  PromptOptions,
  SearchOptions,
  TelemetryOptions,
  ToolOptions,
} from './options.ts';

type With<T, Known extends keyof T> = T & Required<Pick<T, Known>>;

export type CheckedOptions = {
  workspace: { root: string; additionalRoots: readonly string[] };
  model: ModelOptions;
  prompt: PromptOptions;
  preset: Preset | undefined;
  tools: {
    /** Those of halter, the program and its plugins; servers' come later. */
    chosen: readonly Tool[];
    /** The names of those that were chosen and that the mode does not let pass. */
    withheld: readonly string[];
    /** Undefined: every tool of a server is on offer too. */
    names: readonly string[] | undefined;
    /** The program named its tools, so that none of them is put behind another. */
    asNamed: ToolsAsNamed;
    results: ResultForm;
    stopsAfterStep: (() => boolean | Promise<boolean>) | undefined;
    prepareStep: PrepareStep | undefined;
    web: NonNullable<ToolOptions['web']>;
  };
  permissions: PermissionOptions & { mode: Mode };
  rules: Record<'allow' | 'deny', readonly SourcedRule[]>;
  storage: {
    /** Where sessions, rules, settings and trust are read and written; undefined: nothing of the kind is. */
    folders: HalterPaths | undefined;
    database: string | undefined;
    /** It is reached by the connections of all agents of this process that share it. */
    shared?: boolean;
  };
  /** The folders of the person whose environment it is: kept from tools; model files and indexes lie there. */
  system: HalterPaths;
  search: SearchOptions;
  mcp: AgentOptions['mcp'];
  limits: Limits;
  io: With<IoOptions, 'environment' | 'platform' | 'offline' | 'allowPrivate' | 'onWarning'>;
  telemetry: TelemetryOptions;
};

/** A model that is named by its role alone is the one that answers. */
const modelOf = (given: AgentOptions['model']): ModelOptions => {
  const model = typeof given === 'string' ? { name: given } : (given ?? {});
  const main = model.roles?.['main'];
  return model.name === undefined && main !== undefined ? { ...model, name: main } : model;
};

const engineProblem = ({ speculation, adapters = [] }: ModelOptions): string | undefined => {
  if (speculation !== undefined && !SPECULATIONS.includes(speculation))
    return `There is no way to guess ahead called "${speculation}". They are: ${SPECULATIONS.join(', ')}.`;
  const read = readAdapters(adapters);
  return read.ok ? undefined : read.error.message;
};

export const checkOptions = (options: AgentOptions): Outcome<CheckedOptions> => {
  const names = checkNames(options, optionKinds(undefined));
  if (!names.ok) return names;
  const prompt = options.prompt ?? {};
  const preset = prompt.preset === undefined ? undefined : findPreset(prompt.preset);
  if (prompt.preset !== undefined && preset === undefined) {
    return failure(
      'validation_failed',
      `There is no preset "${prompt.preset}". The presets are: ${presetNames.join(', ')}.`,
    );
  }
  const notation = checkedNotation(modelOf(options.model));
  if (!notation.ok) return notation;
  const model = notation.value;
  const window = checkWindow(model.contextLength);
  if (!window.ok) return window;
  if (model.compaction !== undefined && !COMPACTION_MODES.includes(model.compaction)) {
    const message = `There is no way to make room called "${model.compaction}". They are: ${COMPACTION_MODES.join(', ')}.`;
    return failure('validation_failed', message);
  }
  const engine = engineProblem(model);
  if (engine !== undefined) return failure('validation_failed', engine);
  const permissions = options.permissions ?? {};
  const rules = parseRules(permissions);
  if (!rules.ok) return rules;
  const mode = checkedMode(permissions);
  if (!mode.ok) return mode;
  const tools = chosenTools(options.tools, preset);
  if (!tools.ok) return tools;
  const denial = checkDenials(rules.value.deny, options.tools);
  if (!denial.ok) return denial;
  const io = withDefaults(options.io ?? {});
  const system = halterPaths(io.environment, io.platform);
  return succeed({
    workspace: workspaceOf(options.workspace),
    model,
    prompt,
    preset,
    tools: withholdTools(tools.value, { ...permissions, mode: mode.value }),
    permissions: { ...permissions, mode: mode.value },
    rules: rules.value,
    storage: storageOf(options.storage, system),
    system,
    search: options.search ?? {},
    mcp: options.mcp,
    limits: limitsWith(options.limits, preset?.limits),
    io,
    telemetry: options.telemetry ?? {},
  });
};

const checkDenials = (deny: readonly SourcedRule[], given: AgentOptions['tools']): Outcome<void> => {
  const listed = Array.isArray(given)
    ? (given as readonly Tool[])
    : ((given as ToolOptions | undefined)?.available ?? []);
  const runsCommands = listed.some(({ effects }) => effects === 'process');
  const useless = uselessDenial(deny, [...listed, ...BUILT_IN_TOOLS], runsCommands);
  return useless === undefined ? succeed(undefined) : failure('validation_failed', useless, 'unknown_rule');
};

const withDefaults = (io: IoOptions): CheckedOptions['io'] => ({
  ...io,
  environment: io.environment ?? process.env,
  platform: io.platform ?? process.platform,
  offline: io.offline ?? false,
  allowPrivate: io.allowPrivate ?? [],
  onWarning: io.onWarning ?? ((code, message) => process.emitWarning(message, { code })),
});

const workspaceOf = (given: AgentOptions['workspace']): CheckedOptions['workspace'] => {
  const { root = '.', additionalRoots = [] } = typeof given === 'string' ? { root: given } : (given ?? {});
  return { root: resolve(root), additionalRoots };
};

const storageOf = (given: AgentOptions['storage'] = 'memory', system: HalterPaths): CheckedOptions['storage'] => {
  if (given === 'files') return { folders: system, database: undefined };
  if (given === 'memory' || given.kind === 'memory') return { folders: undefined, database: undefined };
  if (given.kind === 'files') return { folders: given.folders ?? system, database: undefined };
  return { folders: given.folders, database: given.url, shared: given.shared ?? false };
};

const BUILT_IN_NAMES: ReadonlySet<string> = new Set(BUILT_IN_TOOLS.map(({ name }) => name));

const chosenTools = (given: AgentOptions['tools'], preset: Preset | undefined): Outcome<CheckedOptions['tools']> => {
  const isList = Array.isArray(given);
  const options: ToolOptions = isList ? { available: given } : ((given as ToolOptions | undefined) ?? {});
  const available = options.available ?? [];
  const known = available.map((tool) => tool?.name);
  for (const name of options.names ?? []) {
    // Those of servers are known when the servers are there.
    if (known.includes(name) || isServerTool(name)) continue;
    const near = nearestNames(name, known);
    return failure(
      'not_found',
      `There is no tool ${quotedName(name)}.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''} The tools are: ${known.join(', ')}.`,
    );
  }
  const names = options.names ?? preset?.tools;
  // A preset chooses among halter's tools; those that a program lists of its own stay beside them.
  const isOwn = ({ name }: Tool): boolean =>
    options.names === undefined && (isList || Boolean(options.describeAll)) && !BUILT_IN_NAMES.has(name);
  return succeed({
    withheld: [],
    chosen: names === undefined ? available : available.filter((tool) => names.includes(tool.name) || isOwn(tool)),
    names,
    asNamed: options.describeAll ?? ((isList || options.names !== undefined) && 'where_they_fit'),
    results: options.results ?? preset?.results ?? 'compact',
    stopsAfterStep: options.stopsAfterStep,
    prepareStep: options.prepareStep,
    web: options.web ?? {},
  });
};

/** Of several that are named the strictest holds. */
const checkedMode = ({ mode, plan, yolo }: PermissionOptions): Outcome<Mode> => {
  if (mode !== undefined && !isMode(mode)) {
    return failure(
      'validation_failed',
      `There is no mode ${JSON.stringify(mode)}. The modes are: ${MODES.join(', ')}.`,
    );
  }
  const named = [plan === true ? 'plan' : undefined, mode, yolo === true ? 'yolo' : undefined];
  return succeed(MODES.find((each) => named.includes(each)) ?? 'ask');
};

const withholdTools = (
  tools: CheckedOptions['tools'],
  permissions: Pick<PermissionOptions, 'mode' | 'fixedMode'>,
): CheckedOptions['tools'] => {
  const chosen = offeredTools(permissions, tools.chosen);
  const withheld = tools.chosen.filter((tool) => !chosen.includes(tool)).map(({ name }) => name);
  return { ...tools, chosen, withheld };
};

/** Those that the mode can let pass, where it stays what it is. */
export const offeredTools = (
  { mode, fixedMode }: Pick<PermissionOptions, 'mode' | 'fixedMode'>,
  tools: readonly Tool[],
): readonly Tool[] => (mode === 'plan' && fixedMode === true ? tools.filter(passesInPlan) : tools);

/** The dialect `native` is none to write: it says that the server's own field has the calls. */
const checkedNotation = (model: ModelOptions): Outcome<ModelOptions> => {
  const { dialect, dialects = [], toolStrategy, ...rest } = model;
  const names = [...dialectNames(), ...dialects.map(({ format }) => format.name)];
  if (dialect !== undefined && !names.includes(dialect)) {
    const near = nearestNames(dialect, names);
    const guess = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
    return failure('not_found', `There is no dialect ${quotedName(dialect)}.${guess}`);
  }
  if (toolStrategy !== undefined && !TOOL_STRATEGIES.includes(toolStrategy)) {
    const message = `There is no way to have tools called "${toolStrategy}". They are: ${TOOL_STRATEGIES.join(', ')}.`;
    return failure('validation_failed', message);
  }
  if (dialect !== NATIVE) return succeed(model);
  if (toolStrategy === 'text' || toolStrategy === 'led') {
    const message = `The dialect "native" leaves calls to the server's own field, and the tool strategy ${toolStrategy} does not use it; leave one of them out.`;
    return failure('validation_failed', message);
  }
  return succeed({ ...rest, dialects, toolStrategy: NATIVE });
};
const NATIVE = 'native';
