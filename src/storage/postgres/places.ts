/**
 * The places at model servers, counted for all processes that share the database. Each process says in one statement what it
 * has done with, what it wants and for how long it waited, and reads whose turn it is. Only one process does so at a time, so
 * no place is given twice. A process gives places to its own requests alone: one that is gone cannot take any with it.
 */
import { createDeferred } from '../../core/deferred.ts';
import {
  findsQueueFull,
  type ModelPlaces,
  type Place,
  type PlaceCount,
  type PlaceRequest,
  QUEUE_IS_FULL,
} from '../../core/model-places.ts';
import { type Failure, failure, type Outcome, succeed } from '../../core/outcome.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { Database } from './database.ts';
import type { Lease } from './lease.ts';
import type { PubSub } from './pub-sub.ts';

/** To everybody who waits: a place may have become free. Not a form of any other message. */
const FREED = 'places freed';

type Waiter = PlaceRequest & {
  id: string;
  before: number | undefined;
  /** An answer that was asked for before it came says nothing of it. */
  isAsked: boolean;
  settle(outcome: Outcome<Place | undefined>): void;
};
type Row = { id: string; server: string | null; before: number };

export type PlacesParts = {
  database: Database;
  pubSub: Pick<PubSub, 'opener' | 'publish' | 'subscribe'>;
  lease: Pick<Lease, 'begin'>;
  /** Requests at a time at each server. */
  perServer: number;
};

export class PostgresPlaces implements ModelPlaces {
  readonly #parts: PlacesParts;
  readonly #waiting = new Map<string, Waiter>();
  /** Given back here, and not known to the database yet. */
  #done = new Set<string>();
  #asking: Promise<void> | undefined;
  /** Something changed since the question that is on its way. */
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #stopListening: (() => void) | undefined;
  #closed = false;

  constructor(parts: PlacesParts) {
    this.#parts = parts;
  }

  async take(request: PlaceRequest): Promise<Outcome<Place | undefined>> {
    if (this.#closed) return failure('io_error', 'the database was closed', 'closed');
    if (request.signal.aborted) return succeed(undefined);
    if (this.#waiting.size >= STORAGE_LIMITS.placesWaiting) {
      return failure('io_error', `${STORAGE_LIMITS.placesWaiting} requests are waiting here already`, 'too_busy');
    }
    const { promise, resolve } = createDeferred<Outcome<Place | undefined>>();
    const id = crypto.randomUUID();
    const giveUp = (): void => {
      this.#leave(id, succeed(undefined));
      this.#ask();
    };
    this.#waiting.set(id, { ...request, id, before: undefined, isAsked: false, settle: resolve });
    request.signal.addEventListener('abort', giveUp, { once: true });
    this.#stopListening ??= this.#parts.pubSub.subscribe((message) => {
      if (message === FREED && this.#waiting.size > 0) this.#ask();
    });
    this.#ask();
    const outcome = await promise;
    request.signal.removeEventListener('abort', giveUp);
    return outcome;
  }

  changed(): void {
    if (this.#waiting.size > 0) this.#ask();
  }

  counts(): Promise<Outcome<PlaceCount[]>> {
    return countPlaces(this.#parts.database);
  }

  /** What this process has is given back; its requests are over, or end without an answer. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stopListening?.();
    for (const id of [...this.#waiting.keys()]) this.#leave(id, succeed(undefined));
    await this.#asking;
    if (this.#done.size > 0) await this.#exchange().catch(() => {});
  }

  /** It waits no longer; the database hears of it with the next question. */
  #leave(id: string, outcome: Outcome<Place | undefined>): void {
    const waiter = this.#waiting.get(id);
    if (waiter === undefined) return;
    this.#waiting.delete(id);
    this.#done.add(id);
    waiter.settle(outcome);
  }

  /** One question at a time; what comes meanwhile goes with the next. */
  #ask(): void {
    this.#again = true;
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = undefined;
    });
  }

  async #askAll(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#again && !this.#closed) {
      this.#again = false;
      const problem = await this.#exchange();
      if (problem === undefined) continue;
      for (const waiter of this.#waiting.values()) {
        if (waiter.isAsked) this.#leave(waiter.id, { ok: false, error: problem });
      }
    }
    if (this.#closed || (this.#waiting.size === 0 && this.#done.size === 0)) return;
    // A message may be lost, and a process that is gone says nothing.
    this.#timer = setTimeout(() => this.#ask(), STORAGE_LIMITS.placesLookMs);
    // Whoever waits keeps the program going.
    if (this.#waiting.size === 0) this.#timer.unref();
  }

  async #exchange(): Promise<Failure | undefined> {
    const { database, pubSub, lease, perServer } = this.#parts;
    for (const { id, servers } of [...this.#waiting.values()]) {
      if (servers().length === 0) this.#leave(id, succeed(undefined));
    }
    const asked = [...this.#waiting.values()];
    for (const waiter of asked) waiter.isAsked = true;
    const done = this.#done;
    this.#done = new Set();
    const answered = await exchangeWith({ database, pubSub, lease, perServer }, [...done], asked);
    if (!answered.ok) {
      for (const id of done) this.#done.add(id);
      return answered.error;
    }
    if (done.size > 0) pubSub.publish(FREED);
    for (const row of answered.value) this.#hear(row);
    return undefined;
  }

  #hear({ id, server, before }: Row): void {
    const waiter = this.#waiting.get(id);
    if (server !== null) {
      // Given to a request that is not wanted any more: it is in `done`, and goes back with the next question.
      if (waiter === undefined) return;
      this.#waiting.delete(id);
      waiter.settle(succeed({ server, giveBack: () => this.#giveBack(id) }));
    } else if (waiter !== undefined && waiter.before === undefined && findsQueueFull(before)) {
      this.#leave(id, { ok: false, error: QUEUE_IS_FULL });
      this.#ask();
    } else if (waiter !== undefined && waiter.before !== before) {
      waiter.before = before;
      waiter.onWaiting(before);
    }
  }

  #giveBack(id: string): void {
    this.#done.add(id);
    this.#ask();
  }
}

/** A request that waits counts for the server that it prefers. */
export const countPlaces = async (database: Database): Promise<Outcome<PlaceCount[]>> => {
  const asked = await database.query<PlaceCount>({
    text: `
      SELECT COALESCE(server, servers[1]) AS server, count(server)::integer AS running,
        (count(*) - count(server))::integer AS waiting
      FROM halter.model_requests GROUP BY 1 ORDER BY 1`,
  });
  return asked.ok ? succeed(asked.value.rows) : asked;
};

const exchangeWith = async (
  { database, pubSub, lease, perServer }: PlacesParts,
  done: readonly string[],
  asked: readonly Waiter[],
): Promise<Outcome<Row[]>> => {
  const self = await pubSub.opener();
  if (!self.ok) return self;
  await lease.begin(self.value);
  const wanted = asked.map(({ id, conversation, servers }) => ({ id, conversation, servers: servers() }));
  const answered = await database.query<Row>({
    name: 'halter_places',
    text: 'SELECT id, server, before FROM halter.take_places($1, $2, $3, $4)',
    values: [self.value, perServer, done, JSON.stringify(wanted)],
  });
  return answered.ok ? succeed(answered.value.rows) : answered;
};
