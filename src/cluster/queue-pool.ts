/**
 * The connections of the queue. DBOS waits on them however long it takes, and knows some errors of a connection only; here
 * they end as all connections to the database do, and it is told so in a way that it knows.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import type { Client } from 'pg';
import { thrownText } from '../core/thrown-text.ts';
import { STORAGE_LIMITS } from '../storage/limits.ts';
import { parseAddress } from '../storage/postgres/address.ts';
import {
  connectionOptions,
  giveUp,
  limitConnection,
  STATEMENT_LIMITS,
  type StatementLimits,
} from '../storage/postgres/connections.ts';
import { isAway, isStuck, isUnanswered, stuckWords } from '../storage/postgres/database.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import type { Outage } from './outage.ts';

export type QueuePool = Awaited<ReturnType<typeof openPool>>;

type Asked = (this: unknown, ...args: unknown[]) => unknown;
type Hear = (error: unknown, client: unknown, args: readonly unknown[]) => void;

/** When whoever asks waits no longer. */
const ends = new AsyncLocalStorage<number>();
const OVER = 'QUEUE_OVER';

/** DBOS sends a statement again and again while the database is away. Within this it fails after a while. */
export const forAWhile = <T>(work: () => Promise<T>, waitMs: number = STORAGE_LIMITS.databaseWaitMs): Promise<T> =>
  ends.run(performance.now() + waitMs, work);

/** It was waited for long enough. */
export const isOver = (error: unknown): boolean => (error as { code?: unknown } | undefined)?.code === OVER;

/**
 * DBOS sends a statement again after some errors of a connection and not after others (EPIPE, a socket that is not there
 * while the database restarts, a lock that was not free in time): a job would end as failed, and its message would be lost.
 * So all of them are one that it knows.
 */
const known = (error: unknown, end: number | undefined): unknown => {
  if (!(error instanceof Error) || !(isAway(error) || isStuck(error))) return error;
  const words = isStuck(error) ? stuckWords(error) : thrownText(error);
  // One of its own: DBOS looks into the text and the stack of the other.
  if (end !== undefined && (isStuck(error) || performance.now() >= end)) {
    return Object.assign(new Error(`the database does not answer in time: ${words}`), { code: OVER });
  }
  return Object.assign(error, { code: 'ECONNRESET', message: words });
};

/** With a callback at the end, or a promise. `hear` is told of each end, and of its error. */
const withKnownErrors = (ask: Asked, hear: Hear): Asked =>
  function (this: unknown, ...args) {
    const end = ends.getStore();
    const heard = (error: unknown): unknown => {
      hear(error, this, args);
      return error && known(error, end);
    };
    const last = args.at(-1);
    if (typeof last === 'function') {
      // The pool calls it out of whatever gave a connection back, and what is asked in it is the asker's.
      const told = AsyncResource.bind((error: unknown, ...rest: unknown[]): unknown => last(heard(error), ...rest));
      return ask.apply(this, [...args.slice(0, -1), told]);
    }
    const asked = ask.apply(this, args);
    if (!(asked instanceof Promise)) return asked;
    return asked.then(
      (answer: unknown) => {
        hear(undefined, this, args);
        return answer;
      },
      (error: unknown) => Promise.reject(heard(error)),
    );
  };

const textOf = ([query]: readonly unknown[]): string =>
  typeof query === 'string' ? query : String((query as { text?: unknown } | undefined)?.text ?? '');

/** Its own connections: the driver's warnings about them are not the person's business, but for an outage. */
export const openPool = async (url: string, outage?: Outage, limits: StatementLimits = STATEMENT_LIMITS) => {
  const { default: pg } = await import('pg');
  class QueueClient extends pg.Client {}
  class Connections extends pg.Pool {}
  const { connect, query } = pg.Client.prototype as unknown as Record<'connect' | 'query', Asked>;
  const { connect: take } = pg.Pool.prototype as unknown as Record<'connect', Asked>;
  const connected: Hear = (error) => {
    if (error instanceof Error && isAway(error)) outage?.refused(thrownText(error));
  };
  const answered: Hear = (error, client, args) => {
    if (!(error instanceof Error)) return outage?.worked(textOf(args));
    if (isStuck(error)) outage?.stuck(textOf(args), stuckWords(error));
    else if (isAway(error)) outage?.broke();
    // What would be asked on it next would wait behind.
    if (isUnanswered(error)) giveUp(client as Client);
  };
  Object.assign(QueueClient.prototype, {
    connect: withKnownErrors(connect, connected),
    query: withKnownErrors(query, answered),
  });
  Object.assign(Connections.prototype, { connect: withKnownErrors(take, () => {}) });
  const address = parseAddress(url);
  const pool = new Connections({
    ...connectionOptions(address.ok ? address.value : { url }, limits),
    Client: QueueClient,
    application_name: 'halter worker',
    max: CLUSTER_LIMITS.workerConnections,
    allowExitOnIdle: true,
    onConnect: (client) => limitConnection(client, limits),
  });
  pool.on('error', () => outage?.broke());
  return pool;
};
