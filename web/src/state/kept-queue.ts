/**
 * Messages that wait for their turn, as this browser keeps them: the words at once, and beside them what stood beside the
 * words, which is too large for the same place and takes a moment.
 */
import type { ContentPart } from '../../../src/core/message.ts';
import { attachedTo, wordsOf } from '../conversation/message-words.ts';
import { keep, recall } from './kept.ts';
import type { View } from './view.ts';

/**
 * `after`: the newest fact of the moment when it was sent. `isUnanswered`: nobody took it when it was sent. `queueId`: what
 * the server calls it, once it was seen to wait there.
 */
export type KeptMessage = { text: string; after: number; isUnanswered?: boolean; queueId?: string };
type KeptParts = KeptMessage & { parts: readonly ContentPart[] };

export type KeptQueuePorts = {
  words: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  keep(name: string, value: unknown): Promise<void>;
  recall(name: string): Promise<unknown>;
};

export type KeptQueue = {
  all(sessionId: string): readonly KeptMessage[];
  add(sessionId: string, content: string | readonly ContentPart[], after: number): void;
  /** Learns which of them wait at the server, and forgets those that somebody took out there. What is left of them. */
  follow(sessionId: string, view: Pick<View, 'queue' | 'removed'>): readonly KeptMessage[];
  /** Forgets all others. */
  keepOnly(sessionId: string, messages: readonly KeptMessage[]): void;
  /** Nobody took the messages of these words. */
  unanswered(sessionId: string, text: string): void;
  /** Forgets every message of these words. */
  forget(sessionId: string, text: string): void;
  /** What stood beside its words. */
  partsOf(sessionId: string, message: KeptMessage): Promise<readonly ContentPart[]>;
};

const keyOf = (sessionId: string): string => `halter queue ${sessionId}`;
const partsName = (sessionId: string): string => `queue ${sessionId}`;
const same = (one: KeptMessage, other: KeptMessage): boolean => one.text === other.text && one.after === other.after;

/** Each with the id of the one that waits with the same words, the first with the first. */
const withIds = (known: readonly KeptMessage[], queue: View['queue']): readonly KeptMessage[] => {
  const taken = new Set(known.flatMap(({ queueId }) => queueId ?? []));
  return known.map((message) => {
    if (message.queueId !== undefined) return message;
    const found = queue.find((each) => !taken.has(each.queue_id) && wordsOf(each.content) === message.text);
    if (found === undefined) return message;
    taken.add(found.queue_id);
    return { ...message, queueId: found.queue_id };
  });
};

export const createKeptQueue = (ports: KeptQueuePorts): KeptQueue => {
  let last: Promise<unknown> = Promise.resolve();
  /** Each begins with what the one before left, so that none writes over another. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const allParts = async (sessionId: string): Promise<readonly KeptParts[]> =>
    ((await ports.recall(partsName(sessionId))) as readonly KeptParts[] | undefined) ?? [];
  const keepParts = (sessionId: string, parts: readonly KeptParts[]): Promise<void> =>
    ports.keep(partsName(sessionId), parts.length > 0 ? parts : undefined);

  const all = (sessionId: string): readonly KeptMessage[] => {
    try {
      return JSON.parse(ports.words.getItem(keyOf(sessionId)) ?? '[]') as KeptMessage[];
    } catch {
      return [];
    }
  };
  const keepWords = (sessionId: string, messages: readonly KeptMessage[]): void => {
    if (messages.length === 0) ports.words.removeItem(keyOf(sessionId));
    else ports.words.setItem(keyOf(sessionId), JSON.stringify(messages));
  };
  const keepOnly = (sessionId: string, messages: readonly KeptMessage[]): void => {
    keepWords(sessionId, messages);
    void inTurn(async () => {
      const known = await allParts(sessionId);
      // Those of now: one more may have been sent meanwhile.
      const now = all(sessionId);
      const left = known.filter((each) => now.some((message) => same(message, each)));
      if (left.length < known.length) await keepParts(sessionId, left);
    });
  };
  const forget = (sessionId: string, text: string): void =>
    keepOnly(
      sessionId,
      all(sessionId).filter((each) => each.text !== text),
    );

  return {
    all,
    follow(sessionId, { queue, removed }) {
      const known = all(sessionId);
      const named = withIds(known, queue);
      const left = named.filter(({ queueId }) => queueId === undefined || !removed.includes(queueId));
      if (left.length < known.length) keepOnly(sessionId, left);
      else if (named.some((message, index) => message !== known[index])) keepWords(sessionId, named);
      return left;
    },
    keepOnly,
    forget,
    unanswered(sessionId, text) {
      const known = all(sessionId);
      keepWords(
        sessionId,
        known.map((each) => (each.text === text ? { ...each, isUnanswered: true } : each)),
      );
    },
    add(sessionId, content, after) {
      const message = { text: wordsOf(content), after };
      const parts = attachedTo(content);
      try {
        keepWords(sessionId, [...all(sessionId), message]);
      } catch {
        // Too large for this place. It is sent all the same.
      }
      void inTurn(async () => {
        const known = await allParts(sessionId);
        // Of the same words that were sent, taken back and sent again, what stands beside them now counts.
        const others = known.filter((each) => !same(each, message));
        if (parts.length > 0) await keepParts(sessionId, [...others, { ...message, parts }]);
        else if (others.length < known.length) await keepParts(sessionId, others);
      });
    },
    partsOf: (sessionId, message) =>
      inTurn(async () => (await allParts(sessionId)).find((each) => same(each, message))?.parts ?? []),
  };
};

/** This browser's own. */
export const keptQueue = (): KeptQueue => {
  own ??= createKeptQueue({ words: localStorage, keep, recall });
  return own;
};
let own: KeptQueue | undefined;
