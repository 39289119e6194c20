/**
 * The providers: one file and one line each, besides its name in `core/provider-names.ts`, which flags, settings and
 * options follow. `registry.test.ts` names what a new one still lacks elsewhere.
 */
import type { ModelProvider } from '../core/model-port.ts';
import {
  PROVIDER_NAMES,
  type ProviderName,
  SERVER_PROVIDER_NAMES,
  type ServerProviderName,
} from '../core/provider-names.ts';
import { addressesOf } from './addresses.ts';
import { limitedProvider } from './limited.ts';
import { createLlamaCppProvider } from './llama-cpp/llama-cpp.ts';
import { observedProvider } from './observed.ts';
import { createOllamaProvider } from './ollama/ollama.ts';
import { createOpenAIProvider } from './openai/openai.ts';
import { createPool } from './pool.ts';
import type { ProviderOptions } from './provider-options.ts';

/** Providers that talk to a server. */
export const SERVER_PROVIDERS = {
  ollama: createOllamaProvider,
  openai: createOpenAIProvider,
  'llama-cpp': createLlamaCppProvider,
} as const satisfies Readonly<Record<ServerProviderName, (options: ProviderOptions) => ModelProvider>>;

export const isProviderName = (text: string): text is ProviderName =>
  (PROVIDER_NAMES as readonly string[]).includes(text);

export const isServerProviderName = (text: string | undefined): text is ServerProviderName =>
  (SERVER_PROVIDER_NAMES as readonly (string | undefined)[]).includes(text);

/**
 * `provider/model`, as people write it. The part before the first slash names the provider only where it is one:
 * `meta-llama/Llama-3` is a model. A provider alone leaves the model open.
 */
export const parseModelName = (text: string): { provider?: ProviderName; model?: string } => {
  const slash = text.indexOf('/');
  const head = slash === -1 ? text : text.slice(0, slash);
  if (!isProviderName(head)) return text === '' ? {} : { model: text };
  const model = slash === -1 ? '' : text.slice(slash + 1);
  return model === '' ? { provider: head } : { provider: head, model };
};

const createServer = (name: ServerProviderName, options: ProviderOptions): ModelProvider => {
  const provider = SERVER_PROVIDERS[name](options);
  return options.onRequest ? observedProvider(provider, options.clock, options.onRequest) : provider;
};

/** Several addresses, with commas between, are a pool: one endpoint of several servers. */
export const createProvider = (name: ServerProviderName, options: ProviderOptions): ModelProvider => {
  const urls = addressesOf(options.baseUrl ?? '');
  const { places, sleep } = options;
  if (urls.length < 2) {
    const provider = createServer(name, options);
    return places ? limitedProvider(provider, places) : provider;
  }
  const providers = urls.map((baseUrl) => createServer(name, { ...options, baseUrl, attempts: 0 }));
  return createPool({ providers, sleep, places });
};

export {
  PROVIDER_NAMES,
  type ProviderName,
  SERVER_PROVIDER_NAMES,
  type ServerProviderName,
} from '../core/provider-names.ts';
export { addressesOf } from './addresses.ts';
export {
  detectEndpoints,
  type FoundEndpoint,
  ollamaUrlFrom,
  type UsualEndpoint,
  usualAddress,
  usualEndpoints,
} from './detect.ts';
export { createPlaces } from './pool/places.ts';
export type { ProviderOptions, RepairArguments } from './provider-options.ts';
export { createLlamaCppProvider, createOllamaProvider, createOpenAIProvider };
