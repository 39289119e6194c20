/**
 * The lease of progress of this process: a row that it renews from its event loop. A process that is frozen, or whose loop
 * is blocked, keeps its connection and its lock, but not its lease. Leases are compared by the clock of the database alone.
 */
import { STORAGE_LIMITS } from '../limits.ts';
import type { Database } from './database.ts';
import { LOCK_CLASS } from './locks.ts';

/**
 * A condition on a process number (`number` is SQL; a column needs its table, or it is that of the leases): it has a lease, and did not renew it for too long. After a start of the database
 * everybody gets the time to renew.
 */
export const leaseExpired = (number: string): string => `EXISTS (
  SELECT FROM halter.leases WHERE leases.number = ${number}
    AND renewed_at < clock_timestamp() - interval '${STORAGE_LIMITS.leaseMs} milliseconds'
    AND pg_postmaster_start_time() < clock_timestamp() - interval '${2 * STORAGE_LIMITS.leaseMs} milliseconds')`;

const freshLease = (number: string, also = ''): string => `EXISTS (
  SELECT FROM halter.leases WHERE leases.number = ${number}
    AND renewed_at >= clock_timestamp() - interval '${STORAGE_LIMITS.leaseFreshMs} milliseconds'${also})`;

/** A condition: it renewed its lease just now. A process that lost the connection of its lock does so by another one. */
export const leaseIsFresh = (number: string): string => freshLease(number);

/**
 * A condition: it renewed its lease just now, and a connection of it is there. A process that was killed has none from that
 * moment on, so nobody waits for its lease to grow old. Connections are known by their `application_name`; a lease of an
 * earlier halter does not say it.
 */
export const showsLife = (number: string): string =>
  freshLease(
    number,
    `
    AND (application IS NULL OR EXISTS (
      SELECT FROM pg_stat_activity WHERE application_name = leases.application AND datname = current_database()))`,
  );

/** A condition: the database started just now, so that locks and leases of the living may not be back. */
export const DATABASE_IS_NEW = `pg_postmaster_start_time() >= clock_timestamp() - interval '${STORAGE_LIMITS.databaseGraceMs} milliseconds'`;

/** A condition: it has its lock, also where it is frozen. */
const holdsLock = (number: string): string => `EXISTS (
    SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND classid::bigint = ${LOCK_CLASS} AND objid::bigint = ${number} AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;

/** A statement: removes what processes that were killed left. `before` is SQL; the younger ones still say who died. */
export const removeDeadLeases = (before: string): string => `
  DELETE FROM halter.leases WHERE NOT ${holdsLock('leases.number')}
    AND renewed_at < least(${before}, clock_timestamp() - interval '${STORAGE_LIMITS.deathsBeforeMs} milliseconds')`;

/**
 * Whether a process is gone: true, false, or NULL where that cannot be known yet. The lock is looked up and not tried: of
 * two that try it at once, each would take the other for its holder.
 */
export const isGone = (number: string): string => `CASE
  WHEN ${leaseExpired(number)} THEN true
  WHEN ${holdsLock(number)} THEN false
  WHEN ${showsLife(number)} OR ${DATABASE_IS_NEW} THEN NULL
  ELSE true END`;

export class Lease {
  readonly #database: Database;
  #timer: NodeJS.Timeout | undefined;
  #number: number | undefined;
  /** Of a process that takes jobs. */
  #folders: readonly string[] | undefined;
  #renewing: Promise<unknown> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** From now on it is renewed; the first time before this resolves. `folders`: the process takes jobs of these. */
  async begin(number: number, { folders }: { folders?: readonly string[] } = {}): Promise<void> {
    const isNews = folders !== undefined && this.#folders === undefined;
    this.#folders ??= folders;
    if (this.#number !== undefined) {
      if (isNews) await this.#renew();
      return;
    }
    this.#number = number;
    await this.#renew();
    this.#timer = setInterval(() => void this.#renew(), STORAGE_LIMITS.leaseRenewMs);
    this.#timer.unref();
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    if (this.#number === undefined) return;
    await this.#database.query({
      text: 'DELETE FROM halter.leases WHERE number = $1',
      values: [this.#number],
      waitMs: STORAGE_LIMITS.leaseRenewMs,
      answerMs: STORAGE_LIMITS.databaseLeaseAnswerMs,
    });
  }

  #renew(): Promise<unknown> {
    this.#renewing ??= this.#database
      .query({
        name: 'halter_lease',
        text: `
          INSERT INTO halter.leases (number, renewed_at, application, works, folders)
          VALUES ($1, clock_timestamp(), current_setting('application_name'), $2, $3)
          ON CONFLICT (number) DO UPDATE SET renewed_at = clock_timestamp(), application = excluded.application,
            works = excluded.works, folders = excluded.folders`,
        values: [this.#number, this.#folders !== undefined, this.#folders ?? null],
        waitMs: STORAGE_LIMITS.leaseRenewMs,
        answerMs: STORAGE_LIMITS.databaseLeaseAnswerMs,
      })
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }
}
