/** Repositories that a command changed: those whose change is not kept, or waits for a yes, are taken out of its tree. */
import path from 'node:path';
import { foldedName } from '../core/policy/sensitive-files.ts';
import { readSmallFile } from './anchored.ts';
import type { Changed } from './changes.ts';
import { namesIn } from './folder-entries.ts';
import { looksLikeRepository, READ_BY_GIT } from './git-folder.ts';
import { type Leaf, leavesOf } from './git-unit.ts';
import { type Layer, writtenFolder } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { statAt } from './place.ts';
import { type Finding, lookAtRepository, type RepositoryChange, type WorkTree } from './repository-look.ts';

type Way = readonly string[];

export type RepositoryOptions = {
  isNetworked: boolean;
  isInRoots(target: string): boolean;
  /** Repositories that were there, by their whole paths; complete once the folders are listed. */
  others(): readonly string[];
  workTreeOf(repository: Way): WorkTree;
};
/** `child`: what the command made of it. */
export type HeldRepository = { way: Way; child: Changed; finding: Finding };

/** `held` of a finding is what a person is asked about. */
export const findHeldRepositories = async (
  layer: Layer,
  tree: Changed,
  options: RepositoryOptions,
): Promise<HeldRepository[]> => {
  const found: HeldRepository[] = [];
  for (const { way, child } of repositoriesIn(layer, tree)) {
    dropTables(layer, child, way);
    const written = path.join(writtenFolder(layer), ...way);
    const finding = await findingOf(layer, { way, written, files: filesOf(leavesOf(child, way), way) }, options);
    if (finding !== undefined) found.push({ way, child, finding });
  }
  return found;
};

/** `written`: where the command's version of its folder lies. */
type RepositoryFiles = { way: Way; written: string; files: RepositoryChange['files'] };

export const findingOf = async (
  layer: Layer,
  { way, written, files }: RepositoryFiles,
  { isNetworked, isInRoots, others, workTreeOf }: RepositoryOptions,
): Promise<Finding | undefined> => {
  const real = path.join(layer.root, ...way);
  const isNew = statAt(path.join(real, 'HEAD')) === undefined;
  // What a command with a network clones is a stranger's as a whole: its files are judged where they are written.
  if (isNew && isNetworked) return undefined;
  if (isNew && foldedName(way.at(-1) ?? '') !== '.git' && statAt(path.join(real, 'objects')) !== undefined)
    return { reason: 'it would make a repository of objects that lie there' };
  // What lies at the top of a folder is the person's own project.
  const isCopy = isNew && way.length > 1;
  const workTree = { ...workTreeOf(way), others: otherWorkTrees({ written, real }, files) };
  const options = { layer, workTree, others: others(), isCopy, isInRoots, isNetworked };
  return await lookAtRepository({ written, real, files }, options);
};

/** Folders that settings, linked worktrees and submodules name as the place of files. */
const otherWorkTrees = (
  { written, real }: { written: string; real: string },
  files: RepositoryChange['files'],
): string[] => {
  const found = new Set<string>();
  const text = (name: string): string => {
    const all = [written, real].map((folder) => readSmallFile(path.join(folder, name), SANDBOX_LIMITS.configBytes));
    return all.filter((each) => each !== undefined).join('\n');
  };
  const names = ['config', 'config.worktree', ...files.map(({ inside }) => inside)];
  for (const name of new Set(names)) {
    const submodule = /^modules\/(.+?)\/(?:objects|index|rebase-apply)(?:\/|$)/.exec(name)?.[1];
    if (submodule !== undefined) found.add(path.resolve(real, '..', submodule));
    if (/(?:^|\/)config(?:\.worktree)?$/.test(name)) {
      for (const [, folder = ''] of text(name).matchAll(/^[^\S\n]*worktree[^\S\n]*=[^\S\n]*"?([^"\n]*)/gim))
        found.add(path.resolve(real, path.dirname(name), folder.trim()));
    }
  }
  for (const name of [...namesIn(path.join(real, 'worktrees')), ...namesIn(path.join(written, 'worktrees'))]) {
    const [folder = ''] = text(`worktrees/${name}/gitdir`).trim().split('\n');
    if (folder !== '') found.add(path.dirname(path.resolve(real, 'worktrees', name, folder)));
  }
  return [...found];
};

/** By their paths from the folder of the repository. */
export const filesOf = (leaves: readonly Leaf[], repository: Way): RepositoryChange['files'] =>
  leaves.map(({ child, way }) => ({ inside: way.slice(repository.length).join('/'), kind: child.kind }));

/** The outermost ones. */
const repositoriesIn = (layer: Layer, tree: Changed): { way: Way; child: Changed }[] => {
  const found: { way: Way; child: Changed }[] = [];
  const visit = (folder: Changed, way: Way): void => {
    if (folder.kind !== 'folder') return;
    const names = new Set(folder.isMerged ? namesIn(path.join(layer.root, ...way)) : []);
    for (const { name, kind } of folder.children) if (kind !== 'removed') names.add(name);
    const isGit = foldedName(way.at(-1) ?? '') === '.git';
    const isRepository = isGit || looksLikeRepository(names);
    if (isRepository) found.push({ way, child: folder });
    // Beside what git reads, others may lie in the folder of a bare one.
    for (const child of folder.children)
      if (!isRepository || !(isGit || READ_BY_GIT.includes(child.name))) visit(child, [...way, child.name]);
  };
  visit(tree, []);
  return found;
};

/** Git believes them in place of the objects, and makes them again from those. */
const TABLE = /(?:^|\/)objects\/(?:pack\/multi-pack-index[^/]*|info\/commit-graphs?(?:\/.*)?)$/;
export const isTable = (inside: string): boolean => TABLE.test(inside);

const dropTables = (layer: Layer, repository: Changed, top: Way): void => {
  const visit = (folder: Changed, way: Way): void => {
    folder.children = folder.children.filter((child) => {
      const here = [...way, child.name];
      if (child.kind === 'folder') {
        visit(child, here);
        if (!child.isWhole) folder.isWhole = false;
        return true;
      }
      if (child.kind === 'removed' || !isTable(here.slice(top.length).join('/'))) return true;
      folder.isWhole = false;
      child.kind = 'removed';
      return statAt(path.join(layer.root, ...here)) !== undefined;
    });
  };
  visit(repository, top);
};

/** Takes what git would read out of the tree; whatever else lies there is no part of the repository. */
export const removeRepository = (tree: Changed, way: Way): void => {
  let folder = tree;
  folder.isWhole = false;
  for (const [index, name] of way.entries()) {
    const child = folder.children.find((each) => each.name === name);
    if (child === undefined) return;
    if (index === way.length - 1 && foldedName(name) === '.git' && !child.isMerged) {
      folder.children = folder.children.filter((each) => each !== child);
      return;
    }
    folder = child;
    folder.isWhole = false;
  }
  const isAll = foldedName(way.at(-1) ?? '') === '.git';
  folder.children = isAll ? [] : folder.children.filter(({ name }) => !READ_BY_GIT.includes(name));
};
