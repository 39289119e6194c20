// `npm run dialects`: makes what follows from the files of src/dialects, and says what a dialect still lacks.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptArguments } from './arguments.ts';
import { missingParts, REGISTRY_FILE, registryText } from './dialects/registry.ts';

scriptArguments('npm run dialects');

const ROOT = join(import.meta.dirname, '..');

writeFileSync(join(ROOT, REGISTRY_FILE), registryText());
const biome = join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
const { status } = spawnSync(process.execPath, [biome, 'check', '--write', REGISTRY_FILE], { cwd: ROOT });
if (status !== 0) process.exitCode = 1;
for (const line of missingParts()) {
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}
