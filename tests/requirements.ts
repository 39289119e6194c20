/**
 * The requirements of docs/explanation/requirements.md and the promises of SECURITY.md. A test cites what it proves with
 * `verifies('H5')`; `requirements.test.ts` lists the rows that no test cites.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export const SECURITY = read('SECURITY.md');
/** The numbers of its promises: `[S12]`. */
export const promisesIn = (text: string): string[] =>
  [...text.matchAll(/\[(S\d+)\]/g)].map(([, number = '']) => number);

/** The rows of the tables in docs/explanation/requirements.md: `| H10 | … |`. */
export const rowsIn = (text: string): string[] => [...text.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, row = '']) => row);

export const REQUIREMENTS: ReadonlySet<string> = new Set([
  ...rowsIn(read('docs/explanation/requirements.md')),
  ...promisesIn(SECURITY),
]);

/** Names the rows that the calling test proves. Throws for a row that does not exist. */
export const verifies = (...ids: string[]): void => {
  for (const id of ids) {
    if (!REQUIREMENTS.has(id))
      throw new Error(`verifies('${id}'): there is no such row in docs/explanation/requirements.md or SECURITY.md`);
  }
};
