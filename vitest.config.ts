import { configDefaults, defineConfig } from 'vitest/config';
import { builtThreads } from './scripts/bundle-threads.ts';
import { LONG_ONLY } from './scripts/long-only.ts';
import { LongestFirst } from './scripts/test-order.ts';
import { timeLimit } from './tests/support/long.ts';

const TESTS = ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'tests/**/*.test.ts', 'evals/**/*.test.ts'];
/**
 * All others share their processes: one after another loads what it tests once, and in tests/browser one browser. A test
 * that leaves something behind, such as a clock or a variable of the environment, is a fault of its own. These want a
 * process of their own: they count work or open files, and the index reads the memory of a library that each process has
 * once, and has to be the one that starts it.
 */
const ALONE = [
  'src/dialects/linear-time.test.ts',
  'src/search/**/*.test.ts',
  'tests/conformance/confinement.test.ts',
  'tests/e2e/index.test.ts',
  'tests/threads.test.ts',
];

/** `npm run test:real`: real servers are slow to start and to answer, and one at a time is enough for two cores. */
const REAL = {
  extends: true as const,
  test: {
    name: 'real',
    include: ['tests/real/**/*.real.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
  },
};

export default defineConfig({
  plugins: [builtThreads],
  test: {
    globalSetup: ['scripts/bundle-threads.ts', 'scripts/shared-folder.ts'],
    setupFiles: ['tests/support/fixed-seed.ts'],
    environment: 'node',
    // Only what hangs takes so long, also on a machine that does much else.
    testTimeout: timeLimit(120_000),
    hookTimeout: 120_000,
    // Vitest's own is a second.
    expect: { poll: { timeout: 50_000 } },
    // Two cores are the size this project is built on. A third of the time of the files is waiting.
    maxWorkers: 3,
    // The built program is what people are handed: it is loaded as it is.
    server: { deps: { external: [/\/dist\/(?:cli|chunks)\//] } },
    sequence: { sequencer: LongestFirst },
    projects:
      process.env['HALTER_TESTS'] === 'real'
        ? [REAL]
        : [
            { extends: true, test: { name: 'alone', include: ALONE } },
            {
              extends: true,
              test: {
                name: 'sharing',
                include: TESTS,
                exclude: [
                  ...configDefaults.exclude,
                  ...ALONE,
                  ...(process.env['HALTER_TESTS'] === 'usual' ? LONG_ONLY : []),
                ],
                isolate: false,
              },
            },
          ],
    // As the program has it (src/cli/engine-flags.ts): the shell grammar is not worth the optimising compiler.
    execArgv: ['--no-wasm-dynamic-tiering', '--no-wasm-tier-up'],
  },
});
