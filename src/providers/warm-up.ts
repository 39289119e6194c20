/** Has a server read a prompt and write as good as nothing, so that it has read it when the same comes with more. */
import type { ModelProvider } from '../core/model-port.ts';

/** One token: every server takes that, and what it writes is seen by nobody. */
const LEAST_TOKENS = 1;

export const readOnly =
  (stream: ModelProvider['stream']): NonNullable<ModelProvider['warmUp']>['read'] =>
  async (request, signal) => {
    const { response_schema: _, ...rest } = request;
    const outcome = await stream(
      { ...rest, sampling: { ...request.sampling, max_tokens: LEAST_TOKENS } },
      () => undefined,
      signal,
    );
    if (!outcome.ok) return { ok: false, error: outcome.error };
    const { usage } = outcome.answer;
    return usage ? { ok: true, usage } : { ok: true };
  };
