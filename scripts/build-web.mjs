// Builds the web app into dist/web where what is there is older than its sources. `node scripts/build-web.mjs` prints
// what it did; `--check` only says by its exit code whether there is anything to do.
import { globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from './arguments.ts';
import { buildMermaid } from './build-mermaid.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OUT = join(ROOT, 'dist', 'web');
const PAGE = 'index.html';
/** What the app is made of. */
const SOURCES = ['web', 'src/core', 'package-lock.json'];

const newest = (path) => {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
};

export const isWebAppBuilt = () => {
  const built = statSync(join(OUT, PAGE), { throwIfNoEntry: false });
  return built !== undefined && SOURCES.every((source) => newest(join(ROOT, source)) <= built.mtimeMs);
};

/** Files one by one, the page last: whoever is served meanwhile gets the old app or the new one, and never half of one. */
const moveIntoPlace = (made) => {
  const files = globSync('**/*', { cwd: made }).filter((file) => statSync(join(made, file)).isFile());
  const pageLast = [...files.filter((file) => file !== PAGE), PAGE];
  for (const file of pageLast) {
    mkdirSync(dirname(join(OUT, file)), { recursive: true });
    renameSync(join(made, file), join(OUT, file));
  }
  const kept = new Set(files);
  for (const file of globSync('**/*', { cwd: OUT }))
    if (!kept.has(file) && statSync(join(OUT, file), { throwIfNoEntry: false })?.isFile())
      rmSync(join(OUT, file), { force: true });
};

/** Notes the modules whose code is in a bundle, the one of a thread too. */
const noting = (modules) => ({
  name: 'note-modules',
  generateBundle: (_, bundle) => {
    for (const { moduleIds = [] } of Object.values(bundle)) for (const id of moduleIds) modules.add(id);
  },
});

export const buildWebApp = async () => {
  // Whoever asks for it, as a test does: the development form of React is half as large again, and slower.
  process.env.NODE_ENV = 'production';
  const [{ build }, { thirdPartyLicenses }] = await Promise.all([import('vite'), import('./third-party.ts')]);
  const made = join(ROOT, 'dist', `.web-${process.pid}`);
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const begun = new Date();
  const modules = new Set();
  try {
    await build({
      configFile: join(ROOT, 'web', 'vite.config.ts'),
      logLevel: 'error',
      plugins: [noting(modules)],
      worker: { plugins: () => [noting(modules)] },
      build: { outDir: made, chunkSizeWarningLimit: 600 },
    });
    const used = [...modules].filter((id) => !id.startsWith('\0'));
    writeFileSync(join(made, 'licenses.txt'), thirdPartyLicenses(used));
    await buildMermaid(ROOT, made);
    // What was changed while it was built is newer than it.
    utimesSync(join(made, PAGE), begun, begun);
    moveIntoPlace(made);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const given = scriptArguments('node scripts/build-web.mjs [--check]', { flags: ['--check'] });
  const built = isWebAppBuilt();
  if (given.includes('--check')) process.exit(built ? 0 : 1);
  if (!built) await buildWebApp();
  console.log(built ? 'The web app is built already.' : 'The web app is built.');
}
