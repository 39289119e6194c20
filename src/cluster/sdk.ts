/** The engine that hands work out and out again, loaded when conversations are shared: nobody else needs anything of it. */

import { type Failure, failure, type Outcome } from '../core/outcome.ts';
import { OUTSIDE_PACKAGES } from '../core/outside-packages.ts';
import { thrownText } from '../core/thrown-text.ts';
import { loadPackage } from '../disk/load-package.ts';
import { isAway } from '../storage/postgres/database.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { isOver } from './queue-pool.ts';

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

export const sdkFailure = (what: string, error: unknown): { ok: false; error: Failure } => {
  const parts = error instanceof AggregateError ? error.errors : [error];
  const words = parts.map((part) => thrownText(part)).join('; ');
  return failure(
    'io_error',
    `${what}: ${words}`,
    parts.some((part) => isAway(part) || isOver(part)) ? 'unreachable' : 'database_error',
  );
};
