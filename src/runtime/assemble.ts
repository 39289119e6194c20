/**
 * Puts the program together for one folder: settings, rules, tools, stores and (when it is needed) a model. Every
 * surface starts here, so that all of them have the same engine, the same rules and the same files.
 */
import { join } from 'node:path';
import type { Rule, SessionFace } from '../core/events.ts';
import type { JsonSchema } from '../core/json.ts';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import type { ModelError, ModelInfo, ModelProvider, Sampling } from '../core/model-port.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { type PolicyRules, parseRule, type SourcedRule } from '../core/policy.ts';
import { findPreset, type Preset, presetNames } from '../core/presets.ts';
import type { SessionStore, StoredRule } from '../core/storage-port.ts';
import { composeSystemPrompt, SMALL_PROMPT_BELOW_TOKENS } from '../core/system-prompt.ts';
import type { Tool } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { type HalterPaths, halterPaths } from '../storage/paths.ts';
import { createPoliciesFile } from '../storage/policies-file.ts';
import { createSessionFiles } from '../storage/session-files.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { systemClock } from './clock.ts';
import { openConversation, type ToolPorts } from './conversation.ts';
import { createToolRunner, type ExecuteToolOptions } from './execute-tool.ts';
import { type ConnectionRecord, createNetwork } from './network.ts';
import { type OpenProviderOptions, openProvider } from './open-provider.ts';
import { createProcesses } from './processes.ts';
import type { OnAsk } from './run-effects.ts';
import { createToolRegistry, nearestNames } from './tool-registry.ts';
import { createWorkspace } from './workspace.ts';

export type AssembleOptions = {
  folder: string;
  addDirs?: readonly string[];
  /** `provider/model`, or a model alone. */
  model?: string;
  provider?: string;
  baseUrl?: string;
  /** The name of the environment variable that holds the key. */
  apiKeyEnv?: string;
  allow?: readonly string[];
  deny?: readonly string[];
  yolo?: boolean;
  plan?: boolean;
  offline?: boolean;
  /** Only these tools. */
  tools?: readonly string[];
  noTools?: boolean;
  preset?: string;
  systemPrompt?: string;
  appendSystemPrompt?: string;
  sampling?: Sampling;
  maxIterations?: number;
  maxToolCalls?: number;
  results?: 'full' | 'summary';
  responseSchema?: JsonSchema;
  onAsk?: OnAsk;
  environment: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  onWarning(code: string, message: string): void;
  /** Getting a model ready may take long: fetching, loading. */
  onLoading?(message: string, fraction?: number): void;
  onConnection?(record: ConnectionRecord): void;
  /** A provider of the caller's own, for programs and tests. */
  modelProvider?: ModelProvider;
  signal?: AbortSignal;
};

export type ChosenModel = { provider: ModelProvider; model: string; info: ModelInfo };
export type OpenSessionOptions = {
  id?: string;
  /** The newest session of this folder. */
  continueLast?: boolean;
  /** False: nothing is written. */
  keep?: boolean;
};

export type Halter = {
  readonly tools: readonly Tool[];
  readonly root: string;
  readonly paths: HalterPaths;
  readonly sessions: SessionStore;
  readonly preset: Preset | undefined;
  rules(): PolicyRules;
  /** Runs one tool as a person's own call: same validation, policy and runner as in the loop. */
  executeTool(name: string, args: unknown, options?: ExecuteToolOptions): Promise<ToolResult>;
  /** Finds and describes the model; done once, at the first need. */
  model(): Promise<Outcome<ChosenModel, ModelError>>;
  openSession(options?: OpenSessionOptions): Promise<Outcome<SessionFace, ModelError>>;
  close(): Promise<void>;
};

