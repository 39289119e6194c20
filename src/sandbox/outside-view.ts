/**
 * What a command sees of the rest of the disk that a mode let pass, and nobody was asked about: programs, settings of the
 * system, the project that it works in, and what the person added. All else is not there, whatever name or link leads to it.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { folderOfPrograms, PROGRAM_VARIABLES, SYSTEM_PROGRAMS } from '../core/policy/program-folders.ts';
import type { HiddenProgram } from '../core/ports.ts';
import { type HomeView, isWithin, outermost, projectOf, realOf } from './home-view.ts';
import { SANDBOX_LIMITS } from './limits.ts';

export type OutsideViewOptions = {
  home: string;
  /** The home folder has a view of its own. */
  isHomeViewed: boolean;
  environment: Readonly<Record<string, string | undefined>>;
  /** The workspace, and folders that were added. */
  roots: readonly string[];
  /** Folders and files that the person lets commands read. */
  reads?: readonly string[];
};

/** Folders in which nothing is left but what is shown of them. */
export const outsideViews = (options: OutsideViewOptions): HomeView[] => {
  if (options.roots.includes('/')) return [];
  const home = realOf(options.home);
  const shown = shownOutside(options, home);
  const holds = (folder: string): boolean => shown.some((file) => isWithin(file, folder));
  return LOOKED_INTO.flatMap(foldersIn)
    .filter((folder) => !LOOKED_INTO.includes(folder) && !holds(folder) && !(options.isHomeViewed && folder === home))
    .filter((folder) => !options.roots.some((root) => isWithin(root, folder)))
    .map((folder) => ({ folder, shown: shown.filter((file) => isWithin(folder, file)) }));
};

/** Their folders are told apart one by one: links lie beside them that programs go by (`/var/run`). */
const LOOKED_INTO = ['/', '/var'];
const OF_SYSTEM = [
  ...SYSTEM_PROGRAMS,
  ...['/etc', '/sys', '/run', '/gnu'],
  ...'dpkg apt rpm pacman apk portage gems python ghc texmf alternatives dbus ca-certificates xkb'
    .split(' ')
    .map((name) => `/var/lib/${name}`),
  ...'apt debconf fontconfig ldconfig man pacman'.split(' ').map((name) => `/var/cache/${name}`),
];
/** Where programs look for parts of others. */
const SEARCHED = [
  ...['LD_LIBRARY_PATH', 'LIBRARY_PATH', 'CPATH', 'C_INCLUDE_PATH', 'CPLUS_INCLUDE_PATH', 'PKG_CONFIG_PATH'],
  ...['CMAKE_PREFIX_PATH', 'PYTHONPATH', 'NODE_PATH', 'PERL5LIB', 'RUBYLIB', 'CLASSPATH', 'MANPATH', 'XDG_DATA_DIRS'],
];

const shownOutside = (
  { isHomeViewed, environment, roots, reads = [] }: OutsideViewOptions,
  home: string | undefined,
): string[] => {
  const listed = (name: string): string[] => (environment[name] ?? '').split(':').filter(path.isAbsolute);
  const programs = [
    ...listed('PATH').flatMap((entry) => folderOfPrograms(entry, '') ?? []),
    ...[...PROGRAM_VARIABLES, ...SEARCHED].flatMap(listed),
    path.dirname(path.dirname(process.execPath)),
  ].filter((folder) => !OF_MANY.test(folder) && !roots.some((root) => isWithin(folder, root)));
  const named = [...programs, ...roots.flatMap((root) => projectOf(root, '/')), ...reads];
  const all = [...OF_SYSTEM, ...named, ...named.flatMap((file) => realOf(file) ?? [])];
  if (!isHomeViewed && home !== undefined && home !== '/') all.push(home);
  const there = [...new Set(all)].filter(
    (file) => existsSync(file) && !(isHomeViewed && home !== undefined && isWithin(home, file)),
  );
  return outermost(there);
};
/** They hold more than a program, also where one lies in them. */
const OF_MANY = /^\/(?:srv|mnt|media|home|root|var)?\/?$/;

const foldersIn = (folder: string): string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => path.join(folder, name));
  } catch {
    return [];
  }
};

/** Of the names that the end of the output speaks of, links of the folder to what is there and was not seen. */
export const unseenIn = (
  output: string,
  { views, roots, folder }: { views: readonly HomeView[]; roots: readonly string[]; folder: string },
): HiddenProgram[] => {
  const lines = output.slice(-SANDBOX_LIMITS.searchedOutputCharacters).split('\n').filter(saysMissing);
  const found: HiddenProgram[] = [];
  for (const name of new Set(lines.flatMap((line) => line.split(/[\s'"`:;,()[\]‘’“”]+/)))) {
    if (found.length >= SANDBOX_LIMITS.hiddenPrograms) break;
    const named = path.resolve(folder, name);
    if (name === '' || !roots.some((root) => isWithin(root, named))) continue;
    const file = realOf(named);
    if (file !== undefined && views.some((view) => isCovered(view, file))) found.push({ name, file });
  }
  return found;
};
const saysMissing = (line: string): boolean => /no such file|ENOENT|not found|cannot find|does not exist/i.test(line);
const isCovered = ({ folder, shown }: HomeView, file: string): boolean =>
  isWithin(folder, file) && !shown.some((each) => isWithin(each, file));
