/**
 * Every model that can be used from here, by one name each (`provider/model`), and the way from such a name to the model
 * itself. The one that halter was started with is opened by `main`; others are opened when they are asked for.
 */
import type { ModelError, ModelProvider } from '../../core/model-port.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { isServerProviderName, parseModelName, usualAddress } from '../../providers/index.ts';
import { closeAll } from '../close-all.ts';
import type { ModelOptions } from '../create-agent/options.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { type ChosenModel, chooseModel, describeModel, type ModelPlace } from './choose-model.ts';
import { createModelAdmin, type ModelAdmin, type ModelAdminParts } from './model-admin.ts';
import {
  type ListedModel,
  modelsBeside,
  modelsOfEngine,
  modelsOfServers,
  openModelStore,
  withoutRepeats,
} from './model-catalogue/listing.ts';

export type { ListedModel } from './model-catalogue/listing.ts';

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

/** Whether the part before the slash is a provider's name, of halter's own or of a plugin. */
const namesProvider = (name: string, providers: ModelOptions['providers'] = {}): boolean =>
  parseModelName(name).provider !== undefined || Object.hasOwn(providers, name.split('/', 1)[0] ?? '');

export const createModelCatalogue = (parts: CatalogueParts): ModelCatalogue => new OpenCatalogue(parts);

/** Its functions are handed on one by one, so each keeps its catalogue. */
class OpenCatalogue implements ModelCatalogue {
  readonly admin: ModelAdmin;
  readonly opened: CatalogueParts['opened'];
  readonly #parts: CatalogueParts;
  readonly #others = new Map<string, Promise<Outcome<ChosenModel, ModelError>>>();
  /** Whether the person named one server: then no other is asked. */
  readonly #isPinned: boolean;

  constructor(parts: CatalogueParts) {
    const { options, place, opened } = parts;
    const only = onlyServer(options);
    this.#parts = parts;
    this.#isPinned = only !== undefined;
    this.opened = opened;
    this.admin = createModelAdmin({ place, store: () => openModelStore(place), open: this.open, only, opened });
  }

