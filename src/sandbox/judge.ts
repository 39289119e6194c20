/**
 * Which of the changes that a command made in a folder are kept. Not kept is what other programs run or load by themselves:
 * settings and hooks of repositories, files of editors, package managers, shells and agents.
 */
import path from 'node:path';
import { foldedName, isAutoExecutedPath } from '../core/policy/sensitive-files.ts';
import type { StartedFiles } from '../core/policy/started-files.ts';
import { configFault } from './git-config.ts';
import { type Change, type GitPlace, gitFault, gitFileFault } from './git-folder.ts';
import type { KnownRemotes } from './git-remotes.ts';
import { createNamedPaths } from './named-paths.ts';

export type Judge = {
  /** Why a change is not kept, as the end of a sentence; undefined where it is kept. `way` is relative to the root. */
  fault(way: readonly string[], change: Change): string | undefined;
  /** The same for what lies in a folder that git takes for a repository although it is not called `.git`. */
  repositoryFault(folder: readonly string[], inside: readonly string[], change: Change): string | undefined;
  /** Whether a person may be asked about a change that is not kept, for all that it is read as; absent: by its path. */
  isAskedAbout?(way: readonly string[], change: Change): boolean;
  /** A link came to be. */
  noteLink?(way: readonly string[], by: 'command' | 'somebody'): void;
};

export const BY_THEMSELVES = 'other programs run or load it by themselves';
/** Of other version control: their settings can name programs, the rest is their ordinary work. */
const OTHER_SETTINGS: Readonly<Record<string, RegExp>> = {
  '.hg': /^(?:hgrc|hgrc-not-shared|sharedpath|shared|requires)$/,
  '.svn': /^hooks$/,
};

export type JudgeOptions = { home: string; started: StartedFiles; remotes: KnownRemotes };

export const createJudge = (
  root: string,
  roots: readonly string[],
  { home, started, remotes }: JudgeOptions,
): Judge => {
  const named = createNamedPaths(home);
  const isInRoots = (target: string): boolean =>
    roots.some((folder) => target === folder || target.startsWith(`${folder}/`));

  const inRepository = (folder: readonly string[], inside: readonly string[], change: Change): string | undefined => {
    const place = path.join(root, ...folder);
    return gitFault(inside, change, {
      isOwn: (from, target) => !path.isAbsolute(target) && isInRoots(path.resolve(place, ...from, target)),
      ...remotesBelow(remotes, place),
    });
  };

  const repositoryOfFile = (way: readonly string[], change: Change): string | undefined =>
    gitFileFault(change, (target) => {
      const resolved = path.resolve(root, ...way.slice(0, -1), target);
      return isInRoots(resolved) && /\/\.git\/(?:modules|worktrees)\/./.test(resolved);
    });

  const ofGit = (way: readonly string[], at: number, change: Change): string | undefined => {
    if (way[at] !== '.git') return BY_THEMSELVES;
    if (at < way.length - 1) return inRepository(way.slice(0, at + 1), way.slice(at + 1), change);
    if (change.kind === 'folder') return undefined;
    if (change.kind === 'removed') return 'it is a repository';
    return change.kind === 'file' ? repositoryOfFile(way, change) : 'it leads git to settings elsewhere';
  };

  const ofOthers = (way: readonly string[]): string | undefined => {
    const at = way.findIndex((name) => foldedName(name) in OTHER_SETTINGS);
    if (at < 0) return isAutoExecutedPath(way.join('/')) ? BY_THEMSELVES : undefined;
    const below = way[at + 1];
    if (below === undefined) return undefined;
    return OTHER_SETTINGS[foldedName(way[at] ?? '')]?.test(below) ? BY_THEMSELVES : undefined;
  };

  return {
    repositoryFault: inRepository,
    fault(way, change) {
      if (isUnchanged(change)) return undefined;
      const git = way.findLastIndex((name) => foldedName(name) === '.git' || foldedName(name) === 'git~1');
      if (git >= 0) return ofGit(way, git, change);
      if (way.at(-1) === '.gitmodules' && change.kind === 'file') {
        const place = { isOwnWorktree: () => false, knownRemotes: new Set<string>(), kind: 'modules' } as const;
        return configFault(change.text() ?? '[', change.before(), place) === undefined ? undefined : BY_THEMSELVES;
      }
      return (
        ofOthers(way) ??
        (named.has(path.join(root, ...way), change.kind)
          ? 'settings of git name it'
          : startedFault(started, path.join(root, ...way), change))
      );
    },
  };
};

/** For the repository in a folder. */
export const remotesBelow = (
  remotes: KnownRemotes,
  folder: string,
): Pick<GitPlace, 'knownRemotes' | 'noteRemotes'> => ({
  knownRemotes: (settings, change) => remotes.at(path.join(folder, ...settings), change.before()),
  noteRemotes: (settings, change) => remotes.note(path.join(folder, ...settings), change.text()),
});

/** Of a file that an MCP server is started from, or of a link or file that takes the place of a folder of such files. */
const startedFault = (started: StartedFiles, file: string, change: Change): string | undefined => {
  const server = started.keptFromCommands(file) ?? serverBelow(started, file, change);
  if (server === undefined || started.isSameStart(file, change.before(), change.text())) return undefined;
  return `the MCP server "${server}" is started from it`;
};

const serverBelow = (
  { paths, keptFromCommands }: StartedFiles,
  folder: string,
  { kind }: Change,
): string | undefined => {
  if (kind === 'folder') return undefined;
  const inside = paths.find((each) => each.startsWith(`${folder}/`));
  return inside === undefined ? undefined : keptFromCommands(inside);
};

/** Written anew with what was there. */
export const isUnchanged = (change: Change): boolean => {
  if (change.kind !== 'file' || !change.wasThere) return false;
  const text = change.text();
  return text !== undefined && text === change.before() && !change.isOtherMode();
};
