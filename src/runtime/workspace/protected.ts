import nodePath from 'node:path';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { isWithin, type Roots } from './paths.ts';

/**
 * What a tool may never write, permission or not: halter's own settings (a model could grant itself rights) and the
 * insides of version control (a hook there is a program that runs later, unasked).
 */
const PROTECTED_NAMES: ReadonlySet<string> = new Set(['.halter', '.git', '.hg', '.svn', '.bzr', 'git~1']);

/** As a file system that folds case, drops invisible characters or trailing dots would read the name. */
const folded = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();

/** `realPath` is where the write would really land; `protectedPaths` are real absolute paths. */
export const checkWritable = (
  roots: Roots,
  protectedPaths: readonly string[],
  realPath: string,
  name: string,
): Outcome<void> => {
  const root = [roots.main, ...roots.additional].find((candidate) => isWithin(candidate, realPath)) ?? roots.main;
  const segments = nodePath.relative(root, realPath).split(nodePath.sep);
  const isProtected =
    segments.some((segment) => PROTECTED_NAMES.has(folded(segment))) ||
    protectedPaths.some((path) => isWithin(path, realPath));
  return isProtected
    ? failure('permission_denied', `${name} is protected: tools do not write there`, 'protected_path')
    : succeed(undefined);
};
