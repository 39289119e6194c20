/**
 * The program as few files: what is loaded together is one file, so that a start reads dozens of files and not hundreds.
 * Every module is there once, whichever entry it is reached by. Names stay as they are written, for readable traces.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { thirdPartyLicenses } from './third-party.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');

/** Threads, which are started by their path. */
const STARTED = ['**/*-worker.ts'];
/** Nobody imports it by name. Tests call it in place of a start of the program, which takes ten times as long. */
const COMMAND_LINE = 'cli/command-line';
/** One file for pages without a bundler (`bundle-dialects.ts`). */
const BUNDLED_ALONE = './dist/dialects/browser.js';

const LIBRARY = 'index';
/** What is loaded in one go, the first first: what comes before anything else is compiled, the library, the command line, a first message, answers in JSON, addresses of databases, and `halter run` besides. */
const TOGETHER = [
  'cli/compile-cache',
  LIBRARY,
  COMMAND_LINE,
  'harness/open-harness',
  'harness/structured-output',
  'storage/postgres/address',
  'cli/commands/run',
];
/** Of the command line, what a first message needs too: whoever bundles the library gets no terminal and no server. */
const SHARED = [COMMAND_LINE, 'harness/open-harness'] as const;
/** What runs in a browser stays apart from what needs Node. */
const PURE = ['core/index', 'core/checked'] as const;
const BROWSER = 'dialects/index';

const { exports, bin, engines, ...packages } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string; node?: string; default: string }>;
  bin: Record<string, string>;
  engines: { node: string };
} & Record<'dependencies' | 'peerDependencies' | 'optionalDependencies', Record<string, string>>;

const OLDEST_NODE = engines.node.replace('>=', '');

/** What npm installs beside the program; everything else that it imports is put into it. */
const INSTALLED = Object.keys({
  ...packages.dependencies,
  ...packages.peerDependencies,
  ...packages.optionalDependencies,
});
/** Small, and with a look for an optional package in it; only what it loads stays beside the program. */
const PUT_IN = 'unpdf';
const isExternal = (name: string): boolean =>
  isBuiltin(name) ||
  (name !== PUT_IN && INSTALLED.some((installed) => name === installed || name.startsWith(`${installed}/`)));

/** `./dist/core/index.js` → `core/index`, for everything that people import, and for its types. */
const publishedEntries = (): string[] =>
  publishedFiles().flatMap(({ types, ...files }) => Object.values(files).map(entryOf));
export const publishedTypes = (): string[] => publishedFiles().map(({ types }) => relative('dist', types));
const publishedFiles = () => Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : entry));
const entryOf = (built: string): string => relative('dist', built).replace(/\.js$/, '');

const entries = (): Record<string, string> => {
  const names = [
    ...publishedEntries().filter((name) => name !== entryOf(BUNDLED_ALONE)),
    ...Object.values(bin).map(entryOf),
    COMMAND_LINE,
    ...STARTED.flatMap((pattern) => globSync(pattern, { cwd: SOURCES })).map((file) => file.replace(/\.ts$/, '')),
  ];
  return Object.fromEntries(names.map((name) => [name, join(SOURCES, `${name}.ts`)]));
};

/** Names the file that it ends up in, also of a bundle. */
const RUNNING = join(SOURCES, 'disk/running-file.ts');
const PLACE = '__place_of_module__';
/** Where a file stands: a bundler that makes CommonJS of it leaves nothing of `import.meta`, and names the file. */
const OWN_PLACE = `(import.meta.url ?? Reflect.construct(URL, [${[
  'encodeURI(__filename.replaceAll("\\\\", "/").replace(/^\\/?/, "/")).replace(/[?#]/g, encodeURIComponent)',
  '"file:///"',
].join(', ')}]).href)`;
/** Files beside a module are found by where it would stand by itself, in whichever file it ends up. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform(code, id) {
    if (!code.includes('import.meta.url') || !id.startsWith(SOURCES) || id === RUNNING) return null;
    const built = relative(SOURCES, id).replace(/\.ts$/, '.js');
    return { code: code.replaceAll('import.meta.url', `${PLACE}(${JSON.stringify(built)})`) };
  },
  renderChunk(code, chunk) {
    return code
      .replaceAll('import.meta.url', () => OWN_PLACE)
      .replaceAll(new RegExp(`${PLACE}\\("([^"]+)"\\)`, 'g'), (_, built: string) =>
        built === chunk.fileName
          ? OWN_PLACE
          : // Not `new URL(…, import.meta.url)`: bundlers of host programs would look for a file there.
            `Reflect.construct(URL, [${JSON.stringify(relative(dirname(chunk.fileName), built))}, ${OWN_PLACE}]).href`,
      );
  },
};

/**
 * Packages and files that may be missing, a program of the system, and what finds its own file beside itself: a bundler
 * of a host program must not look for them; Node finds them when it runs.
 */
