/** Texts into vectors, where the model's server makes them; the same for every API that asks for them. */
import { fromModelError, GatewayError } from '../../gateway/error.ts';
import type { ServerContext } from '../server-context.ts';

type Asked = { server: ServerContext; model: string; texts: readonly string[]; signal: AbortSignal };
export type Vectors = { vectors: readonly (readonly number[])[]; prompt_tokens: number };

export const embedTexts = async ({ server, model: name, texts, signal }: Asked): Promise<Vectors> => {
  const chosen = await server.halter.models.open(name);
  if (!chosen.ok) throw fromModelError(chosen.error);
  const { provider, model } = chosen.value;
  if (provider.embed === undefined)
    throw new GatewayError(501, 'embeddings_unsupported', `${provider.name} makes no embeddings.`);
  if (texts.length === 0) return { vectors: [], prompt_tokens: 0 };
  const made = await provider.embed({ model, texts }, signal);
  if (!made.ok) throw fromModelError(made.error);
  return made;
};
