/**
 * What makes vectors of texts, where the person named a model for it: a server's embeddings, by the same providers that
 * answer. Opened at the first text.
 */

import { availableParallelism } from 'node:os';
import type { ModelError, ModelProvider } from '../../core/model-port.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Embedder } from '../../core/retrieval-port.ts';
import { systemClock } from '../../io/clock.ts';
import { addressesOf } from '../../providers/addresses.ts';
import { SEARCH_LIMITS } from '../../search/limits.ts';
import type { ModelOptions } from '../create-agent/options.ts';
import { readApiKey } from '../models/api-key.ts';
import type { ModelPlace } from '../models/choose-model.ts';

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
        return failure('io_error', `${provider.endpoint} makes no embeddings.`, 'no_embedder');
      }
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(SEARCH_LIMITS.embedTimeoutMs)]);
      const made = await provider.embed({ model, texts: [...texts] }, bounded);
      if (!made.ok) return failure('io_error', made.error.message, 'no_embedder');
      return succeed(made.vectors.map((vector) => Float32Array.from(vector)));
    },
  };
};

export type EmbedderSettings = {
  /** `ollama/nomic-embed-text`, or a GGUF file; undefined: there are no vectors. */
  embeddingModel: string | undefined;
  /** The conversation's: an embedding model of the same provider is on the same server. */
  model: Pick<
    ModelOptions,
    'name' | 'provider' | 'baseUrl' | 'apiKey' | 'apiKeyEnv' | 'apiKeyFile' | 'apiKeyCommand' | 'apiKeyFor'
  >;
};

export const embedderOf = (
  { embeddingModel, model }: EmbedderSettings,
  { io, network, processes, modelsFolder }: Pick<ModelPlace, 'io' | 'network' | 'processes' | 'modelsFolder'>,
): Embedder | undefined => {
  if (embeddingModel === undefined) return undefined;
  if (embeddingModel.endsWith('.gguf')) return ggufEmbedder(embeddingModel.replace(/^embedded\//, ''));
  return createEmbedder(embeddingModel, async () => {
    const [{ openProvider }, { parseModelName }] = await Promise.all([
      import('../models/open-provider.ts'),
      import('../../providers/index.ts'),
    ]);
    const own = parseModelName(embeddingModel).provider;
    const shared = own !== undefined && own === (model.provider ?? parseModelName(model.name ?? '').provider);
    return openProvider({
      network,
      processes,
      clock: systemClock,
      environment: io.environment,
      model: embeddingModel,
      modelsFolder,
      offline: io.offline,
      provider: shared && model.baseUrl !== undefined ? own : undefined,
      baseUrl: shared ? model.baseUrl : undefined,
      key: {
        // One without an address is for the server of the conversation's model.
        servers: model.apiKeyFor ?? (shared ? undefined : addressesOf(model.baseUrl ?? '')),
        read: () => readApiKey({ ...model, environment: io.environment }, processes),
      },
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
