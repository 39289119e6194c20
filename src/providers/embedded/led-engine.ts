/** The engine of this process as led steps need it. */
import { type LedAnswerRequest, LedError, type LedPort, type Written } from '../../core/led-port.ts';
import type { ModelError } from '../../core/model-port.ts';
import { thrownText } from '../../core/thrown-text.ts';
import { schemaGrammar } from '../led/grammar.ts';
import type { Chat } from './chat.ts';
import { ContextOverflowError, type Engine, type GenerateOptions } from './engine.ts';

export const createEnginePort = (engine: Engine, chat: Chat): LedPort => ({
  takes: 'grammar',
  async begin(turns) {
    const prompt = await chat.prompt(turns);
    return {
      write: ({ pieces, constraint, maxTokens, signal }) =>
        engineWork(() =>
          engine.generate({
            lane: 'decision',
            prompt: [...prompt, ...pieces.flatMap((piece) => engine.tokenize(piece, false))],
            grammar: constraint.grammar,
            maxTokens,
            signal,
          }),
        ),
    };
  },
  answer: async (asked) => {
    const { turns, maxTokens, repeatPenalty, stop } = asked;
    return writeAnswer(engine, asked, { prompt: await chat.prompt(turns), maxTokens, repeatPenalty, stop });
  },
  async likelihood({ prompt, text, mostTokens, signal }) {
    const before = engine.tokenize(prompt, false);
    const continuation = engine.tokenize(text, false).slice(0, mostTokens);
    const scores = await engineWork(() => engine.score({ lane: 'decision', prompt: before, continuation, signal }));
    return {
      logProbability: scores.reduce((sum, score) => sum + score, 0),
      tokens: before.length + continuation.length,
    };
  },
});

/** In the conversation's own cache, as the request says it: its form, its sampling, and what is told meanwhile. */
export const writeAnswer = (
  engine: Engine,
  { request, onText, emit, signal }: Pick<LedAnswerRequest, 'request' | 'onText' | 'emit' | 'signal'>,
  own: Pick<GenerateOptions, 'prompt' | 'maxTokens' | 'repeatPenalty' | 'keepSpecial' | 'stop'>,
): Promise<Written> => {
  const { temperature, top_p: topP, seed } = request.sampling;
  return engineWork(() =>
    engine.generate({
      lane: 'conversation',
      ...own,
      ...(request.response_schema ? { grammar: schemaGrammar(request.response_schema) } : {}),
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(seed === undefined ? {} : { seed }),
      signal,
      onText,
      onPrefill: (processed, total, cached) => emit({ type: 'prefill', processed, total, cached }),
    }),
  );
};

const engineWork = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    throw new LedError(describeError(error));
  }
};

/** What llama.cpp throws in the middle of a turn is about the window or the memory; bugs of our own go on up. */
export const describeError = (error: unknown): ModelError => {
  if (error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError) throw error;
  if (error instanceof LedError) return error.error;
  const message = thrownText(error);
  return error instanceof ContextOverflowError
    ? {
        code: 'context_overflow',
        message: `The conversation does not fit into the model's window: ${message}`,
        hint: 'Start a new conversation, or shorten this one with `/compact`.',
      }
    : { code: 'server_error', message: `The embedded engine failed: ${message}` };
};
