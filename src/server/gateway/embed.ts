/** Texts into vectors, where the model's server makes them; the same for every API that asks for them. */
import { fromModelError, invalidRequest } from '../../gateway/error.ts';
import { embeddingsUnsupported } from '../../providers/embeddings.ts';
import type { ServerContext } from '../server-context.ts';
import { openModel } from './answer.ts';

type Asked = {
  server: ServerContext;
  model: string;
  texts: readonly string[];
  dimensions?: number | null | undefined;
  signal: AbortSignal;
};
export type Vectors = { vectors: readonly (readonly number[])[]; prompt_tokens: number };

export const embedTexts = async ({ server, model: name, texts, dimensions, signal }: Asked): Promise<Vectors> => {
  const chosen = await openModel(server, name, signal);
  if (!chosen.ok) throw fromModelError(chosen.error);
  const { provider, model } = chosen.value;
  if (provider.embed === undefined) throw fromModelError(embeddingsUnsupported(provider.endpoint));
  if (texts.length === 0) return { vectors: [], prompt_tokens: 0 };
  const made = await provider.embed({ model, texts, dimensions: dimensions ?? undefined }, signal);
  if (!made.ok) throw fromModelError(made.error);
  // Most servers do not know the field and leave it out.
  const length = made.vectors.find((vector) => vector.length !== (dimensions ?? vector.length))?.length;
  if (length !== undefined)
    throw invalidRequest(`dimensions cannot be ${dimensions}: this model makes vectors of ${length} numbers.`);
  return made;
};
