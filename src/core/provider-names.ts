/** The makes of model servers by name: for flags, settings and options, without the providers themselves. */
export const SERVER_PROVIDER_NAMES = ['ollama', 'openai', 'llama-cpp'] as const;
export type ServerProviderName = (typeof SERVER_PROVIDER_NAMES)[number];

/** The embedded engine runs in this process and is made of other things. */
export const PROVIDER_NAMES = [...SERVER_PROVIDER_NAMES, 'embedded'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];
