// `npm start`: sets up, then starts the program from its sources. Old syntax, see setup.mjs.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, runInForeground, setUp } from './setup.mjs';

async function start() {
  const node = await setUp();
  // npm runs scripts in the package's folder; what is meant is the folder that the person stands in.
  if (process.env.npm_lifecycle_event === 'start' && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  const main = join(ROOT, 'src', 'cli', 'main.ts');
  if (node === process.execPath) {
    process.argv[1] = main;
    await import(pathToFileURL(main).href);
    return;
  }
  process.exit(await runInForeground(node, [main].concat(process.argv.slice(2))));
}

start();
