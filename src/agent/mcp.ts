/**
 * The MCP servers of a halter: those of the person's own file, those of the folder that the person let start, those a
 * program names. Nothing is read, loaded or started before a session or a call needs it.
 */
import type { Rule } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { OUTSIDE_PACKAGES } from '../core/outside-packages.ts';
import type { Clock, Network, Processes, Workspace } from '../core/ports.ts';
import type { Tool } from '../core/tool.ts';
import { loadPackage } from '../disk/load-package.ts';
import { currentRequester } from '../io/requester.ts';
import type { Connection } from '../mcp/connection.ts';
import { namedServer, type ServerDefinition, shownServer } from '../mcp/server-definition.ts';
import type { ServerQuestions } from '../mcp/server-requests.ts';
import type { ServerTool, ToolRecord } from '../mcp/server-tools.ts';
import { createToolRecordFile } from '../storage/mcp-files.ts';
import type { HalterPaths } from '../storage/paths.ts';
import { AGENT_LIMITS } from './limits.ts';
import { AnnouncedChanges } from './mcp/announced-changes.ts';
import { allowFolderServer } from './mcp/folder.ts';
import { gatherServers, keepEnabled } from './mcp/gather-servers.ts';
import { ListingNotes } from './mcp/listing-notes.ts';
import { loginsOf } from './mcp/logins.ts';
import type { McpOptions } from './mcp/mcp-options.ts';
import { putOwnServer, removeOwnServer } from './mcp/own-list.ts';
import { allowOwnServer } from './mcp/own-servers.ts';
import type { ServerReport } from './mcp/report.ts';
import { type ServerPlace, startDigest } from './mcp/server-files.ts';
import { createStartCheck, type StartCheck } from './mcp/start-check.ts';
import { unusableConnection } from './mcp/unusable-connection.ts';

export type { McpOptions };

export type McpService = {
  /** Connects to all there are, all at once; comes back when they are there or the time is over. */
  open(): Promise<void>;
  report(): readonly ServerReport[];
  connection(name: string): Connection | undefined;
  /** A new connection, without waiting for the pause after a failure. */
  reconnect(name: string): Promise<Outcome<ServerReport>>;
  /** Off: it is ended, and its tools are gone. Of the person's own list this is kept, of others it is for this run. */
  setEnabled(name: string, enabled: boolean): Promise<Outcome<ServerReport>>;
  /** A server of the folder may start from now on, as it was shown: `consent` is what its report said. */
  allow(name: string, consent: string): Promise<Outcome<ServerReport>>;
  /** Puts a server on the person's own list. It starts once it was allowed: its report says what would be started. */
  put(name: string, entry: JsonObject): Promise<Outcome<ServerReport>>;
  /** Takes a server off the person's own list, with its login, and ends it. */
  remove(name: string): Promise<Outcome<void>>;
  /** `server:uri` or `server:prompt`, as a person names it: its text, or why there is none; undefined where no server is meant. */
  bring(named: string): Promise<Outcome<string> | undefined>;
  /** A rule was given for good: what the tool is now is kept with it. */
  remembered(rule: Rule): Promise<void>;
  close(): Promise<void>;
};

export type McpPorts = {
  choices: McpOptions;
  /** Where the person's own servers and what was said of them are kept. Absent: nothing is read or kept. */
  paths?: HalterPaths;
  workspace: Workspace;
  /** Folders that tools may write to besides the workspace. */
  additionalRoots?: readonly string[];
  processes: Processes;
  network: Network;
  /** For addresses that a server names. */
  guarded: Network;
  clock: Clock;
  environment: Readonly<Record<string, string | undefined>>;
  questions: ServerQuestions;
  /** The tools are these now. */
  onTools(tools: readonly Tool[]): void;
  onWarning(code: string, message: string): void;
};

type Held = {
  connection: Connection;
  start: StartCheck;
  origin: ServerReport['origin'];
  made: readonly ServerTool[];
  enabled: boolean;
};

