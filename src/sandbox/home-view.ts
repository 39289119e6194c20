/**
 * What a command sees of the person's home folder: what programs need to run, the project that it works in, and what its own
 * line names, which was asked about or allowed by a rule. All else is not there.
 */
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { folderOfPrograms, HOME_PROGRAMS, namedAtHome, PROGRAM_VARIABLES } from '../core/policy/program-folders.ts';
import { readSmallFile } from './anchored.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { linkedWorktreeOf } from './linked-worktree.ts';

export type HomeView = { folder: string; shown: readonly string[] };

export type HomeViewOptions = {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The workspace, and folders that were added. */
  roots: readonly string[];
  /** What the command is told, as text. */
  line: string;
  /** Folders and files that the person lets commands read. */
  reads?: readonly string[];
};

/** Undefined where nothing can be left out: the home folder is a workspace itself, or holds the whole system, or is named. */
export const homeView = ({
  home: named,
  environment,
  roots,
  line,
  reads = [],
}: HomeViewOptions): HomeView | undefined => {
  const home = realOf(named);
  if (home === undefined || home === '/' || NOT_HIDDEN.some((folder) => isWithin(folder, home))) return undefined;
  const inHome = (file: string): string => (isWithin(named, file) ? home + file.slice(named.length) : file);
  const entries = (environment['PATH'] ?? '').split(':').map(inHome);
  const shown = [
    ...HOME_PROGRAMS.map((way) => path.join(home, way)),
    ...entries.flatMap((entry) => folderOfPrograms(entry, home) ?? []),
    ...PROGRAM_VARIABLES.flatMap((name) => (environment[name] ?? '').split(':').map(inHome)),
    path.dirname(path.dirname(process.execPath)),
    ...roots.flatMap((root) => projectOf(root, home)),
    ...[...new Set([named, home])].flatMap((folder) => namedAtHome(line, folder)).map(inHome),
    ...reads.map(inHome),
  ];
  if (roots.some((root) => isWithin(root, home)) || shown.includes(home)) return undefined;
  const there = [...new Set(shown)].filter((file) => isWithin(home, file) && existsSync(file));
  return { folder: home, shown: outermost(there) };
};

/** Without those that lie in another one of them. */
export const outermost = (files: readonly string[]): string[] =>
  files.filter((file) => !files.some((other) => other !== file && isWithin(other, file)));

/** Those are a command's own inside, or of the system. */
const NOT_HIDDEN = ['/tmp', '/var/tmp', '/run', '/usr', '/etc', '/proc', '/sys'];

export const isWithin = (folder: string, file: string): boolean =>
  file === folder || file.startsWith(folder === '/' ? folder : `${folder}/`);

export const realOf = (folder: string): string | undefined => {
  try {
    return realpathSync.native(folder);
  } catch {
    return undefined;
  }
};

/** The repository that a folder is a part of, else the folders above it that say they belong together. */
export const projectOf = (root: string, home: string): string[] => {
  const above: string[] = [];
  for (let at = root; at !== home && isWithin(home, at); at = path.dirname(at)) above.push(at);
  const repository = above.find((folder) => existsSync(path.join(folder, '.git')));
  const projects = above.filter((folder) => PROJECT_FILES.some((name) => existsSync(path.join(folder, name))));
  return repository === undefined ? projects : [repository, ...storeOf(repository)];
};
const PROJECT_FILES = [
  ...['package.json', 'pnpm-workspace.yaml', 'node_modules', 'Cargo.toml', 'go.work', 'go.mod', 'pyproject.toml'],
  ...['pom.xml', 'settings.gradle', 'settings.gradle.kts', 'WORKSPACE', 'MODULE.bazel', 'Gemfile', 'composer.json'],
];

/**
 * Of a worktree or a submodule `.git` is a file that leads into another repository's folder. Anybody may have written it, so
 * it counts where that repository names this folder too.
 */
const storeOf = (repository: string): string[] => {
  const common = linkedWorktreeOf(repository)?.common;
  if (common !== undefined) return [common];
  const file = path.join(repository, '.git');
  const target = /^gitdir: ([^\n]+)/.exec(readSmallFile(file, SANDBOX_LIMITS.configBytes) ?? '')?.[1]?.trim();
  const place = target === undefined ? undefined : path.resolve(repository, target);
  const store = place === undefined ? undefined : /^.*?\/\.git(?=\/modules\/)/.exec(place)?.[0];
  if (place === undefined || store === undefined) return [];
  const settings = readSmallFile(path.join(place, 'config'), SANDBOX_LIMITS.configBytes) ?? '';
  const worktree = /^[ \t]*worktree[ \t]*=[ \t]*(.+)$/m.exec(settings)?.[1]?.trim();
  return worktree !== undefined && path.resolve(place, worktree) === repository ? [store] : [];
};
