/**
 * `npm run bench:scale`: what keeping conversations in PostgreSQL costs, and what workers on it do. Each part starts a
 * PostgreSQL of its own and can be called by itself; parts of a part are named behind it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NO_POSTGRES } from '../tests/support/postgres-server.ts';

if (NO_POSTGRES !== undefined) {
  process.stderr.write(`${NO_POSTGRES}\n`);
  process.exit(1);
}
const [only, ...inside] = process.argv.slice(2);
for (const name of only === undefined ? ['store', 'workers'] : [only]) {
  const file = join(import.meta.dirname, 'scale', `${name}.ts`);
  if (!existsSync(file))
    throw new Error(`There is no part "${name}"; the parts are store, workers, kills and upgrade.`);
  process.stdout.write(`${name}\n`);
  const { status } = spawnSync(process.execPath, [file, ...inside], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
