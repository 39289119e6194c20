// `npm run build`: compiles src/ to dist/, makes dist/cli/main.js a program, and builds the web app into dist/web.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { grammarFiles } from '../src/retrieval/grammars.ts';
import { buildWebApp } from './build-web.mjs';
import { bundleDialects } from './bundle-dialects.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const EXECUTABLE_MODE = 0o755;
const main = join(ROOT, 'dist', 'cli', 'main.js');

// What an earlier build left would be published too.
rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const result = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: ROOT, stdio: 'inherit' });
if (result.status !== 0) process.exit(result.status ?? 1);
if (!readFileSync(main, 'utf8').startsWith('#!/usr/bin/env node\n')) {
  console.error('dist/cli/main.js does not start with its #! line');
  process.exit(1);
}
chmodSync(main, EXECUTABLE_MODE);
// The shell's grammar stands beside the module that reads it: its package is for development only.
copyFileSync(
  join(ROOT, 'node_modules', 'tree-sitter-bash', 'tree-sitter-bash.wasm'),
  join(ROOT, 'dist', 'permissions', 'tree-sitter-bash.wasm'),
);
// So are the grammars of the index.
mkdirSync(join(ROOT, 'dist', 'grammars'));
for (const { package: name, wasm } of grammarFiles()) {
  copyFileSync(join(ROOT, 'node_modules', name, wasm), join(ROOT, 'dist', 'grammars', wasm));
}
// For pages without a bundler: the parser as one file, in place of the module that only names its parts.
writeFileSync(join(ROOT, 'dist', 'dialects', 'browser.js'), await bundleDialects());
await buildWebApp();
