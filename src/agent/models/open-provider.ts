/**
 * From what the person asked for to a provider and a model's name. With nothing asked for: a server on one of the usual
 * local ports, then the embedded engine.
 */

import { readAdapters, type Speculation } from '../../core/engine-options.ts';
import type { ModelPlaces } from '../../core/model-places.ts';
import type { ModelError, ModelProvider, RequestFigures } from '../../core/model-port.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { Clock, Network, Processes } from '../../core/ports.ts';
import { quotedName } from '../../core/quoted-name.ts';
import { thrownText } from '../../core/thrown-text.ts';
import { nearest } from '../../core/tool/nearest-names.ts';
import type { ToolStrategy } from '../../core/tool-strategy.ts';
import { unlessAborted } from '../../core/unless-aborted.ts';
import { readJsonText } from '../../dialects/unclosed-json.ts';
import {
  createProvider,
  detectEndpoints,
  isProviderName,
  PROVIDER_NAMES,
  type ProviderOptions,
  parseModelName,
  type ServerProviderName,
  usualAddress,
  usualEndpoints,
} from '../../providers/index.ts';
import { CANCELLED } from '../loop/call-model/ended-at-abort.ts';
import { createTemplateRenderer } from '../loop/call-model/render-template.ts';
import { keyForServer, type ModelKey } from './key-servers.ts';
import { ownProvider, providerProblem } from './own-provider.ts';

export type OpenProviderOptions = {
  network: Network;
  processes: Processes;
  clock: Clock;
  environment: Readonly<Record<string, string | undefined>>;
  model?: string;
  provider?: string | ModelProvider;
  baseUrl?: string;
  key: ModelKey;
  /** The window to ask for, where the server takes one. */
  contextTokens?: number;
  /** Who may send a request to a server now; absent: everybody. */
  places?: ModelPlaces | undefined;
  /** Told of each request to a server when it is over. */
  onRequest?: ((figures: RequestFigures) => void) | undefined;
  /** Silence after the first token. */
  silenceTimeoutMs?: number;
  /** The embedded engine leads a model in steps, or leaves it to its template. */
  toolStrategy?: ToolStrategy;
  /** LoRA adapters on top of the model, where the engine or the server takes them by request. */
  adapters?: readonly string[] | undefined;
  /** Whether the embedded engine guesses ahead. */
  speculation?: Speculation | undefined;
  /** Nothing is fetched. */
  offline?: boolean;
  /** Providers besides halter's own, each by its name. */
  more?: Readonly<Record<string, OpenPluginProvider>>;
  /** Where model files of the embedded engine lie. */
  modelsFolder: string;
  /** Where the embedded engine keeps what it read, and what servers keep of it is noted; undefined: nowhere. */
  statesFolder?: string | undefined;
  onLoading?(message: string, fraction?: number): void;
  signal?: AbortSignal;
};

/** What a provider of somebody's own is made with. */
export type PluginProviderOptions = {
  network: Network;
  clock: Clock;
  baseUrl?: string;
  apiKey?: string;
  environment: Readonly<Record<string, string | undefined>>;
};
export type OpenPluginProvider = (options: PluginProviderOptions) => ModelProvider | Promise<ModelProvider>;

export type OpenedProvider = { provider: ModelProvider; model: string };
type Opened = Outcome<OpenedProvider, ModelError>;

export const openProvider = async (options: OpenProviderOptions): Promise<Opened> => {
  const isAdapted = (options.adapters ?? []).length > 0;
  if (typeof options.provider === 'object' && isAdapted) return withoutAdapters(options.provider.name);
  if (typeof options.provider === 'object')
    return succeed({ provider: ownProvider(options.provider), model: options.model ?? 'model' });
  const own = await openOwn(options);
  if (own) return own;
  if (options.provider !== undefined && !isProviderName(options.provider)) {
    return refused('bad_request', unknownProvider(options.provider, options.more));
  }
  const named = parseModelName(options.model ?? '');
  // An explicit provider leaves the whole model name to that server, slashes included.
  const provider = options.provider ?? named.provider ?? (options.baseUrl === undefined ? undefined : 'openai');
  const model = options.provider !== undefined && named.provider !== options.provider ? options.model : named.model;
  const signal = options.signal ?? new AbortController().signal;
  if (provider === undefined) return openUsual(options, model, signal);
  if (provider === 'embedded') return openEmbedded(options, model, signal);
  return openServer(options, { name: provider, model, baseUrl: options.baseUrl }, signal);
};

