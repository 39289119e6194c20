// `npm run build`: compiles src/ to dist/, makes dist/cli/main.js a program, and builds the web app into dist/web.
// `node scripts/build.mjs FOLDER` makes the same in another folder.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { grammarFiles } from '../src/retrieval/grammars.ts';
import { buildWebApp, isWebAppBuilt } from './build-web.mjs';
import { bundleDialects } from './bundle-dialects.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OWN = join(ROOT, 'dist');
const EXECUTABLE_MODE = 0o755;

const compile = (dist) => {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--outDir', dist];
  const result = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  if (result.status !== 0) throw new Error(`tsc ended with ${result.status ?? result.signal}`);
  const main = join(dist, 'cli', 'main.js');
  if (!readFileSync(main, 'utf8').startsWith('#!/usr/bin/env node\n')) {
    throw new Error('cli/main.js does not start with its #! line');
  }
  chmodSync(main, EXECUTABLE_MODE);
};

const copyGrammars = (dist) => {
  // The shell's grammar stands beside the module that reads it: its package is for development only.
  const shell = 'tree-sitter-bash.wasm';
  copyFileSync(join(ROOT, 'node_modules', 'tree-sitter-bash', shell), join(dist, 'permissions', shell));
  // So are the grammars of the index.
  mkdirSync(join(dist, 'grammars'), { recursive: true });
  for (const { package: name, wasm } of grammarFiles()) {
    copyFileSync(join(ROOT, 'node_modules', name, wasm), join(dist, 'grammars', wasm));
  }
};

export const buildInto = async (dist) => {
  // What an earlier build left would be published too. The web app knows by itself whether it is up to date.
  const left = existsSync(dist) ? readdirSync(dist).filter((name) => name !== 'web') : [];
  for (const name of left) rmSync(join(dist, name), { recursive: true, force: true });
  compile(dist);
  copyGrammars(dist);
  // For pages without a bundler: the parser as one file, in place of the module that only names its parts.
  writeFileSync(join(dist, 'dialects', 'browser.js'), await bundleDialects());
  if (!isWebAppBuilt()) await buildWebApp();
  if (dist !== OWN) cpSync(join(OWN, 'web'), join(dist, 'web'), { recursive: true });
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildInto(resolve(process.argv[2] ?? OWN));
