/** `npm run test:real`: builds what is missing, then plays the tests against real servers. Arguments go to vitest. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { buildLlamaServer } from './llama-server.ts';

const root = path.join(import.meta.dirname, '..', '..');
const program = buildLlamaServer();
console.log(`llama-server: ${program}`);
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, HALTER_TESTS: 'real' },
});
process.exitCode = status ?? 1;
