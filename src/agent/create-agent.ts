/**
 * The one place where a running agent is put together, for the command line, the terminal app, the server, editors, workers
 * and the library alike: options are checked, ports are opened, and each part is made with what it uses.
 */
import type { Event } from '../core/events.ts';
import type { SessionReview } from '../core/file-review.ts';
import type { Limits } from '../core/limits.ts';
import type { ModelError } from '../core/model-port.ts';
import { type Outcome, succeed } from '../core/outcome.ts';
import type { PolicyRules } from '../core/policy.ts';
import type { ToolConfig } from '../core/ports.ts';
import type { Preset } from '../core/presets.ts';
import type { FolderNames } from '../core/session-folder.ts';
import type { QueueDepth, SessionStore } from '../core/storage-port.ts';
import type { Tool } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';
import type { SandboxReport } from '../sandbox/confine.ts';
import type { RetrievalService } from '../search/open-retrieval.ts';
import type { HalterPaths } from '../storage/paths.ts';
import type { Storage } from '../storage/storage.ts';
import { checkOptions } from './create-agent/check-options.ts';
import { openFoundation } from './create-agent/foundation.ts';
import type { AgentOptions } from './create-agent/options.ts';
import { openParts, toolWaySettings } from './create-agent/parts.ts';
import type { RememberedRules } from './create-agent/permissions.ts';
import type { SessionOpener } from './create-agent/sessions.ts';
import { type ChatDocumentStore, withChatDocuments } from './knowledge/chat-document-store.ts';
import { notRemembered } from './loop/run-effects.ts';
import { createToolRunner, type ExecuteToolOptions } from './loop/run-tool/execute-tool.ts';
import { isServerTool } from './mcp/server-tool-names.ts';
import type { McpServers } from './mcp/servers.ts';
import type { ChosenModel } from './models/choose-model.ts';
import type { ModelCatalogue } from './models/model-catalogue.ts';
import { type ToolWay, toolWay } from './models/tool-way.ts';
import { type Authorization, authorize } from './permissions/authorize.ts';
import type { KeptYes } from './permissions/kept-yes.ts';
import { createPictures, type Pictures } from './pictures.ts';
import type { OpenSessionOptions } from './session/open-session.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { reviewChanges } from './undo/review.ts';
import { createUserInput, type UserInput } from './user-input.ts';

export type Agent = {
  readonly tools: readonly Tool[];
  /** Others in place of the program's own, for sessions that are opened from now on. Those of servers stay. */
  setTools(tools: readonly Tool[]): Promise<void>;
  /** The settings that tools go by: which of them can be used depends on it. */
  readonly config: ToolConfig;
  /** The workspace, without links. */
  readonly root: string;
  /** The names of the workspace: `root`, and the one that it was given. Sessions of both belong here. */
  readonly folder: FolderNames;
  /** Halter's own folders: those of `storage`, else those of the person. */
  readonly paths: HalterPaths;
  readonly sessions: SessionStore;
  /** Where sessions and what belongs to them are kept. */
  readonly storage: Storage;
  readonly preset: Preset | undefined;
  readonly limits: Limits;
  /** How commands are confined, in a person's words. */
  readonly sandbox: string;
  /** The same for programs. It changes in place when the sandbox is found. */
  readonly confinement: SandboxReport;
  /** Looks for the sandbox, where no tool that runs commands had it looked for already. */
  findSandbox(): Promise<SandboxReport>;
  rules(): PolicyRules;
  /** The rules among them that a person had halter remember. */
  readonly remembered: RememberedRules;
  /** Runs one tool as a person's own call: same validation, policy and runner as in the loop. */
  executeTool(name: string, args: unknown, options?: ExecuteToolOptions): Promise<ToolResult>;
  /** A yes from outside a session that holds longer than its call: for this agent, or for the folder. */
  keep(yes: KeptYes): Promise<void>;
  /** What a person types besides words: `@file`, `!command`, commands of their own. */
  readonly userInput: UserInput;
  /** What would become of such a call outside a conversation, and everything that speaks for and against it. */
  judge(name: string, args: unknown): Promise<Authorization>;
  /** Finds and describes the model at the first need. One that could not be opened is tried again by the next call. */
  model(): Promise<Outcome<ChosenModel, ModelError>>;
  /** The others that there are. */
  readonly models: ModelCatalogue;
  /** How a model is had to call tools here. */
  toolWay(chosen: ChosenModel): ToolWay;
  /** Servers of the Model Context Protocol; their tools join `tools` when they are open. */
  readonly mcp: McpServers;
  /** The index of the folder, made or not. */
  readonly retrieval: RetrievalService;
  /** For a person to look at. */
  readonly pictures: Pictures;
  /** What a session changed in files of this folder and is not settled yet. */
  reviewChanges(events: readonly Event[]): Promise<Outcome<SessionReview>>;
  /** Files that were put into chats, to be searched there. */
  readonly documents: ChatDocumentStore;
  /** What is counted of its work. */
  readonly metrics: Metrics;
  /** The span of a message that is handed to other processes; undefined where nobody asked for traces. */
  handOver: SessionOpener['handOver'];
  /** What is known of an open call of a run that no process has any more, with this log. */
  verdict: SessionOpener['verdict'];
  /** Sessions are run by others: whoever opens one looks on, and hears more than what is kept. */
  readonly looksOn?: true;
  /** What waits for the workers that run the sessions. */
  readonly queue?: { depth(): Promise<QueueDepth> };
  openSession: SessionOpener['open'];
  /** Mode and model that `openSession` would take for a session with this log. Opens nothing. */
  opensWith: SessionOpener['opensWith'];
  /** What fills the window of a session, or of one that would begin now. Sends nothing. */
  context: SessionOpener['context'];
  /** Ends what runs and closes everything. One part that cannot be closed keeps no other open. */
  close(): Promise<void>;
};

