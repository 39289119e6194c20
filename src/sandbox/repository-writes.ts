/**
 * What a write of a single file means for other programs, by the same judgement as what a command wrote: it makes a
 * repository of a folder, changes one whatever it is called, changes a program that settings of git name, or what a link
 * leads to that is autoloaded.
 */
import path from 'node:path';
import { foldedName, isAutoExecutedPath } from '../core/policy/sensitive-files.ts';
import { type AutoloadedLinks, autoloadedLinksOf, createAutoloadedLinks } from './autoloaded-links.ts';
import { looksLikeRepository, READ_BY_GIT } from './git-folder.ts';
import { createNamedPaths } from './named-paths.ts';
import { statAt as statOf } from './place.ts';

/** Why a program would run or load what is written at an absolute path, as the end of a sentence; undefined where it would not. */
export type RepositoryWrites = (target: string) => string | undefined;

/** `links`: those below the folder `root`, by their whole paths. */
export const repositoryWrites = (home: string, root: string, links: () => string[]): RepositoryWrites => {
  const named = createNamedPaths(home);
  const isAutoloaded = (file: string): boolean =>
    isAutoExecutedPath(path.relative(file.startsWith(`${root}/`) ? root : home, file)) || named.has(file);
  let autoloaded: AutoloadedLinks | undefined;
  const linkTo = (target: string): string | undefined => {
    autoloaded ??= createAutoloadedLinks({
      roots: [root],
      links: [...links(), ...autoloadedLinksOf(home)],
      isAutoloaded,
    });
    return autoloaded.readAs(target, 'file').find(({ as }) => isAutoloaded(as))?.link;
  };
  return (target) => {
    const folder = repositoryOf(target);
    if (folder !== undefined) return `is a part of ${folder}, which git takes for a repository`;
    if (named.has(target)) return 'is named by settings of git, which runs or loads it';
    const link = linkTo(target);
    const shown = link?.startsWith(`${root}/`) ? path.relative(root, link) : link;
    return shown && `is what the link ${shown} leads to, and other programs run or load that by themselves`;
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
