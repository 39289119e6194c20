/**
 * One row a promise of the feature list, and one a promise of SECURITY.md. A test cites what it proves with
 * `verifies('H5')`; the gate in `requirements.test.ts` lists the rows that no test cites.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

const rows = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`);

export const SECURITY = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
/** The numbers of its promises: `[S12]`. */
export const promisesIn = (text: string): string[] =>
  [...text.matchAll(/\[(S\d+)\]/g)].map(([, number = '']) => number);

export const REQUIREMENTS: ReadonlySet<string> = new Set([
  ...rows('Z', 20),
  ...rows('H', 12),
  ...rows('L', 11),
  ...rows('K', 8),
  ...rows('E', 14),
  ...rows('B', 12),
  ...rows('U', 1),
  ...promisesIn(SECURITY),
]);

/** Names the rows that the calling test proves. Throws for a row that does not exist. */
export const verifies = (...ids: string[]): void => {
  for (const id of ids) {
    if (!REQUIREMENTS.has(id)) throw new Error(`verifies('${id}'): there is no such row`);
  }
};
