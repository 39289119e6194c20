/**
 * `npm run bench:import`: what importing the library costs beside others in the same run: time, memory above a bare
 * Node, and the bytes of code that are loaded. Medians over fresh processes, taken in turn so that noise hits all alike.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ROUNDS = 9;

const PROBE = `
import { registerHooks } from 'node:module';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
const [target, own, count] = process.argv.slice(1);
let bytes = 0;
if (count) registerHooks({ load(url, context, next) {
  if (url.startsWith(own)) bytes += statSync(fileURLToPath(url)).size;
  return next(url, context);
} });
const started = performance.now();
if (target) await import(target);
console.log(JSON.stringify({ ms: performance.now() - started, rss: process.memoryUsage.rss(), bytes }));
`;

type Sample = { ms: number; rss: number; bytes: number };

const probe = (target: string, own = '', count = false): Sample => {
  const given = [target, own, count ? 'count' : ''];
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', PROBE, '--', ...given], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Sample;
};

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const halter = pathToFileURL(join(ROOT, 'dist', 'index.js')).href;
const targets = { 'bare Node': '', halter, openai: import.meta.resolve('openai'), ai: import.meta.resolve('ai') };
const samples = new Map<string, Sample[]>(Object.keys(targets).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, target] of Object.entries(targets)) samples.get(name)?.push(probe(target));
}

const of = (name: string, key: 'ms' | 'rss'): number => median((samples.get(name) ?? []).map((sample) => sample[key]));
const bare = of('bare Node', 'rss');
const own = probe(halter, pathToFileURL(join(ROOT, 'dist')).href, true).bytes;
console.log('import of    time     against openai   memory above a bare Node');
for (const name of ['halter', 'openai', 'ai']) {
  const ms = of(name, 'ms');
  const share = `${(ms / of('openai', 'ms')).toFixed(2)}×`;
  const memory = `${((of(name, 'rss') - bare) / 1e6).toFixed(1)} MB`;
  console.log(
    `${name.padEnd(10)} ${`${ms.toFixed(1)} ms`.padStart(9)}   ${share.padStart(10)}   ${memory.padStart(14)}`,
  );
}
console.log(`code of halter's own that is loaded: ${(own / 1000).toFixed(0)} KB`);