type More = OpenProviderOptions['more'];
const providersWith = (more: More = {}): string[] => [...PROVIDER_NAMES, ...Object.keys(more)];

/** What to write in place of a model alone. */
const withProvider = (model: string, more: More): string =>
  `Name its provider too, as in ${quotedName(`ollama/${model}`)}. The providers are: ${providersWith(more).join(', ')}. ${STARTER} is a model that halter can get by itself.`;

const unknownProvider = (name: string, more?: More): string => {
  const known = providersWith(more);
  const near = nearest(name, known);
  const guess = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
  return `There is no provider ${quotedName(name)}.${guess} The providers are: ${known.join(', ')}.`;
};

/** `NAME/model` or the provider's name, where it is one that a plugin brought. */
const openOwn = async (options: OpenProviderOptions): Promise<Opened | undefined> => {
  const { more = {}, network, clock, environment, baseUrl } = options;
  const text = options.model ?? '';
  const prefix = text.includes('/') ? text.slice(0, text.indexOf('/')) : '';
  const name = typeof options.provider === 'string' ? options.provider : prefix;
  if (isProviderName(name) || !Object.hasOwn(more, name)) return undefined;
  if ((options.adapters ?? []).length > 0) return withoutAdapters(name);
  const open = more[name] as OpenPluginProvider;
  const key = await keyForServer(options.key, baseUrl);
  if (!key.ok) return key;
  const settings = { network, clock, environment, baseUrl, apiKey: key.value.apiKey };
  const signal = options.signal ?? new AbortController().signal;
  let made: ModelProvider | undefined;
  try {
    made = await unlessAborted(Promise.resolve(open(settings)), signal);
  } catch (error) {
    return refused('bad_request', `The provider ${name} of a plugin failed: ${thrownText(error)}`);
  }
  if (made === undefined && signal.aborted) return { ok: false, error: CANCELLED };
  const problem = providerProblem(made);
  if (problem !== undefined) return refused('bad_request', `What the plugin makes as ${name}: ${problem}.`);
  const provider = ownProvider(made as ModelProvider);
  const model = name === prefix ? text.slice(name.length + 1) : text;
  if (model !== '') return succeed({ provider, model });
  const listed = await provider.models(signal);
  if (!listed.ok) return listed;
  const [first] = listed.models;
  return first
    ? succeed({ provider, model: first.id })
    : refused('model_not_found', `The provider ${name} has no models.`, 'Name one with --model.');
};

const refused = (code: ModelError['code'], message: string, hint?: string): { ok: false; error: ModelError } => ({
  ok: false,
  error: hint === undefined ? { code, message } : { code, message, hint },
});

/** Nothing said about a server: the first of the usual ones that answers (and has the model), else the embedded engine. */
const openUsual = async (
  options: OpenProviderOptions,
  model: string | undefined,
  signal: AbortSignal,
): Promise<Opened> => {
  if (model?.endsWith('.gguf') || model === STARTER) return openEmbedded(options, model, signal);
  const endpoints = await detectEndpoints(options.network, signal, usualEndpoints(options.environment));
  const withModel = endpoints.find((endpoint) =>
    model === undefined ? endpoint.models.length > 0 : endpoint.models.includes(model),
  );
  if (withModel)
    return openServer(
      options,
      { name: withModel.provider, model: model ?? withModel.models[0], baseUrl: withModel.baseUrl },
      signal,
    );
  const loading = endpoints.find((endpoint) => endpoint.loading);
  // Its model is not known yet, and is more likely meant than the starter: whoever asks hears that it loads.
  if (model === undefined && loading)
    return openServer(options, { name: loading.provider, model, baseUrl: loading.baseUrl }, signal);
  const [first] = endpoints;
  // Ollama knows names by more than one spelling, so a running server has the last word on a name.
  if (model !== undefined && first)
    return openServer(options, { name: first.provider, model, baseUrl: first.baseUrl }, signal);
  return openEmbedded(options, model, signal, true);
};

