/** The model servers of this machine and the models of the embedded engine, for `models` and `doctor`. */
import { join } from 'node:path';
import { noteConnections } from '../agent/create-agent/egress-ledger.ts';
import { readApiKey } from '../agent/models/api-key.ts';
import { keyForServer } from '../agent/models/key-servers.ts';
import type { ModelError, ModelInfo, ModelProvider } from '../core/model-port.ts';
import { systemClock } from '../io/clock.ts';
import { type ClosableNetwork, createNetwork } from '../io/network.ts';
import { createProcesses } from '../io/processes.ts';
import { createModelStore, type ModelStore } from '../providers/embedded/model-store.ts';
import { type HoldOptions, type HoldOutcome, holdModel } from '../providers/hold-model.ts';
import {
  addressesOf,
  createProvider,
  detectEndpoints,
  type FoundEndpoint,
  ollamaUrlFrom,
  type ProviderName,
  parseModelName,
  type ServerProviderName,
  usualAddress,
  usualEndpoints,
} from '../providers/index.ts';
import type { Config } from '../storage/config-file.ts';
import { createEgressFile } from '../storage/egress-file.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { modelKeyOf } from './model-key.ts';
import { pathsOf } from './settings.ts';

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

/** `flags` are those of `withServerSettings`. */
export const openModelServers = (flags: FlagValues, io: Io, config: Config = {}): ModelServers => {
  const network = createNetwork({
    environment: io.env,
    offline: flags.offline ?? false,
    ...noteConnections(createEgressFile({ folder: pathsOf(io).data })),
  });
  const processes = createProcesses({ root: io.cwd, environment: io.env });
  const ollamaUrl = flags['base-url'] ?? ollamaUrlFrom(io.env['OLLAMA_HOST']);
  const { apiKeyFor, ...source } = modelKeyOf(flags, config, io);
  let reading: ReturnType<typeof readApiKey> | undefined;
  const read = () => (reading ??= readApiKey({ ...source, environment: io.env }, processes));
  const optionsOf = async (name: ServerProviderName, baseUrl: string | undefined) => {
    const url = baseUrl ?? (name === 'ollama' ? ollamaUrl : usualAddress(name, io.env));
    // A key of this run is for the server that was named; nobody else is shown it.
    const named = baseUrl === undefined ? undefined : addressesOf(flags['base-url'] ?? '');
    const key = await keyForServer({ read, servers: apiKeyFor ?? named }, url);
    return { network, clock: systemClock, baseUrl: url, ...(key.ok ? key.value : {}) };
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
      return holdModel({ ...(await optionsOf(provider, baseUrl)), provider, ...wish });
    },
    close() {
      processes.close();
      network.close();
    },
  };
};
