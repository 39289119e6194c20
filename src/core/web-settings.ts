/** What the web tools need to know of the person's settings. Made in the runtime, handed to tools in their config. */
import type { ToolConfig } from './ports.ts';

export const SEARCH_BACKENDS = ['searxng', 'brave', 'tavily', 'duckduckgo'] as const;
export type SearchBackend = (typeof SEARCH_BACKENDS)[number];
export const IMAGE_APIS = ['automatic1111', 'comfyui', 'stable-diffusion-cpp', 'openai'] as const;
export type ImageApi = (typeof IMAGE_APIS)[number];

export type SearchSettings = { backend: SearchBackend; url?: string; key?: string };
export type ImageSettings = { url: string; api?: ImageApi; key?: string; model?: string };

export type WebSettings = {
  search?: SearchSettings;
  /** Why there is none, where something is set and does not do. */
  searchProblem?: string;
  image?: ImageSettings;
  /** Only this machine may be reached. */
  offline: boolean;
};

/** Under this name the settings stand in a tool's config. */
export const WEB_SETTINGS = 'web';

export const webSettings = (config: ToolConfig): WebSettings => {
  const value = config[WEB_SETTINGS];
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as unknown as WebSettings)
    : { offline: false };
};
