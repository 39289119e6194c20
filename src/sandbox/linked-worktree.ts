/** A folder that git calls a linked worktree: its repository lies elsewhere. */
import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile } from './anchored.ts';
import { SANDBOX_LIMITS } from './limits.ts';

/** `common`: the folder with the repository (git's "common directory"); `own`: the name of the worktree in it. */
export type LinkedWorktree = { common: string; own: string };

/**
 * Undefined where the folder is none. What its `.git` file says is not believed alone, since anybody may have written it:
 * the repository has to name this folder too.
 */
export const linkedWorktreeOf = (folder: string): LinkedWorktree | undefined => {
  try {
    const file = path.join(realpathSync(folder), '.git');
    if (!lstatSync(file).isFile()) return undefined;
    const named = /^gitdir: ([^\n]+)\n?$/.exec(read(file))?.[1];
    if (named === undefined) return undefined;
    const own = realpathSync(path.resolve(path.dirname(file), named));
    const common = realpathSync(path.resolve(own, read(path.join(own, 'commondir')).trim()));
    if (path.dirname(own) !== path.join(common, 'worktrees')) return undefined;
    const back = path.resolve(own, read(path.join(own, 'gitdir')).trim());
    return realpathSync(path.dirname(back)) === path.dirname(file) && path.basename(back) === '.git'
      ? { common, own: path.basename(own) }
      : undefined;
  } catch {
    return undefined;
  }
};

const read = (file: string): string => readSmallFile(file, SANDBOX_LIMITS.configBytes) ?? '';
