/** From flags and settings to a halter for one folder. Flags come before settings. */
import { join, resolve } from 'node:path';
import type {
  IoOptions,
  ModelOptions,
  PermissionOptions,
  PromptOptions,
  SearchOptions,
  StorageOptions,
  TelemetryOptions,
  ToolOptions,
} from '../agent/create-agent/options.ts';
import { type Agent, type AgentOptions, createAgent } from '../agent/create-agent.ts';
import { loadPlugins, type PluginParts } from '../agent/plugins.ts';
import type { Limits } from '../core/limits.ts';
import type { Sampling } from '../core/model-port.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Mode } from '../core/policy/modes.ts';
import type { WebChoices } from '../io/network/web-settings.ts';
import type { Config } from '../storage/config-file.ts';
import { parseAddress } from '../storage/postgres/address.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { limitYoungGeneration } from './engine-flags.ts';
import type { FlagValues } from './flags.ts';
import { type Io, UsageError } from './io.ts';
import { modelKeyOf } from './model-key.ts';
import { readProjectSettings } from './project-settings.ts';
import { rolesOf, serverChoice } from './server-choice.ts';
import { databaseOf } from './session-access.ts';
import { pathsOf, readConfig } from './settings.ts';
import { textOrFile } from './text-file.ts';
import { readVersion } from './version.ts';

/** What a command adds to the flags and settings. */
export type OpenHalterOptions = Pick<ModelOptions, 'onLoading' | 'resumeWith' | 'warmUp'> &
  Pick<PermissionOptions, 'onAsk' | 'fixedMode'> &
  Pick<SearchOptions, 'documents'> &
  Pick<IoOptions, 'signal' | 'onWarning'> &
  Pick<PromptOptions, 'responseSchema'> & {
    flags: FlagValues;
    io: Io;
    /** What a person who is there answers to servers. */
    mcp?: NonNullable<AgentOptions['mcp']>;
  };

export const openHalter = async (options: OpenHalterOptions): Promise<Outcome<Agent>> => {
  const { flags, io } = options;
  const config = await readConfig(io);
  if (!config.ok) return config;
  const project = await readProjectSettings(resolve(io.cwd, flags.directory ?? '.'), io);
  const onWarning =
    options.onWarning ?? ((_code: string, message: string): void => io.stderr.write(`halter: ${message}\n`));
  const plugins = await readPlugins(config.value, options, onWarning);
  const settings: Settings = { flags, config: { ...config.value, ...project }, io, plugins };
  const opened = await createAgent({
    workspace: {
      root: resolve(io.cwd, flags.directory ?? '.'),
      additionalRoots: flags['add-dir']?.map((folder) => resolve(io.cwd, folder)),
    },
    model: {
      ...modelOptions(settings),
      warmUp: options.warmUp === true && config.value.warm_up !== false,
      ...(options.resumeWith ? { resumeWith: options.resumeWith } : {}),
      onLoading: options.onLoading,
    },
    prompt: { ...(await promptOptions(settings)), responseSchema: options.responseSchema },
    tools: toolOptions(settings),
    permissions: { ...permissionOptions(settings), onAsk: options.onAsk, fixedMode: options.fixedMode },
    storage: storageOptions(settings),
    search: { ...searchOptions(settings), documents: options.documents },
    mcp: { files: true, version: readVersion(), ...options.mcp },
    limits: limitOptions(settings),
    io: { ...ioOptions(settings), signal: options.signal, onWarning },
    telemetry: { trace: traceOf(flags, config.value), version: readVersion() },
  });
  // What is wrong here is wrong in the flags: a rule, a tool's name, a folder.
  if (!opened.ok && ['validation_failed', 'not_found'].includes(opened.error.error_type)) {
    throw new UsageError(opened.error.message);
  }
  // For good: a model shares the machine with us.
  limitYoungGeneration();
  return opened;
};

/** Flags come before settings; settings of the project are among them already. */
type Settings = { flags: FlagValues; config: Config; io: Io; plugins: PluginParts };

const modelOptions = ({ flags, config, io, plugins }: Settings): ModelOptions => ({
  ...modelPlace(flags, config, plugins),
  roles: furtherRoles(config),
  ...modelKeyOf(flags, config, io, Object.keys(plugins.providers)),
  contextLength: positive(flags['context-length'] ?? config.context_length, '--context-length'),
  compaction: (flags.compaction ?? config.compaction) as ModelOptions['compaction'],
  sampling: samplingOf(flags, config),
  silenceTimeoutMs: positive(config.silence_timeout_ms, 'silence_timeout_ms'),
  maxRequests: positive(config['models.max_requests'], 'models.max_requests'),
  ...notationOf(flags, config),
  adapters: flags.lora?.map((named) => resolve(io.cwd, named)),
  speculation: (flags.speculation ?? config.speculation) as ModelOptions['speculation'],
  promptStates: flags['no-session'] ? false : config.prompt_states !== false,
  resumeWith: namesModel(flags) ? 'named' : namesServer(flags) ? 'own_here' : 'own',
  providers: plugins.providers,
  dialects: plugins.dialects,
});

/** The dialect `native` is a tool strategy as well, so the flag of either comes before the setting of the other. */
const notationOf = (flags: FlagValues, config: Config): Pick<ModelOptions, 'dialect' | 'toolStrategy'> => {
  const { dialect, 'tool-strategy': strategy } = flags;
  const set = strategy !== undefined && config.dialect === 'native' ? undefined : config.dialect;
  const how = strategy ?? (dialect === 'native' ? undefined : config.tool_strategy);
  return { dialect: dialect ?? set, toolStrategy: how as ModelOptions['toolStrategy'] };
};

