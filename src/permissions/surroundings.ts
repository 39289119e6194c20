/** What a shell rule needs to know of the folder that a line runs in: where paths lead, and what git would run there. */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { programsOfRepository } from './repository-programs.ts';

export type ShellSurroundings = {
  /** True where the path, seen from the folder (relative to the workspace), lies or leads outside the workspace. */
  leadsOutside(folder: string, word: string): boolean;
  /** Why a program that the repository's own settings name would run here, seen from the folder; empty where none. */
  repositoryPrograms(folder: string, command: string): string[];
};

export const surroundingsOf = (root: string): ShellSurroundings => {
  const realRoot = real(root);
  return {
    leadsOutside: (folder, word) => {
      const target = path.resolve(realRoot, folder, word);
      if (!isInside(realRoot, target)) return true;
      return !isInside(realRoot, realOfNearest(target));
    },
    repositoryPrograms: (folder, command) => programsOfRepository(path.resolve(realRoot, folder), command),
  };
};

const real = (file: string): string => {
  try {
    return realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
};

const isInside = (root: string, file: string): boolean =>
  file === root || file.startsWith(root.endsWith(path.sep) ? root : root + path.sep);

/** The real path of the file, or of the nearest folder above it that is there. */
const realOfNearest = (file: string): string => {
  for (let at = file; ; at = path.dirname(at)) {
    try {
      return realpathSync.native(at);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // A circle of links or a name too long is nowhere; nothing is opened through it.
      if (code !== 'ENOENT' && code !== 'ENOTDIR') return at === file ? at : path.sep;
      if (path.dirname(at) === at) return at;
    }
  }
};
