/** What a shell rule needs to know of the folder that a line runs in: where paths lead, and what git would run there. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fullPath, knownPart, liesInPrograms } from '../../../core/policy/program-folders.ts';
import { NO_STARTED_FILES, type StartedFiles } from '../../../core/policy/started-files.ts';
import { type RepositoryWrites, repositoryOf } from '../../../sandbox/repository-writes.ts';
import { gitTokens, tokenAt } from '../token-files.ts';
import { expandGlob, type LinksBelow, lookBelow } from './folder-contents.ts';
import { carriesNothing } from './harmless-contents.ts';
import { leftOutOf } from './left-out.ts';
import type { FileKind } from './objections.ts';
import { programsOfRepository } from './repository-programs.ts';
import { whereTo } from './where-to.ts';

export type ShellSurroundings = {
  /**
   * Where the path really leads, seen from the folder: from the root of the workspace on. Undefined where that is outside,
   * or cannot be known.
   */
  leadsTo(folder: string, word: string): string | undefined;
  /** Whether a path leads, seen from the folder, to something that is there, outside and in no folder of programs. */
  isOutside(folder: string, word: string): boolean;
  home: string;
  /** The names that a glob stands for now, seen from the folder; undefined for too many. */
  expand(folder: string, glob: string): string[] | undefined;
  /** A file that may hold secrets below a path and is `reached`; empty text where there is too much to look at. */
  secretBelow(folder: string, word: string, reaches?: (below: string) => boolean): string | undefined;
  /** What the links below a path lead to, seen from the folder; undefined where there is too much to look at. */
  linksBelow(folder: string, word: string, reaches?: (below: string) => boolean): LinksBelow | undefined;
  /** What `work` looks at below folders is looked at once, however often it is asked for. */
  atOnce<T>(work: () => T): T;
  /** Whether a file below a path is left out by what packs that folder; `names`: of the files beside it that say so. */
  leftOutOf(folder: string, word: string, names: readonly string[]): (below: string) => boolean;
  /** Whether a file or a folder is there, seen from the folder. */
  isA(kind: 'file' | 'folder', folder: string, word: string): boolean;
  /** The setting that holds a key in the file that a path leads to (`leadsTo`). */
  tokenAt(place: string): string | undefined;
  /** Keys of git's settings that hold one, seen from the folder. */
  gitTokens(folder: string): readonly string[];
  /** Why a program that the repository's own settings name would run here, seen from the folder; empty where none. */
  repositoryPrograms(folder: string, command: string): string[];
  /** The MCP server that is started from what a path leads to (`leadsTo`). */
  serverStartedFrom(place: string): string | undefined;
  /** The repository that a file there is a part of, whatever it is called, and what a write there means for git. */
  repositoryOf(place: string): string | undefined;
  repositoryWrite(place: string): string | undefined;
  /** Whether what a path leads to, seen from the folder, is what a compiler makes, or names packages alone. */
  carriesNothing(folder: string, word: string, kind: FileKind): boolean;
};

export type SurroundingsOptions = {
  startedFiles?(): StartedFiles;
  repositoryWrites?(): RepositoryWrites;
  /** The person's home folder; the system says which where it is absent. */
  home?: string;
};

export const surroundingsOf = (
  root: string,
  { startedFiles = () => NO_STARTED_FILES, repositoryWrites, home = homedir() }: SurroundingsOptions = {},
): ShellSurroundings => {
  const realRoot = real(root);
  const look = lookBelow(realRoot);
  const leadsTo: ShellSurroundings['leadsTo'] = (folder, word) => {
    const target = whereTo(word.startsWith('/') ? '/' : realRoot, word.startsWith('/') ? word : `${folder}/${word}`);
    return target === undefined || !isInside(realRoot, target) ? undefined : target.slice(realRoot.length + 1);
  };
  const isOutside: ShellSurroundings['isOutside'] = (folder, word) => {
    // Of somebody else, or of a folder that was left.
    if (/^~[^/]/.test(word)) return true;
    const named = fullPath(word, home) ?? `${folder}/${knownPart(word)}`;
    const target = whereTo(named.startsWith('/') ? '/' : realRoot, named);
    if (target === undefined) return true;
    if (isInside(realRoot, target)) return false;
    // Settings that hold a key are the person's own, wherever they lie.
    return liesInPrograms(target, home) ? tokenAt(target) !== undefined : existsSync(target);
  };
  return {
    leadsTo,
    carriesNothing: (folder, word, kind) => {
      if (word === '/dev/null') return kind === 'product';
      const place = leadsTo(folder, word);
      return place !== undefined && carriesNothing(realRoot, place, kind);
    },
    home,
    isOutside,
    expand: (folder, glob) => expandGlob(glob.startsWith('/') ? '/' : path.resolve(realRoot, folder), glob),
    atOnce: look.atOnce,
    secretBelow: (folder, word, reaches = () => true) =>
      look.secretBelow(path.resolve(realRoot, folder, word), reaches),
    linksBelow: (folder, word, reaches = () => true) =>
      look.linksBelow(path.resolve(realRoot, folder, word), {
        leadsTo: (file) => leadsTo('.', file),
        isOutside: (file) => leadsOut(file, home),
        reaches: (below) => below === undefined || reaches(below),
      }),
    leftOutOf: (folder, word, names) => leftOutOf(path.resolve(realRoot, folder, word), names),
    isA: (kind, folder, word) => isA(kind, path.resolve(realRoot, folder, word)),
    tokenAt: (place) => tokenAt(path.join(realRoot, place)),
    gitTokens: (folder) => gitTokens(path.resolve(realRoot, folder), home),
    serverStartedFrom: (place) => startedFiles().serverOf(path.join(realRoot, place)),
    repositoryOf: (place) => repositoryOf(path.join(realRoot, place)),
    repositoryWrite: (place) => repositoryWrites?.()(path.join(realRoot, place)),
    repositoryPrograms: (folder, command) => programsOfRepository(path.resolve(realRoot, folder), command, home),
  };
};

/** Programs of the system and of the person are linked to everywhere (`.venv/bin/python`): nothing of theirs is private. */
const leadsOut = (link: string, home: string): boolean => {
  const target = whereTo('/', link);
  if (target === undefined) return true;
  const isProgram = liesInPrograms(target, home) && !SHARED.test(target);
  return isProgram ? tokenAt(target) !== undefined : existsSync(target);
};
/** What other programs of the machine put where everybody can. */
const SHARED = /^\/(?:tmp|var\/tmp|proc|dev)(?:\/|$)/;

const real = (file: string): string => {
  try {
    return realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
};

const isA = (kind: 'file' | 'folder', file: string): boolean => {
  try {
    const stat = statSync(file);
    return kind === 'file' ? stat.isFile() : stat.isDirectory();
  } catch {
    return false;
  }
};

const isInside = (root: string, file: string): boolean =>
  file === root || root === '/' || (file.startsWith(root) && file[root.length] === '/');
