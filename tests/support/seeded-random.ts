/** Chance that a failed test can be given again: the seed is printed with the failure. */
import { onTestFailed } from 'vitest';
import { type Random, randomFrom } from './random.ts';
import { TEST_SEED } from './test-seed.ts';

/** Numbers from 0 to 1. Call it inside a test. */
export const seededRandom = (): Random => {
  onTestFailed(() => console.error(`Run again with HALTER_TEST_SEED=${TEST_SEED} for the same random choices.`));
  return randomFrom(TEST_SEED);
};
