import type { Rule, SessionFace } from '../core/events.ts';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import type { ModelError } from '../core/model-port.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { type PolicyRules, parseRule, type SourcedRule } from '../core/policy.ts';
import type { ToolConfig } from '../core/ports.ts';
import { findPreset, type Preset, presetNames } from '../core/presets.ts';
import type { Instructions } from '../core/project-instructions.ts';
import { DOCUMENTS_SETTING } from '../core/retrieval-settings.ts';
import type { SessionStore, StoredRule } from '../core/storage-port.ts';
import type { Tool } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { dialectNames } from '../dialects/index.ts';
import { createEgressFile } from '../storage/egress-file.ts';
import { type HalterPaths, halterPaths } from '../storage/paths.ts';
import { createPoliciesFile } from '../storage/policies-file.ts';
import { createSessionFiles } from '../storage/session-files.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import type { AssembleOptions } from './assemble/options.ts';
import { openCommandRules } from './authorize/command-decider.ts';
import { type SandboxReport, unconfined } from './authorize/confine.ts';
import { confinementOf, expectSandbox, sandboxWarnings } from './authorize/confine-options.ts';
import { type Authorization, authorize } from './authorize.ts';
import { type ChosenModel, chooseModel } from './call-model/choose-model.ts';
import { createModelCatalogue, type ModelCatalogue } from './call-model/model-catalogue.ts';
import { systemClock } from './clock.ts';
import { createLazyMcp, isServerTool, type LazyMcp } from './mcp/open.ts';
import { growingRegistry } from './mcp/registry.ts';
import { noteCommands, noteConnections } from './network/egress.ts';
import { toolConfig } from './network/web-settings.ts';
import { createNetwork } from './network.ts';
import { createPersonal, type Personal } from './personal.ts';
import { createPictures, type Pictures } from './pictures.ts';
import { createProcesses } from './processes.ts';
import { createDocumentShelf, type DocumentShelf, withChatDocuments } from './retrieval/document-shelf.ts';
import { openKnowledge } from './retrieval/knowledge.ts';
import { embedderOf } from './retrieval/open-embedder.ts';
import type { RetrievalService } from './retrieval/open-retrieval.ts';
import { createToolRunner, type ExecuteToolOptions } from './run-tool/execute-tool.ts';
import { createResultCache } from './run-tool/result-cache.ts';
import type { ToolPorts } from './run-tool/tool-ports.ts';
import { nearestNames } from './run-tool/tool-registry.ts';
import { lastSession, type OpenSessionOptions, openSession } from './session/open-session.ts';
import { readInstructions } from './session/project-instructions.ts';
import { sessionHead } from './window/head.ts';
import { type ContextReport, contextReport } from './window/report.ts';
import { createWorkspace } from './workspace.ts';

