/** Writes to one store without end, and says each number once it is safe. Started to be killed: `writer.ts STORE FOLDER`. */
import { writeSync } from 'node:fs';
import { CRASH_STORES } from './stores.ts';

const [name = '', folder = ''] = process.argv.slice(2);
const store = CRASH_STORES[name];
if (store === undefined) throw new Error(`there is no store ${name}`);
const { next, write } = await store.open(folder);
writeSync(1, 'ready\n');
for (let number = next; ; number += 1) {
  await write(number);
  writeSync(1, `${number}\n`);
}
