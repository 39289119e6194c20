/** A model server whose window is small, as a provider: it refuses a larger prompt and says what its window is. */
import type { ModelRequest } from '../../src/core/model-port.ts';
import { type ScriptedProvider, type ScriptedProviderTurn, scriptedProvider } from '../../src/testing/index.ts';
import { wireSize } from './wire-size.ts';

type SmallWindow = {
  /** Tokens. */
  window: number;
  /** The server tells its window before the first request; else only with a refusal. */
  isTold: boolean;
  /** Tokens of a request. By default those of its messages and tools. */
  sizeOf?: (request: ModelRequest) => number;
  /** The answer to the request of this number that fits. */
  answer: (request: ModelRequest, number: number) => ScriptedProviderTurn;
};

const ANSWER_TOKENS = 20;

/** `refused` holds the requests that were larger than the window. */
export const smallWindowServer = ({
  window,
  isTold,
  sizeOf = wireSize,
  answer,
}: SmallWindow): { provider: ScriptedProvider; refused: readonly ModelRequest[] } => {
  const refused: ModelRequest[] = [];
  const provider = scriptedProvider(
    (request, number) => {
      const prompt_tokens = sizeOf(request);
      if (prompt_tokens <= window)
        return { usage: { prompt_tokens, completion_tokens: ANSWER_TOKENS }, ...answer(request, number) };
      refused.push(request);
      return { error: { code: 'context_overflow', message: 'too long', window_tokens: window, prompt_tokens } };
    },
    { models: [{ id: 'test-model', ...(isTold ? { context_length: window } : {}) }] },
  );
  return { provider, refused };
};
