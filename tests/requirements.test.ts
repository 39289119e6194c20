/** Every requirement that is due has a test that cites it, and tests cite only requirements there are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REQUIREMENTS, rowsIn, verifies } from './requirements.ts';
import { listFiles, ROOT } from './source-files.ts';

/**
 * Rows that later work owes, with its name. When the work is done its line goes, and from then on a row that loses
 * its test fails here. Rows may have tests before they are due.
 */
const NOT_YET_DUE: Readonly<Record<string, readonly string[]>> = {};

const CITATION = /\bverifies\(([^)]*)\)/g;

type Citation = { row: string; file: string };

/** The rows that a test text cites; a call in a comment does not count. */
const citationsIn = (text: string): string[] =>
  [...text.replace(/^\s*(?:\/\/|\*).*$/gm, '').matchAll(CITATION)].flatMap(([, inside = '']) =>
    [...inside.matchAll(/['"]([^'"]+)['"]/g)].map(([, row = '']) => row),
  );

const citations: Citation[] = ['src', 'tests', 'examples', 'web']
  .flatMap((folder) => listFiles(folder, ['.test.ts', '.test.tsx']))
  .filter((file) => file !== 'tests/requirements.test.ts')
  .flatMap((file) => citationsIn(readFileSync(join(ROOT, file), 'utf8')).map((row) => ({ row, file })));
const cited = new Set(citations.map(({ row }) => row));
const postponed = new Set(Object.values(NOT_YET_DUE).flat());

describe('the requirements', () => {
  it('reads citations from code and not from comments', () => {
    const text = "it('x', () => {\n  verifies('Z1', \"H2\");\n  // verifies('K1');\n  verifies(\n    'L1',\n  );\n});";
    expect(citationsIn(text)).toEqual(['Z1', 'H2', 'L1']);
  });

  it('reads its rows from the tables of the page', () => {
    expect(rowsIn('| row | halter |\n|---|---|\n| H10 | refuses |\n| B2 | serves |\ntext | Z1 |')).toEqual([
      'H10',
      'B2',
    ]);
    expect(REQUIREMENTS.size).toBeGreaterThan(100);
  });

  it('refuses a row that does not exist', () => {
    expect(() => verifies('Z99')).toThrow("verifies('Z99'): there is no such row");
  });

  it('is cited only by rows that exist', () => {
    expect(citations.filter(({ row }) => !REQUIREMENTS.has(row))).toEqual([]);
    expect([...postponed].filter((row) => !REQUIREMENTS.has(row))).toEqual([]);
  });

  it('has a test for every row that is due', () => {
    const rows = [...REQUIREMENTS];
    const later = rows.filter((row) => !cited.has(row) && postponed.has(row));
    const missing = rows.filter((row) => !cited.has(row) && !postponed.has(row));
    if (later.length > 0) console.info(`rows without a test that are not due yet: ${later.join(' ')}`);
    expect(missing).toEqual([]);
  });
});
