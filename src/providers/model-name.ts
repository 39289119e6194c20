/** `provider/model`, as people write it. */

export const PROVIDER_NAMES = ['ollama', 'openai', 'llama-cpp', 'embedded'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

export const isProviderName = (text: string): text is ProviderName =>
  (PROVIDER_NAMES as readonly string[]).includes(text);

/**
 * The part before the first slash names the provider only where it is one: `meta-llama/Llama-3` is a model. A provider
 * alone leaves the model open.
 */
export const parseModelName = (text: string): { provider?: ProviderName; model?: string } => {
  const slash = text.indexOf('/');
  const head = slash === -1 ? text : text.slice(0, slash);
  if (!isProviderName(head)) return text === '' ? {} : { model: text };
  const model = slash === -1 ? '' : text.slice(slash + 1);
  return { provider: head, ...(model === '' ? {} : { model }) };
};
