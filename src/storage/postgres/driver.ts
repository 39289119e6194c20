/** The driver, loaded when a database is named: one person on one machine needs nothing of it. */
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';

export type Driver = typeof import('pg');
export type { Pool, PoolClient, QueryResultRow };

const VERSION = '8.23.1';

export const loadDriver = async (load: () => Promise<Driver> = () => import('pg')): Promise<Outcome<Driver>> => {
  try {
    return succeed(await load());
  } catch (error) {
    const { code } = error as { code?: string };
    return failure(
      'io_error',
      code === 'ERR_MODULE_NOT_FOUND'
        ? `A database was named, and the driver for PostgreSQL is not installed. Install it with \`npm install pg@${VERSION}\`.`
        : `The driver for PostgreSQL (pg) cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      'not_installed',
    );
  }
};
