/** `npm run size`: what a person downloads, part by part. */
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptArguments } from './arguments.ts';

scriptArguments('npm run size');

const ROOT = join(import.meta.dirname, '..');

const bytesOf = (path: string): number => {
  // A link is no second copy.
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
};
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const line = (what: string, bytes: number): void => console.log(`${what.padEnd(58)} ${megabytes(bytes).padStart(9)}`);

const folder = mkdtempSync(join(tmpdir(), 'halter-size-'));
const npm = (args: string[], cwd: string): string => execFileSync('npm', args, { cwd, encoding: 'utf8' });
try {
  const packed = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT);
  const [{ filename, size }] = JSON.parse(packed) as [{ filename: string; size: number }];
  line('the package, as it is downloaded', size);
  const dist = join(ROOT, 'dist');
  const [web, grammars] = [bytesOf(join(dist, 'web')), bytesOf(join(dist, 'grammars'))];
  line('  the program, unpacked', bytesOf(dist) - web - grammars);
  line('  grammars of the index, unpacked', grammars);
  line('  the web app, unpacked', web);
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  npm(['install', ...quiet, join(folder, filename)], folder);
  const modules = join(folder, 'node_modules');
  const nodes = readdirSync(modules).filter((name) => /^node-(linux|win|darwin)-/.test(name));
  const node = nodes.reduce((sum, name) => sum + bytesOf(join(modules, name)), 0);
  const own = bytesOf(join(modules, 'halter'));
  const needed = bytesOf(modules) - own - node;
  line('installed: halter itself, unpacked', own);
  line('installed: the packages it needs', needed);
  line('installed: both together', own + needed);
  line('installed: Node 24, for those with an older one', node);
  npm(['install', ...quiet, 'node-llama-cpp@3.21.1', '--ignore-scripts'], folder);
  line('the engine, only where asked for (node-llama-cpp)', bytesOf(modules) - needed - own - node);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
