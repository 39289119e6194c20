/**
 * `import 'halter'` in a plugin is the running halter, wherever the plugin lies and whatever is installed beside it: a tool
 * made by another copy would be another class of thing, and a single file has no package beside it at all.
 */
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { ownPackage } from '../../disk/own-package.ts';

const PACKAGE = 'halter';
const OWN_PACKAGE = new URL('../../../package.json', import.meta.url);

/** What people import, by its specifier, to the file that this process runs. */
const ownEntries = (): ReadonlyMap<string, string> => {
  const { exports } = JSON.parse(readFileSync(OWN_PACKAGE, 'utf8')) as {
    exports: Readonly<Record<string, string | { node?: string; default: string }>>;
  };
  // From the sources, an entry is its source.
  const isSource = import.meta.url.endsWith('.ts');
  const entries = Object.entries(exports).map(([name, entry]): [string, string] => {
    const built = typeof entry === 'string' ? entry : (entry.node ?? entry.default);
    const file =
      isSource && built.endsWith('.js') ? built.replace(/^\.\/dist\//, './src/').replace(/\.js$/, '.ts') : built;
    return [PACKAGE + name.slice(1), new URL(file, OWN_PACKAGE).href];
  });
  return new Map(entries);
};

let isRegistered = false;

/**
 * For the whole process, once. A runtime without such hooks (Node before 22.15) gives a plugin what is installed beside it.
 */
export const shareRunningPackage = (): void => {
  if (isRegistered) return;
  isRegistered = true;
  // By its place and not by its name: a name that a built-in module lacks keeps everything from being loaded.
  const { registerHooks } = module as Partial<typeof module>;
  if (registerHooks === undefined) return;
  // A bundle has no files of it to give; a plugin gets the package that is installed.
  const own = ownPackage();
  if (!own.ok || own.value.isBeside) return;
  const entries = ownEntries();
  registerHooks({
    resolve(specifier, context, next) {
      const url = entries.get(specifier);
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
};
