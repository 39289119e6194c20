/**
 * Which files a command brought into a repository, for a later checkout to write: entries of its new commits and trees that
 * none of their parents has at that path, and those of its index.
 */
import { existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile } from './anchored.ts';
import { namesIn } from './folder-entries.ts';
import { type BroughtEntry, diffTree, entryKey, readCommit, readTree, type TreeEntry } from './git-trees.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { type NewCommit, type NewObjects, type RepositoryChange, RepositoryFault } from './new-objects.ts';
import type { OwnGit } from './own-git.ts';

export type { BroughtEntry };

/** `head`: the commit that was checked out before, if any. `isNetworked`: only what is at the end of new history counts. */
export type BroughtOptions = { isSha256: boolean; isNetworked: boolean; head: string | undefined };

export const broughtByObjects = async (
  objects: NewObjects,
  { isSha256, isNetworked, head }: BroughtOptions,
): Promise<BroughtEntry[]> => {
  const { commits, trees } = objects;
  const found = new Map<string, BroughtEntry>();
  const trace = openTrees(objects, isSha256 ? 32 : 20);
  const difference = {
    read: trace.read,
    readOther: (oid: string) => trace.read(oid).catch(() => []),
    emit: (entry: BroughtEntry): void => void found.set(entryKey(entry), entry),
  };
  const examined = isNetworked ? endsOf(commits) : commits;
  const beginnings = isNetworked ? beginningsOf(commits) : [];
  for (const { tree, parents } of examined) {
    const others: string[] = [];
    for (const parent of isNetworked ? beginnings : parents) others.push(...(await trace.treeOf(parent)));
    await diffTree(difference, tree, others);
  }
  if (isNetworked) return [...found.values()];
  // Trees of no commit: of an index, of a merge that is not done, or made piece by piece.
  const heads = head === undefined ? [] : await trace.treeOf(head);
  const ofCommits = new Set(commits.map(({ tree }) => tree));
  const alone = trees.filter((oid) => !trace.seen.has(oid) && !ofCommits.has(oid));
  const parts = new Set<string>();
  for (const oid of alone) for (const entry of await trace.read(oid)) parts.add(entry.oid);
  for (const oid of alone) if (!parts.has(oid)) await diffTree(difference, oid, heads);
  return [...found.values()];
};

const openTrees = ({ commits, reader }: NewObjects, nameBytes: number) => {
  const own = new Map(commits.map((commit) => [commit.oid, commit]));
  const cache = new Map<string, readonly TreeEntry[]>();
  const seen = new Set<string>();
  return {
    seen,
    async read(oid: string): Promise<readonly TreeEntry[]> {
      seen.add(oid);
      const known = cache.get(oid);
      if (known !== undefined) return known;
      const object = await reader.read(oid);
      if (object?.type !== 'tree') throw new RepositoryFault('it holds a commit of which a part is missing');
      const entries = readTree(object.content, nameBytes);
      if (cache.size < CACHED_TREES) cache.set(oid, entries);
      return entries;
    },
    /** Of a commit; empty where it is not there, as the parents of a shallow history. */
    async treeOf(oid: string): Promise<string[]> {
      const mine = own.get(oid)?.tree;
      if (mine !== undefined) return [mine];
      const object = await reader.read(oid);
      const tree = object?.type === 'commit' ? readCommit(object.content)?.tree : undefined;
      return tree === undefined ? [] : [tree];
    },
  };
};

const CACHED_TREES = 20_000;

/** Commits that no other new one comes from. */
const endsOf = (commits: readonly NewCommit[]): NewCommit[] => {
  const parents = new Set(commits.flatMap((commit) => commit.parents));
  return commits.filter(({ oid }) => !parents.has(oid));
};
/** Commits that were there, and that new ones come from. */
const beginningsOf = (commits: readonly NewCommit[]): string[] => {
  const own = new Set(commits.map(({ oid }) => oid));
  return [...new Set(commits.flatMap((commit) => commit.parents))].filter((oid) => !own.has(oid));
};

const INDEX = /^(?:.*\/)?(?:index|next-index-\d+)$/;
const isBeside = (inside: string): boolean => /(?:^|\/)(?:refs|logs|objects)\//.test(inside);

/** What indexes name now and did not name before. */
export const broughtByIndexes = async (change: RepositoryChange, view: OwnGit): Promise<BroughtEntry[]> => {
  const found: BroughtEntry[] = [];
  for (const { inside, kind } of change.files) {
    if (!INDEX.test(inside) || isBeside(inside)) continue;
    if (kind !== 'file') continue;
    linkShared(change, path.posix.dirname(inside), view);
    const before = new Set(await entriesOf(path.join(change.real, inside), view));
    for (const line of await entriesOf(path.join(change.written, inside), view)) {
      if (before.has(line)) continue;
      const [, mode = '', oid = '', name = ''] = /^(\d+) ([0-9a-f]+) \d\t([\s\S]*)$/.exec(line) ?? [];
      found.push({ path: name, mode, oid });
    }
  }
  return found;
};

/** Parts of an index that several have in common. */
const linkShared = ({ written, real }: RepositoryChange, folder: string, view: OwnGit): void => {
  for (const side of [written, real]) {
    for (const name of namesIn(path.join(side, folder))) {
      const shown = path.join(view.folder, name);
      if (/^sharedindex\.[0-9a-f]+$/.test(name) && !existsSync(shown))
        symlinkSync(path.join(side, folder, name), shown);
    }
  }
};

const entriesOf = async (index: string, view: OwnGit): Promise<string[]> => {
  if (!existsSync(index)) return [];
  const { code, output } = await view.run(['ls-files', '--stage', '--resolve-undo', '-z'], '', {
    GIT_INDEX_FILE: index,
  });
  if (code !== 0) throw new RepositoryFault('it has an index that cannot be read');
  return output
    .toString('utf8')
    .split('\0')
    .filter((line) => line !== '');
};

const PATCH = /(?:^|\/)rebase-apply\/(?:\d+|patch|final-commit)$/;
/** Options that put a patch into another folder than it names. */
const APPLY_OPTIONS = /(?:^|\/)rebase-apply\/apply-opt$/;
/** Each way in which a patch names a file. */
const NAMES_FILE = /^(?:\+\+\+ |--- |rename to |copy to |diff --git )(.*)$/gm;

/** Paths that patches name which wait to be applied (`git am --continue`), in every reading of their first folder. */
export const namedByPatches = ({ files, written }: RepositoryChange): string[] => {
  const names: string[] = [];
  for (const { inside, kind } of files) {
    const isOptions = APPLY_OPTIONS.test(inside);
    if (kind !== 'file' || !(isOptions || PATCH.test(inside))) continue;
    const text = readSmallFile(path.join(written, inside), SANDBOX_LIMITS.referenceBytes);
    if (text === undefined) throw new RepositoryFault('it holds a patch that cannot be read');
    if (isOptions && /-p|--directory/.test(text))
      throw new RepositoryFault('it holds patches that wait and name files in another folder');
    if (isOptions) continue;
    for (const [, named = ''] of text.matchAll(NAMES_FILE)) {
      if (named.includes('"')) throw new RepositoryFault('it holds a patch that names a file in quotes');
      names.push(...named.split(/[\t ]+(?=[^\t ]*\/)|\t/).flatMap(readingsOf));
    }
  }
  return names;
};

/** `git am` may have been told to leave out folders at the beginning, or to put one before. */
const readingsOf = (name: string): string[] => {
  const parts = name.trim().split('/');
  return parts.map((_, index) => parts.slice(index).join('/')).filter((each) => each !== '');
};
