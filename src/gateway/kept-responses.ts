/** The conversations that `previous_response_id` names: in memory, the oldest go first. */
import type { ModelMessage } from '../core/message.ts';
import { GATEWAY_LIMITS } from './limits.ts';

export type KeptResponses = {
  get(id: string): readonly ModelMessage[] | undefined;
  keep(id: string, messages: readonly ModelMessage[]): void;
};

export const createKeptResponses = (now: () => number): KeptResponses => {
  const kept = new Map<string, { messages: readonly ModelMessage[]; until: number }>();
  return {
    get(id) {
      const found = kept.get(id);
      return found !== undefined && found.until > now() ? found.messages : undefined;
    },
    keep(id, messages) {
      kept.delete(id);
      kept.set(id, { messages, until: now() + GATEWAY_LIMITS.keptResponseMs });
      const [oldest] = kept.keys();
      if (kept.size > GATEWAY_LIMITS.keptResponses && oldest !== undefined) kept.delete(oldest);
    },
  };
};
