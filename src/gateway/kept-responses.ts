/** Answers that can be asked for again, and that `previous_response_id` goes on from: in memory, the oldest go first. */
import type { JsonObject } from '../core/json.ts';
import type { ModelMessage } from '../core/message.ts';
import { GATEWAY_LIMITS } from './limits.ts';

export type KeptResponse = {
  /** As the client got it. */
  response: JsonObject;
  /** What its request sent. */
  input: readonly JsonObject[];
  /** The conversation up to its end. */
  messages: readonly ModelMessage[];
};

export type KeptResponses = {
  get(id: string): KeptResponse | undefined;
  keep(id: string, kept: KeptResponse): void;
  /** Whether there was one. */
  remove(id: string): boolean;
};

export const createKeptResponses = (now: () => number): KeptResponses => {
  const all = new Map<string, { kept: KeptResponse; until: number }>();
  const get: KeptResponses['get'] = (id) => {
    const found = all.get(id);
    return found !== undefined && found.until > now() ? found.kept : undefined;
  };
  return {
    get,
    keep(id, kept) {
      all.delete(id);
      all.set(id, { kept, until: now() + GATEWAY_LIMITS.keptResponseMs });
      const [oldest] = all.keys();
      if (all.size > GATEWAY_LIMITS.keptResponses && oldest !== undefined) all.delete(oldest);
    },
    remove(id) {
      const isThere = get(id) !== undefined;
      all.delete(id);
      return isThere;
    },
  };
};
