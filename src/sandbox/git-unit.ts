/**
 * What git keeps beside its objects — HEAD, references, the index, logs — is one thing: half of it from a command and half
 * from somebody else would lose commits. Where both changed it, none of the command's is put in place. Objects are, since
 * they change nothing by themselves.
 */
import fs from 'node:fs';
import path from 'node:path';
import { foldedName } from '../core/policy/sensitive-files.ts';
import { readSmallFile } from './anchored.ts';
import type { Beginning } from './beginning.ts';
import type { Changed } from './changes.ts';
import { looksLikeRepository } from './git-folder.ts';
import { digestOfIndex } from './git-index.ts';
import { type Layer, writtenFolder } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';

type Way = readonly string[];
type Leaf = { child: Changed; way: Way };
export type GitUnits = {
  /** Takes what is not put in place out of the tree. The reason where that is all but objects, as the end of a sentence. */
  prune(repository: Changed, way: Way): Promise<string | undefined>;
};

const OBJECTS = new Set(['objects', 'lfs']);
/** What a fetch in the background writes, and what nobody reads again. */
const WITHOUT_MEANING = new Set(['FETCH_HEAD', 'gc.log', 'gc.pid', 'description']);
const COMMIT = /^[0-9a-f]{40,64}$/;

export const isRepositoryFolder = (layer: Layer, way: Way): boolean =>
  foldedName(way.at(-1) ?? '') === '.git' || looksLikeRepository(new Set(namesIn(path.join(layer.root, ...way))));

export const createGitUnits = (
  layer: Layer,
  beginning: Beginning,
  difference: (child: Changed, way: Way) => Promise<'changed' | 'removed' | 'same' | undefined>,
): GitUnits => {
  const isChanged = (file: string): boolean => {
    try {
      return beginning.isChanged(fs.lstatSync(file, { bigint: true }));
    } catch {
      return false;
    }
  };
  const digestBefore = (folder: Way): string | undefined => {
    const index = beginning.indexOf(folder);
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

  const isUnitChanged = async (repository: Way, leaves: readonly Leaf[]): Promise<boolean> => {
    const folders = new Map(leaves.map(({ way }) => repositoryOf(repository, way)).map((way) => [way.join('/'), way]));
    for (const folder of folders.values()) if (isFolderChanged(folder)) return true;
    for (const { child, way } of leaves) {
      const found = await difference(child, way);
      if (found === undefined || found === 'same' || WITHOUT_MEANING.has(child.name)) continue;
      if (child.name !== 'index' || !isRefreshed(way.slice(0, -1))) return true;
    }
    const packs = leaves.some(({ child }) => child.name === 'packed-refs');
    return packs && isChangedBelow(path.join(layer.root, ...repository, 'refs'));
  };

  return {
    async prune(repository, way) {
      const isMutable = ({ name }: Changed): boolean => !OBJECTS.has(name);
      const idle = new Set(
        leavesOf(repository, way)
          .filter(isIdle)
          .map(({ child }) => child),
      );
      without(repository, (child) => idle.has(child));
      const leaves = repository.children.filter(isMutable).flatMap((child) => leavesOf(child, [...way, child.name]));
      if (leaves.length === 0 || !(await isUnitChanged(way, leaves))) return undefined;
      const commits = leaves.flatMap(({ way: file }) => commitAt(path.join(writtenFolder(layer), ...file)));
      repository.children = repository.children.filter((child) => !isMutable(child));
      without(repository, ({ kind }) => kind === 'removed');
      const named = commits.length === 0 ? '' : `; the commit ${commits.join(' and ')} that it made is not lost`;
      return `it was changed outside while the command ran, so nothing of the command's is in its branches, HEAD and index${named}`;
    },
  };
};

const leavesOf = (child: Changed, way: Way): Leaf[] =>
  child.kind === 'folder' ? child.children.flatMap((each) => leavesOf(each, [...way, each.name])) : [{ child, way }];

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
  try {
    return fs.lstatSync(file).size > SANDBOX_LIMITS.indexBytes ? undefined : digestOfIndex(fs.readFileSync(file));
  } catch {
    return undefined;
  }
};

const entriesIn = (folder: string): fs.Dirent[] => {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};
const namesIn = (folder: string): string[] => entriesIn(folder).map(({ name }) => name);
