/** The providers: one line each. */
import type { ModelProvider } from '../core/model-port.ts';
import { createLlamaCppProvider } from './llama-cpp/llama-cpp.ts';
import type { ProviderName } from './model-name.ts';
import { createOllamaProvider } from './ollama/ollama.ts';
import { createOpenAIProvider } from './openai/openai.ts';
import { createPool } from './pool.ts';
import type { ProviderOptions } from './provider-options.ts';

/** Providers that talk to a server; the embedded engine runs in this process and is made of other things. */
export type ServerProviderName = Exclude<ProviderName, 'embedded'>;

export const SERVER_PROVIDERS: Readonly<Record<ServerProviderName, (options: ProviderOptions) => ModelProvider>> = {
  ollama: (options) => createOllamaProvider(options),
  openai: (options) => createOpenAIProvider(options),
  'llama-cpp': (options) => createLlamaCppProvider(options),
};

/** Several addresses, with commas between, are a pool: one endpoint of several servers. */
export const createProvider = (name: ServerProviderName, options: ProviderOptions): ModelProvider => {
  const urls = (options.baseUrl ?? '')
    .split(',')
    .map((url) => url.trim())
    .filter((url) => url !== '');
  if (urls.length < 2) return SERVER_PROVIDERS[name](options);
  const providers = urls.map((baseUrl) => SERVER_PROVIDERS[name]({ ...options, baseUrl, attempts: 0 }));
  return createPool({ providers, ...(options.sleep ? { sleep: options.sleep } : {}) });
};

export { detectEndpoints, type FoundEndpoint, ollamaUrlFrom, type UsualEndpoint, usualEndpoints } from './detect.ts';
export { isProviderName, PROVIDER_NAMES, type ProviderName, parseModelName } from './model-name.ts';
export type { ProviderOptions, RepairArguments } from './provider-options.ts';
export { createLlamaCppProvider, createOllamaProvider, createOpenAIProvider };
