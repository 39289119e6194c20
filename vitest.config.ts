import { defineConfig } from 'vitest/config';
import { builtThreads } from './scripts/bundle-threads.ts';

export default defineConfig({
  plugins: [builtThreads],
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts', 'evals/**/*.test.ts', 'web/src/**/*.test.ts'],
    globalSetup: ['scripts/bundle-threads.ts'],
    environment: 'node',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores are the size this project is built on.
    maxWorkers: 2,
    // As the program has it (src/cli/engine-flags.ts): the shell grammar is not worth the optimising compiler.
    execArgv: ['--no-wasm-dynamic-tiering', '--no-wasm-tier-up'],
  },
});
