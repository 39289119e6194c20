/**
 * An agent for tests, benchmarks and the conformance runner: the same root as every other, with options in one flat list,
 * halter's own tools, and everything kept in files of the given home, as the program has it.
 */

import type {
  IoOptions,
  ModelOptions,
  PermissionOptions,
  PromptOptions,
  SearchOptions,
  ToolOptions,
} from '../agent/create-agent/options.ts';
import { type Agent, type AgentOptions, createAgent } from '../agent/create-agent.ts';
import type { PluginParts } from '../agent/plugins.ts';
import type { ModelProvider } from '../core/model-port.ts';
import type { Outcome } from '../core/outcome.ts';
import { halterPaths } from '../storage/paths.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';

export type TestAgentOptions = Pick<AgentOptions, 'mcp'> &
  Omit<ModelOptions, 'name' | 'provider'> &
  Omit<PermissionOptions, 'source'> &
  IoOptions &
  SearchOptions &
  Pick<PromptOptions, 'preset' | 'projectInstructions' | 'responseSchema'> &
  Pick<ToolOptions, 'results' | 'web'> & {
    folder: string;
    addDirs?: readonly string[];
    model?: string;
    provider?: string;
    modelProvider?: ModelProvider;
    /** Only these of halter's tools. */
    tools?: readonly string[];
    noTools?: boolean;
    systemPrompt?: string;
    appendSystemPrompt?: string;
    maxIterations?: number;
    maxToolCalls?: number;
    /** `postgres://…` */
    database?: string;
    trace?: NonNullable<AgentOptions['telemetry']>['trace'] & { version: string };
    plugins?: PluginParts;
  };

export const openTestAgent = (options: TestAgentOptions): Promise<Outcome<Agent>> => createAgent(agentOptions(options));

export const agentOptions = (options: TestAgentOptions): AgentOptions => {
  const { environment = process.env, platform = process.platform, plugins, trace } = options;
  const folders = halterPaths(environment, platform);
  return {
    workspace: { root: options.folder, additionalRoots: options.addDirs },
    model: {
      ...pick(options, [
        'baseUrl',
        'apiKey',
        'apiKeyEnv',
        'apiKeyFile',
        'apiKeyCommand',
        'apiKeyFor',
        'contextLength',
        'compaction',
        'sampling',
        'silenceTimeoutMs',
        'maxRequests',
        'toolStrategy',
        'roles',
        'warmUp',
        'dialect',
        'describe',
        'resumeWith',
        'onLoading',
      ]),
      name: options.model,
      provider: options.modelProvider ?? options.provider,
      providers: plugins?.providers,
      dialects: plugins?.dialects,
    },
    prompt: {
      ...pick(options, ['preset', 'responseSchema']),
      system: options.systemPrompt,
      append: options.appendSystemPrompt,
      projectInstructions: options.projectInstructions ?? true,
      commands: plugins?.commands,
    },
    tools: {
      ...pick(options, ['results', 'web']),
      available: [...BUILT_IN_TOOLS, ...(plugins?.tools ?? [])],
      names: options.noTools ? [] : options.tools,
    },
    permissions: {
      ...pick(options, [
        'allow',
        'deny',
        'plan',
        'yolo',
        'mode',
        'fixedMode',
        'onAsk',
        'sandbox',
        'allowNetwork',
        'allowHosts',
        'allowRead',
      ]),
      source: 'command line',
    },
    storage:
      options.database === undefined
        ? { kind: 'files', folders }
        : { kind: 'postgres', url: options.database, folders },
    search: pick(options, ['graphRag', 'curator', 'embeddingModel', 'documents']),
    mcp: options.mcp,
    limits: { iterations: options.maxIterations, toolCallsPerIteration: options.maxToolCalls },
    io: {
      ...pick(options, ['offline', 'allowPrivate', 'connections', 'signal', 'onWarning', 'onConnection']),
      environment,
      platform,
    },
    telemetry: {
      trace: trace && { to: trace.to, endpoint: trace.endpoint, content: trace.content },
      version: trace?.version,
    },
  };
};

const pick = <T extends object, const K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>;
