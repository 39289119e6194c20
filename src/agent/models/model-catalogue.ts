/**
 * Every model that can be used from here, by one name each (`provider/model`), and the way from such a name to the model
 * itself. The one that halter was started with is opened by `main`; others are opened when they are asked for.
 */
import type { ModelError, ModelInfo } from '../../core/model-port.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { systemClock } from '../../io/clock.ts';
import type { ModelStore } from '../../providers/embedded/model-store.ts';
import {
  createProvider,
  detectEndpoints,
  isProviderName,
  parseModelName,
  usualEndpoints,
} from '../../providers/index.ts';
import { closeAll } from '../close-all.ts';
import type { ModelOptions } from '../create-agent/options.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { type ChosenModel, chooseModel, describeModel, type ModelPlace, presentWindow } from './choose-model.ts';
import { createModelAdmin, type ModelAdmin, type ModelAdminParts } from './model-admin.ts';

export type ListedModel = {
  /** `provider/model`. */
  id: string;
  provider: string;
  endpoint: string;
  /** New sessions begin with it. */
  current: boolean;
  /** Its server does not answer now. */
  unreachable?: true | undefined;
  info: ModelInfo;
};

export type ModelCatalogue = {
  list(signal: AbortSignal): Promise<ListedModel[]>;
  /** By its name with or without the provider; the one halter was started with where there is no name. */
  open(name: string | undefined): Promise<Outcome<ChosenModel, ModelError>>;
  /** Other names that `open` takes. `model` is what the person named for it; the one halter was started with where absent. */
  aliases(): readonly { name: string; model?: string }[];
  /** Whether the person named a model for this role, such as `fast`. */
  hasRole(role: string): boolean;
  /** The one halter was started with, without opening it; undefined where nobody needed it yet. */
  opened(): Promise<Outcome<ChosenModel, ModelError> | undefined> | undefined;
  /** Gets, removes and probes models. */
  readonly admin: ModelAdmin;
  /** Whether the server of the model answers now; undefined: no server was named, and nobody needed one yet. */
  answers(): Promise<Outcome<void, ModelError>> | undefined;
  close(): Promise<void>;
};

export type CatalogueParts = {
  options: ModelOptions;
  place: ModelPlace;
  main(): Promise<Outcome<ChosenModel, ModelError>>;
  /** The one that is open, without opening it. */
  opened(): Promise<Outcome<ChosenModel, ModelError> | undefined> | undefined;
};

/** Names of the model that halter was started with. Some clients have a `default` of their own, so it has a second one. */
const STARTED_WITH: ReadonlySet<string> = new Set(['', 'default', 'halter']);

const onlyServer = ({ provider, baseUrl }: ModelOptions): ModelAdminParts['only'] => {
  if (typeof provider === 'object') return { provider: provider.name, baseUrl: undefined };
  return baseUrl === undefined ? undefined : { provider, baseUrl };
};

/** Of a server, by itself or in front of the model's name. */
const namedProvider = ({ provider, name, providers = {} }: ModelOptions): string | undefined => {
  const [prefix = ''] = (name ?? '').split('/');
  const own = Object.hasOwn(providers, prefix) ? prefix : parseModelName(name ?? '').provider;
  const named = typeof provider === 'string' ? provider : own;
  return named === 'embedded' ? undefined : named;
};