/** What is wrong with the options, the workspace or the storage is a failure; nothing is left open then. */
export const createAgent = async (options: AgentOptions): Promise<Outcome<Agent>> => {
  const checked = checkOptions(options);
  if (!checked.ok) return checked;
  const { prompt, preset, limits, storage: kept, system } = checked.value;
  const opened = await openFoundation(checked.value);
  if (!opened.ok) return opened;
  const { workspace, storage, permissions, system: ports, closing } = opened.value;
  const { tools, models, mcp, knowledge, documents, sessions, metrics } = await openParts(checked.value, opened.value);
  const run = createToolRunner(tools.ports);
  return succeed({
    get tools() {
      return tools.ports.registry.tools;
    },
    async setTools(list) {
      if (list.some(({ effects }) => effects === 'process')) await ports.findSandbox();
      tools.registry.setOwn(list);
    },
    config: tools.ports.config,
    root: workspace.root,
    folder: [workspace.root, checked.value.workspace.root],
    paths: kept.folders ?? system,
    sessions: storage.sessions,
    storage,
    preset,
    limits,
    get sandbox() {
      return ports.sandbox.text;
    },
    confinement: ports.sandbox,
    findSandbox: ports.findSandbox,
    rules: permissions.rules,
    remembered: permissions.remembered,
    async executeTool(name, args, how) {
      if (isServerTool(name)) await mcp.open();
      const found = how?.sessionId === undefined ? undefined : await documents.of(how.sessionId);
      return found?.ok
        ? createToolRunner(withChatDocuments(tools.ports, found.value))(name, args, how)
        : run(name, args, how);
    },
    async keep({ rule, decision }) {
      if (decision === 'session') {
        permissions.grant(rule);
        return;
      }
      const kept = await permissions.remember(rule);
      if (!kept.ok) checked.value.io.onWarning('rule_not_remembered', notRemembered(rule, kept.message));
    },
    userInput: createUserInput({
      ports: tools.ports,
      findSandbox: ports.findSandbox,
      configFolder: kept.folders?.config,
      commands: prompt.commands,
      ofServer: async (named) => (await mcp.open())?.bring(named),
    }),
    async judge(name, args) {
      if (isServerTool(name)) await mcp.open();
      return authorize(tools.ports, { name, arguments: args }, { mode: 'strict' });
    },
    mcp,
    model: models.main,
    models: models.catalogue,
    toolWay: (chosen) => toolWay(toolWaySettings(checked.value), chosen),
    retrieval: knowledge.service,
    documents,
    metrics: metrics.metrics,
    handOver: sessions.handOver,
    verdict: sessions.verdict,
    pictures: createPictures(tools.ports),
    reviewChanges: (events) =>
      reviewChanges({ workspace, folder: [workspace.root, checked.value.workspace.root], files: storage.undo }, events),
    openSession: sessions.open,
    opensWith: sessions.opensWith,
    context: sessions.context,
    close: closing.close,
  });
};

export type { AgentOptions, ChosenModel, OpenSessionOptions };
