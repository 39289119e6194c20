/**
 * The repository that a linked worktree belongs to, as its commands write to it. Objects, branches and the worktree's own
 * HEAD and index are its ordinary work; what belongs to the person's other folders stays, and settings and hooks are judged
 * as in any repository.
 */
import path from 'node:path';
import { type Change, gitFault } from './git-folder.ts';
import type { KnownRemotes } from './git-remotes.ts';
import { isUnchanged, type Judge, remotesBelow } from './judge.ts';
import type { LinkedWorktree } from './linked-worktree.ts';

/** `roots`: what the command may write to. */
export const createWorktreeJudge = (
  { common, own }: LinkedWorktree,
  roots: readonly string[],
  remotes: KnownRemotes,
): Judge => {
  const isInRoots = (target: string): boolean =>
    roots.some((folder) => target === folder || target.startsWith(`${folder}/`));
  const fault = (way: readonly string[], change: Change): string | undefined => {
    if (isUnchanged(change) || isSameLog(way, change)) return undefined;
    const [first = '', second, ...rest] = way;
    if (first === 'worktrees') {
      if (second === undefined) return change.kind === 'folder' ? undefined : OTHERS;
      if (second !== own) return OTHERS;
      if (rest.length === 0) return change.kind === 'folder' ? undefined : 'it is the repository of this folder';
      // Where this folder and the repository lie was true when the command began.
      if (rest.length === 1 && LEADS.test(rest[0] ?? '')) return 'it leads git to settings elsewhere';
    } else if (!SHARED.test(first) || (first === 'logs' && second === 'HEAD')) return OTHERS;
    return gitFault(way, change, {
      isOwn: (from, target) => !path.isAbsolute(target) && isInRoots(path.resolve(common, ...from, target)),
      ...remotesBelow(remotes, common),
    });
  };
  return { fault, repositoryFault: (folder, inside, change) => fault([...folder, ...inside], change) };
};

/** `git gc` writes the log of every HEAD anew, with a tab where there is no message. */
const isSameLog = (way: readonly string[], change: Change): boolean => {
  if (change.kind !== 'file' || way.slice(-2).join('/') !== 'logs/HEAD') return false;
  const plain = (text: string | undefined): string | undefined => text?.replaceAll(/\t$/gm, '');
  return change.before() !== undefined && plain(change.text()) === plain(change.before());
};

const OTHERS = 'it belongs to another folder of this repository';
const LEADS = /^(?:commondir|gitdir|config\.worktree)$/;
/** What all worktrees of a repository have together. */
const SHARED =
  /^(?:objects|refs|reftable|logs|packed-refs|info|lfs|rr-cache|shallow|config|hooks|gc\.(?:pid|log)|[A-Za-z_-]+\.lock)$/;