export type Halter = {
  readonly tools: readonly Tool[];
  /** The settings that tools go by: which of them can be used depends on it. */
  readonly config: ToolConfig;
  readonly root: string;
  readonly paths: HalterPaths;
  readonly sessions: SessionStore;
  readonly preset: Preset | undefined;
  readonly limits: Limits;
  /** How commands are confined, in a person's words. */
  readonly sandbox: string;
  /** The same for programs. */
  readonly confinement: SandboxReport;
  rules(): PolicyRules;
  /** Runs one tool as a person's own call: same validation, policy and runner as in the loop. */
  executeTool(name: string, args: unknown, options?: ExecuteToolOptions): Promise<ToolResult>;
  /** What the person does besides speaking: `@file`, `!command`, commands of their own. */
  readonly personal: Personal;
  /** What would become of such a call outside a conversation, and everything that speaks for and against it. */
  judge(name: string, args: unknown): Promise<Authorization>;
  /** Finds and describes the model at the first need, and again only where that failed. */
  model(): Promise<Outcome<ChosenModel, ModelError>>;
  /** The others that there are. */
  readonly models: ModelCatalogue;
  /** Servers of the Model Context Protocol; their tools join `tools` when they are open. */
  readonly mcp: LazyMcp;
  /** The index of the folder, made or not. */
  readonly retrieval: RetrievalService;
  /** For a person to look at. */
  readonly pictures: Pictures;
  /** Files that were put into chats, to be searched there. */
  readonly documents: DocumentShelf;
  openSession(options?: OpenSessionOptions): Promise<Outcome<SessionFace, ModelError>>;
  /** What fills the window of a session, or of one that would begin now. Sends nothing. */
  context(options?: OpenSessionOptions): Promise<Outcome<ContextReport>>;
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
  const dialect = checkedDialect(options);
  if (!dialect.ok) return dialect;
  const commandLine = commandLineRules(options);
  if (!commandLine.ok) return commandLine;
  const chosenTools = chooseTools(options, preset);
  if (!chosenTools.ok) return chosenTools;
  const runsCommands = chosenTools.value.some(({ effects }) => effects === 'process');
  if (runsCommands) expectSandbox(options);
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
    await mcp.remembered(rule);
    const kept = await policies.add(entry);
    return kept.ok ? { ok: true } : { ok: false, message: kept.error.message };
  };

  const ledger = createEgressFile({
    folder: paths.data,
    onProblem: (message) => options.onWarning('egress', message),
  });
  const network = createNetwork({
    environment: options.environment,
    offline: options.offline ?? false,
    ...options.connections,
    ...noteConnections(ledger, options.onConnection),
  });
  const sandbox = runsCommands ? await confinementOf(options, root, paths) : unconfined('no tool runs commands');
  for (const message of sandboxWarnings(options, sandbox.report, runsCommands, commandLine.value.allow))
    options.onWarning('sandbox', message);
  const processes = createProcesses({
    root,
    environment: options.environment,
    ...(sandbox.confine ? { confine: sandbox.confine } : {}),
  });
  const embedder = embedderOf(options, { network, processes, dataFolder: paths.data });
  const knowledge = openKnowledge({
    ...options,
    ...(embedder ? { embedder } : {}),
    workspace: workspace.value,
    dataFolder: paths.data,
    model: () => openModel(),
  });
  const config = {
    ...toolConfig(options.web ?? {}, options.environment, options.offline ?? false),
    ...knowledge.config,
  };
  const { registry, setFurther, withSettings } = growingRegistry(chosenTools.value, config);
  const documents = createDocumentShelf(paths.sessions, embedder);
  const sessions = createSessionFiles({ folder: paths.sessions });
  const ports: ToolPorts = {
    registry,
    rules,
    commandRules: openCommandRules(root),
    confinement: sandbox.report,
    network: network.guarded({ allowPrivate: options.allowPrivate ?? [] }),
    processes: noteCommands(processes, ledger, {
      sandboxed: !sandbox.report.network,
      now: () => systemClock.now(),
    }),
    workspace: workspace.value,
    clock: systemClock,
    config,
    limits: limitsOf(options, preset),
    cache: createResultCache(),
    ...knowledge.ports,
  };

  const opened = new Set<SessionFace>();
  let model: Promise<Outcome<ChosenModel, ModelError>> | undefined;
  const openModel = (): Promise<Outcome<ChosenModel, ModelError>> => {
    model ??= chooseModel(options, { network, processes, paths }).then((chosen) => {
      // A server that was not there may be there the next time.
      if (!chosen.ok) model = undefined;
      return chosen;
    });
    return model;
  };
  const instructions = async (): Promise<Instructions[]> =>
    options.projectInstructions === false ? [] : readInstructions(workspace.value, paths.config, options.onWarning);
  const opening = options.trace;
  const tracing = opening
    ? import('./telemetry/tracing.ts').then(({ openTracing }) =>
        openTracing(opening, {
          clock: systemClock,
          network,
          environment: options.environment,
          folder: paths.data,
          version: opening.version,
          onProblem: (message) => options.onWarning('trace', message),
        }),
      )
    : undefined;
  const trace = async (session: SessionFace): Promise<void> => {
    const chosen = await model;
    if (!chosen?.ok) return;
    const { provider, model: name } = chosen.value;
    (await tracing)?.follow(session, { provider: provider.name, model: name, endpoint: provider.endpoint });
  };
  const mcp = createLazyMcp(options.mcp, options.noTools ? [] : (options.tools ?? preset?.tools), {
    paths,
    workspace: workspace.value,
    processes: ports.processes,
    network,
    guarded: ports.network,
    clock: systemClock,
    environment: options.environment,
    sampling: { rules, model: openModel },
    onTools: setFurther,
    onWarning: options.onWarning,
  });
  const run = createToolRunner(ports);
  const models = createModelCatalogue({ options, network, processes, paths, main: openModel, opened: () => model });

  return succeed({
    get tools() {
      return registry.tools;
    },
    config,
    root,
    paths,
    sessions,
    preset,
    limits: ports.limits,
    sandbox: sandbox.report.text,
    confinement: sandbox.report,
    rules,
    async executeTool(name, args, how) {
      if (isServerTool(name)) await mcp.open();
      const found = how?.sessionId === undefined ? undefined : await documents.of(how.sessionId);
      return found?.ok
        ? createToolRunner(withChatDocuments(ports, found.value))(name, args, how)
        : run(name, args, how);
    },
    personal: createPersonal(ports, paths.config, options.plugins?.commands, async (named) =>
      (await mcp.open())?.bring(named),
    ),
    async judge(name, args) {
      if (isServerTool(name)) await mcp.open();
      return authorize(ports, { name, arguments: args }, { mode: 'strict' });
    },
    mcp,
    model: openModel,
    retrieval: knowledge.service,
    documents,
    pictures: createPictures(ports),
    models,
    async openSession(open = {}) {
      await mcp.open();
      const session = await openSession(
        {
          options,
          preset,
          ports,
          documents,
          searchRegistry: () => withSettings({ [DOCUMENTS_SETTING]: true }),
          sessions,
          sessionsFolder: paths.sessions,
          undoFolder: paths.undo,
          remember,
          openModel: models.open,
          instructions,
          ...(options.mcp ? { questions: mcp.questions() } : {}),
        },
        open,
      );
      if (!session.ok) return session;
      const value = knowledge.attend(session.value);
      await trace(value);
      const face: SessionFace = {
        ...value,
        async close() {
          opened.delete(face);
          await value.close();
        },
      };
      opened.add(face);
      return succeed(face);
    },
    async context(open = {}) {
      await mcp.open();
      const id = open.id ?? (open.continueLast ? await lastSession(sessions, root) : undefined);
      const read = id === undefined ? undefined : await sessions.read(id);
      if (read && !read.ok) return read;
      const chosen = await openModel();
      const contextTokens = chosen.ok ? chosen.value.info.context_length : undefined;
      const events = read?.value.events ?? [];
      const provider = chosen.ok ? { provider: chosen.value.provider } : {};
      const tier = chosen.ok && chosen.value.profile ? { tier: chosen.value.profile.prompt_tier } : {};
      const head = sessionHead(options, {
        registry,
        contextTokens,
        events,
        ...provider,
        ...tier,
        instructions: await instructions(),
      });
      return succeed(
        contextReport({
          sessionId: id,
          events,
          model: chosen.ok ? chosen.value.model : undefined,
          contextTokens,
          system: head.system,
          schemas: head.registry.schemas,
          ending: head.ending,
          results: options.results ?? preset?.results ?? 'full',
          summaryCharacters: ports.limits.summaryCharacters,
        }),
      );
    },
    async close() {
      await Promise.all([...opened].map((session) => session.close()));
      await (await tracing)?.close();
      const chosen = await model;
      if (chosen?.ok) await chosen.value.provider.close();
      await models.close();
      await knowledge.close();
      await documents.close();
      await mcp.close();
      processes.close();
      sandbox.close();
      network.close();
    },
  });
};