export const createModelCatalogue = (parts: CatalogueParts): ModelCatalogue => {
  const { options, place } = parts;
  const { io, network, processes } = place;
  const others = new Map<string, Promise<Outcome<ChosenModel, ModelError>>>();

  /** Whether the person named one server: then no other is asked. */
  const isPinned = onlyServer(options) !== undefined;
  const namesServer = isPinned || namedProvider(options) !== undefined;

  /** The model halter was started with, and its neighbours on the same server. */
  const ofMain = async (signal: AbortSignal): Promise<ListedModel[]> => {
    // The one server that is meant is asked; where any may be meant, the one in use is there already.
    const opened = await (isPinned ? parts.main() : parts.opened());
    if (!opened?.ok) return [];
    const { provider, model } = opened.value;
    const window = presentWindow(opened.value);
    const info = { ...opened.value.info, ...(window === undefined ? {} : { context_length: window }) };
    const listed = await provider.models(signal);
    const models = listed.ok ? listed.models : [];
    const unreachable = !listed.ok && listed.error.code === 'unreachable' ? true : undefined;
    const all = models.some(({ id }) => id === model) ? models : [{ ...info, id: model }, ...models];
    return all.map((entry) => ({
      id: `${provider.name}/${entry.id}`,
      provider: provider.name,
      endpoint: provider.endpoint,
      current: entry.id === model,
      unreachable,
      info: entry.id === model ? { ...entry, ...info, id: entry.id } : entry,
    }));
  };
  const ofServers = async (signal: AbortSignal): Promise<ListedModel[]> => {
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
  const openStore = async (): Promise<ModelStore> => {
    const { createModelStore } = await import('../../providers/embedded/model-store.ts');
    return createModelStore({
      folder: place.modelsFolder,
      network,
      processes,
      environment: io.environment,
      offline: io.offline,
      monotonic: systemClock.monotonic,
    });
  };
  const ofEngine = async (): Promise<ListedModel[]> => {
    const store = await openStore();
    return (await store.list()).map((info) => ({
      id: `embedded/${info.id}`,
      provider: 'embedded',
      endpoint: store.folder,
      current: false,
      info,
    }));
  };
  const open: ModelCatalogue['open'] = async (called) => {
    const { roles = {} } = options;
    const name = called !== undefined && Object.hasOwn(roles, called) ? roles[called] : called;
    const main = await parts.main();
    if (name === undefined || STARTED_WITH.has(name)) return main;
    const known = others.get(name);
    if (known) return known;
    if (main.ok) {
      const { provider, model } = main.value;
      const own = name.startsWith(`${provider.name}/`) ? name.slice(provider.name.length + 1) : name;
      if (own === model) return main;
      if (isPinned || own !== name || !isProviderName(parseModelName(name).provider ?? '')) {
        // A server that describes no models is asked for none.
        if (options.describe === false) return succeed({ provider, model: own, info: { id: own } });
        const described = await describeModel({ provider, model: own }, place, options.contextLength);
        if (described.ok || isPinned || own !== name) return described;
      }
    }
    const { provider: _provider, baseUrl: _baseUrl, ...rest } = options;
    const opening = chooseModel({ ...(isPinned ? options : rest), name, describe: true }, place);
    others.set(name, opening);
    const chosen = await opening;
    if (!chosen.ok) others.delete(name);
    return chosen;
  };
  return {
    async list(signal) {
      const listed = (await Promise.all([ofMain(signal), ...(isPinned ? [] : [ofServers(signal), ofEngine()])])).flat();
      const seen = new Set<string>();
      return listed.filter(({ id, endpoint }) => {
        const key = `${id} ${endpoint}`;
        const isNew = !seen.has(key);
        seen.add(key);
        return isNew;
      });
    },
    open,
    aliases: () => [
      ...[...STARTED_WITH].filter((name) => name !== '').map((name) => ({ name })),
      ...Object.entries(options.roles ?? {}).map(([name, model]) => ({ name, model })),
    ],
    hasRole: (role) => options.roles !== undefined && Object.hasOwn(options.roles, role),
    admin: createModelAdmin({ place, store: openStore, open, only: onlyServer(options), opened: parts.opened }),
    opened: parts.opened,
    answers() {
      const opening = namesServer ? parts.main() : parts.opened();
      return opening && answersOf(opening);
    },
    async close() {
      const problems = await closeAll(
        [...others].map(([name, opening]) => [
          `the model ${name}`,
          async () => {
            const chosen = await opening;
            if (chosen.ok) await chosen.value.provider.close();
          },
        ]),
      );
      for (const problem of problems) io.onWarning('close_failed', problem);
    },
  };
};

const answersOf = async (
  opening: Promise<Outcome<ChosenModel, ModelError> | undefined>,
): Promise<Outcome<void, ModelError>> => {
  const chosen = await opening;
  if (chosen === undefined) return succeed(undefined);
  if (!chosen.ok) return chosen;
  const listed = await chosen.value.provider.models(AbortSignal.timeout(AGENT_LIMITS.readinessMs));
  // A server that lists no models answers nevertheless.
  const isThere = listed.ok || !['unreachable', 'timeout', 'disconnected', 'cancelled'].includes(listed.error.code);
  return isThere ? succeed(undefined) : listed;
};
