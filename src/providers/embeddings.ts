/** Texts → vectors, by a server that has a model for it. */

import type { EmbedOutcome, EmbedRequest, ModelError } from '../core/model-port.ts';
import { type Fields, listOf, objectOf } from './json-values.ts';
import { PROVIDER_LIMITS } from './limits.ts';
import type { InformationRequest } from './server-information.ts';

type Ask = (
  path: string,
  more: Omit<InformationRequest, 'url'>,
) => Promise<{ ok: true; value: Fields } | { ok: false; error: ModelError }>;

const EMBEDDING = { timeoutMs: PROVIDER_LIMITS.embeddingTimeoutMs, maxBytes: PROVIDER_LIMITS.embeddingResponseBytes };

/** Ollama's own route. */
export const embedWithOllama =
  (ask: Ask) =>
  async ({ model, texts }: EmbedRequest, signal: AbortSignal): Promise<EmbedOutcome> => {
    const body = { model, input: [...texts] };
    const answer = await ask('/api/embed', { body, model, signal, ...EMBEDDING });
    if (!answer.ok) return answer;
    return toOutcome(listOf(answer.value['embeddings']), texts.length, answer.value['prompt_eval_count']);
  };

/** OpenAI's route, which llama.cpp, vLLM and LM Studio have too. */
export const embedWithOpenAI =
  (ask: Ask) =>
  async ({ model, texts }: EmbedRequest, signal: AbortSignal): Promise<EmbedOutcome> => {
    const body = { model, input: [...texts], encoding_format: 'float' };
    const answer = await ask('/embeddings', { body, model, signal, ...EMBEDDING });
    if (!answer.ok) return answer;
    const rows = listOf(answer.value['data']).map(objectOf);
    const ordered = rows.toSorted((one, other) => Number(one['index'] ?? 0) - Number(other['index'] ?? 0));
    const vectors = ordered.map((row) => row['embedding']);
    return toOutcome(vectors, texts.length, objectOf(answer.value['usage'])['prompt_tokens']);
  };

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'number');

const toOutcome = (vectors: readonly unknown[], count: number, tokens: unknown): EmbedOutcome =>
  vectors.length === count && vectors.every(isVector)
    ? { ok: true, vectors: [...vectors], prompt_tokens: typeof tokens === 'number' ? tokens : 0 }
    : { ok: false, error: { code: 'protocol', message: 'The server did not answer with one vector for each text.' } };
