/**
 * `npm run build:dialects [FOLDER]`: makes the package `halter-dialects`, ready for `npm pack`. It needs no other package
 * and runs in Node and in browsers: the parser of `halter/dialects`, and one minified file for pages without a bundler.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { scriptArguments } from './arguments.ts';
import { bundleDialects } from './bundle-dialects.ts';

const ROOT = join(import.meta.dirname, '..');
/** `.`: everything. `./browser`: reading calls alone, as one file. The others are for programs of these libraries. */
const ENTRIES = { '.': 'index', './browser': 'browser', './ai-sdk': 'ai-sdk', './langchain': 'langchain' } as const;
/** Of these there is the same where bytes are cheap, in `checked/`, which looks at arguments first. */
const CHECKED: string[] = Object.values(ENTRIES).filter((name) => name !== 'browser');

const manifest = (): object => {
  const { version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, string>;
  const entries = Object.entries(ENTRIES).map(([path, name]) => [
    path,
    {
      types: `./dialects/${name}.d.ts`,
      ...(CHECKED.includes(name) ? { node: `./dialects/checked/${name}.js` } : {}),
      default: `./dialects/${name}.js`,
    },
  ]);
  return {
    name: 'halter-dialects',
    version,
    description: 'Reads the tool calls that language models write as text, in every dialect, while they stream.',
    license,
    type: 'module',
    sideEffects: false,
    exports: { ...Object.fromEntries(entries), './package.json': './package.json' },
    files: ['dialects', 'core', 'schema'],
  };
};

/** The declarations of the entries, and of all that they name. */
const writeTypes = (folder: string): void => {
  const made = mkdtempSync(join(tmpdir(), 'halter-dialects-types-'));
  try {
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const args = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', made];
    const { status } = spawnSync(process.execPath, [compiler, ...args], { cwd: ROOT, stdio: 'inherit' });
    if (status !== 0) throw new Error(`tsc ended with ${status}`);
    const named = new Set(Object.values(ENTRIES).map((name) => join('dialects', `${name}.d.ts`)));
    for (const file of named) {
      const text = readFileSync(join(made, file), 'utf8');
      for (const [, path] of text.matchAll(/(?:from |import\()'(\.[^']+)\.ts'/g)) {
        named.add(join(dirname(file), `${path}.d.ts`));
      }
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      copyFileSync(join(made, file), join(folder, file));
    }
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
};

const writeReadme = (folder: string): void => {
  const guide = readFileSync(join(ROOT, 'docs', 'how-to', 'read-tool-calls.md'), 'utf8');
  const text = guide
    .replaceAll('./node_modules/halter/dist/dialects/', './node_modules/halter-dialects/dialects/')
    .replaceAll(/ \(in the package `halter`: [^)]+\)/g, '')
    .replaceAll('halter/dialects', 'halter-dialects')
    // Pages of the project that the package does not hold, and what only the program does.
    .replaceAll(/ \(\[[^\]]+\]\([\w-]+\.md[^)]*\)\)/g, '')
    .replaceAll(/\[([^\]]+)\]\((?![a-z]+:|#)[^)]+\)/g, '$1')
    .replaceAll(/^`npm run .*$/gm, '')
    .replace(/^## On the command line\n[\s\S]*?(?=^## |(?![\s\S]))/m, '')
    .replaceAll(/\n{3,}/g, '\n\n');
  writeFileSync(join(folder, 'README.md'), `${text.trimEnd()}\n`);
};

export const buildDialects = async (folder: string): Promise<void> => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'dialects'), { recursive: true });
  const source = (name: string): string => join(ROOT, 'src', 'dialects', `${name}.ts`);
  const names = CHECKED.flatMap((name) => [name, `checked/${name}`]);
  const input = Object.fromEntries(names.map((name) => [`dialects/${name}`, source(name)]));
  const bundle = await rolldown({ input, platform: 'browser', treeshake: { moduleSideEffects: false } });
  // A file for each module: with `sideEffects: false` a page's bundler leaves out all that the page does not use. Names
  // stay as they are written, for readable traces; that bundler makes them short.
  await bundle.write({ dir: folder, format: 'esm', preserveModules: true, preserveModulesRoot: join(ROOT, 'src') });
  await bundle.close();
  writeFileSync(join(folder, 'dialects', 'browser.js'), await bundleDialects());
  writeTypes(folder);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  writeReadme(folder);
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
};

if (process.argv[1] === import.meta.filename) {
  const [given = join(ROOT, 'dist-dialects')] = scriptArguments('npm run build:dialects [-- FOLDER]', { words: 1 });
  const folder = resolve(given);
  await buildDialects(folder);
  process.stdout.write(`${folder}\n`);
}
