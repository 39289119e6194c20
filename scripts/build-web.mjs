// Builds the web app into dist/web where what is there is older than its sources. `node scripts/build-web.mjs` prints
// what it did; `--check` only says by its exit code whether there is anything to do.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OUT = join(ROOT, 'dist', 'web');
/** What the app is made of. */
const SOURCES = ['web', 'src/core', 'package-lock.json'];

const newest = (path) => {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
};

export const isWebAppBuilt = () => {
  const built = statSync(join(OUT, 'index.html'), { throwIfNoEntry: false });
  return built !== undefined && SOURCES.every((source) => newest(join(ROOT, source)) <= built.mtimeMs);
};

export const buildWebApp = async () => {
  const { build } = await import('vite');
  // Made beside and moved into place whole, so that a server never hands out the half of it.
  const made = join(ROOT, 'dist', `.web-${process.pid}`);
  const old = join(ROOT, 'dist', `.web-${process.pid}-old`);
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  try {
    await build({
      configFile: join(ROOT, 'web', 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: made, chunkSizeWarningLimit: 600 },
    });
    if (existsSync(OUT)) renameSync(OUT, old);
    renameSync(made, OUT);
  } finally {
    rmSync(made, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = isWebAppBuilt();
  if (process.argv.includes('--check')) process.exit(built ? 0 : 1);
  if (!built) await buildWebApp();
  console.log(built ? 'The web app is built already.' : 'The web app is built.');
}
