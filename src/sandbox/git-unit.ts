/**
 * What git keeps beside its objects — HEAD, references, the index, logs — is one thing: half of it from a command and half
 * from somebody else would lose commits. Where both changed it, none of the command's is put in place. Objects are, since
 * they change nothing by themselves.
 */

import path from 'node:path';
import { foldedName } from '../core/policy/sensitive-files.ts';
import { readSmallBytes, readSmallFile } from './anchored.ts';
import type { Changed } from './changes.ts';
import { entriesIn, namesIn } from './folder-entries.ts';
import { looksLikeRepository } from './git-folder.ts';
import { digestOfIndex } from './git-index.ts';
import { movedWorkTree } from './git-moves.ts';
import { type Layer, writtenFolder } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';

type Way = readonly string[];
export type Leaf = { child: Changed; way: Way };
export type GitUnits = {
  /** Takes what is not put in place out of the tree. What is to be told where that is all but objects. */
  prune(repository: Changed, way: Way): HeldApart | undefined;
  /** Work trees that the command brought to another commit, by their whole paths. */
  moved(repository: Changed, way: Way): string[];
};
/** What is known of the real files since the command began, or since both sides agreed. */
export type GitOutside = {
  isChanged(file: string): boolean;
  /** What the index of a repository held then. */
  indexOf(folder: Way): Buffer | undefined;
};
export type HeldApart = {
  /** The end of a sentence. */
  reason: string;
  /** Work trees that the command brought to another commit, by their whole paths: their files are kept apart too. */
  workTrees: readonly string[];
};

export const OBJECTS: ReadonlySet<string> = new Set(['objects', 'lfs']);
/** What a fetch in the background writes, and what nobody reads again. */
const WITHOUT_MEANING = new Set(['FETCH_HEAD', 'gc.log', 'gc.pid', 'description']);
const COMMIT = /^[0-9a-f]{40,64}$/;

export const isRepositoryFolder = (layer: Layer, way: Way): boolean =>
  foldedName(way.at(-1) ?? '') === '.git' || looksLikeRepository(new Set(namesIn(path.join(layer.root, ...way))));

