/** How fast the embedded engine reads and writes with one model: some hundred tokens, once. */
import type { ModelPace } from '../../core/model-pace.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { thrownText } from '../../core/thrown-text.ts';
import type { LoadEngine } from './engine.ts';
import { EMBEDDED_LIMITS } from './limits.ts';
import { loadLlamaEngine } from './llama-engine.ts';

export type MeasureOptions = {
  modelFile: string;
  threads: number;
  signal: AbortSignal;
  /** Seconds, from any point on. Default: the clock on the wall. */
  seconds?(): number;
  loadEngine?: LoadEngine;
};

const TEXT = 'The harbour was quiet and the boats lay in a row along the wall, as they do in autumn. ';

export const measureEngine = async (options: MeasureOptions): Promise<Outcome<ModelPace>> => {
  const { modelFile, threads, signal, seconds = () => performance.now() / 1_000 } = options;
  const loaded = await (options.loadEngine ?? loadLlamaEngine)({
    modelFile,
    threads,
    signal,
    contextLength: EMBEDDED_LIMITS.measuredContextTokens,
  });
  if (!loaded.ok) return failure('io_error', loaded.error.message);
  const { engine } = loaded;
  try {
    const tokens = engine.tokenize(TEXT.repeat(EMBEDDED_LIMITS.measuredReadTokens / 16), false);
    // The first tokens pay for what is set up once.
    await engine.generate({ lane: 'conversation', prompt: tokens.slice(1, 9), maxTokens: 1, signal });
    const prompt = tokens.slice(0, EMBEDDED_LIMITS.measuredReadTokens);
    const started = seconds();
    let read = started;
    const generated = await engine.generate({
      lane: 'conversation',
      prompt,
      maxTokens: EMBEDDED_LIMITS.measuredWriteTokens,
      signal,
      onPrefill: (processed, total) => {
        if (processed === total) read = seconds();
      },
    });
    const ended = seconds();
    const wrote = generated.completionTokens - 1;
    if (signal.aborted) return failure('io_error', 'The measuring was cancelled.', 'cancelled');
    if (wrote < 1 || read <= started || ended <= read)
      return failure('io_error', 'The model wrote too little to tell.');
    return succeed({
      readTokensPerSecond: (prompt.length - generated.cachedTokens) / (read - started),
      writeTokensPerSecond: wrote / (ended - read),
    });
  } catch (error) {
    return failure('io_error', `The engine failed while it was measured: ${thrownText(error)}`);
  } finally {
    await engine.close();
  }
};
