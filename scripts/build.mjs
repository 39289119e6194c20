// `npm run build`: bundles src/ into dist/ with the types of what is published, makes dist/cli/main.js a program, and
// builds the web app into dist/web.
// `node scripts/build.mjs FOLDER` makes the same in another folder.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { grammarFiles } from '../src/search/grammars.ts';
import { scriptArguments } from './arguments.ts';
import { buildWebApp, isWebAppBuilt } from './build-web.mjs';
import { bundleDialects } from './bundle-dialects.ts';
import { bundleProgram, publishedTypes } from './bundle-program.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OWN = join(ROOT, 'dist');
const EXECUTABLE_MODE = 0o755;

/** The declarations of the published entries, and of what they name. Whether the types are right says `npm run typecheck`. */
const writeTypes = (dist) => {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--noCheck', '--outDir', dist];
  const result = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  if (result.status !== 0) throw new Error(`tsc ended with ${result.status ?? result.signal}`);
  removeUnnamedTypes(dist);
};

/** The compiler writes those of everything that is loaded later, too. */
const removeUnnamedTypes = (dist) => {
  const named = new Set(publishedTypes().map((name) => join(dist, name)));
  for (const file of named) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)\.ts'/g)) {
      named.add(join(dirname(file), `${path}.d.ts`));
    }
  }
  for (const name of globSync('**/*.d.ts', { cwd: dist })) {
    if (!named.has(join(dist, name))) rmSync(join(dist, name));
  }
};

const writeProgram = async (dist) => {
  await bundleProgram(dist);
  const main = join(dist, 'cli', 'main.js');
  if (!readFileSync(main, 'utf8').startsWith('#!/usr/bin/env node\n')) {
    throw new Error('cli/main.js does not start with its #! line');
  }
  chmodSync(main, EXECUTABLE_MODE);
};

const copyGrammars = (dist) => {
  mkdirSync(join(dist, 'grammars'), { recursive: true });
  const shell = { package: 'tree-sitter-bash', wasm: 'tree-sitter-bash.wasm' };
  for (const { package: name, wasm } of [shell, ...grammarFiles()]) {
    copyFileSync(join(ROOT, 'node_modules', name, wasm), join(dist, 'grammars', wasm));
  }
  copyFileSync(join(ROOT, 'src', 'search', 'word-vectors.bin'), join(dist, 'grammars', 'word-vectors.bin'));
};

export const buildInto = async (dist) => {
  // What an earlier build left would be published too. The web app knows by itself whether it is up to date.
  const left = existsSync(dist) ? readdirSync(dist).filter((name) => name !== 'web') : [];
  for (const name of left) rmSync(join(dist, name), { recursive: true, force: true });
  await writeProgram(dist);
  writeTypes(dist);
  copyGrammars(dist);
  // For pages without a bundler: the parser as one file, in place of the module that only names its parts.
  writeFileSync(join(dist, 'dialects', 'browser.js'), await bundleDialects());
  if (!isWebAppBuilt()) await buildWebApp();
  if (dist !== OWN) cpSync(join(OWN, 'web'), join(dist, 'web'), { recursive: true });
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = OWN] = scriptArguments('node scripts/build.mjs [FOLDER]', { words: 1 });
  await buildInto(resolve(folder));
}
