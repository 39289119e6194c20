/**
 * The port to the places at model servers: a server takes so many requests at a time, whichever process sends them. What is
 * more waits in one queue, in which the requests of one conversation stand behind the first of every other.
 */
import { LIMITS } from './limits.ts';
import type { Failure, Outcome } from './outcome.ts';

export type PlaceRequest = {
  /** The servers that may answer it, the preferred one first. It may change while the request waits; empty: none is there. */
  servers(): readonly string[];
  /** Whose request it is: nobody's requests fill the queue for the others. */
  conversation: string;
  signal: AbortSignal;
  /** How many waiting requests come first; told when it waits, and again when the number changes. */
  onWaiting(before: number): void;
};

export type Place = {
  server: string;
  /** Called once the request is over; calling it again does nothing. */
  giveBack(): void;
};

/** How many requests are at a server, and how many wait for one. */
export type PlaceCount = { server: string; running: number; waiting: number };

export type ModelPlaces = {
  /** Undefined: the signal aborted, or no server is left. A failure: too many wait already (`too_busy`), or the queue cannot be reached. */
  take(request: PlaceRequest): Promise<Outcome<Place | undefined>>;
  /** What `servers` of those that wait says may be another now. */
  changed(): void;
  /** For whoever watches over it: all processes that share the queue together. */
  counts(): Promise<Outcome<PlaceCount[]>>;
};

/** What is known of a request, for its turn. */
export type Turn = { conversation: string; turn: number };

/**
 * The turn of a new request, by those that wait and those that have a place: each of a conversation has its turn after the
 * one before, and the first of another conversation comes with those that are served now. Of equal turns the earlier one
 * goes first.
 */
export const nextTurn = (conversation: string, waiting: readonly Turn[], running: readonly Turn[]): number => {
  const least = Math.min(...waiting.map(({ turn }) => turn));
  const now = running.length > 0 ? Math.max(...running.map(({ turn }) => turn)) : Number.isFinite(least) ? least : 0;
  const own = [...waiting, ...running].filter((other) => other.conversation === conversation);
  return Math.max(now, ...own.map(({ turn }) => turn + 1));
};

/**
 * Whether a request finds the queue full as it joins: so many of all processes come before it at one of its servers. One
 * that was let in stays, also where others are let in before it.
 */
export const findsQueueFull = (before: number): boolean => before >= LIMITS.waitingForModelServer;

export const QUEUE_IS_FULL: Failure = {
  error_type: 'io_error',
  message: `${LIMITS.waitingForModelServer} requests wait for it already`,
  reason: 'too_busy',
};

/** In a person's words. */
export const queueWords = (before: number): string =>
  `waiting for a place at the model server; ${before === 0 ? 'this request is next' : `${before} ${before === 1 ? 'request comes' : 'requests come'} first`}`;
