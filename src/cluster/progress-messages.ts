/**
 * Progress on its way from the worker that runs a conversation to the servers whose readers wait for it: the words of an
 * answer as they come, and so on. It is gathered for a moment, published and kept nowhere: the message that the words
 * become is in the log.
 */

import type { SessionUpdate } from '../core/events.ts';
import { STORAGE_LIMITS } from '../storage/limits.ts';
import { CLUSTER_LIMITS } from './limits.ts';

type Progress = SessionUpdate & { seq?: undefined };
/** The session, the event that it comes after, and what. */
/** `at`: how many characters of its answer came before this piece of text. */
type ProgressItem = [session: string, after: number, update: Progress, at?: number];
/** What processes tell each other at the moment, kept nowhere. */
export type PassingMessage =
  | { type: 'progress'; items: ProgressItem[] }
  /** For the process that has the session open: look up this job. */
  | { type: 'job_added'; session: string; job: string };

/** Gathers progress for a moment, so that pieces that come together go together. */
export class ProgressPublisher {
  readonly #publish: (message: string) => void;
  #gathered: ProgressItem[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(publish: (message: string) => void) {
    this.#publish = publish;
  }

  add(session: string, after: number, update: SessionUpdate, at?: number): void {
    if (update.seq !== undefined) return;
    const last = this.#gathered.at(-1);
    const joined = last && last[0] === session && last[1] === after ? join(last[2], update) : undefined;
    if (last && joined) last[2] = joined;
    else this.#gathered.push(at === undefined ? [session, after, update] : [session, after, update, at]);
    if (this.#timer) return;
    this.#timer = setTimeout(() => this.#flush(), CLUSTER_LIMITS.workerWordsMs);
    this.#timer.unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#flush();
  }

  #flush(): void {
    this.#timer = undefined;
    const items = this.#gathered;
    this.#gathered = [];
    for (const text of packed(items)) this.#publish(text);
  }
}

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
const packed = (items: readonly ProgressItem[]): string[] => {
  const texts: string[] = [];
  let parts: string[] = [];
  let bytes = 2;
  for (const part of items.flatMap(fitting)) {
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

const fitting = (item: ProgressItem): string[] => {
  const text = JSON.stringify(item);
  const [session, after, update, from] = item;
  if (Buffer.byteLength(text) <= STORAGE_LIMITS.databaseNotificationBytes - 2) return [text];
  if (!('delta' in update) || update.delta.length < 2) return [];
  const middle = update.delta.length >> 1;
  // Not between the two halves of one character.
  const cut = update.delta.charCodeAt(middle) >> 10 === 0x37 ? middle + 1 : middle;
  return [0, cut].flatMap((start) => {
    const part = { ...update, delta: update.delta.slice(start, start === 0 ? cut : undefined) };
    return fitting(from === undefined ? [session, after, part] : [session, after, part, from + start]);
  });
};

const JOB_ADDED = /^to ([\w.-]{1,128}) (\S{1,200})$/;
export const jobAddedMessage = (session: string, job: string): string => `to ${session} ${job}`;

/**
 * Undefined where it is neither: anybody who may connect may notify. The format is that of the first version, so that
 * workers of two versions understand each other during an upgrade.
 */
export const readMessage = (text: string): PassingMessage | undefined => {
  const [, session, job] = JOB_ADDED.exec(text) ?? [];
  if (session !== undefined && job !== undefined) return { type: 'job_added', session, job };
  const value = parseJson(text);
  return Array.isArray(value) ? { type: 'progress', items: value.filter(isProgressItem) } : undefined;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const TYPES: ReadonlySet<unknown> = new Set<Progress['type']>([
  'model_started',
  'loading',
  'prefill',
  'warm_up',
  'compaction',
  'curation',
  'text_delta',
  'reasoning_delta',
  'tool_call_delta',
  'tool_output_delta',
  'usage',
  'warning',
]);

const isProgressItem = (value: unknown): value is ProgressItem =>
  Array.isArray(value) &&
  typeof value[0] === 'string' &&
  typeof value[1] === 'number' &&
  typeof value[2] === 'object' &&
  value[2] !== null &&
  TYPES.has((value[2] as { type?: unknown }).type) &&
  (value[3] === undefined || typeof value[3] === 'number');
