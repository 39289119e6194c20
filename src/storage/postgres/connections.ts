/**
 * What all connections to the database have in common: nobody waits on one for ever. The database ends a statement that
 * takes too long, and the transaction of a process that says nothing more, with its locks. Where the database itself says
 * nothing (its process is stopped, something between passes nothing on) the connection is given up.
 */
import type { Client, ClientBase } from 'pg';
import { STORAGE_LIMITS } from '../limits.ts';
import type { DatabaseAddress } from './address.ts';

export type StatementLimits = {
  /** So long a statement waits for a lock that another session holds. */
  lockMs: number;
  /** So long it takes in all. */
  statementMs: number;
  /** The other side said nothing for so long: it is gone, or passes nothing on. */
  answerMs: number;
  /** In a transaction nothing was asked for so long: whoever holds its locks is frozen. */
  idleMs: number;
};

export const STATEMENT_LIMITS: StatementLimits = {
  lockMs: STORAGE_LIMITS.databaseLockMs,
  statementMs: STORAGE_LIMITS.databaseStatementMs,
  answerMs: STORAGE_LIMITS.databaseAnswerMs,
  idleMs: STORAGE_LIMITS.databaseIdleMs,
};

/** Tables are made and changed, and others wait for that. */
export const MIGRATION_LIMITS: StatementLimits = {
  lockMs: STORAGE_LIMITS.databaseMigrationMs,
  statementMs: STORAGE_LIMITS.databaseMigrationMs,
  answerMs: STORAGE_LIMITS.databaseMigrationMs,
  idleMs: STORAGE_LIMITS.databaseMigrationMs,
};

/** What a list of the database's connections says of these. */
export const APPLICATION = 'halter';

/** Settings of a connection to the database, for the driver. */
export const connectionOptions = (
  { url }: Pick<DatabaseAddress, 'url'>,
  limits: StatementLimits = STATEMENT_LIMITS,
) => ({
  connectionString: url,
  application_name: APPLICATION,
  connectionTimeoutMillis: STORAGE_LIMITS.databaseConnectMs,
  query_timeout: limits.answerMs,
  keepAlive: true,
  // Else the system asks after two hours whether the other end is there.
  keepAliveInitialDelayMillis: STORAGE_LIMITS.databaseKeepaliveIdleS * 1000,
});

/** The driver's types leave it out. */
export const answeredWithin = <Query extends object>(query: Query, answerMs: number | undefined): Query =>
  answerMs === undefined ? query : { ...query, query_timeout: answerMs };

/** Asked for and not sent at the start: poolers refuse a start with settings that they do not know. */
export const limitConnection = async (
  client: ClientBase,
  limits: StatementLimits = STATEMENT_LIMITS,
): Promise<void> => {
  const settings = {
    lock_timeout: limits.lockMs,
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.idleMs,
    // The other end notices soon that this machine is gone, and releases its locks.
    tcp_keepalives_idle: STORAGE_LIMITS.databaseKeepaliveIdleS,
    tcp_keepalives_interval: STORAGE_LIMITS.databaseKeepaliveIntervalS,
    tcp_keepalives_count: STORAGE_LIMITS.databaseKeepaliveCount,
  };
  const text = Object.entries(settings)
    .map(([name, value]) => `SET ${name} = ${value}`)
    .join('; ');
  await client.query(answeredWithin({ text }, STORAGE_LIMITS.databaseConnectMs));
};

/** For one transaction. */
export const LIMITS_OF_TRANSACTION = ({ lockMs, statementMs, idleMs }: StatementLimits): string =>
  `SET LOCAL lock_timeout = ${lockMs}; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`;

/** Nobody answered on it, so nothing that is asked on it later would be answered. */
export const giveUp = (client: Pick<Client, 'end'>): void => void client.end().catch(() => {});
