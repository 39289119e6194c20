/**
 * The MCP servers of a halter: those of the person's own file, those of the folder that the person let start, those a
 * program names. Nothing is read, loaded or started before a session or a call needs it.
 */
import type { Rule } from '../core/events.ts';
import { LIMITS } from '../core/limits.ts';
import { counted, grouped } from '../core/number-text.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { Clock, Network, Processes, Workspace } from '../core/ports.ts';
import type { Tool } from '../core/tool.ts';
import { currentRequester } from '../io/requester.ts';
import type { Connection } from '../mcp/connection.ts';
import { namedServer, type ServerDefinition } from '../mcp/server-definition.ts';
import type { ServerQuestions } from '../mcp/server-requests.ts';
import type { ServerTool, ToolRecord } from '../mcp/server-tools.ts';
import { createToolRecordFile } from '../storage/mcp-files.ts';
import type { HalterPaths } from '../storage/paths.ts';
import { AGENT_LIMITS } from './limits.ts';
import { allowFolderServer } from './mcp/folder.ts';
import { gatherServers, keepEnabled } from './mcp/gather-servers.ts';
import { loginsOf } from './mcp/logins.ts';
import type { McpOptions } from './mcp/mcp-options.ts';
import { allowOwnServer } from './mcp/own-servers.ts';
import type { ServerReport } from './mcp/report.ts';
import type { ServerPlace } from './mcp/server-files.ts';
import { createStartCheck, type StartCheck } from './mcp/start-check.ts';

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

