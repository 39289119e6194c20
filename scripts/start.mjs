// `npm start`: sets up, then starts the program from its sources. Old syntax, see setup.mjs.
import { join } from 'node:path';
import { ROOT, runInForeground, setUp } from './setup.mjs';

async function start() {
  const node = await setUp();
  process.exit(await runInForeground(node, [join(ROOT, 'src', 'cli', 'main.ts')].concat(process.argv.slice(2))));
}

start();