export const assemble = async (options: AssembleOptions): Promise<Outcome<Halter>> => {
  const preset = options.preset === undefined ? undefined : findPreset(options.preset);
  if (options.preset !== undefined && preset === undefined) {
    return failure(
      'validation_failed',
      `There is no preset "${options.preset}". The presets are: ${presetNames.join(', ')}.`,
    );
  }
  const commandLine = commandLineRules(options);
  if (!commandLine.ok) return commandLine;
  const chosenTools = chooseTools(options, preset);
  if (!chosenTools.ok) return chosenTools;
  const paths = halterPaths(options.environment, options.platform);
  const workspace = await createWorkspace({
    root: options.folder,
    additionalRoots: options.addDirs ?? [],
    protectedPaths: [paths.config, paths.data, paths.cache],
  });
  if (!workspace.ok) return workspace;
  const { root } = workspace.value;

  const policies = createPoliciesFile({ folder: paths.config });
  const stored = await policies.load(root);
  for (const warning of stored.warnings) options.onWarning('policies', warning);
  const remembered: StoredRule[] = [...stored.rules];
  const rules = (): PolicyRules => ({
    allow: [...commandLine.value.allow, ...sourced(remembered, 'allow')],
    deny: [...commandLine.value.deny, ...sourced(remembered, 'deny')],
    plan: options.plan ?? false,
    yolo: options.yolo ?? false,
  });
  const remember = async (rule: Rule): Promise<{ ok: true } | { ok: false; message: string }> => {
    const entry: StoredRule = { ...rule, decision: 'allow', workspace: root, created_at: systemClock.now() };
    remembered.push(entry);
    const kept = await policies.add(entry);
    return kept.ok ? { ok: true } : { ok: false, message: kept.error.message };
  };

  const network = createNetwork({
    environment: options.environment,
    offline: options.offline ?? false,
    ...(options.onConnection ? { onConnection: options.onConnection } : {}),
  });
  const processes = createProcesses({ root, environment: options.environment });
  const registry = createToolRegistry(chosenTools.value);
  const sessions = createSessionFiles({ folder: paths.sessions });
  const ports: ToolPorts = {
    registry,
    rules,
    network,
    processes,
    workspace: workspace.value,
    clock: systemClock,
    config: {},
    limits: limitsOf(options, preset),
  };

  const opened: SessionFace[] = [];
  let model: Promise<Outcome<ChosenModel, ModelError>> | undefined;
  const openModel = (): Promise<Outcome<ChosenModel, ModelError>> => {
    model ??= findModel(options, { network, processes, paths });
    return model;
  };

  return succeed({
    tools: registry.tools,
    root,
    paths,
    sessions,
    preset,
    rules,
    executeTool: createToolRunner(ports),
    model: openModel,
    async openSession(open = {}) {
      const session = await openSession({ options, preset, ports, sessions, remember, openModel }, open);
      if (session.ok) opened.push(session.value);
      return session;
    },
    async close() {
      await Promise.all(opened.map((session) => session.close()));
      const chosen = await model;
      if (chosen?.ok) await chosen.value.provider.close();
      processes.close();
      network.close();
    },
  });
};

const sourced = (rules: readonly StoredRule[], decision: 'allow' | 'deny'): SourcedRule[] =>
  rules
    .filter((rule) => rule.decision === decision)
    .map(({ tool, pattern }) => ({ tool, source: 'remembered', ...(pattern === undefined ? {} : { pattern }) }));

const commandLineRules = (options: AssembleOptions): Outcome<{ allow: SourcedRule[]; deny: SourcedRule[] }> => {
  const rules: { allow: SourcedRule[]; deny: SourcedRule[] } = { allow: [], deny: [] };
  for (const decision of ['allow', 'deny'] as const) {
    for (const text of options[decision] ?? []) {
      const rule = parseRule(text);
      if (!rule.ok) return rule;
      rules[decision].push({ ...rule.value, source: 'command line' });
    }
  }
  return succeed(rules);
};

const chooseTools = (options: AssembleOptions, preset: Preset | undefined): Outcome<readonly Tool[]> => {
  if (options.noTools) return succeed([]);
  const names = BUILT_IN_TOOLS.map((tool) => tool.name);
  for (const name of options.tools ?? []) {
    if (names.includes(name)) continue;
    const near = nearestNames(name, names);
    return failure(
      'not_found',
      `There is no tool "${name}".${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''} The tools are: ${names.join(', ')}.`,
    );
  }
  const wanted = options.tools ?? preset?.tools;
  return succeed(wanted === undefined ? BUILT_IN_TOOLS : BUILT_IN_TOOLS.filter((tool) => wanted.includes(tool.name)));
};

