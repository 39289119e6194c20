/** Answers that can be asked for again, and that `previous_response_id` goes on from: in memory, the oldest go first. */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { ModelMessage } from '../core/message.ts';
import { GATEWAY_LIMITS } from './limits.ts';

export type KeptResponse = {
  /** As the client got it. */
  response: JsonObject;
  /** What its request sent. */
  input: readonly JsonObject[];
  /** The conversation up to its end, without the instructions of its request. */
  messages: readonly ModelMessage[];
};

/** What a request may name instead of sending it again. */
export type EarlierAnswers = {
  messages(id: string): readonly ModelMessage[] | undefined;
  /** One item of an answer, or of what a request sent. */
  item(id: string): JsonObject | undefined;
};

export const NO_EARLIER_ANSWERS: EarlierAnswers = { messages: () => undefined, item: () => undefined };

export type KeptResponses = {
  get(id: string): KeptResponse | undefined;
  keep(id: string, kept: KeptResponse): void;
  /** Whether there was one. */
  remove(id: string): boolean;
  earlier: EarlierAnswers;
};

const itemsIn = (list: JsonValue | undefined): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : []);

/** What was answered goes before what was sent, and the first of one id before the others. */
const itemsById = ({ response, input }: KeptResponse): ReadonlyMap<string, JsonObject> =>
  new Map(
    [...itemsIn(response['output']), ...input]
      .flatMap((item): [string, JsonObject][] => (typeof item['id'] === 'string' ? [[item['id'], item]] : []))
      .reverse(),
  );

export const createKeptResponses = (now: () => number): KeptResponses => {
  const all = new Map<string, { kept: KeptResponse; items: ReadonlyMap<string, JsonObject>; until: number }>();
  const get: KeptResponses['get'] = (id) => {
    const found = all.get(id);
    return found !== undefined && found.until > now() ? found.kept : undefined;
  };
  const item: EarlierAnswers['item'] = (id) => {
    const time = now();
    return [...all.values()].findLast(({ items, until }) => until > time && items.has(id))?.items.get(id);
  };
  return {
    get,
    earlier: { messages: (id) => get(id)?.messages, item },
    keep(id, kept) {
      all.delete(id);
      all.set(id, { kept, items: itemsById(kept), until: now() + GATEWAY_LIMITS.keptResponseMs });
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
