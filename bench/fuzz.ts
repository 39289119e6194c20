/**
 * The fuzzers.
 *   node bench/fuzz.ts                      all of them, at full length
 *   node bench/fuzz.ts shell paths          these
 *   --count N --seed N                      another length, another run
 * Exit code 1 where something did not hold. A new one is a file in `fuzz/` and a line here.
 */
import { parseArgs } from 'node:util';
import type { FuzzPart } from './fuzz/part.ts';

const PARTS: Readonly<Record<string, () => Promise<FuzzPart>>> = {
  shell: async () => (await import('./fuzz/shell.ts')).shellFuzz,
  paths: async () => (await import('./fuzz/paths.ts')).pathsFuzz,
  sanitiser: async () => (await import('./fuzz/sanitiser.ts')).sanitiserFuzz,
  arguments: async () => (await import('./fuzz/arguments.ts')).argumentsFuzz,
  sessions: async () => (await import('./fuzz/sessions.ts')).sessionsFuzz,
  settings: async () => (await import('./fuzz/settings.ts')).settingsFuzz,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string' }, seed: { type: 'string', default: '1' } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`There is no fuzzer ${unknown.join(', ')}; there are: ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}
const seed = Number(values.seed);
for (const [name, load] of Object.entries(PARTS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const part = await load();
  const begun = performance.now();
  const { held, lines } = await part.run({ count: Number(values.count ?? part.count), seed });
  console.log(
    `${name} (seed ${seed}, ${((performance.now() - begun) / 1_000).toFixed(0)} s): ${held ? 'held' : 'DID NOT HOLD'}`,
  );
  for (const line of lines) console.log(`  ${line}`);
  if (!held) process.exitCode = 1;
}
