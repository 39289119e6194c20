/** The parts of an agent on its foundation. None of them opens, reads or loads anything before it is needed. */

import { join } from 'node:path';
import { LEAVE_MODE } from '../../core/policy/modes.ts';
import { DOCUMENTS_SETTING } from '../../core/retrieval-settings.ts';
import type { Dialect } from '../../dialects/index.ts';
import { systemClock } from '../../io/clock.ts';
import { toolConfig } from '../../io/network/web-settings.ts';
import { homeOf, keptLayer } from '../../sandbox/confine.ts';
import { openLinksBelow } from '../../sandbox/links-below.ts';
import { repositoryWrites } from '../../sandbox/repository-writes.ts';
import { type ChatDocumentStore, createChatDocumentStore } from '../knowledge/chat-document-store.ts';
import { embedderOf } from '../knowledge/open-embedder.ts';
import { type Knowledge, openKnowledge } from '../knowledge/open-knowledge.ts';
import { createResultCache } from '../loop/run-tool/result-cache.ts';
import type { ToolPorts } from '../loop/run-tool/tool-ports.ts';
import { type GrowingRegistry, growingRegistry } from '../mcp/registry.ts';
import { createMcpServers, type McpServers } from '../mcp/servers.ts';
import type { ModelPlace } from '../models/choose-model.ts';
import { type Models, openModels } from '../models/models.ts';
import { placesOf } from '../models/places.ts';
import type { ToolWaySettings } from '../models/tool-way.ts';
import { openCommandRules } from '../permissions/authorize/command-decider.ts';
import type { SessionSettings } from '../session/open-session.ts';
import { readInstructions } from '../session/project-instructions.ts';
import { type AgentMetrics, createAgentMetrics } from '../telemetry/agent-metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { type CheckedOptions, offeredTools } from './check-options.ts';
import type { Foundation } from './foundation.ts';
import { ownInstructions, schemaOf } from './prompt-callbacks.ts';
import { createSessionOpener, type SessionOpener } from './sessions.ts';

export type AgentParts = {
  tools: { ports: ToolPorts; registry: GrowingRegistry };
  models: Models;
  knowledge: Knowledge;
  documents: ChatDocumentStore;
  mcp: McpServers;
  sessions: SessionOpener;
  metrics: AgentMetrics;
};

export const openParts = async (options: CheckedOptions, foundation: Foundation): Promise<AgentParts> => {
  const { closing } = foundation;
  const metrics = createAgentMetrics();
  const place = modelPlace(options, foundation, metrics);
  const models = openModels(options.model, place);
  const embedder = embedderOf({ embeddingModel: embeddingModelOf(options), model: options.model }, place);
  const knowledge = await openKnowledge({
    workspace: foundation.workspace,
    folders: { program: options.system.data, own: options.storage.folders?.data },
    sharedIndex: foundation.storage.index,
    graphRag: options.search.graphRag,
    curator: options.search.curator,
    embedder,
    model: models.main,
    onWarning: options.io.onWarning,
  });
  const documents = createChatDocumentStore(foundation.storage.documents, embedder);
  const tools = openTools(options, foundation, knowledge);
  const mcp = openServers(options, foundation, { models, registry: tools.registry });
  const sessions = createSessionOpener({
    settings: sessionSettings(options, foundation),
    ports: tools.ports,
    storage: foundation.storage,
    documents: foundation.storage.documents && {
      store: documents,
      searchRegistry: () => tools.registry.withSettings({ [DOCUMENTS_SETTING]: true }),
    },
    remember: foundation.permissions.remember,
    openModel: (name) => models.catalogue.open(name),
    hasRole: (role) => models.catalogue.hasRole(role),
    listModels: (signal) => models.catalogue.list(signal),
    mainModel: models.main,
    openedModel: () => models.catalogue.opened(),
    instructions: instructionsOf(options, foundation),
    mcp,
    knowledge,
    openTracing: tracingOf(options, foundation),
    metrics,
  });
  closing.add('the MCP servers', mcp.close);
  closing.add('the documents of chats', documents.close);
  closing.add('the index', knowledge.close);
  closing.add('the models', models.close);
  closing.add('the sessions', sessions.close);
  return { tools, models, knowledge, documents, mcp, sessions, metrics };
};

const embeddingModelOf = ({ search, model }: CheckedOptions): string | undefined =>
  search.embeddingModel ?? model.roles?.['embeddings'];

const modelPlace = (
  { io, model, storage, system }: CheckedOptions,
  foundation: Foundation,
  { request: onRequest }: AgentMetrics,
): ModelPlace => ({
  network: foundation.system.network,
  processes: foundation.system.processes,
  io,
  modelsFolder: join(system.data, 'models'),
  known: storage.folders,
  places: placesOf(model.maxRequests, foundation.storage),
  onRequest,
});

