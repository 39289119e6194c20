/** The branch that git is on in a folder, read from its HEAD: no program is run for it. */
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CLI_LIMITS } from './limits.ts';

/** A pipe in its place is not waited for. */
const textOf = (path: string): string | undefined => {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(descriptor).isFile()) return undefined;
    return readFileSync(descriptor, 'utf8').slice(0, CLI_LIMITS.gitHeadCharacters);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

/** In a worktree `.git` is a file that names the folder. */
const gitFolder = (root: string): string | undefined => {
  for (let folder = root; ; folder = dirname(folder)) {
    const path = join(folder, '.git');
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return path;
    const [, named] = /^gitdir: (.+)$/m.exec((stat?.isFile() ? textOf(path) : undefined) ?? '') ?? [];
    if (named !== undefined) return resolve(folder, named);
    if (dirname(folder) === folder) return undefined;
  }
};

/** The name is read again after a while; a commit that no branch names is shown by its first digits. */
export const followGitBranch = (root: string, now: () => number): (() => string | undefined) => {
  const folder = gitFolder(root);
  let branch: string | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (folder === undefined || now() - readAt < CLI_LIMITS.gitBranchMs) return branch;
    readAt = now();
    const head = textOf(join(folder, 'HEAD'))?.trim() ?? '';
    branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? (head.slice(0, 7) || undefined);
    return branch;
  };
};
