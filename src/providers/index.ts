/** The providers: one line each. */
import type { ModelProvider } from '../core/model-port.ts';
import { createLlamaCppProvider } from './llama-cpp/llama-cpp.ts';
import type { ProviderName } from './model-name.ts';
import { createOllamaProvider } from './ollama/ollama.ts';
import { createOpenAIProvider } from './openai/openai.ts';
import type { ProviderOptions } from './provider-options.ts';

/** Providers that talk to a server; the embedded engine runs in this process and is made of other things. */
export type ServerProviderName = Exclude<ProviderName, 'embedded'>;

export const SERVER_PROVIDERS: Readonly<Record<ServerProviderName, (options: ProviderOptions) => ModelProvider>> = {
  ollama: (options) => createOllamaProvider(options),
  openai: (options) => createOpenAIProvider(options),
  'llama-cpp': (options) => createLlamaCppProvider(options),
};

export const createProvider = (name: ServerProviderName, options: ProviderOptions): ModelProvider =>
  SERVER_PROVIDERS[name](options);

export { detectEndpoints, type FoundEndpoint, ollamaUrlFrom, type UsualEndpoint, usualEndpoints } from './detect.ts';
export { isProviderName, PROVIDER_NAMES, type ProviderName, parseModelName } from './model-name.ts';
export type { ProviderOptions, RepairArguments } from './provider-options.ts';
export { createLlamaCppProvider, createOllamaProvider, createOpenAIProvider };
