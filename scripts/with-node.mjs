// `node scripts/with-node.mjs FILE [ARGUMENT …]`: sets up, then runs a script of the project on a Node that can.
// Old syntax, see setup.mjs. Used by the scripts of package.json, so that they work on an old Node too.
import { runInForeground, setUp } from './setup.mjs';

async function start() {
  const node = await setUp();
  process.exit(await runInForeground(node, process.argv.slice(2)));
}

start();
