// `npm start`: sets up, then starts the program from its sources. Old syntax, see setup.mjs.
import * as module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ROOT, runInForeground, setUp } from './setup.mjs';

async function start() {
  const node = await setUp();
  if (node !== process.execPath) {
    const again = [fileURLToPath(import.meta.url)].concat(process.argv.slice(2));
    const env = Object.assign({}, process.env, { HALTER_REEXECUTED: '1' });
    process.exit(await runInForeground(node, again, { env: env }));
  }
  // npm runs scripts in the package's folder; what is meant is the folder that the person stands in.
  if (process.env.npm_lifecycle_event === 'start' && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  // Types are stripped once and not at every start.
  module.enableCompileCache(join(ROOT, 'node_modules', '.cache', 'halter'));
  const main = join(ROOT, 'src', 'cli', 'main.ts');
  process.argv[1] = main;
  await import(pathToFileURL(main).href);
}

start();