const sourced = (rules: readonly StoredRule[], decision: 'allow' | 'deny'): SourcedRule[] =>
  rules
    .filter((rule) => rule.decision === decision)
    .map(({ tool, pattern, bound_to }) => ({
      tool,
      source: 'remembered',
      ...(pattern === undefined ? {} : { pattern }),
      ...(bound_to === undefined ? {} : { bound_to }),
    }));

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
  const all = [...BUILT_IN_TOOLS, ...(options.plugins?.tools ?? [])];
  const names = all.map((tool) => tool.name);
  for (const name of options.tools ?? []) {
    // Those of servers are known when the servers are there.
    if (names.includes(name) || isServerTool(name)) continue;
    const near = nearestNames(name, names);
    return failure(
      'not_found',
      `There is no tool "${name}".${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''} The tools are: ${names.join(', ')}.`,
    );
  }
  const wanted = options.tools ?? preset?.tools;
  return succeed(wanted === undefined ? all : all.filter((tool) => wanted.includes(tool.name)));
};

const checkedDialect = ({ dialect, plugins }: AssembleOptions): Outcome<void> => {
  const names = [...dialectNames(), ...(plugins?.dialects ?? []).map(({ format }) => format.name)];
  if (dialect === undefined || names.includes(dialect)) return succeed(undefined);
  const near = nearestNames(dialect, names);
  const guess = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
  return failure('not_found', `There is no dialect "${dialect}".${guess}`);
};

const limitsOf = (options: AssembleOptions, preset: Preset | undefined): Limits => ({
  ...(preset?.limits ?? DEFAULT_LIMITS),
  ...(options.maxIterations === undefined ? {} : { iterations: options.maxIterations }),
  ...(options.maxToolCalls === undefined ? {} : { toolCallsPerIteration: options.maxToolCalls }),
});

export type { AssembleOptions, ChosenModel, OpenSessionOptions };