export const createGitUnits = (
  layer: Layer,
  { isChanged, indexOf }: GitOutside,
  difference: (child: Changed, way: Way) => 'changed' | 'removed' | 'same' | undefined,
): GitUnits => {
  const digestBefore = (folder: Way): string | undefined => {
    const index = indexOf(folder);
    return index && digestOfIndex(index);
  };
  /** The real index says what it said when the command began. */
  const isRefreshed = (folder: Way): boolean => {
    const before = digestBefore(folder);
    return before !== undefined && digestAt(path.join(layer.root, ...folder, 'index')) === before;
  };
  /** Whether the command's index says nothing new, beside one that changed outside. */
  const isIdle = ({ way }: Leaf): boolean => {
    const folder = way.slice(0, -1);
    const real = path.join(layer.root, ...way);
    if (way.at(-1) !== 'index' || !isChanged(real)) return false;
    const written = digestAt(path.join(writtenFolder(layer), ...way));
    return written !== undefined && (written === digestBefore(folder) || written === digestAt(real));
  };
  /** Of what lies in the folder of a repository itself, that somebody changed. */
  const isFolderChanged = (folder: Way): boolean => {
    const real = path.join(layer.root, ...folder);
    return entriesIn(real).some(
      (entry) =>
        !entry.isDirectory() &&
        !WITHOUT_MEANING.has(entry.name) &&
        isChanged(path.join(real, entry.name)) &&
        !(entry.name === 'index' && isRefreshed(folder)),
    );
  };
  const isChangedBelow = (folder: string): boolean =>
    entriesIn(folder).some((entry) => {
      const file = path.join(folder, entry.name);
      return entry.isDirectory() ? isChangedBelow(file) : isChanged(file);
    });

  /** The folder of a worktree or a submodule in a repository has a HEAD and an index of its own. */
  const repositoryOf = (top: Way, way: Way): Way => {
    for (let length = way.length - 1; length > top.length; length -= 1) {
      const folder = way.slice(0, length);
      if (looksLikeRepository(new Set(namesIn(path.join(layer.root, ...folder))))) return folder;
    }
    return top;
  };

  const isUnitChanged = (repository: Way, leaves: readonly Leaf[]): boolean => {
    const folders = new Map(leaves.map(({ way }) => repositoryOf(repository, way)).map((way) => [way.join('/'), way]));
    // A branch by itself says nothing about the HEAD and the index beside it.
    const isInItself = (folder: Way): boolean =>
      leaves.some(
        ({ way }) =>
          way.slice(0, -1).join('/') === folder.join('/') || way.slice(folder.length).join('/') === 'logs/HEAD',
      );
    for (const folder of folders.values()) if (isInItself(folder) && isFolderChanged(folder)) return true;
    for (const { child, way } of leaves) {
      const found = difference(child, way);
      if (found === undefined || found === 'same' || WITHOUT_MEANING.has(child.name)) continue;
      if (child.name !== 'index' || !isRefreshed(way.slice(0, -1))) return true;
    }
    const packs = leaves.some(({ child }) => child.name === 'packed-refs');
    return packs && isChangedBelow(path.join(layer.root, ...repository, 'refs'));
  };

  const movedBy = (way: Way, leaves: readonly Leaf[]): string[] => {
    const folders = new Map(leaves.map((leaf) => repositoryOf(way, leaf.way)).map((each) => [each.join('/'), each]));
    return [...folders.values()].flatMap((folder) => movedWorkTree(layer, folder) ?? []);
  };

  return {
    moved: (repository, way) => movedBy(way, leavesOf(repository, way)),
    prune(repository, way) {
      const isMutable = ({ name }: Changed): boolean => !OBJECTS.has(name);
      const idle = new Set(
        leavesOf(repository, way)
          .filter((leaf) => isLeftLock(leaf) || isIdle(leaf))
          .map(({ child }) => child),
      );
      without(repository, (child) => idle.has(child));
      const leaves = repository.children.filter(isMutable).flatMap((child) => leavesOf(child, [...way, child.name]));
      if (leaves.length === 0 || !isUnitChanged(way, leaves)) return undefined;
      const commits = leaves.flatMap(({ way: file }) => commitAt(path.join(writtenFolder(layer), ...file)));
      repository.children = repository.children.filter((child) => !isMutable(child));
      without(repository, ({ kind }) => kind === 'removed');
      const named = commits.length === 0 ? '' : `; the commit ${commits.join(' and ')} that it made is not lost`;
      const workTrees = movedBy(way, leaves);
      const files = workTrees.length === 0 ? '' : ', nor in the files beside them';
      const reason = `it was changed outside while the command ran, so nothing of the command's is in its branches, HEAD and index${files}${named}`;
      return { reason, workTrees };
    },
  };
};

export const leavesOf = (child: Changed, way: Way): Leaf[] =>
  child.kind === 'folder' ? child.children.flatMap((each) => leavesOf(each, [...way, each.name])) : [{ child, way }];

/** Whoever made it was ended; it would keep everybody from the repository. */
const isLeftLock = ({ child: { kind, name } }: Leaf): boolean => kind === 'file' && name.endsWith('.lock');

const without = (folder: Changed, isDropped: (child: Changed) => boolean): void => {
  const kept = folder.children.filter((child) => !isDropped(child));
  if (kept.length < folder.children.length) folder.isWhole = false;
  folder.children = kept;
  for (const child of kept) {
    if (child.kind !== 'folder') continue;
    without(child, isDropped);
    if (!child.isWhole) folder.isWhole = false;
  }
};

const commitAt = (file: string): string[] => {
  if (!file.includes('/refs/') || file.includes('/logs/')) return [];
  const text = readSmallFile(file, SANDBOX_LIMITS.configBytes)?.trim() ?? '';
  return COMMIT.test(text) ? [text] : [];
};

const digestAt = (file: string): string | undefined => {
  const index = readSmallBytes(file, SANDBOX_LIMITS.indexBytes);
  return index && digestOfIndex(index);
};
