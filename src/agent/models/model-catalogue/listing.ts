/** What models there are: on the server in use, on servers at their usual ports, and on this machine's disk. */
import { withHint } from '../../../core/error-text.ts';
import type { ModelInfo } from '../../../core/model-port.ts';
import { systemClock } from '../../../io/clock.ts';
import { engineMissing } from '../../../providers/embedded/install-engine.ts';
import type { ModelStore } from '../../../providers/embedded/model-store.ts';
import { createProvider, detectEndpoints, usualEndpoints } from '../../../providers/index.ts';
import { type ChosenModel, type ModelPlace, presentWindow } from '../choose-model.ts';

export type ListedModel = {
  /** `provider/model`. */
  id: string;
  provider: string;
  endpoint: string;
  /** New sessions begin with it. */
  current: boolean;
  /** Its server does not answer now. */
  unreachable?: true | undefined;
  /** Why it cannot be used now, though it is here. */
  problem?: string | undefined;
  info: ModelInfo;
};

/** The opened model, and its neighbours on the same server. */
export const modelsBeside = async (chosen: ChosenModel, signal: AbortSignal): Promise<ListedModel[]> => {
  const { provider, model } = chosen;
  const window = presentWindow(chosen);
  const info = { ...chosen.info, ...(window === undefined ? {} : { context_length: window }) };
  const listed = await provider.models(signal);
  const models = listed.ok ? listed.models : [];
  const unreachable = !listed.ok && listed.error.code === 'unreachable' ? true : undefined;
  const isCalled = (entry: ModelInfo): boolean => namesOf(entry).includes(model);
  // It stands under the name that it was opened by.
  const named = models.map((entry) => (isCalled(entry) ? { ...entry, id: model, aliases: namesOf(entry) } : entry));
  const all = models.some(isCalled) ? named : [{ ...info, id: model }, ...models];
  return all.map((entry) => ({
    id: `${provider.name}/${entry.id}`,
    provider: provider.name,
    endpoint: provider.endpoint,
    current: entry.id === model,
    unreachable,
    // Its size is that of its file where there is one, as before it was opened.
    info:
      entry.id === model ? { ...entry, ...info, id: entry.id, size_bytes: entry.size_bytes ?? info.size_bytes } : entry,
  }));
};

const namesOf = ({ id, aliases = [] }: ModelInfo): readonly string[] => [id, ...aliases];

/** Those of servers that answer at their usual addresses. */
export const modelsOfServers = async ({ network, io }: ModelPlace, signal: AbortSignal): Promise<ListedModel[]> => {
  const endpoints = await detectEndpoints(network, signal, usualEndpoints(io.environment));
  const listed = await Promise.all(
    endpoints.map(async ({ provider: name, baseUrl }) => {
      const provider = createProvider(name, { network, clock: systemClock, baseUrl });
      const found = await provider.models(signal);
      await provider.close();
      return (found.ok ? found.models : []).map((info) => ({
        id: `${name}/${info.id}`,
        provider: name,
        endpoint: provider.endpoint,
        current: false,
        info,
      }));
    }),
  );
  return listed.flat();
};

export const openModelStore = async (place: ModelPlace): Promise<ModelStore> => {
  const { createModelStore } = await import('../../../providers/embedded/model-store.ts');
  return createModelStore({
    folder: place.modelsFolder,
    network: place.network,
    processes: place.processes,
    environment: place.io.environment,
    offline: place.io.offline,
    monotonic: systemClock.monotonic,
  });
};

/** Those that the engine in this process runs from disk. */
export const modelsOfEngine = async (place: ModelPlace, look = engineMissing): Promise<ListedModel[]> => {
  const store = await openModelStore(place);
  const missing = look();
  return (await store.list()).map((info) => ({
    id: `embedded/${info.id}`,
    provider: 'embedded',
    endpoint: store.folder,
    current: false,
    problem: missing && withHint(missing),
    info,
  }));
};

/** Each model of each server once. */
export const withoutRepeats = (listed: readonly ListedModel[]): ListedModel[] => {
  const seen = new Set<string>();
  return listed.filter(({ provider, endpoint, info }) => {
    const keys = namesOf(info).map((name) => `${provider}/${name} ${endpoint}`);
    const isNew = !keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    return isNew;
  });
};
