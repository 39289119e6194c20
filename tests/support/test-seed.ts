/**
 * Chance in tests comes from one seed, which is the same on every run: a release never depends on luck. `npm run test:seeds`
 * looks for new cases with another one (scripts/run-tests.mjs), and HALTER_TEST_SEED plays a seed again.
 */
const USUAL_SEED = 1;

export const TEST_SEED = Number(process.env['HALTER_TEST_SEED'] ?? USUAL_SEED);
if (!Number.isSafeInteger(TEST_SEED)) throw new Error('HALTER_TEST_SEED must be a whole number.');
