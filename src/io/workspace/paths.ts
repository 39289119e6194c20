import nodePath from 'node:path';
import { LIMITS } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';

/** The folders that are open to the conversation. All are real paths; the first is the workspace itself. */
export type Roots = {
  readonly main: string;
  readonly additional: readonly string[];
  /** Other spellings of `main`, such as the path that the person typed, for a helpful message. */
  readonly aliases: readonly string[];
};

export type ResolvedPath = {
  /** Relative to the workspace with `/`; absolute for a path in an additional folder. */
  relative: string;
  absolute: string;
};

/** True when `path` is `root` or lies below it. Both are absolute and normalised. */
export const isWithin = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(nodePath.sep) ? root : root + nodePath.sep);

// Files there are the kernel speaking, not the person's; some call themselves regular and never end.
const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev'];

/** Whether a real path, as the system names it, lies in a folder that is open. */
export const isOpenTo = (roots: Roots, realPath: string): boolean =>
  [roots.main, ...roots.additional].some(
    (root) =>
      isWithin(root, realPath) &&
      !SYSTEM_FOLDERS.some((folder) => isWithin(folder, realPath) && !isWithin(folder, root)),
  );

/** The name that the conversation uses for a real path. */
export const nameOf = (roots: Roots, realPath: string): string => {
  if (!isWithin(roots.main, realPath)) return realPath;
  const relative = nodePath.relative(roots.main, realPath);
  return relative === '' ? '.' : relative.split(nodePath.sep).join('/');
};

const looksAbsolute = (path: string): boolean =>
  nodePath.isAbsolute(path) || path.startsWith('\\\\') || /^[A-Za-z]:[\\/]/.test(path);

const absolutePath = (roots: Roots, path: string): Outcome<ResolvedPath> => {
  const absolute = nodePath.resolve(path);
  if (nodePath.isAbsolute(path) && roots.additional.some((root) => isWithin(root, absolute))) {
    return succeed({ relative: absolute, absolute });
  }
  const inside = [roots.main, ...roots.aliases].find((root) => isWithin(root, absolute));
  if (nodePath.isAbsolute(path) && inside !== undefined) {
    const relative = nodePath.relative(inside, absolute).split(nodePath.sep).join('/') || '.';
    return failure(
      'validation_failed',
      `Absolute paths are not accepted. Use the path relative to the workspace: ${relative}`,
    );
  }
  return failure(
    'validation_failed',
    `${path} is outside the workspace. Absolute paths are not accepted; use a path relative to the workspace`,
  );
};

/** As a system would read the path that parts folders by `\\` and takes odd dots for plain ones. No file is meant by such a name. */
const folded = (path: string): string =>
  /\\|[^\x20-\x7e]/.test(path) ? path.normalize('NFKC').replaceAll('\\', '/') : '';

const leaves = (path: string, separator: string): boolean => {
  const normal = separator === '/' ? nodePath.posix.normalize(path) : nodePath.normalize(path);
  return normal === '..' || normal.startsWith(`..${separator}`);
};

/**
 * A path as a model wrote it → the confined relative path. Only words are looked at here: what the path really leads to,
 * through links, is verified on what was opened.
 */
export const resolvePath = (roots: Roots, path: string): Outcome<ResolvedPath> => {
  if (path === '') return failure('validation_failed', 'The path is empty');
  if (path.length > LIMITS.pathCharacters) {
    return failure('validation_failed', `The path is longer than ${LIMITS.pathCharacters} characters`);
  }
  if (path.includes('\0')) return failure('validation_failed', 'The path holds a NUL character');
  if (!path.isWellFormed()) return failure('validation_failed', 'The path is not valid Unicode');
  if (looksAbsolute(path)) return absolutePath(roots, path);
  if (/^~(?:[\\/]|$)/.test(path)) {
    return failure('validation_failed', `${path} is outside the workspace: ~ stands for the home folder`);
  }
  const local = nodePath.sep === '\\' ? path.replaceAll('/', '\\') : path;
  if (nodePath.sep === '\\' && local.includes(':')) {
    return failure('validation_failed', 'The path holds a colon, which names a drive or a stream');
  }
  const absolute = nodePath.join(roots.main, local).replace(/(?<=.)[\\/]$/, '');
  const isInside = !leaves(local, nodePath.sep);
  if (isInside && !leaves(folded(path), '/')) return succeed({ relative: nameOf(roots, absolute), absolute });
  if (!isInside && roots.additional.some((root) => isWithin(root, absolute)))
    return succeed({ relative: absolute, absolute });
  return failure('validation_failed', `${path} leads outside the workspace`);
};