/** Whether a flag says which model is meant, so that it is not the one of the settings or of the session. */
export const namesModel = (flags: FlagValues): boolean => flags.model !== undefined;
/** A session goes on with its own model also at a server that a flag names, where that has it. */
export const namesServer = (flags: FlagValues): boolean =>
  flags.provider !== undefined || flags['base-url'] !== undefined;

/** The one that answers is told by name, since a flag may name another server. */
const furtherRoles = (config: Config): Record<string, string> => {
  const { main: _main, ...further } = rolesOf(config);
  return further;
};

const modelPlace = (
  flags: FlagValues,
  config: Config,
  plugins: PluginParts,
): Pick<ModelOptions, 'name' | 'provider' | 'baseUrl'> => {
  const { model, provider, baseUrl } = serverChoice(flags, config, Object.keys(plugins.providers));
  return { name: model, provider, baseUrl };
};

const promptOptions = async ({ flags, config, io, plugins }: Settings): Promise<PromptOptions> => {
  const text = (value: string | undefined, flag: string) =>
    value === undefined ? undefined : textOrFile(value, flag, io.cwd);
  return {
    preset: flags.preset ?? config.preset,
    system: await text(flags['system-prompt'], '--system-prompt'),
    append: await text(flags['append-system-prompt'] ?? config.append_system_prompt, '--append-system-prompt'),
    projectInstructions: config.project_instructions !== false,
    commands: plugins.commands,
  };
};

const toolOptions = ({ flags, config, plugins }: Settings): ToolOptions => ({
  available: [...BUILT_IN_TOOLS, ...plugins.tools],
  names: flags['no-tools'] ? [] : flags.tools === undefined ? undefined : wordsOf(flags.tools),
  results: flags.results ?? (config.results as ToolOptions['results']),
  web: webOptions(config),
});

const permissionOptions = ({ flags, config }: Settings): PermissionOptions => ({
  allow: flags.allow,
  deny: flags.deny,
  // A flag comes before the setting, also where it asks more seldom.
  mode: flags.mode ?? (flags.plan || flags.yolo ? undefined : (config.mode as Mode | undefined)),
  yolo: flags.yolo,
  plan: flags.plan,
  source: 'command line',
  sandbox: flags['no-sandbox'] ? false : (flags.sandbox ?? config.sandbox),
  allowNetwork: flags['allow-network'] ?? config.allow_network,
  allowHosts: [...wordsOf(config.allow_hosts), ...(flags['allow-host'] ?? [])],
  allowRead: [...wordsOf(config.allow_read), ...(flags['allow-read'] ?? [])],
});

const storageOptions = ({ flags, config, io }: Settings): StorageOptions => {
  const folders = pathsOf(io);
  const url = databaseOf(flags, config, io);
  if (url === undefined) return { kind: 'files', folders };
  // The options of a program have names of their own for it.
  const address = parseAddress(url);
  if (!address.ok) throw new UsageError(address.error.message);
  return { kind: 'postgres', url, folders };
};

const searchOptions = ({ config }: Settings): SearchOptions => ({
  graphRag: config.graph_rag as SearchOptions['graphRag'],
  curator: config.curator as SearchOptions['curator'],
  embeddingModel: config.embedding_model,
});

const limitOptions = ({ flags, config }: Settings): Partial<Limits> => ({
  iterations: positive(flags['max-iterations'] ?? config.max_iterations, '--max-iterations'),
  toolCallsPerIteration: positive(flags['max-tool-calls'] ?? config.max_tool_calls, '--max-tool-calls'),
});

const ioOptions = ({ flags, config, io }: Settings): IoOptions => ({
  environment: io.env,
  platform: process.platform,
  offline: flags.offline ?? config.offline,
  allowPrivate: [...wordsOf(config.allow_private), ...(flags['allow-private'] ?? [])],
});

const wordsOf = (text = ''): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

const webOptions = (config: Config): WebChoices => ({
  // The settings file holds nothing else: it is checked when it is read.
  search: config.web_search as WebChoices['search'],
  searchUrl: config.web_search_url,
  imageUrl: config.image_url,
  imageApi: config.image_api as WebChoices['imageApi'],
  imageModel: config.image_model,
});

/** The person's own, from their own folder; a project cannot name any. */
const readPlugins = (
  config: Config,
  { io, signal }: Pick<OpenHalterOptions, 'io' | 'signal'>,
  onWarning: (code: string, message: string) => void,
) =>
  loadPlugins({
    signal,
    folder: join(pathsOf(io).config, 'plugins'),
    packages: (config.plugins ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    onWarning,
  });

const traceOf = (flags: FlagValues, config: Config): TelemetryOptions['trace'] => {
  const to = flags.trace ?? config.trace;
  if (to !== 'file' && to !== 'otlp') return undefined;
  return { to, content: config.trace_content ?? false, endpoint: config.trace_endpoint };
};

const samplingOf = (flags: FlagValues, config: Config): Sampling =>
  withoutUndefined({
    temperature: flags.temperature ?? config.temperature,
    top_p: flags['top-p'] ?? config.top_p,
    seed: flags.seed ?? config.seed,
    // A budget on the command line goes before a setting that says no thinking.
    think: flags.think || flags['think-budget'] ? true : flags['no-think'] ? false : config.think,
    think_budget: budgetOf(flags, config),
  });

const budgetOf = (flags: FlagValues, config: Config): number | undefined => {
  const given = flags['think-budget'];
  if (given !== undefined && flags['no-think']) throw new UsageError('It is --think-budget or --no-think, not both.');
  return given === undefined ? positive(config.think_budget, 'think_budget') : positive(given, '--think-budget');
};

const withoutUndefined = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined));

const positive = (value: number | undefined, flag: string): number | undefined => {
  if (value !== undefined && value < 1) throw new UsageError(`${flag} is at least 1.`);
  return value;
};
