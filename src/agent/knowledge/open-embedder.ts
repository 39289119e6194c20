/**
 * What makes vectors of texts, where the person named a model for it: a server's embeddings, by the same providers that
 * answer. Opened at the first text.
 */

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { ModelError, ModelProvider } from '../../core/model-port.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Network, Processes } from '../../core/ports.ts';
import type { Embedder } from '../../core/retrieval-port.ts';
import { systemClock } from '../../io/clock.ts';
import { SEARCH_LIMITS } from '../../search/limits.ts';

export type OpenEmbeddingModel = () => Promise<Outcome<{ provider: ModelProvider; model: string }, ModelError>>;

export const createEmbedder = (name: string, open: OpenEmbeddingModel): Embedder => {
  let opening: ReturnType<OpenEmbeddingModel> | undefined;
  return {
    model: name,
    async embed(texts, signal) {
      opening ??= open();
      const opened = await opening;
      if (!opened.ok) {
        opening = undefined;
        return failure('io_error', opened.error.message, 'no_embedder');
      }
      const { provider, model } = opened.value;
      if (provider.embed === undefined) {
        return failure('io_error', `${provider.endpoint} makes no vectors of texts.`, 'no_embedder');
      }
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(SEARCH_LIMITS.embedTimeoutMs)]);
      const made = await provider.embed({ model, texts: [...texts] }, bounded);
      if (!made.ok) return failure('io_error', made.error.message, 'no_embedder');
      return succeed(made.vectors.map((vector) => Float32Array.from(vector)));
    },
  };
};

export type EmbedderSettings = {
  /** `ollama/nomic-embed-text`; absent: there are no vectors. */
  embeddingModel?: string;
  /** Of the conversation's model: an embedding model of the same provider is on the same server. */
  model?: string;
  provider?: string;
  baseUrl?: string;
  apiKeyEnv?: string;
  offline?: boolean;
  environment: Readonly<Record<string, string | undefined>>;
};

export const embedderOf = (
  settings: EmbedderSettings,
  parts: { network: Network; processes: Processes; dataFolder: string },
): Embedder | undefined => {
  const { embeddingModel } = settings;
  if (embeddingModel === undefined) return undefined;
  if (embeddingModel.endsWith('.gguf')) return ggufEmbedder(embeddingModel.replace(/^embedded\//, ''));
  return createEmbedder(embeddingModel, async () => {
    const [{ openProvider }, { parseModelName }] = await Promise.all([
      import('../models/open-provider.ts'),
      import('../../providers/index.ts'),
    ]);
    const own = parseModelName(embeddingModel).provider;
    const shared = own !== undefined && own === (settings.provider ?? parseModelName(settings.model ?? '').provider);
    const key = settings.apiKeyEnv === undefined ? undefined : settings.environment[settings.apiKeyEnv];
    return openProvider({
      ...parts,
      clock: systemClock,
      environment: settings.environment,
      model: embeddingModel,
      modelsFolder: join(parts.dataFolder, 'models'),
      offline: settings.offline ?? false,
      ...(shared && settings.baseUrl !== undefined ? { baseUrl: settings.baseUrl, provider: own } : {}),
      ...(shared && key ? { apiKey: key } : {}),
    });
  });
};

/** A file on this machine; the engine is loaded with the first text, and leaves a core for the rest of the program. */
const ggufEmbedder = (file: string): Embedder => {
  let embedder: Promise<Embedder> | undefined;
  return {
    model: file,
    async embed(texts, signal) {
      embedder ??= import('../../search/gguf-embedder.ts').then(({ createGgufEmbedder }) =>
        createGgufEmbedder(file, Math.max(1, availableParallelism() - 1)),
      );
      return (await embedder).embed(texts, signal);
    },
  };
};
