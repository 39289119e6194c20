/** The model servers of this machine and the models of the embedded engine, for `models` and `doctor`. */
import { join } from 'node:path';
import { noteConnections } from '../agent/create-agent/egress-ledger.ts';
import { readApiKey } from '../agent/models/api-key.ts';
import type { ModelError, ModelInfo, ModelProvider } from '../core/model-port.ts';
import type { Processes } from '../core/ports.ts';
import { systemClock } from '../io/clock.ts';
import { type ClosableNetwork, createNetwork } from '../io/network.ts';
import { createProcesses } from '../io/processes.ts';
import { createModelStore, type ModelStore } from '../providers/embedded/model-store.ts';
import { type HoldOptions, type HoldOutcome, holdModel } from '../providers/hold-model.ts';
import {
  createProvider,
  detectEndpoints,
  type FoundEndpoint,
  ollamaUrlFrom,
  type ProviderName,
  parseModelName,
  type ServerProviderName,
  usualEndpoints,
} from '../providers/index.ts';
import { LLAMA_CPP_URL } from '../providers/llama-cpp/llama-cpp.ts';
import { OPENAI_URL } from '../providers/openai/openai.ts';
import type { Config } from '../storage/config-file.ts';
import { createEgressFile } from '../storage/egress-file.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { homePath, pathsOf } from './settings.ts';

export type ModelServers = {
  readonly network: ClosableNetwork;
  readonly store: ModelStore;
  /** The servers on the usual ports that answer. */
  detect(signal: AbortSignal): Promise<FoundEndpoint[]>;
  /** What one server has, asked in its own words. */
  list(
    provider: ServerProviderName,
    baseUrl: string | undefined,
    signal: AbortSignal,
  ): Promise<{ ok: true; models: ModelInfo[]; endpoint: string } | { ok: false; error: ModelError }>;
  describe(
    provider: ServerProviderName,
    baseUrl: string | undefined,
    model: string,
    signal: AbortSignal,
  ): Promise<ModelInfo | undefined>;
  /** Takes a model into the memory of its server, or out of it. */
  hold(
    provider: ServerProviderName,
    baseUrl: string | undefined,
    wish: Pick<HoldOptions, 'model' | 'wanted' | 'signal'>,
  ): Promise<HoldOutcome>;
  ollamaUrl: string;
  close(): void;
};

/** What the flags say about the server: a provider named alone, or in front of the model. */
export const namedProvider = (flags: FlagValues, model?: string): { provider?: ProviderName; model?: string } => {
  const named = parseModelName(model ?? flags.model ?? '');
  const provider = flags.provider ?? named.provider ?? (flags['base-url'] === undefined ? undefined : 'openai');
  const name = flags.provider !== undefined && named.provider !== flags.provider ? (model ?? flags.model) : named.model;
  return { provider, ...(name ? { model: name } : {}) };
};

/** The key of the settings is for the server of the settings. */
const keyOf = async (flags: FlagValues, config: Config, io: Io, processes: Processes): Promise<string | undefined> => {
  const key = await readApiKey(
    flags['api-key-env'] === undefined
      ? {
          apiKeyEnv: config.api_key_env,
          apiKeyFile: config.api_key_file ? homePath(config.api_key_file, io) : undefined,
          apiKeyCommand: config.api_key_command,
          environment: io.env,
        }
      : { apiKeyEnv: flags['api-key-env'], environment: io.env },
    processes,
  );
  return key.ok ? key.value : undefined;
};

/** `flags` are those of `withServerSettings`. */
export const openModelServers = (flags: FlagValues, io: Io, config: Config = {}): ModelServers => {
  const network = createNetwork({
    environment: io.env,
    offline: flags.offline ?? false,
    ...noteConnections(createEgressFile({ folder: pathsOf(io).data })),
  });
  const processes = createProcesses({ root: io.cwd, environment: io.env });
  const ollamaUrl = flags['base-url'] ?? ollamaUrlFrom(io.env['OLLAMA_HOST']);
  let key: Promise<string | undefined> | undefined;
  const optionsOf = async (name: ServerProviderName, baseUrl: string | undefined) => {
    // Nobody else is shown the key of the server that was named.
    const isNamed = baseUrl === undefined || baseUrl === flags['base-url'];
    key ??= keyOf(flags, config, io, processes);
    const apiKey = isNamed ? await key : undefined;
    const url = baseUrl ?? (name === 'ollama' ? ollamaUrl : undefined);
    return { network, clock: systemClock, ...(url ? { baseUrl: url } : {}), ...(apiKey ? { apiKey } : {}) };
  };
  const open = async (name: ServerProviderName, baseUrl: string | undefined): Promise<ModelProvider> =>
    createProvider(name, await optionsOf(name, baseUrl));
  return {
    network,
    ollamaUrl,
    store: createModelStore({
      folder: join(pathsOf(io).data, 'models'),
      network,
      processes,
      environment: io.env,
      offline: flags.offline ?? false,
    }),
    detect: (signal) => detectEndpoints(network, signal, usualEndpoints(io.env)),
    async describe(name, baseUrl, model, signal) {
      const provider = await open(name, baseUrl);
      const described = await provider.describe(model, signal);
      await provider.close();
      return described.ok ? described.model : undefined;
    },
    async list(name, baseUrl, signal) {
      const provider = await open(name, baseUrl);
      const listed = await provider.models(signal);
      await provider.close();
      return listed.ok ? { ...listed, endpoint: provider.endpoint } : listed;
    },
    async hold(provider, baseUrl, wish) {
      const options = await optionsOf(provider, baseUrl);
      const usual = provider === 'llama-cpp' ? LLAMA_CPP_URL : OPENAI_URL;
      return holdModel({ ...options, baseUrl: options.baseUrl ?? usual, provider, ...wish });
    },
    close() {
      processes.close();
      network.close();
    },
  };
};
