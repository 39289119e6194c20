/** What a harness opens at its first message: the doors, and then the conversation with its model. */
import { join } from 'node:path';
import { closeAll } from '../agent/close-all.ts';
import { confinementOf } from '../agent/create-agent/confine-options.ts';
import { createCuratorFor } from '../agent/knowledge/open-knowledge.ts';
import type { EffectPorts } from '../agent/loop/run-effects.ts';
import { createResultCache } from '../agent/loop/run-tool/result-cache.ts';
import type { ToolPorts } from '../agent/loop/run-tool/tool-ports.ts';
import { openProvider } from '../agent/models/open-provider.ts';
import { openCommandRules } from '../agent/permissions/authorize/command-decider.ts';
import { openConversation } from '../agent/session/open-conversation.ts';
import { ModelFailure } from '../core/errors.ts';
import type { SessionFace } from '../core/events.ts';
import type { Limits } from '../core/limits.ts';
import type { PolicyRules } from '../core/policy.ts';
import type { Network } from '../core/ports.ts';
import { systemPrompt } from '../core/system-prompt.ts';
import { systemClock } from '../io/clock.ts';
import { createNetwork } from '../io/network.ts';
import { createProcesses } from '../io/processes.ts';
import { createWorkspace } from '../io/workspace.ts';
import { unconfined } from '../sandbox/confine.ts';
import { halterPaths } from '../storage/paths.ts';
import type { HarnessServers } from './mcp-servers.ts';
import type { HarnessOptions } from './options.ts';

export { createToolRunner } from '../agent/loop/run-tool/execute-tool.ts';

export type HarnessPorts = ToolPorts & {
  /** The way to the model: its address is the program's own word. */
  modelNetwork: Network;
  /** Found at the first need. */
  model(): ReturnType<typeof openProvider>;
  servers?: HarnessServers;
  close(): Promise<void>;
};

export const openPorts = async (
  options: HarnessOptions,
  limits: Limits,
  registry: ToolPorts['registry'],
  rules: () => PolicyRules,
): Promise<HarnessPorts> => {
  const { config, data, cache } = halterPaths(process.env, process.platform);
  const workspace = await createWorkspace({
    root: options.workspace ?? process.cwd(),
    protectedPaths: [config, data, cache],
  });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const { root } = workspace.value;
  const runsCommands = registry.tools.some(({ effects }) => effects === 'process');
  const sandbox = runsCommands
    ? await confinementOf({ ...options, environment: process.env }, root, { config, data, cache })
    : unconfined('no tool runs commands');
  const processes = createProcesses({
    root,
    environment: process.env,
    ...(sandbox.confine ? { confine: sandbox.confine } : {}),
  });
  const { onConnection } = options;
  // Told beside the work: a callback that throws is the program's own matter and breaks no connection.
  const network = createNetwork({
    environment: process.env,
    ...(onConnection ? { onConnection: (record) => queueMicrotask(() => onConnection(record)) } : {}),
  });
  let model: ReturnType<typeof openProvider> | undefined;
  const ports: HarnessPorts = {
    registry,
    rules,
    commandRules: openCommandRules(root),
    confinement: sandbox.report,
    limits,
    network: network.guarded({ allowPrivate: options.allowPrivate ?? [] }),
    modelNetwork: network,
    processes,
    workspace: workspace.value,
    clock: systemClock,
    config: {},
    cache: createResultCache(),
    curatorFor: createCuratorFor(),
    model() {
      model ??= openProvider({
        model: options.model,
        network,
        processes,
        clock: systemClock,
        environment: process.env,
        modelsFolder: join(data, 'models'),
        ...(options.provider === undefined ? {} : { provider: options.provider }),
        ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
        ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
      });
      return model;
    },
    async close() {
      tellUnclosed(
        await closeAll([
          ['the commands', () => processes.close()],
          ['the sandbox', () => sandbox.close()],
          ['the connections', () => network.close()],
        ]),
      );
    },
  };
  return options.mcpServers === undefined ? ports : withServers(options.mcpServers, options, ports);
};

const withServers = async (
  named: NonNullable<HarnessOptions['mcpServers']>,
  options: HarnessOptions,
  ports: HarnessPorts,
): Promise<HarnessPorts> => {
  const { openHarnessServers } = await import('./mcp-servers.ts');
  const opening = openHarnessServers(named, options, ports);
  const servers = await opening.catch(async (error: unknown) => {
    await ports.close();
    throw error;
  });
  return {
    ...ports,
    registry: servers.registry,
    servers,
    async close() {
      tellUnclosed(
        await closeAll([
          ['the MCP servers', () => servers.close()],
          ['the harness', () => ports.close()],
        ]),
      );
    },
  };
};

const tellUnclosed = (problems: readonly string[]): void => {
  for (const problem of problems) process.emitWarning(problem, { code: 'close_failed' });
};

export const openHarnessSession = async (
  options: HarnessOptions,
  ports: HarnessPorts,
  remember: EffectPorts['remember'],
): Promise<SessionFace> => {
  const chosen = await ports.model();
  if (!chosen.ok) throw new ModelFailure(chosen.error);
  const { servers } = ports;
  return openConversation({
    ...ports,
    ...(servers ? { registry: servers.listsOfNow(), questions: servers.questions() } : {}),
    id: crypto.randomUUID(),
    // A model that its server does not describe can be used all the same; then no prompt is refused beforehand.
    contextTokens: 'ask',
    provider: chosen.value.provider,
    model: chosen.value.model,
    system: options.systemPrompt ?? systemPrompt('small'),
    results: 'full',
    sampling: options.sampling ?? {},
    dialect: 'auto',
    toolMode: 'native',
    onAsk: options.onPermission ? 'wait' : 'deny',
    remember,
    onClose: () => chosen.value.provider.close(),
  });
};
