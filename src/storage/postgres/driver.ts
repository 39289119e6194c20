/** The driver, loaded when a database is named: one person on one machine needs nothing of it. */
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import type { Outcome } from '../../core/outcome.ts';
import { loadOptional } from '../../disk/optional-package.ts';

export type Driver = typeof import('pg');
export type { Pool, PoolClient, QueryResultRow };

const VERSION = '8.23.1';

export const loadDriver = (load: () => Promise<Driver> = () => import('pg')): Promise<Outcome<Driver>> =>
  loadOptional(load, {
    package: 'pg',
    notInstalled: `A database was named, and the driver for PostgreSQL is not installed. Install it with \`npm install pg@${VERSION}\`.`,
    name: 'The driver for PostgreSQL (pg)',
  });
