/** One PostgreSQL for the tests of a file; without the program they are skipped, with the reason. */
import { afterAll, beforeAll, describe } from 'vitest';
import { onceARun } from './once-a-run.ts';
import { makeData, NO_POSTGRES, startPostgres, type TestPostgres } from './postgres-server.ts';

export {
  NO_PGVECTOR,
  NO_POSTGRES,
  PASSWORD,
  POSTGRES_PROGRAMS,
  startPostgres,
  type TestPostgres,
} from './postgres-server.ts';

/** How long it may take to start or to stop on a busy machine. */
const START_MS = 60_000;

/** One server for all tests of a file; each test asks it for a database of its own. */
export const usePostgres = (settings?: Readonly<Record<string, string>>): (() => TestPostgres) => {
  let server: TestPostgres | undefined;
  beforeAll(async () => {
    if (NO_POSTGRES !== undefined) return;
    // `initdb` waits for the disk, for seconds.
    server = await startPostgres(settings, await onceARun('postgres', START_MS, makeData));
  }, START_MS);
  afterAll(() => server?.remove(), START_MS);
  return () => {
    if (server === undefined) throw new Error(NO_POSTGRES);
    return server;
  };
};

/** Tests that need it; where there is none, they are skipped and their name says why. */
export const describePostgres = (name: string, tests: () => void): void => {
  if (NO_POSTGRES === undefined) describe(name, tests);
  else describe.skip(`${name} (${NO_POSTGRES})`, tests);
};
