/**
 * The words of an answer on their way from the worker that hears them to the servers whose readers wait for them. They
 * are gathered for a moment, sent in passing and kept nowhere: the message that they become is in the log.
 */

import type { SessionUpdate } from '../core/events.ts';
import { STORAGE_LIMITS } from '../storage/limits.ts';
import { CLUSTER_LIMITS } from './limits.ts';

type Progress = SessionUpdate & { seq?: undefined };
/** Which session, the event that it comes after, and what. */
type Word = [session: string, after: number, update: Progress];

export type Speaker = { publish(session: string, after: number, update: SessionUpdate): void; close(): void };

export const createSpeaker = (say: (words: string) => void): Speaker => {
  let gathered: Word[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    const words = gathered;
    gathered = [];
    for (const text of packed(words)) say(text);
  };
  return {
    publish(session, after, update) {
      if (update.seq !== undefined) return;
      const last = gathered.at(-1);
      const joined = last && last[0] === session && last[1] === after ? join(last[2], update) : undefined;
      if (last && joined) last[2] = joined;
      else gathered.push([session, after, update]);
      timer ??= setTimeout(flush, CLUSTER_LIMITS.workerWordsMs);
      timer.unref();
    },
    close() {
      clearTimeout(timer);
      flush();
    },
  };
};

/** Two pieces of the same text are one. */
const join = (one: Progress, other: Progress): Progress | undefined => {
  if (one.type === 'text_delta' && other.type === 'text_delta') return { ...one, delta: one.delta + other.delta };
  if (one.type === 'reasoning_delta' && other.type === 'reasoning_delta') {
    return { ...one, delta: one.delta + other.delta };
  }
  if (
    one.type === 'tool_output_delta' &&
    other.type === 'tool_output_delta' &&
    one.tool_call_id === other.tool_call_id
  ) {
    return { ...one, delta: one.delta + other.delta };
  }
  return undefined;
};

/** As many to a notification as it takes; a piece of text that is too long for one is parted. */
const packed = (words: readonly Word[]): string[] => {
  const texts: string[] = [];
  let parts: string[] = [];
  let bytes = 2;
  for (const part of words.flatMap(fitting)) {
    const size = Buffer.byteLength(part) + 1;
    if (bytes + size > STORAGE_LIMITS.databaseNotificationBytes && parts.length > 0) {
      texts.push(`[${parts.join(',')}]`);
      parts = [];
      bytes = 2;
    }
    parts.push(part);
    bytes += size;
  }
  if (parts.length > 0) texts.push(`[${parts.join(',')}]`);
  return texts;
};

const fitting = ([session, after, update]: Word): string[] => {
  const text = JSON.stringify([session, after, update]);
  if (Buffer.byteLength(text) <= STORAGE_LIMITS.databaseNotificationBytes - 2) return [text];
  if (!('delta' in update) || update.delta.length < 2) return [];
  const middle = update.delta.length >> 1;
  // Not between the two halves of one character.
  const at = update.delta.charCodeAt(middle) >> 10 === 0x37 ? middle + 1 : middle;
  return [update.delta.slice(0, at), update.delta.slice(at)].flatMap((delta) =>
    fitting([session, after, { ...update, delta }]),
  );
};

/** Anybody who may connect may notify, so a text of another form is passed over. */
export const wordsIn = (text: string): Word[] => {
  if (!text.startsWith('[')) return [];
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) ? words.filter(isWord) : [];
  } catch {
    return [];
  }
};

const TYPES: ReadonlySet<unknown> = new Set<Progress['type']>([
  'model_started',
  'loading',
  'prefill',
  'warm_up',
  'curation',
  'text_delta',
  'reasoning_delta',
  'tool_call_delta',
  'tool_output_delta',
  'usage',
  'warning',
]);

const isWord = (value: unknown): value is Word =>
  Array.isArray(value) &&
  typeof value[0] === 'string' &&
  typeof value[1] === 'number' &&
  typeof value[2] === 'object' &&
  value[2] !== null &&
  TYPES.has((value[2] as { type?: unknown }).type);