export const createMcpService = (ports: McpPorts): McpService => {
  const { choices, paths, workspace, onWarning } = ports;
  const held = new Map<string, Held>();
  const refused: ServerReport[] = [];
  const recordFile = paths === undefined ? undefined : createToolRecordFile(paths.data);
  let known: ReadonlyMap<string, ToolRecord> = new Map();
  let opening: Promise<void> | undefined;
  let isClosed = false;
  const warn = (message: string): void => onWarning('mcp', message);
  const place: ServerPlace = {
    roots: [workspace.root, ...(ports.additionalRoots ?? [])],
    environment: ports.environment,
  };

  const current = (tool: string): ToolRecord | undefined => {
    for (const { made } of held.values()) {
      const found = made.find((entry) => entry.tool.name === tool);
      if (found) return found.record;
    }
    return undefined;
  };

  const allTools = async (): Promise<Tool[]> => {
    const { resourceTool } = await import('../mcp/resource-tool.ts');
    const tools = [...held.values()].flatMap(({ made }) => made.map(({ tool }) => tool));
    const withResources = [...held.values()].filter(
      ({ connection, enabled }) => enabled && connection.offersResources(),
    );
    return withResources.length === 0
      ? tools
      : [...tools, resourceTool(withResources.map(({ connection }) => connection))];
  };

  /** What a server offers now; one that fails is reported once and left out. */
  const refresh = async (entry: Held): Promise<void> => {
    const { name } = entry.connection.server;
    const listed = await entry.connection.tools();
    if (isClosed || held.get(name)?.enabled !== true) return;
    if (!listed.ok) {
      warn(listed.error.message);
      return;
    }
    const [{ serverTools }, { unifiedText }] = await Promise.all([
      import('../mcp/server-tools.ts'),
      import('./mcp/difference.ts'),
    ]);
    const described = listed.value.slice(0, LIMITS.mcpEntries);
    const made = serverTools(entry.connection, described, {
      known: (tool) => known.get(tool),
      current,
      differenceOf: unifiedText,
    });
    if (made.length < described.length)
      warn(`${counted(described.length - made.length, 'tool')} of the MCP server "${name}" cannot be used`);
    if (described.length < listed.value.length)
      warn(
        `the MCP server "${name}" has more tools than the limit of ${grouped(LIMITS.mcpEntries)}; the first are used`,
      );
    held.set(name, { ...entry, made });
    // Also what nobody has said yes to yet: the first sight of it is what a change is told from.
    known = new Map([...made.map(({ tool, record }) => [tool.name, record] as const), ...known]);
    ports.onTools(await allTools());
  };

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
  const add = async (server: ServerDefinition, origin: Held['origin'], digest?: string): Promise<void> => {
    if (held.has(server.name)) {
      warn(`the MCP server "${server.name}" ${WHOSE[origin]} is not used: another one has that name`);
      return;
    }
    const advice = origin === 'program' ? 'connect to it anew' : `\`halter mcp allow ${server.name}\` lets it start`;
    const start = createStartCheck(server, place, advice, digest);
    const { createConnection } = await import('../mcp/connection.ts');
    const connection = createConnection(server, {
      openProcess: ports.processes.open,
      network: ports.network,
      guarded: ports.guarded,
      ...(paths && server.kind === 'http' ? { logins: loginsOf(paths.config, server.name) } : {}),
      clock: ports.clock,
      environment: ports.environment,
      root: workspace.root,
      startProblem: start.problem,
      version: choices.version ?? '0.0.0',
      questions: ports.questions,
      place: () => {
        const { session, call } = currentRequester();
        return { session, call };
      },
      onWarning: warn,
      onToolsChanged: () => {
        const entry = held.get(server.name);
        if (entry?.enabled) void refresh(entry);
      },
    });
    held.set(server.name, { connection, start, origin, made: [], enabled: server.disabled !== true });
  };

  const openAll = async (): Promise<void> => {
    refused.push(...(await gatherServers({ choices, paths, workspace, place, warn, add })));
    if (held.size === 0 || isClosed) return;
    if (recordFile) known = new Map([...(await recordFile.read())]);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, choices.patienceMs ?? AGENT_LIMITS.mcpOpenMs, 'late');
    });
    const all = Promise.all([...held.values()].filter(({ enabled }) => enabled).map(refresh));
    if ((await Promise.race([all, patience])) === 'late') {
      const late = [...held.values()].filter(
        ({ connection, enabled }) => enabled && connection.state().state === 'not connected',
      );
      const names = late.map(({ connection }) => `"${connection.server.name}"`).join(', ');
      warn(`the MCP servers ${names} take long to start; their tools are there from the next session on`);
    }
    clearTimeout(timer);
  };

  return {
    open() {
      opening ??= openAll();
      return opening;
    },
    report: () => [...[...held.values()].map(reportOf), ...refused],
    connection: (name) => held.get(name)?.connection,
    async reconnect(name) {
      const entry = held.get(name);
      if (entry === undefined) return unknownServer(name);
      if (!entry.enabled) return failure('validation_failed', `The MCP server "${name}" is off.`);
      // Of one that the program named, the word of whoever connects anew is all there is.
      if (entry.origin === 'program') entry.start.agree();
      await entry.connection.disconnect();
      await refresh(entry);
      return succeed(reportOf(held.get(name) ?? entry));
    },
    async setEnabled(name, enabled) {
      const entry = held.get(name);
      if (entry === undefined) return unknownServer(name);
      if (entry.origin === 'own') {
        const kept = await keepEnabled(paths, name, enabled);
        if (!kept.ok) return kept;
      }
      const next = { ...entry, enabled, ...(enabled ? {} : { made: [] }) };
      held.set(name, next);
      if (enabled) await refresh(next);
      else {
        await entry.connection.disconnect();
        ports.onTools(await allTools());
      }
      return succeed(reportOf(held.get(name) ?? next));
    },
    async allow(name, consent) {
      const at = refused.findIndex((report) => report.name === name && report.consent === consent);
      const before = held.get(name);
      const origin = refused[at]?.origin ?? (before?.start.changed() === consent ? before.origin : 'program');
      if (origin === 'program' || paths === undefined) return unknownServer(name);
      const allow = origin === 'own' ? allowOwnServer : allowFolderServer;
      const allowed = await allow({ workspace, place, config: paths.config }, name, consent);
      if (!allowed.ok) return allowed;
      if (at !== -1) {
        refused.splice(at, 1);
        await add(allowed.value, origin, consent);
      } else {
        before?.start.agree();
        await before?.connection.disconnect();
      }
      const entry = held.get(name);
      if (entry === undefined) return unknownServer(name);
      await refresh(entry);
      return succeed(reportOf(held.get(name) ?? entry));
    },
    async bring(named) {
      const [name = ''] = named.split(':');
      const connection = held.get(name)?.connection;
      if (connection === undefined || !named.includes(':')) return undefined;
      const { bringFrom } = await import('../mcp/resource-tool.ts');
      return bringFrom(connection, named.slice(name.length + 1));
    },
    async remembered({ tool }) {
      const record = current(tool);
      if (record === undefined) return;
      known = new Map([...known, [tool, record]]);
      const kept = await recordFile?.keep(tool, record);
      if (kept && !kept.ok) warn(kept.error.message);
    },
    async close() {
      isClosed = true;
      await Promise.all([...held.values()].map(({ connection }) => connection.close()));
    },
  };
};

const WHOSE: Readonly<Record<ServerReport['origin'], string>> = {
  own: 'of your list',
  folder: 'of the folder',
  program: 'that was named',
};

const unknownServer = (name: string) => failure('not_found', `There is no MCP server "${name}".`);