const openTools = (
  { io, limits, preset, tools, system: folders }: CheckedOptions,
  { workspace, permissions, system, startedFiles }: Foundation,
  knowledge: Knowledge,
): AgentParts['tools'] => {
  const config = { ...toolConfig(tools.web, io.environment, io.offline), ...knowledge.config };
  const rules = { offersAll: preset?.offersAll, exactNames: preset?.strict };
  const registry = growingRegistry(tools.chosen, config, rules, io.onWarning);
  const home = homeOf(io.environment);
  const links = openLinksBelow(workspace.root);
  const writes = () => repositoryWrites(home, workspace.root, links);
  const ports: ToolPorts = {
    registry: registry.registry,
    rules: permissions.rules,
    refreshRules: permissions.refresh,
    commandRules: openCommandRules({ root: workspace.root, startedFiles, repositoryWrites: writes, home }),
    startedFiles,
    repositoryWrites: writes,
    confinement: system.sandbox,
    keptLayer: (name) => keptLayer(name, folders),
    strictArguments: preset?.strict,
    withheld: (name) =>
      tools.withheld.includes(name)
        ? `${name} is not offered in plan mode, in which tools only read (${LEAVE_MODE}).`
        : undefined,
    ...system.forTools,
    workspace,
    clock: systemClock,
    config,
    limits,
    cache: createResultCache(),
    ...knowledge.ports,
  };
  return { ports, registry };
};

const openServers = (
  { io, mcp: choices, permissions: choice, storage, tools, workspace: own }: CheckedOptions,
  { workspace, permissions, system, onRemembered }: Foundation,
  { models, registry }: { models: Models; registry: GrowingRegistry },
): McpServers => {
  const mcp = createMcpServers(choices, tools.names, {
    paths: storage.folders,
    workspace,
    additionalRoots: own.additionalRoots,
    processes: system.forTools.processes,
    network: system.network,
    guarded: system.forTools.network,
    clock: systemClock,
    environment: io.environment,
    sampling: { rules: permissions.rules, model: models.main },
    onTools: (further) => registry.setFurther(offeredTools(choice, further)),
    onWarning: io.onWarning,
  });
  onRemembered(mcp.remembered);
  return mcp;
};

export const toolWaySettings = ({ model, preset }: CheckedOptions): ToolWaySettings => ({
  preset,
  dialect: dialectOf(model),
  toolStrategy: model.toolStrategy,
});

const OWN_MODELS = { own: 'anywhere', own_here: 'here', named: undefined } as const;

const sessionSettings = (options: CheckedOptions, foundation: Foundation): SessionSettings => {
  const { io, limits, model, permissions, prompt, search, tools, workspace } = options;
  return {
    prompt: {
      system: prompt.system,
      append: prompt.append,
      size: prompt.size,
      isOneCall: limits.toolCallsPerIteration === 1,
      toolsAsNamed: tools.asNamed,
    },
    results: tools.results,
    sampling: model.sampling ?? {},
    compaction: model.compaction,
    responseSchema: schemaOf(prompt.responseSchema),
    warmUp: model.warmUp ?? false,
    onAsk: permissions.onAsk ?? 'wait',
    stopsAfterStep: tools.stopsAfterStep,
    prepareStep: tools.prepareStep,
    ...toolWaySettings(options),
    resumesOwn: OWN_MODELS[model.resumeWith ?? 'named'],
    folder: [foundation.workspace.root, workspace.root],
    asksWindow: model.describe === false,
    documents: search.documents ?? false,
    onWarning: io.onWarning,
  };
};

/** One that a plugin brought, or the name of one of halter's own. */
const dialectOf = ({ dialect, dialects = [] }: CheckedOptions['model']): Dialect | undefined =>
  dialects.find(({ format }) => format.name === dialect) ?? dialect;

const instructionsOf = ({ io, prompt, storage }: CheckedOptions, { workspace }: Foundation) => {
  const { projectInstructions: wanted = false } = prompt;
  if (typeof wanted === 'function') return () => ownInstructions(wanted, io.signal);
  return async () => (wanted ? readInstructions(workspace, storage.folders?.config, io.onWarning) : []);
};

/** The code of traces is loaded only where somebody asked for them. */
const tracingOf = (
  { io, storage, system, telemetry }: CheckedOptions,
  { system: { network } }: Foundation,
): (() => Promise<Tracing>) | undefined => {
  const { trace, version = '0.0.0' } = telemetry;
  if (trace === undefined) return undefined;
  return async () => {
    const { openTracing } = await import('../telemetry/tracing.ts');
    return openTracing(trace, {
      clock: systemClock,
      network,
      environment: io.environment,
      folder: (storage.folders ?? system).data,
      version,
      onProblem: (message) => io.onWarning('trace', message),
    });
  };
};
