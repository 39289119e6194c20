/** From flags and settings to a halter for one folder. Flags come before settings. */
import { join, resolve } from 'node:path';
import { type Agent, type AgentOptions, createAgent } from '../agent/create-agent.ts';
import { loadPlugins } from '../agent/plugins.ts';
import type { JsonSchema } from '../core/json.ts';
import type { Sampling } from '../core/model-port.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Config } from '../storage/config-file.ts';
import { limitYoungGeneration } from './engine-flags.ts';
import type { FlagValues } from './flags.ts';
import { type Io, UsageError } from './io.ts';
import { readProjectSettings } from './project-settings.ts';
import { databaseOf } from './session-access.ts';
import { pathsOf, readConfig } from './settings.ts';
import { textOrFile } from './text-file.ts';
import { readVersion } from './version.ts';

export type OpenHalterOptions = Pick<AgentOptions, 'onAsk' | 'onLoading' | 'signal' | 'warmUp' | 'documents'> & {
  flags: FlagValues;
  io: Io;
  responseSchema?: JsonSchema;
  /** What a person who is there answers to servers. */
  mcp?: NonNullable<AgentOptions['mcp']>;
  onWarning?(code: string, message: string): void;
};

export const openHalter = async (options: OpenHalterOptions): Promise<Outcome<Agent>> => {
  const { flags, io } = options;
  const config = await readConfig(io);
  if (!config.ok) return config;
  const project = await readProjectSettings(resolve(io.cwd, flags.directory ?? '.'), io);
  const warn = (_code: string, message: string): void => io.stderr.write(`halter: ${message}\n`);
  const plugins = await readPlugins(config.value, io, options.onWarning ?? warn);
  const opened = await createAgent({
    plugins,
    ...(await choicesOf(flags, { ...config.value, ...project }, io)),
    environment: io.env,
    platform: process.platform,
    mcp: { files: true, version: readVersion(), ...options.mcp },
    onWarning: options.onWarning ?? warn,
    ...(options.onAsk ? { onAsk: options.onAsk } : {}),
    ...(options.onLoading ? { onLoading: options.onLoading } : {}),
    ...(options.warmUp && config.value.warm_up !== false ? { warmUp: true } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.documents ? { documents: true } : {}),
    ...(options.responseSchema ? { responseSchema: options.responseSchema } : {}),
  });
  // What is wrong here is wrong in the flags: a rule, a tool's name, a folder.
  if (!opened.ok && ['validation_failed', 'not_found'].includes(opened.error.error_type)) {
    throw new UsageError(opened.error.message);
  }
  // For good: a model shares the machine with us.
  limitYoungGeneration();
  return opened;
};

type Choices = Omit<AgentOptions, 'environment' | 'platform' | 'onWarning'>;

const choicesOf = async (flags: FlagValues, config: Config, io: Io): Promise<Choices> => {
  const text = (value: string | undefined, flag: string) =>
    value === undefined ? undefined : textOrFile(value, flag, io.cwd);
  const choices = {
    folder: resolve(io.cwd, flags.directory ?? '.'),
    addDirs: (flags['add-dir'] ?? []).map((folder) => resolve(io.cwd, folder)),
    // A model of the settings belongs to the provider of the settings.
    model: flags.model ?? (flags.provider || flags['base-url'] ? undefined : config.model),
    provider: flags.provider ?? (flags.model || flags['base-url'] ? undefined : config.provider),
    baseUrl: flags['base-url'] ?? (flags.model || flags.provider ? undefined : config.base_url),
    // A flag names its own key, and the settings' other ways to one do not count beside it.
    apiKeyEnv: flags['api-key-env'] ?? config.api_key_env,
    apiKeyFile:
      flags['api-key-env'] === undefined && config.api_key_file ? homePath(config.api_key_file, io) : undefined,
    apiKeyCommand: flags['api-key-env'] === undefined ? config.api_key_command : undefined,
    allow: flags.allow,
    deny: flags.deny,
    yolo: flags.yolo,
    plan: flags.plan,
    offline: flags.offline ?? config.offline,
    sandbox: flags['no-sandbox'] ? false : (flags.sandbox ?? config.sandbox),
    allowNetwork: flags['allow-network'] ?? config.allow_network,
    allowPrivate: [...wordsOf(config.allow_private), ...(flags['allow-private'] ?? [])],
    web: webChoices(config),
    graphRag: config.graph_rag,
    curator: config.curator,
    embeddingModel: config.embedding_model,
    tools: flags.tools === undefined ? undefined : wordsOf(flags.tools),
    noTools: flags['no-tools'],
    preset: flags.preset ?? config.preset,
    systemPrompt: await text(flags['system-prompt'], '--system-prompt'),
    appendSystemPrompt: await text(
      flags['append-system-prompt'] ?? config.append_system_prompt,
      '--append-system-prompt',
    ),
    sampling: samplingOf(flags, config),
    silenceTimeoutMs: positive(config.silence_timeout_ms, 'silence_timeout_ms'),
    contextLength: positive(flags['context-length'] ?? config.context_length, '--context-length'),
    maxIterations: positive(flags['max-iterations'] ?? config.max_iterations, '--max-iterations'),
    maxToolCalls: positive(flags['max-tool-calls'] ?? config.max_tool_calls, '--max-tool-calls'),
    database: databaseOf(flags, config, io),
    dialect: config.dialect,
    projectInstructions: config.project_instructions,
    trace: traceOf(flags, config),
    results: flags.results ?? (config.results as 'full' | 'summary' | undefined),
  };
  return withoutUndefined(choices) as Choices;
};

const wordsOf = (text = ''): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

const webChoices = (config: Config): object =>
  withoutUndefined({
    search: config.web_search,
    searchUrl: config.web_search_url,
    imageUrl: config.image_url,
    imageApi: config.image_api,
    imageModel: config.image_model,
  });

/** The person's own, from their own folder; a project cannot name any. */
const readPlugins = (config: Config, io: Io, onWarning: (code: string, message: string) => void) =>
  loadPlugins({
    folder: join(pathsOf(io).config, 'plugins'),
    packages: (config.plugins ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    onWarning,
  });

const traceOf = (flags: FlagValues, config: Config): AgentOptions['trace'] => {
  const to = flags.trace ?? config.trace;
  if (to !== 'file' && to !== 'otlp') return undefined;
  return {
    to,
    version: readVersion(),
    content: config.trace_content ?? false,
    ...(config.trace_endpoint === undefined ? {} : { endpoint: config.trace_endpoint }),
  };
};

const homePath = (path: string, io: Io): string =>
  path.startsWith('~/') ? join(io.env['HOME'] ?? '', path.slice(2)) : resolve(pathsOf(io).config, path);

const samplingOf = (flags: FlagValues, config: Config): Sampling =>
  withoutUndefined({
    temperature: flags.temperature ?? config.temperature,
    top_p: flags['top-p'] ?? config.top_p,
    seed: flags.seed ?? config.seed,
    think: flags.think ? true : flags['no-think'] ? false : config.think,
  });

const withoutUndefined = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined));

const positive = (value: number | undefined, flag: string): number | undefined => {
  if (value !== undefined && value < 1) throw new UsageError(`${flag} is at least 1.`);
  return value;
};
