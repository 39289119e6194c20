/** The engine that hands work out and out again, loaded when conversations are shared: nobody else needs anything of it. */

import { type Failure, failure, type Outcome } from '../core/outcome.ts';
import { OUTSIDE_PACKAGES } from '../core/outside-packages.ts';
import { thrownText } from '../core/thrown-text.ts';
import { loadPackage } from '../disk/load-package.ts';
import { STORAGE_LIMITS } from '../storage/limits.ts';
import { parseAddress } from '../storage/postgres/address.ts';
import { isAway } from '../storage/postgres/database.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import type { Outage } from './outage.ts';

export type Sdk = Pick<typeof import('@dbos-inc/dbos-sdk'), 'DBOS' | 'DBOSClient'> &
  Pick<typeof import('@dbos-inc/dbos-sdk/internal/dbos-executor'), 'DBOSExecutor'> &
  Pick<typeof import('@dbos-inc/dbos-sdk/internal/system_database'), 'ensureSystemDatabase'> &
  Pick<typeof import('@dbos-inc/dbos-sdk/internal/telemetry/logs'), 'GlobalLogger'> &
  Pick<typeof import('@dbos-inc/dbos-sdk/internal/utils'), 'dbRetryConfig'>;

/** Of everything that is named in the database by it. */
export const APPLICATION = 'halter';
export const SCHEMA = 'halter_dbos';
/**
 * The version of a job's format. It stays the same from one halter to the next, so that an update finds the jobs of before;
 * it changes when older workers could not do what newer servers ask for.
 */
export const JOB_FORMAT = 'orders-1';

const loadParts = async (): Promise<Sdk> => {
  const [{ DBOS, DBOSClient }, { DBOSExecutor }, { ensureSystemDatabase }, { GlobalLogger }, { dbRetryConfig }] =
    await Promise.all([
      import('@dbos-inc/dbos-sdk'),
      import('@dbos-inc/dbos-sdk/internal/dbos-executor'),
      import('@dbos-inc/dbos-sdk/internal/system_database'),
      import('@dbos-inc/dbos-sdk/internal/telemetry/logs'),
      import('@dbos-inc/dbos-sdk/internal/utils'),
    ]);
  // It would wait up to a minute before it asks a database again that came back long ago.
  Object.assign(dbRetryConfig, CLUSTER_LIMITS.queueRetry);
  return { DBOS, DBOSClient, DBOSExecutor, ensureSystemDatabase, GlobalLogger, dbRetryConfig };
};

export const loadSdk = (load: () => Promise<Sdk> = loadParts): Promise<Outcome<Sdk>> =>
  loadPackage(OUTSIDE_PACKAGES.queue, load);

/** What it has to say is for nobody but whoever looks for a defect. */
export const quietLogger = (warn: (text: string) => void = () => {}) => ({
  info() {},
  debug() {},
  warn: (entry: unknown) => warn(String(entry)),
  error: (entry: unknown) => warn(thrownText(entry)),
});

type Asked = (this: unknown, ...args: unknown[]) => unknown;

/**
 * DBOS sends a statement again after some errors of a connection and not after others (EPIPE, a socket that is not there
 * while the database restarts): a job would end as failed, and its message would be lost. So all of them are one that it knows.
 */
const known = (error: unknown): unknown =>
  error instanceof Error && isAway(error) ? Object.assign(error, { code: 'ECONNRESET' }) : error;

/** With a callback at the end, or a promise. `hear` is told of each end, and of its error. */
const withKnownErrors = (ask: Asked, hear: (error: unknown) => void): Asked => {
  const heard = (error: unknown): unknown => {
    hear(error);
    return error && known(error);
  };
  return function (this: unknown, ...args) {
    const last = args.at(-1);
    if (typeof last === 'function') {
      const told = (error: unknown, ...rest: unknown[]): unknown => last(heard(error), ...rest);
      return ask.apply(this, [...args.slice(0, -1), told]);
    }
    const asked = ask.apply(this, args);
    if (!(asked instanceof Promise)) return asked;
    return asked.then(
      (answer: unknown) => {
        hear(undefined);
        return answer;
      },
      (error: unknown) => Promise.reject(heard(error)),
    );
  };
};

const urlForDriver = (url: string): string => {
  const address = parseAddress(url);
  return address.ok ? address.value.url : url;
};

/** Its own connections: the driver's warnings about them are not the person's business, but for an outage. */
export const openPool = async (url: string, outage?: Outage) => {
  const { default: pg } = await import('pg');
  class QueueClient extends pg.Client {}
  const { connect, query } = pg.Client.prototype as unknown as Record<'connect' | 'query', Asked>;
  const connected = (error: unknown): void => {
    if (error instanceof Error && isAway(error)) outage?.refused(thrownText(error));
  };
  const answered = (error: unknown): void => {
    if (!(error instanceof Error)) outage?.worked();
    else if (isAway(error)) outage?.broke();
  };
  Object.assign(QueueClient.prototype, {
    connect: withKnownErrors(connect, connected),
    query: withKnownErrors(query, answered),
  });
  const pool = new pg.Pool({
    Client: QueueClient,
    connectionString: urlForDriver(url),
    application_name: 'halter worker',
    max: CLUSTER_LIMITS.workerConnections,
    connectionTimeoutMillis: STORAGE_LIMITS.databaseConnectMs,
    keepAlive: true,
    allowExitOnIdle: true,
  });
  pool.on('error', () => outage?.broke());
  return pool;
};

export const sdkFailure = (what: string, error: unknown): { ok: false; error: Failure } => {
  const parts = error instanceof AggregateError ? error.errors : [error];
  const words = parts.map((part) => thrownText(part)).join('; ');
  return failure('io_error', `${what}: ${words}`, parts.some(isAway) ? 'unreachable' : 'database_error');
};
