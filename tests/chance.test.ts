/** What a release is gated by gives the same answer on every run. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ROOT } from './source-files.ts';
import { TEST_SEED } from './support/test-seed.ts';

const FILES = globSync(['{src,tests,evals,web/src}/**/*.test.{ts,tsx}', 'tests/**/*.{ts,mjs}'], { cwd: ROOT });

it('has one seed for all random tests', () => {
  expect(fc.readConfigureGlobal().seed).toBe(TEST_SEED);
});

it('has no test that throws dice of its own', () => {
  const chance = /Math\.random\b|\bfc\.\w+\([^)]*seed: (?:Date|performance)/;
  const found = FILES.filter((file) => file !== 'tests/chance.test.ts').filter((file) =>
    chance.test(readFileSync(path.join(ROOT, file), 'utf8')),
  );
  expect(found, 'take the numbers from seededRandom (tests/support/seeded-random.ts)').toEqual([]);
});
