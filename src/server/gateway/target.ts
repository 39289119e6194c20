/** What of a request tells whose client sent it, before a route has read its body. */

export type Target = { path: string; header(name: string): string | null | undefined };

export const targetOf = ({ url, headers }: Request): Target => ({
  path: new URL(url).pathname,
  header: (name) => headers.get(name),
});

/** Clients of two APIs ask for `/v1/models`. Those of Anthropic's name its version. */
export const isOfAnthropic = ({ header }: Target): boolean => (header('anthropic-version') ?? undefined) !== undefined;

const OLLAMA_CLIENT = /^ollama\b/i;
export const isOfOllama = ({ header }: Target): boolean => OLLAMA_CLIENT.test(header('user-agent') ?? '');
