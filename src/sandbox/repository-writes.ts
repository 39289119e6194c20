/**
 * What a write of a single file means for git, by the same judgement as what a command wrote: it makes a repository of a
 * folder, changes one whatever it is called, or changes a program that settings name.
 */
import path from 'node:path';
import { foldedName } from '../core/policy/sensitive-files.ts';
import { statOf } from './changes.ts';
import { looksLikeRepository, READ_BY_GIT } from './git-folder.ts';
import { createNamedPaths } from './named-paths.ts';

/** Why git would run or load what is written at an absolute path, as the end of a sentence; undefined where it would not. */
export type RepositoryWrites = (target: string) => string | undefined;

export const repositoryWrites = (home: string): RepositoryWrites => {
  const named = createNamedPaths(home);
  return (target) => {
    const folder = repositoryOf(target);
    if (folder !== undefined) return `is a part of ${folder}, which git takes for a repository`;
    return named.has(target) ? 'is named by settings of git, which runs or loads it' : undefined;
  };
};

/** The folder that is a repository when there is something at the path, or was one before. */
export const repositoryOf = (target: string): string | undefined => {
  for (
    let child = target, folder = path.dirname(child);
    child !== folder;
    child = folder, folder = path.dirname(folder)
  ) {
    const part = foldedName(path.basename(child));
    const name = READ_BY_GIT.find((each) => each.toLowerCase() === part);
    if (name === undefined) continue;
    const there = MAKES_ONE.filter((each) => each === name || statOf(path.join(folder, each)) !== undefined);
    if (looksLikeRepository(new Set(there))) return folder;
  }
  return undefined;
};
const MAKES_ONE = ['HEAD', 'commondir', 'objects', 'refs'];
