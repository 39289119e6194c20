// `npm test`: sets up, then checks and tests everything. Old syntax, see setup.mjs.
import { join } from 'node:path';
import { ROOT, runInForeground, setUp } from './setup.mjs';

async function start() {
  const node = await setUp();
  const args = [join(ROOT, 'scripts', 'run-tests.mjs')].concat(process.argv.slice(2));
  process.exit(await runInForeground(node, args, { cwd: ROOT }));
}

start();