const OPTIONAL = [
  ...Object.keys({ ...packages.peerDependencies, ...packages.optionalDependencies }),
  '@vscode/ripgrep',
  'web-tree-sitter',
];
const hideOptional: Plugin = {
  name: 'hide-optional',
  renderChunk: (code) =>
    code
      .replaceAll(/(import\.meta|\.href\))\.resolve\((`[^`]*`|"[^"]*")\)/g, '$1.resolve([$2].join())')
      .replaceAll(/\bimport\("([^"]+)"\)/g, (whole, name: string) =>
        OPTIONAL.some((optional) => name === optional || name.startsWith(`${optional}/`))
          ? `import(/* webpackIgnore: true */ /* @vite-ignore */ ["${name}"].join())`
          : whole,
      ),
};

type ImportsOf = (id: string) => readonly string[];

const closureOf = (name: string, importsOf: ImportsOf): ReadonlySet<string> => {
  const found = new Set([join(SOURCES, `${name}.ts`)]);
  for (const id of found) for (const imported of importsOf(id)) found.add(imported);
  return found;
};

/** Which file a module goes to. A closure holds all that it imports, so that no two files import each other. */
const sortModules = (importsOf: ImportsOf): ((id: string) => string | null) => {
  const browser = closureOf(BROWSER, importsOf);
  const pure = new Set(PURE.flatMap((name) => [...closureOf(name, importsOf)]));
  const groups = TOGETHER.map((name) => ({ name: basename(name), modules: closureOf(name, importsOf) }));
  const [one, other] = SHARED.map((name) => closureOf(name, importsOf)) as [ReadonlySet<string>, ReadonlySet<string>];
  const shared = { name: 'shared', modules: new Set([...one].filter((id) => other.has(id))) };
  groups.splice(TOGETHER.indexOf(SHARED[0]), 0, shared);
  // An entry that holds what others import would have to export that too, under made-up names.
  const published = new Set(publishedEntries().map((name) => join(SOURCES, `${name}.ts`)));
  const library = closureOf(LIBRARY, importsOf);
  return (id) => {
    if (published.has(id)) return null;
    // Left alone, each of these would become a file of its own.
    if (browser.has(id)) return library.has(id) ? 'index-browser' : null;
    const group = id.startsWith(SOURCES) && groups.find(({ modules }) => modules.has(id));
    return group ? `${group.name}${pure.has(id) ? '-core' : '-parts'}` : null;
  };
};

export const bundleProgram = async (dist: string): Promise<void> => {
  let groupOf: (id: string) => string | null = () => null;
  const sorter: Plugin = {
    name: 'sort-modules',
    buildEnd() {
      groupOf = sortModules((id) => this.getModuleInfo(id)?.importedIds ?? []);
    },
  };
  const bundle = await rolldown({
    cwd: ROOT,
    input: entries(),
    platform: 'node',
    external: isExternal,
    // The UMD file of jsonc-parser hides its imports from a bundler; its module does not.
    resolve: { alias: { 'jsonc-parser': join(ROOT, 'node_modules/jsonc-parser/lib/esm/main.js') } },
    // The library runs there, and what the program alone uses shares files with it.
    transform: { target: `node${OLDEST_NODE}` },
    plugins: [keepPlaces, hideOptional, sorter],
    preserveEntrySignatures: 'allow-extension',
  });
  const { output } = await bundle.write({
    dir: resolve(dist),
    format: 'esm',
    // Read and hashed at every start; the declarations keep what people read.
    comments: { jsdoc: false },
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => groupOf(id), debugName: 'loaded together' }],
    },
  });
  await bundle.close();
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicenses(modules));
};
