/** A request that was stopped ends, whatever its provider does. */
import type { ModelError, ModelOutcome } from '../../../core/model-port.ts';
import { AGENT_LIMITS } from '../../limits.ts';

export const CANCELLED: ModelError = { code: 'cancelled', message: 'The request was cancelled.' };

/** A provider that does not notice the abort is waited for no longer than its grace: a run that was stopped must end. */
export const endedAtAbort = async (signal: AbortSignal, stream: () => Promise<ModelOutcome>): Promise<ModelOutcome> => {
  let timer: NodeJS.Timeout | undefined;
  let give: (() => void) | undefined;
  const givenUp = new Promise<ModelOutcome>((resolve) => {
    give = () => {
      timer = setTimeout(() => resolve({ ok: false, error: CANCELLED, partial: true }), AGENT_LIMITS.modelAbortGraceMs);
    };
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
  try {
    return await Promise.race([stream(), givenUp]);
  } finally {
    clearTimeout(timer);
    if (give) signal.removeEventListener('abort', give);
  }
};