  readonly list = async (signal: AbortSignal): Promise<ListedModel[]> => {
    const { place } = this.#parts;
    const elsewhere = this.#isPinned ? [] : [modelsOfServers(place, signal), modelsOfEngine(place)];
    return withoutRepeats((await Promise.all([this.#ofMain(signal), ...elsewhere])).flat());
  };

  readonly open = async (called: string | undefined): Promise<Outcome<ChosenModel, ModelError>> => {
    // A role may be that of another one: `titles` the `fast` model.
    const name = called === undefined ? undefined : this.#ofRole(this.#ofRole(called));
    const main = await this.#parts.main();
    if (name === undefined || STARTED_WITH.has(name)) return main;
    // What the person named for a role is theirs, whichever server they named for the rest.
    const isElsewhere = name !== called && (await this.#isElsewhere(name, main));
    const known = this.#others.get(keyOf(name, isElsewhere));
    if (known) return known;
    const beside = main.ok && !isElsewhere ? await this.#beside(main.value, main, name) : undefined;
    return beside ?? this.#openOther(name, isElsewhere);
  };

  readonly aliases = (): readonly { name: string; model?: string }[] => {
    return [
      ...[...STARTED_WITH].filter((name) => name !== '').map((name) => ({ name })),
      ...Object.entries(this.#parts.options.roles ?? {}).map(([name, model]) => ({ name, model })),
    ];
  };

  #ofRole(name: string): string {
    const { roles = {} } = this.#parts.options;
    return Object.hasOwn(roles, name) ? (roles[name] as string) : name;
  }

  readonly hasRole = (role: string): boolean => {
    const { roles } = this.#parts.options;
    return roles !== undefined && Object.hasOwn(roles, role);
  };

  readonly answers = (): Promise<Outcome<void, ModelError>> | undefined => {
    const namesServer = this.#isPinned || namedProvider(this.#parts.options) !== undefined;
    const opening = namesServer ? this.#parts.main() : this.#parts.opened();
    return opening && answersOf(opening);
  };

  readonly close = async (): Promise<void> => {
    const problems = await closeAll(
      [...this.#others].map(([name, opening]) => [
        `the model ${name}`,
        async () => {
          const chosen = await opening;
          if (chosen.ok) await chosen.value.provider.close();
        },
      ]),
    );
    for (const problem of problems) this.#parts.place.io.onWarning('close_failed', problem);
  };

  /** The model halter was started with, and its neighbours on the same server. */
  async #ofMain(signal: AbortSignal): Promise<ListedModel[]> {
    // The one server that is meant is asked; where any may be meant, the one in use is there already.
    const opened = await (this.#isPinned ? this.#parts.main() : this.#parts.opened());
    return opened?.ok ? modelsBeside(opened.value, signal) : [];
  }

  /** A model of the same server as the one halter was started with; undefined where the name may mean another server's. */
  async #beside(
    { provider, model }: ChosenModel,
    main: Outcome<ChosenModel, ModelError>,
    name: string,
  ): Promise<Outcome<ChosenModel, ModelError> | undefined> {
    const { options, place } = this.#parts;
    const prefix = `${provider.name}/`;
    const own = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    if (own === model) return main;
    const isMeant = this.#isPinned || own !== name;
    const isOfOther = own === name && namesProvider(name, options.providers);
    if (!isMeant && isOfOther) return undefined;
    const isGiven = typeof options.provider === 'object';
    if (isOfOther && !isGiven && (await this.#lists(provider, name)) === false) return ofOtherProvider(provider, name);
    // A server that describes no models is asked for none.
    if (options.describe === false) return succeed({ provider, model: own, info: { id: own } });
    const described = await describeModel({ provider, model: own }, place, options.contextLength);
    return described.ok || isMeant ? described : undefined;
  }

  /** Whether the name begins with a provider, and that is not the one of the server that the person named. */
  #namesOther(name: string, main: Outcome<ChosenModel, ModelError>): boolean {
    const { options } = this.#parts;
    if (typeof options.provider === 'object' || !namesProvider(name, options.providers)) return false;
    const own = main.ok ? main.value.provider.name : (namedProvider(options) ?? 'openai');
    return name.split('/', 1)[0] !== own;
  }

  /** A name of another provider, where the server that the person named does not list it as its own. */
  async #isElsewhere(name: string, main: Outcome<ChosenModel, ModelError>): Promise<boolean> {
    if (!this.#isPinned || !this.#namesOther(name, main)) return false;
    if (this.#others.has(keyOf(name, true)) || !main.ok) return true;
    return (await this.#lists(main.value.provider, name)) !== true;
  }

  /** Some servers ignore a name that they do not have. Undefined: a list that cannot be had says nothing. */
  async #lists(provider: ModelProvider, name: string): Promise<boolean | undefined> {
    const listed = await provider.models(AbortSignal.timeout(AGENT_LIMITS.readinessMs));
    if (!listed.ok) return undefined;
    return listed.models.some(({ id, aliases = [] }) => id === name || aliases.includes(name));
  }

  /** One that could not be opened is tried again when it is asked for again. */
  async #openOther(name: string, isElsewhere: boolean): Promise<Outcome<ChosenModel, ModelError>> {
    const opening = this.#choose(name, isElsewhere);
    const key = keyOf(name, isElsewhere);
    this.#others.set(key, opening);
    const chosen = await opening;
    if (!chosen.ok) this.#others.delete(key);
    return chosen;
  }

  async #choose(name: string, isElsewhere: boolean): Promise<Outcome<ChosenModel, ModelError>> {
    const { options, place } = this.#parts;
    if (this.#isPinned && !isElsewhere) return chooseModel({ ...options, name, describe: true }, place);
    const { provider: _provider, baseUrl: _baseUrl, ...rest } = options;
    const apiKeyFor = serversOfKey(options, await this.#parts.main(), place.io.environment);
    return chooseModel({ ...rest, apiKeyFor, name, describe: true }, place);
  }
}

/** One name may mean a model of the server that was named, and as a role one of another provider. */
const keyOf = (name: string, isElsewhere: boolean): string => (isElsewhere ? `elsewhere: ${name}` : name);

const ofOtherProvider = ({ endpoint }: ModelProvider, name: string): { ok: false; error: ModelError } => ({
  ok: false,
  error: {
    code: 'model_not_found',
    message: `${endpoint} has no model ${name}, and it is the only server that was named.`,
    hint: 'A model of another provider can be named for a role (`models.roles`, or `roles` of the library).',
  },
});

/** A key without an address is for the server that halter was started with; a model of another server goes without it. */
const serversOfKey = (
  options: ModelOptions,
  main: Outcome<ChosenModel, ModelError>,
  environment: ModelPlace['io']['environment'],
): readonly string[] => {
  if (options.apiKeyFor !== undefined) return options.apiKeyFor;
  if (main.ok) return [main.value.provider.endpoint];
  const named = namedProvider(options);
  return isServerProviderName(named) ? [usualAddress(named, environment)] : [];
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
