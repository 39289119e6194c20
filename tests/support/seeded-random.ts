/** Chance that a failed test can be given again: the seed is printed with the failure and taken from HALTER_TEST_SEED. */
import { onTestFailed } from 'vitest';
import { type Random, randomFrom } from './random.ts';

const SEEDS = 2 ** 32;

/** Numbers from 0 to 1. Call it inside a test. */
export const seededRandom = (): Random => {
  const seed = Number(process.env['HALTER_TEST_SEED'] ?? Math.floor(Math.random() * SEEDS));
  onTestFailed(() => console.error(`Run again with HALTER_TEST_SEED=${seed} for the same random choices.`));
  return randomFrom(seed);
};
