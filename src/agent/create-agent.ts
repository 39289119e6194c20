/**
 * Puts the program together out of its parts, for every surface alike: what was chosen is checked, the doors are opened,
 * and what tools, sessions and persons reach is made of them.
 */
import type { Limits } from '../core/limits.ts';
import type { ModelError } from '../core/model-port.ts';
import { type Outcome, succeed } from '../core/outcome.ts';
import type { PolicyRules } from '../core/policy.ts';
import type { ToolConfig } from '../core/ports.ts';
import type { Preset } from '../core/presets.ts';
import { DOCUMENTS_SETTING } from '../core/retrieval-settings.ts';
import type { SessionStore } from '../core/storage-port.ts';
import type { Tool } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { systemClock } from '../io/clock.ts';
import { toolConfig } from '../io/network/web-settings.ts';
import { createWorkspace } from '../io/workspace.ts';
import type { SandboxReport } from '../sandbox/confine.ts';
import type { RetrievalService } from '../search/open-retrieval.ts';
import { type HalterPaths, halterPaths } from '../storage/paths.ts';
import { openStorage, type Storage } from '../storage/storage.ts';
import { closeAll } from './close-all.ts';
import { checkChoices } from './create-agent/choices.ts';
import { expectSandbox } from './create-agent/confine-options.ts';
import type { AgentOptions } from './create-agent/options.ts';
import { openPermissions } from './create-agent/permissions.ts';
import { openSystemPorts, type SystemPorts } from './create-agent/ports.ts';
import { createSessionOpener } from './create-agent/sessions.ts';
import { type ChatDocumentStore, createChatDocumentStore, withChatDocuments } from './knowledge/chat-document-store.ts';
import { embedderOf } from './knowledge/open-embedder.ts';
import { openKnowledge } from './knowledge/open-knowledge.ts';
import { createToolRunner, type ExecuteToolOptions } from './loop/run-tool/execute-tool.ts';
import { createResultCache } from './loop/run-tool/result-cache.ts';
import type { ToolPorts } from './loop/run-tool/tool-ports.ts';
import type { ContextReport } from './loop/window/report.ts';
import { createLazyMcp, isServerTool, type LazyMcp } from './mcp/open.ts';
import { growingRegistry } from './mcp/registry.ts';
import { type ChosenModel, chooseModel } from './models/choose-model.ts';
import { createModelCatalogue, type ModelCatalogue } from './models/model-catalogue.ts';
import { openCommandRules } from './permissions/authorize/command-decider.ts';
import { type Authorization, authorize } from './permissions/authorize.ts';
import { createPersonal, type Personal } from './personal.ts';
import { createPictures, type Pictures } from './pictures.ts';
import type { OpenSessionOptions } from './session/open-session.ts';
import { readInstructions } from './session/project-instructions.ts';
import type { OpenSession } from './session.ts';

export type Agent = {
  readonly tools: readonly Tool[];
  /** The settings that tools go by: which of them can be used depends on it. */
  readonly config: ToolConfig;
  readonly root: string;
  readonly paths: HalterPaths;
  readonly sessions: SessionStore;
  /** Where sessions and what belongs to them are kept. */
  readonly storage: Storage;
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
  readonly documents: ChatDocumentStore;
  /** Sessions are run by others: whoever opens one looks on, and hears more than what is kept. */
  readonly looksOn?: true;
  openSession(options?: OpenSessionOptions): Promise<Outcome<OpenSession, ModelError>>;
  /** What fills the window of a session, or of one that would begin now. Sends nothing. */
  context(options?: OpenSessionOptions): Promise<Outcome<ContextReport>>;
  close(): Promise<void>;
};

