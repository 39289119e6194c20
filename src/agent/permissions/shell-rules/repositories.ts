/** The repositories that git would find from a folder, read without asking git. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { AGENT_LIMITS } from '../../limits.ts';

/** A second change within the same tick of the clock could not be told from the first. */
export const SETTLED_MS = 100;
export const KNOWN_MAX = 64;

export type Repository = { git: string; common: string; tree: string; unreadable?: string };

/**
 * As git looks for it: a `.git` in this folder or above, or a folder that is a repository itself. One that git may take
 * for none counts too, with the next one above it.
 */
export const findRepositories = (start: string): Repository[] => {
  const found: Repository[] = [];
  for (let folder = start; ; folder = path.dirname(folder)) {
    const dotGit = folder === '/' ? '/.git' : `${folder}/.git`;
    const stat = statOf(dotGit);
    if (stat?.isDirectory()) {
      const kind = kindOfRepository(dotGit, `${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs}`, stat.ctimeMs);
      if (kind !== 'none') found.push(withCommon(dotGit, folder));
      if (kind === 'sure') return found;
    } else if (stat !== undefined) {
      const text = readSmall(dotGit);
      const target = text ? /^gitdir: ([^\0]+)/.exec(text)?.[1]?.replace(/[\r\n]+$/, '') : undefined;
      if (target === undefined || target.includes('\n')) {
        return [...found, { git: dotGit, common: dotGit, tree: folder, unreadable: dotGit }];
      }
      return [...found, withCommon(path.resolve(folder, target), folder)];
    }
    if (isThere(`${folder}/HEAD`) && isRepository(folder) !== 'none') found.push(withCommon(folder, folder));
    if (path.dirname(folder) === folder) return found;
  }
};

type RepositoryKind = 'sure' | 'maybe' | 'none';
const folders = new Map<string, { state: string; kind: RepositoryKind }>();
/** What lies in the folder is looked at again when something has come or gone in it. */
const kindOfRepository = (git: string, state: string, changedMs: number): RepositoryKind => {
  const kept = folders.get(git);
  if (kept?.state === state) return kept.kind;
  const kind = isRepository(git);
  if (folders.size >= KNOWN_MAX) folders.clear();
  if (changedMs < Date.now() - SETTLED_MS) folders.set(git, { state, kind });
  return kind;
};

/** A `HEAD` that is a link counts for git by its name alone. */
const isRepository = (git: string): RepositoryKind => {
  if (!isThere(path.join(git, 'HEAD'))) return 'none';
  const hasParts =
    statOf(path.join(git, 'commondir')) !== undefined ||
    (statOf(path.join(git, 'objects')) !== undefined && statOf(path.join(git, 'refs')) !== undefined);
  if (!hasParts) return 'none';
  const head = readSmall(path.join(git, 'HEAD'));
  return typeof head === 'string' && /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(head) ? 'sure' : 'maybe';
};

const isThere = (file: string): boolean => {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
};

const withCommon = (git: string, tree: string): Repository => {
  if (statSync(path.join(git, 'commondir'), { throwIfNoEntry: false }) === undefined) return { git, common: git, tree };
  const common = readSmall(path.join(git, 'commondir'));
  if (common === false) return { git, common: git, tree, unreadable: path.join(git, 'commondir') };
  return { git, common: common === undefined ? git : path.resolve(git, common.replace(/[\r\n]+$/, '')), tree };
};

export const statOf = (file: string): Stats | undefined => {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // A circle of links, or a folder that may not be looked into: git cannot use it either.
    return undefined;
  }
};
export const kindOf = (file: string): 'file' | 'folder' | undefined => {
  const stat = statOf(file);
  return stat === undefined ? undefined : stat.isDirectory() ? 'folder' : 'file';
};

/** Undefined where there is none, false where it is there and cannot be read as a small plain file. */
export const readSmall = (file: string, maxBytes = AGENT_LIMITS.repositoryConfigBytes): string | undefined | false => {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : false;
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > maxBytes) return false;
    const bytes = Buffer.alloc(stat.size);
    const length = readSync(descriptor, bytes, 0, bytes.length, 0);
    return bytes.toString(maxBytes === AGENT_LIMITS.repositoryConfigBytes ? 'utf8' : 'latin1', 0, length);
  } catch {
    return false;
  } finally {
    closeSync(descriptor);
  }
};
