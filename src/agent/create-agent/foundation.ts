/** What has to be there before anything else: the workspace, the storage, the rules, and the ports to the system. */
import type { Rule } from '../../core/events.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { deniedPrograms } from '../../core/policy/denied-programs.ts';
import type { StartedFiles } from '../../core/policy/started-files.ts';
import type { Workspace } from '../../core/ports.ts';
import { createWorkspace } from '../../io/workspace.ts';
import { openStorage, type Storage } from '../../storage/storage.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import { followStartedFiles } from '../mcp/started-files.ts';
import type { CheckedOptions } from './check-options.ts';
import { type Closing, createClosing } from './closing.ts';
import { expectSandbox } from './confinement.ts';
import { mistypedRules } from './mistyped-rules.ts';
import { openPermissions, type Permissions } from './permissions.ts';
import { openSystemPorts, type SystemPorts } from './ports.ts';

export type Foundation = {
  workspace: Workspace;
  storage: Storage;
  permissions: Permissions;
  system: SystemPorts;
  /** What MCP servers are started from. */
  startedFiles(): StartedFiles;
  /** Told of every rule that a person has halter remember. */
  onRemembered(listener: (rule: Rule) => Promise<void>): void;
  closing: Closing;
};

/** Where one part cannot be opened, those that were are closed again. */
export const openFoundation = async (options: CheckedOptions): Promise<Outcome<Foundation>> => {
  const closing = createClosing(options.io.onWarning);
  try {
    const opened = await openAll(options, closing);
    if (!opened.ok) await closing.close();
    return opened;
  } catch (error) {
    await closing.close();
    throw error;
  }
};

const openAll = async (options: CheckedOptions, closing: Closing): Promise<Outcome<Foundation>> => {
  const { io, permissions: mode, rules, storage: kept, system } = options;
  const runsCommands = options.tools.chosen.some(({ effects }) => effects === 'process');
  if (runsCommands) expectSandbox(mode);
  const workspace = await createWorkspace({
    root: options.workspace.root,
    additionalRoots: options.workspace.additionalRoots,
    protectedPaths: protectedFolders(options),
  });
  if (!workspace.ok) return workspace;
  const { root } = workspace.value;
  const storage = await openStorage({ ...kept, offline: io.offline });
  if (!storage.ok) return storage;
  closing.add('the storage', storage.value.close);
  const listeners: ((rule: Rule) => Promise<void>)[] = [];
  const permissions = await openPermissions({
    store: storage.value.policies,
    root,
    given: rules,
    mode: mode.mode,
    onRemembered: async (rule) => {
      for (const listener of listeners) await listener(rule);
    },
    onWarning: io.onWarning,
  });
  for (const sentence of mistypedRules(permissions.rules(), [...options.tools.chosen, ...BUILT_IN_TOOLS]))
    io.onWarning('unknown_rule', sentence);
  const startedFiles = followStartedFiles({
    roots: [root, ...options.workspace.additionalRoots],
    environment: io.environment,
    choices: options.mcp,
    config: kept.folders?.config,
  });
  const runners = options.tools.chosen.filter(({ effects }) => effects === 'process').map(({ name }) => name);
  const isTool = (name: string): boolean => options.tools.chosen.some((tool) => tool.name === name);
  const ports = await openSystemPorts({
    workspace: { ...options.workspace, root },
    permissions: mode,
    io,
    system: kept.folders ?? system,
    database: kept.database,
    rules,
    secrets: options.model.apiKeyEnv === undefined ? [] : [options.model.apiKeyEnv],
    runsCommands,
    startedFiles,
    deniedPrograms: () => runners.flatMap((name) => deniedPrograms(permissions.rules().deny, { name, isTool })),
    logFolder: kept.folders?.data,
  });
  closing.add('the connections and commands', ports.close);
  return succeed({
    workspace: workspace.value,
    storage: storage.value,
    permissions,
    system: ports,
    startedFiles,
    onRemembered: (listener) => void listeners.push(listener),
    closing,
  });
};

/** Neither the person's folders nor those of this agent are a tool's. */
const protectedFolders = ({ system, storage }: CheckedOptions): string[] => {
  const own = storage.folders ?? system;
  return [...new Set([system.config, system.data, system.cache, own.config, own.data, own.cache])];
};
