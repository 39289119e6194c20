/** The driver, loaded when a database is named: one person on one machine needs nothing of it. */
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import type { Outcome } from '../../core/outcome.ts';
import { OUTSIDE_PACKAGES } from '../../core/outside-packages.ts';
import { loadPackage } from '../../disk/load-package.ts';

export type Driver = typeof import('pg');
export type { Pool, PoolClient, QueryResultRow };

export const loadDriver = (load: () => Promise<Driver> = () => import('pg')): Promise<Outcome<Driver>> =>
  loadPackage(OUTSIDE_PACKAGES.postgres, load);
