/**
 * Builds what tests start: threads, and programs of their own (see built-programs.ts).
 *
 * In tests, threads start from built JavaScript. Started from `.ts`, each thread would load Node's own type stripper, which
 * is WebAssembly, and V8 has defects around WebAssembly in threads that start and end one after another (see
 * docs/upstream/v8-wasm-threads.md).
 */
import { globSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { BUILT_PROGRAMS, PROGRAMS } from './built-programs.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');
const PACKAGES = join(ROOT, 'node_modules');
/** Inside `node_modules`, so that threads find the packages. The same for every run, since Vitest keeps what names it. */
const FOLDER = join(ROOT, 'node_modules', '.cache', 'halter-threads');
const BUILT = Symbol.for('halter: built for this test run');
/** Below it, the programs by their path. */
const PLACE = 'programs';

/** How the modules of `src/` name the file of their thread. */
export const WORKER_URL =
  /new URL\(\s*`\.\/([\w-]+-worker)\$\{import\.meta\.url\.endsWith\('\.ts'\) \? '\.ts' : '\.js'\}`,\s*import\.meta\.url,?\s*\)/g;

/** Names the built file of a thread in place of its source. */
export const builtThreads: Plugin & { enforce: 'pre' } = {
  name: 'built-threads',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(SOURCES) || !code.includes('-worker$')) return null;
    return code.replaceAll(WORKER_URL, (_, name: string) => {
      const file = join(FOLDER, relative(SOURCES, dirname(id)), `${name}.js`);
      return `new URL(${JSON.stringify(pathToFileURL(file).href)})`;
    });
  },
};

/** Files beside a module are found where its source stands. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform(code, id) {
    if (!id.startsWith(ROOT) || id.startsWith(PACKAGES) || !code.includes('import.meta.url')) return null;
    return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
  },
};

/** Vitest calls it before the first test, for each of its projects; once is enough. */
export const setup = async (): Promise<void> => {
  // Each project has modules of its own, and the process is the same.
  const place = globalThis as { [BUILT]?: Promise<void> };
  place[BUILT] ??= build();
  await place[BUILT];
};

/** Runs at the same time replace each file by an equal one, in one step. */
const build = async (): Promise<void> => {
  const entries = [
    ...globSync('**/*-worker.ts', { cwd: SOURCES }).map((file) => [file, join(SOURCES, file)] as const),
    ...globSync([...PROGRAMS], { cwd: ROOT }).map((file) => [join(PLACE, file), join(ROOT, file)] as const),
  ];
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(entries.map(([name, file]) => [name.replace(/\.ts$/, ''), file])),
    platform: 'node',
    external: (name) => !name.startsWith('.') && !name.startsWith(ROOT),
    plugins: [builtThreads, keepPlaces],
  });
  const { output } = await bundle.generate({ format: 'esm', entryFileNames: '[name].js' });
  await bundle.close();
  for (const part of output) {
    const file = join(FOLDER, part.fileName);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.${process.pid}`, part.type === 'chunk' ? part.code : part.source);
    renameSync(`${file}.${process.pid}`, file);
  }
  process.env[BUILT_PROGRAMS] = join(FOLDER, PLACE);
};