export const createMcpService = (ports: McpPorts): McpService => new HeldServers(ports);

class HeldServers implements McpService {
  readonly #ports: McpPorts;
  readonly #place: ServerPlace;
  readonly #recordFile: ReturnType<typeof createToolRecordFile> | undefined;
  readonly #held = new Map<string, Held>();
  readonly #refused: ServerReport[] = [];
  /** What each tool was when it was first seen, or when a rule was given for it. */
  #known: ReadonlyMap<string, ToolRecord> = new Map();
  readonly #notes = new ListingNotes((message) => this.#warn(message));
  #opening: Promise<void> | undefined;
  #isClosed = false;
  readonly #announced = new AnnouncedChanges((name) => {
    const entry = this.#held.get(name);
    if (entry?.enabled) void this.#refresh(entry);
  });

  constructor(ports: McpPorts) {
    this.#ports = ports;
    this.#place = {
      roots: [ports.workspace.root, ...(ports.additionalRoots ?? [])],
      environment: ports.environment,
    };
    this.#recordFile = ports.paths === undefined ? undefined : createToolRecordFile(ports.paths.data);
  }

  open(): Promise<void> {
    this.#opening ??= this.#openAll();
    return this.#opening;
  }

  report(): readonly ServerReport[] {
    return [...[...this.#held.values()].map(reportOf), ...this.#refused];
  }

  connection(name: string): Connection | undefined {
    return this.#held.get(name)?.connection;
  }

  async reconnect(name: string): Promise<Outcome<ServerReport>> {
    const entry = this.#held.get(name);
    if (entry === undefined) return unknownServer(name);
    if (!entry.enabled) return failure('validation_failed', `The MCP server "${name}" is off.`);
    // Of one that the program named, the word of whoever connects anew is all there is.
    if (entry.origin === 'program') entry.start.agree();
    await entry.connection.disconnect();
    return this.#refreshed(entry);
  }

  async setEnabled(name: string, enabled: boolean): Promise<Outcome<ServerReport>> {
    const entry = this.#held.get(name);
    if (entry === undefined) return unknownServer(name);
    if (entry.origin === 'own') {
      const kept = await keepEnabled(this.#ports.paths, name, enabled);
      if (!kept.ok) return kept;
    }
    const next = { ...entry, enabled, made: enabled ? entry.made : [] };
    this.#held.set(name, next);
    if (enabled) return this.#refreshed(next);
    await entry.connection.disconnect();
    this.#ports.onTools(await this.#allTools());
    return succeed(reportOf(next));
  }

  async allow(name: string, consent: string): Promise<Outcome<ServerReport>> {
    const { paths, workspace } = this.#ports;
    const at = this.#refused.findIndex((report) => report.name === name && report.consent === consent);
    const before = this.#held.get(name);
    const origin = this.#refused[at]?.origin ?? (before?.start.changed() === consent ? before.origin : 'program');
    if (origin === 'program' || paths === undefined) return unknownServer(name);
    const allow = origin === 'own' ? allowOwnServer : allowFolderServer;
    const allowed = await allow({ workspace, place: this.#place, config: paths.config }, name, consent);
    if (!allowed.ok) return allowed;
    if (at === -1) {
      before?.start.agree();
      await before?.connection.disconnect();
    } else {
      const { disabled: _disabled, ...server } = allowed.value;
      const kept = origin === 'own' ? await keepEnabled(paths, name, true) : succeed(undefined);
      if (!kept.ok) return kept;
      this.#refused.splice(at, 1);
      await this.#add(server, origin, consent);
    }
    const entry = this.#held.get(name);
    return entry === undefined ? unknownServer(name) : this.#refreshed(entry);
  }

  async put(name: string, entry: JsonObject): Promise<Outcome<ServerReport>> {
    const { choices, paths } = this.#ports;
    if (paths === undefined || !choices.files)
      return failure('validation_failed', 'No list of MCP servers is kept here.');
    if (this.report().some((report) => report.name === name))
      return failure('validation_failed', `There is an MCP server "${name}" already.`);
    // It is off until it was allowed, also where halter ends before.
    const put = await putOwnServer(paths.config, name, { ...entry, disabled: true });
    if (!put.ok) return put;
    const report = proposedReport(put.value, startDigest(put.value, this.#place));
    this.#refused.push(report);
    return succeed(report);
  }

  async remove(name: string): Promise<Outcome<void>> {
    const { paths } = this.#ports;
    const report = this.report().find((each) => each.name === name);
    if (report === undefined) return unknownServer(name);
    if (report.origin !== 'own' || paths === undefined)
      return failure('validation_failed', `The MCP server "${name}" ${WHOSE[report.origin]} is not of your list.`);
    const removed = await removeOwnServer(paths.config, name);
    if (!removed.ok) return removed;
    const at = this.#refused.findIndex((each) => each.name === name);
    if (at !== -1) this.#refused.splice(at, 1);
    const entry = this.#held.get(name);
    if (entry === undefined) return removed;
    this.#held.delete(name);
    await entry.connection.close();
    this.#ports.onTools(await this.#allTools());
    return removed;
  }

  async bring(named: string): Promise<Outcome<string> | undefined> {
    const [name = ''] = named.split(':');
    const connection = this.connection(name);
    if (connection === undefined || !named.includes(':')) return undefined;
    const { bringFrom } = await import('../mcp/resource-tool.ts');
    return bringFrom(connection, named.slice(name.length + 1));
  }

  async remembered({ tool }: Rule): Promise<void> {
    const record = this.#current(tool);
    if (record === undefined) return;
    this.#known = new Map([...this.#known, [tool, record]]);
    const kept = await this.#recordFile?.keep(tool, record);
    if (kept && !kept.ok) this.#warn(kept.error.message);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#announced.close();
    await Promise.all([...this.#held.values()].map(({ connection }) => connection.close()));
  }

  #warn(message: string): void {
    this.#ports.onWarning('mcp', message);
  }

  async #openAll(): Promise<void> {
    const { choices, paths, workspace } = this.#ports;
    const refused = await gatherServers({
      choices,
      paths,
      workspace,
      place: this.#place,
      warn: (message) => this.#warn(message),
      add: (server, origin, digest) => this.#add(server, origin, digest),
    });
    this.#refused.push(...refused);
    if (this.#held.size === 0 || this.#isClosed) return;
    if (this.#recordFile) this.#known = new Map([...(await this.#recordFile.read())]);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, choices.patienceMs ?? AGENT_LIMITS.mcpOpenMs, 'late');
    });
    const all = Promise.all(this.#enabled().map((entry) => this.#refresh(entry)));
    if ((await Promise.race([all, patience])) === 'late') this.#warnOfLate();
    clearTimeout(timer);
  }

  #warnOfLate(): void {
    const late = this.#enabled().filter(({ connection }) => connection.state().state === 'not connected');
    const names = late.map(({ connection }) => `"${connection.server.name}"`).join(', ');
    this.#warn(`the MCP servers ${names} take long to start; their tools are there from the next session on`);
  }

  #enabled(): Held[] {
    return [...this.#held.values()].filter(({ enabled }) => enabled);
  }

  async #add(server: ServerDefinition, origin: Held['origin'], digest?: string): Promise<void> {
    if (this.#held.has(server.name)) {
      this.#warn(`the MCP server "${server.name}" ${WHOSE[origin]} is not used: another one has that name`);
      return;
    }
    const advice = origin === 'program' ? 'connect to it anew' : `\`halter mcp allow ${server.name}\` lets it start`;
    const start = createStartCheck(server, this.#place, advice, digest);
    const connection = await this.#connectionTo(server, start);
    this.#held.set(server.name, { connection, start, origin, made: [], enabled: server.disabled !== true });
  }

  async #connectionTo(server: ServerDefinition, start: StartCheck): Promise<Connection> {
    const { choices, paths, processes, network, guarded, clock, environment, workspace, questions } = this.#ports;
    const loaded = await loadPackage(OUTSIDE_PACKAGES.mcp, () => import('../mcp/connection.ts'));
    if (!loaded.ok) return unusableConnection(server, loaded.error);
    return loaded.value.createConnection(server, {
      openProcess: processes.open,
      network,
      guarded,
      ...(paths && server.kind === 'http' ? { logins: loginsOf(paths.config, server.name) } : {}),
      clock,
      environment,
      root: workspace.root,
      startProblem: start.problem,
      version: choices.version ?? '0.0.0',
      questions,
      place: () => {
        const { session, call } = currentRequester();
        return { session, call };
      },
      onWarning: (message) => this.#warn(message),
      onToolsChanged: () => this.#announced.announce(server.name),
    });
  }

  async #refreshed(entry: Held): Promise<Outcome<ServerReport>> {
    await this.#refresh(entry);
    return succeed(reportOf(this.#held.get(entry.connection.server.name) ?? entry));
  }

  /** What a server offers now; one that fails is reported once and left out. */
  async #refresh(entry: Held): Promise<void> {
    const { name } = entry.connection.server;
    const listed = await entry.connection.tools();
    if (this.#isClosed || this.#held.get(name)?.enabled !== true) return;
    if (!listed.ok) {
      this.#warn(listed.error.message);
      return;
    }
    const [{ serverTools }, { unifiedText }] = await Promise.all([
      import('../mcp/server-tools.ts'),
      import('./mcp/difference.ts'),
    ]);
    const described = listed.value.slice(0, LIMITS.mcpEntries);
    const made = serverTools(entry.connection, described, {
      known: (tool) => this.#known.get(tool),
      current: (tool) => this.#current(tool),
      differenceOf: unifiedText,
      trustsAnnotations: entry.origin !== 'folder' && entry.connection.server.trustsAnnotations === true,
    });
    this.#notes.tell(name, { listed: listed.value.length, described: described.length, made });
    this.#held.set(name, { ...entry, made });
    // Also what nobody has said yes to yet: the first sight of it is what a change is told from.
    this.#known = new Map([...made.map(({ tool, record }) => [tool.name, record] as const), ...this.#known]);
    this.#ports.onTools(await this.#allTools());
  }

  #current(tool: string): ToolRecord | undefined {
    for (const { made } of this.#held.values()) {
      const found = made.find((entry) => entry.tool.name === tool);
      if (found) return found.record;
    }
    return undefined;
  }

  async #allTools(): Promise<Tool[]> {
    const { resourceTool } = await import('../mcp/resource-tool.ts');
    const tools = [...this.#held.values()].flatMap(({ made }) => made.map(({ tool }) => tool));
    const withResources = this.#enabled().filter(({ connection }) => connection.offersResources());
    return withResources.length === 0
      ? tools
      : [...tools, resourceTool(withResources.map(({ connection }) => connection))];
  }
}

const reportOf = ({ connection, start, origin, made, enabled }: Held): ServerReport => ({
  name: connection.server.name,
  origin,
  shown: namedServer(connection.server),
  tools: made.length,
  tool_names: made.map(({ tool }) => tool.name),
  by_address: connection.server.kind === 'http',
  ...(enabled && origin !== 'program' && start.changed() !== undefined ? { consent: start.changed() } : {}),
  ...(enabled ? connection.state() : { state: 'disabled', detail: 'turned off' }),
});

const proposedReport = (server: ServerDefinition, consent: string): ServerReport => ({
  name: server.name,
  origin: 'own',
  shown: shownServer(server),
  tools: 0,
  tool_names: [],
  by_address: server.kind === 'http',
  consent,
  state: 'not connected',
  detail: 'new on your list; nothing is started or asked before you say so',
});

const WHOSE: Readonly<Record<ServerReport['origin'], string>> = {
  own: 'of your list',
  folder: 'of the folder',
  program: 'that was named',
};

const unknownServer = (name: string) => failure('not_found', `There is no MCP server "${name}".`);
