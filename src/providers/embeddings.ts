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
  async ({ model, texts, dimensions }: EmbedRequest, signal: AbortSignal): Promise<EmbedOutcome> => {
    const body = { model, input: [...texts], dimensions };
    const answer = await ask('/api/embed', { body, model, signal, ...EMBEDDING });
    if (!answer.ok) return { ok: false, error: embeddingError(answer.error) };
    return toOutcome(listOf(answer.value['embeddings']), texts.length, answer.value['prompt_eval_count']);
  };

/** OpenAI's route, which llama.cpp, vLLM and LM Studio have too. */
export const embedWithOpenAI =
  (ask: Ask) =>
  async ({ model, texts, dimensions }: EmbedRequest, signal: AbortSignal): Promise<EmbedOutcome> => {
    const body = { model, input: [...texts], encoding_format: 'float', dimensions };
    const answer = await ask('/embeddings', { body, model, signal, ...EMBEDDING });
    if (!answer.ok) return { ok: false, error: embeddingError(answer.error) };
    const rows = listOf(answer.value['data']).map(objectOf);
    const ordered = rows.toSorted((one, other) => Number(one['index'] ?? 0) - Number(other['index'] ?? 0));
    const vectors = ordered.map((row) => row['embedding']);
    return toOutcome(vectors, texts.length, objectOf(answer.value['usage'])['prompt_tokens']);
  };

/** Neither this server nor this model makes embeddings: nothing is wrong with the request, and trying again helps nobody. */
export const embeddingsUnsupported = (endpoint: string, said = ''): ModelError => ({
  code: 'bad_request',
  reason: 'embeddings_unsupported',
  status: NOT_IMPLEMENTED,
  message: `${endpoint} makes no embeddings${said === '' ? '.' : `: ${said}`}`,
  hint: "Name a model for embeddings, on a server that was started for them (llama.cpp's: --embeddings).",
});
const NOT_IMPLEMENTED = 501;

/** A server without the route, llama.cpp's that was not started for it (501), and Ollama of a model that makes none (400, 500). */
const embeddingError = (error: ModelError): ModelError => {
  const hasNoRoute = (error.status === 404 && error.code !== 'model_not_found') || error.status === 405;
  const isRefused = error.status === NOT_IMPLEMENTED || REFUSALS.test(error.message);
  return hasNoRoute || isRefused ? embeddingsUnsupported('The model server', error.message) : error;
};
const REFUSALS =
  /\bnot support(?:ed|s|ing)? (?:for )?embeddings?\b|\bembeddings? (?:is|are) (?:not supported|disabled|not enabled)\b|--embeddings?\b/i;

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'number');

const toOutcome = (vectors: readonly unknown[], count: number, tokens: unknown): EmbedOutcome =>
  vectors.length === count && vectors.every(isVector)
    ? { ok: true, vectors: [...vectors], prompt_tokens: typeof tokens === 'number' ? tokens : 0 }
    : { ok: false, error: { code: 'protocol', message: 'The server did not answer with one vector for each text.' } };