const openServer = async (
  options: OpenProviderOptions,
  { name, model, baseUrl }: { name: ServerProviderName; model: string | undefined; baseUrl: string | undefined },
  signal: AbortSignal,
): Promise<Opened> => {
  const adapters = readAdapters(options.adapters ?? []);
  if (!adapters.ok) return refused('bad_request', adapters.error.message);
  if (adapters.value.length > 0 && name !== 'llama-cpp') return withoutAdapters(name);
  const url = baseUrl ?? usualAddress(name, options.environment);
  const key = await keyForServer(options.key, url);
  if (!key.ok) return key;
  const settings: ProviderOptions = {
    network: options.network,
    clock: options.clock,
    repairArguments,
    baseUrl: url,
    ...key.value,
    contextTokens: options.contextTokens,
    silenceTimeoutMs: options.silenceTimeoutMs,
    statesFolder: options.statesFolder,
    places: options.places,
    onRequest: options.onRequest,
    adapters: adapters.value,
  };
  const provider = createProvider(name, settings);
  if (model !== undefined) return succeed({ provider, model });
  const listed = await provider.models(signal);
  if (!listed.ok) return listed;
  const chosen = listed.models.find((entry) => entry.loaded) ?? listed.models[0];
  if (chosen) return succeed({ provider, model: chosen.id });
  return refused(
    'model_not_found',
    `The server at ${provider.endpoint} has no models.`,
    'Pull one there, or name one with --model.',
  );
};

const withoutAdapters = (name: string) =>
  refused(
    'bad_request',
    `${name} takes no LoRA adapters by request (--lora).`,
    'Start its server with them, or name a model of the embedded engine (`-m embedded/FILE.gguf`) or of a llama.cpp server.',
  );

const repairArguments: NonNullable<ProviderOptions['repairArguments']> = (text) => {
  const read = readJsonText(text, 'close if sure');
  if (!read.ok) return read;
  if (typeof read.value !== 'object' || read.value === null || Array.isArray(read.value)) {
    return { ok: false, problem: 'the arguments must be a JSON object' };
  }
  return { ok: true, value: read.value, repairs: read.repairs };
};

const STARTER = 'starter';

const DECODING = { auto: 'auto', native: 'template', text: 'auto', led: 'steps' } as const;

/** No server answers, and the engine has no such model. */
const nothingThere = (model: string, { more }: OpenProviderOptions): Opened => {
  const named = model.includes('/')
    ? unknownProvider(model.slice(0, model.indexOf('/')), more)
    : withProvider(model, more);
  const { error } = refused(
    'model_not_found',
    `No server here answers, and there is no model ${quotedName(model)}. ${named}`,
  );
  return { ok: false, error: { ...error, reason: 'no_server' } };
};

/** The engine is heavy and optional, so it is loaded only where it is used. */
const openEmbedded = async (
  options: OpenProviderOptions,
  model: string | undefined,
  signal: AbortSignal,
  /** Nothing named the engine: what stands before a slash may be meant as a provider. */
  isGuessed = false,
): Promise<Opened> => {
  const [{ createEmbeddedProvider }, { createModelStore }] = await Promise.all([
    import('../../providers/embedded/index.ts'),
    import('../../providers/embedded/model-store.ts'),
  ]);
  const adapters = readAdapters(options.adapters ?? []);
  if (!adapters.ok) return refused('bad_request', adapters.error.message);
  const store = createModelStore({
    folder: options.modelsFolder,
    network: options.network,
    processes: options.processes,
    environment: options.environment,
    offline: options.offline ?? false,
    monotonic: options.clock.monotonic,
  });
  const provider = createEmbeddedProvider({
    modelStore: store,
    monotonic: options.clock.monotonic,
    renderTemplate: createTemplateRenderer().render,
    contextLength: options.contextTokens,
    decoding: DECODING[options.toolStrategy ?? 'auto'],
    statesFolder: options.statesFolder,
    adapters: adapters.value,
    speculation: options.speculation,
  });
  if (isGuessed && model !== undefined && model !== STARTER && (await store.find(model)) === undefined) {
    return nothingThere(model, options);
  }
  if (model !== undefined && model !== STARTER) return succeed({ provider, model });
  if ((await store.find(STARTER)) === undefined) {
    const problem = await (await import('../../providers/embedded/llama-engine.ts')).engineProblem();
    if (problem) return refused(problem.code, problem.message, problem.hint);
    if (options.offline !== true) options.onLoading?.('getting the starter model');
    const pulled = await store.pull(STARTER, {
      signal,
      onProgress: ({ bytes, total, secondsLeft, phase = 'getting' }) =>
        options.onLoading?.(
          `${phase} the starter model, ${Math.round(total / 1e6)} MB${secondsLeft === undefined ? '' : `, ${secondsLeft} s left`}`,
          bytes / total,
        ),
    });
    if (!pulled.ok) {
      const { reason, message, hint } = pulled.error;
      return refused(reason === 'cancelled' ? 'cancelled' : 'load_failed', message, hint);
    }
  }
  return succeed({ provider, model: STARTER });
};