const limitsOf = (options: AssembleOptions, preset: Preset | undefined): Limits => ({
  ...(preset?.limits ?? DEFAULT_LIMITS),
  ...(options.maxIterations === undefined ? {} : { iterations: options.maxIterations }),
  ...(options.maxToolCalls === undefined ? {} : { toolCallsPerIteration: options.maxToolCalls }),
});

const findModel = async (
  options: AssembleOptions,
  parts: Pick<OpenProviderOptions, 'network' | 'processes'> & { paths: HalterPaths },
): Promise<Outcome<ChosenModel, ModelError>> => {
  const signal = options.signal ?? new AbortController().signal;
  if (options.modelProvider) {
    const model = options.model ?? 'model';
    const described = await options.modelProvider.describe(model, signal);
    return described.ok
      ? succeed({ provider: options.modelProvider, model, info: described.model })
      : { ok: false, error: described.error };
  }
  const apiKey = options.apiKeyEnv === undefined ? undefined : options.environment[options.apiKeyEnv];
  if (options.apiKeyEnv !== undefined && apiKey === undefined) {
    return {
      ok: false,
      error: { code: 'unauthorized', message: `The environment has no variable ${options.apiKeyEnv}.` },
    };
  }
  const opened = await openProvider({
    network: parts.network,
    processes: parts.processes,
    clock: systemClock,
    environment: options.environment,
    modelsFolder: join(parts.paths.data, 'models'),
    offline: options.offline ?? false,
    signal,
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.provider === undefined ? {} : { provider: options.provider }),
    ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(options.onLoading ? { onLoading: options.onLoading } : {}),
  });
  if (!opened.ok) return opened;
  const { provider, model } = opened.value;
  const described = await provider.describe(model, signal);
  if (!described.ok) {
    await provider.close();
    return { ok: false, error: described.error };
  }
  return succeed({ provider, model, info: described.model });
};

type SessionParts = {
  options: AssembleOptions;
  preset: Preset | undefined;
  ports: ToolPorts;
  sessions: SessionStore;
  remember(rule: Rule): Promise<{ ok: true } | { ok: false; message: string }>;
  openModel(): Promise<Outcome<ChosenModel, ModelError>>;
};

const openSession = async (
  parts: SessionParts,
  open: OpenSessionOptions,
): Promise<Outcome<SessionFace, ModelError>> => {
  const { options, preset, ports, sessions } = parts;
  const chosen = await parts.openModel();
  if (!chosen.ok) return chosen;
  const id =
    open.id ?? (open.continueLast ? await lastSession(sessions, ports.workspace.root) : undefined) ?? newSessionId();
  const kept = open.keep === false ? undefined : await sessions.open(id);
  if (kept && !kept.ok) return { ok: false, error: { code: 'bad_request', message: kept.error.message } };
  for (const warning of kept?.value.warnings ?? []) options.onWarning('session', warning);
  const { provider, model, info } = chosen.value;
  const small = info.context_length !== undefined && info.context_length < SMALL_PROMPT_BELOW_TOKENS;
  const session = await openConversation({
    ...ports,
    id,
    provider,
    model,
    system: composeSystemPrompt({
      size: small ? 'small' : 'standard',
      ...(options.systemPrompt === undefined ? {} : { replace: options.systemPrompt }),
      ...(options.appendSystemPrompt === undefined ? {} : { append: options.appendSystemPrompt }),
    }),
    results: options.results ?? preset?.results ?? 'full',
    sampling: options.sampling ?? {},
    dialect: preset?.dialect ?? 'auto',
    toolMode: preset?.toolMode ?? 'native',
    onAsk: options.onAsk ?? 'wait',
    remember: parts.remember,
    ...(options.preset === undefined ? {} : { preset: options.preset }),
    ...(options.responseSchema ? { responseSchema: options.responseSchema } : {}),
    ...(kept ? { events: kept.value.events, log: kept.value.log } : {}),
  });
  return succeed(session);
};

const lastSession = async (sessions: SessionStore, workspace: string): Promise<string | undefined> =>
  (await sessions.list({ workspace, limit: 1 }))[0]?.id;

const newSessionId = (): string => crypto.randomUUID();
