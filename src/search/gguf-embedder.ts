/** Vectors by a GGUF model in this process. The engine is an optional peer and is loaded with the first text. */
import { failure, succeed } from '../core/outcome.ts';
import { OUTSIDE_PACKAGES } from '../core/outside-packages.ts';
import type { Embedder } from '../core/retrieval-port.ts';
import { thrownText } from '../core/thrown-text.ts';
import { loadPackage } from '../disk/load-package.ts';

type Context = {
  getEmbeddingFor(text: string): Promise<{ vector: readonly number[] }>;
  /** Tokens that fit; longer texts are cut. */
  fit(text: string): string;
};

const CONTEXT_TOKENS = 2_048;
/** For what the model puts before and after a text. */
const SPARE_TOKENS = 8;

export const createGgufEmbedder = (file: string, threads: number, contextTokens = CONTEXT_TOKENS): Embedder => {
  let opening: Promise<Context> | undefined;

  const open = async (): Promise<Context> => {
    const library = await loadPackage(OUTSIDE_PACKAGES.engine, () => import('node-llama-cpp'));
    if (!library.ok) throw new Error(library.error.message);
    const { getLlama, LlamaLogLevel } = library.value;
    const llama = await getLlama({
      gpu: 'auto',
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      maxThreads: threads,
      logLevel: LlamaLogLevel.disabled,
    });
    const model = await llama.loadModel({ modelPath: file });
    const size = Math.min(model.trainContextSize, contextTokens);
    const context = await model.createEmbeddingContext({ contextSize: size, threads });
    return {
      getEmbeddingFor: (text) => context.getEmbeddingFor(text),
      fit(text) {
        const tokens = model.tokenize(text);
        return tokens.length <= size - SPARE_TOKENS ? text : model.detokenize(tokens.slice(0, size - SPARE_TOKENS));
      },
    };
  };

  return {
    model: file,
    async embed(texts, signal) {
      try {
        opening ??= open();
        const context = await opening;
        const vectors: Float32Array[] = [];
        for (const text of texts) {
          if (signal.aborted) return failure('io_error', 'Cancelled', 'cancelled');
          const { vector } = await context.getEmbeddingFor(context.fit(text));
          vectors.push(Float32Array.from(vector));
        }
        return succeed(vectors);
      } catch (error) {
        opening = undefined;
        const message = thrownText(error);
        return failure('io_error', `${file} makes no vectors: ${message}`, 'no_embedder');
      }
    },
  };
};