export const createAgent = async (options: AgentOptions): Promise<Outcome<Agent>> => {
  const checked = checkChoices(options);
  if (!checked.ok) return checked;
  const choices = checked.value;
  if (choices.runsCommands) expectSandbox(options);
  const paths = halterPaths(options.environment, options.platform);
  const workspace = await createWorkspace({
    root: options.folder,
    additionalRoots: options.addDirs ?? [],
    protectedPaths: [paths.config, paths.data, paths.cache],
  });
  if (!workspace.ok) return workspace;
  const { root } = workspace.value;
  const kept = await openStorage({ ...options, paths });
  if (!kept.ok) return kept;
  const storage = kept.value;
  const { sessions } = storage;
  const permissions = await openPermissions(options, {
    policies: storage.policies,
    root,
    commandLine: choices.rules,
    onRemembered: (rule) => mcp.remembered(rule),
  });
  const doors = await openSystemPorts(options, { paths, root, choices });
  const models = openModels(options, doors, paths);
  const embedder = embedderOf(options, { ...doors, dataFolder: paths.data });
  const knowledge = openKnowledge({
    ...options,
    ...(embedder ? { embedder } : {}),
    workspace: workspace.value,
    dataFolder: paths.data,
    model: models.main,
  });
  const config = {
    ...toolConfig(options.web ?? {}, options.environment, options.offline ?? false),
    ...knowledge.config,
  };
  const { registry, setFurther, withSettings } = growingRegistry(choices.tools, config);
  const documents = createChatDocumentStore(paths.sessions, embedder);
  const ports: ToolPorts = {
    registry,
    rules: permissions.rules,
    commandRules: openCommandRules(root),
    confinement: doors.sandbox,
    ...doors.forTools,
    workspace: workspace.value,
    clock: systemClock,
    config,
    limits: choices.limits,
    cache: createResultCache(),
    ...knowledge.ports,
  };
  const mcp = createLazyMcp(options.mcp, options.noTools ? [] : (options.tools ?? choices.preset?.tools), {
    paths,
    workspace: workspace.value,
    processes: ports.processes,
    network: doors.network,
    guarded: ports.network,
    clock: systemClock,
    environment: options.environment,
    sampling: { rules: permissions.rules, model: models.main },
    onTools: setFurther,
    onWarning: options.onWarning,
  });
  const opener = createSessionOpener({
    options,
    preset: choices.preset,
    ports,
    documents,
    searchRegistry: () => withSettings({ [DOCUMENTS_SETTING]: true }),
    storage,
    sessionsFolder: paths.sessions,
    remember: permissions.remember,
    openModel: models.catalogue.open,
    mainModel: models.main,
    instructions: async () =>
      options.projectInstructions === false ? [] : readInstructions(workspace.value, paths.config, options.onWarning),
    mcp,
    knowledge,
    network: doors.network,
    paths,
  });
  const run = createToolRunner(ports);

  return succeed({
    get tools() {
      return registry.tools;
    },
    config,
    root,
    paths,
    sessions,
    storage,
    preset: choices.preset,
    limits: choices.limits,
    sandbox: doors.sandbox.text,
    confinement: doors.sandbox,
    rules: permissions.rules,
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
    model: models.main,
    retrieval: knowledge.service,
    documents,
    pictures: createPictures(ports),
    models: models.catalogue,
    openSession: opener.open,
    context: opener.context,
    async close() {
      const problems = await closeAll([
        ['the sessions', () => opener.close()],
        ['the models', () => models.close()],
        ['the index', () => knowledge.close()],
        ['the documents of chats', () => documents.close()],
        ['the MCP servers', () => mcp.close()],
        ['the connections and commands', () => doors.close()],
        ['the storage', () => storage.close()],
      ]);
      for (const problem of problems) options.onWarning('close_failed', problem);
    },
  });
};

type Models = {
  /** The one that halter was started with. */
  main(): Promise<Outcome<ChosenModel, ModelError>>;
  catalogue: ModelCatalogue;
  close(): Promise<void>;
};

const openModels = (options: AgentOptions, { network, processes }: SystemPorts, paths: HalterPaths): Models => {
  const places = { network, processes, paths };
  let opening: Promise<Outcome<ChosenModel, ModelError>> | undefined;
  const main: Models['main'] = () => {
    opening ??= chooseModel(options, places).then((chosen) => {
      // A server that was not there may be there the next time.
      if (!chosen.ok) opening = undefined;
      return chosen;
    });
    return opening;
  };
  const catalogue = createModelCatalogue({ options, ...places, main, opened: () => opening });
  return {
    main,
    catalogue,
    async close() {
      const problems = await closeAll([
        [
          'the model',
          async () => {
            const chosen = await opening;
            if (chosen?.ok) await chosen.value.provider.close();
          },
        ],
        ['the other models', () => catalogue.close()],
      ]);
      for (const problem of problems) options.onWarning('close_failed', problem);
    },
  };
};

export type { AgentOptions, ChosenModel, OpenSessionOptions };
