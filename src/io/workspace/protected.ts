import nodePath from 'node:path';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import {
  askedUntilNamed,
  isAutoExecutedPath,
  isNeverWritten,
  isSecretPath,
} from '../../core/policy/sensitive-files.ts';
import { isTokenFile } from '../../core/policy/token-files.ts';
import { isWithin, nameOf, type Roots } from './paths.ts';

/**
 * What a tool may never write, permission or not: halter's own settings (a model could grant itself rights) and the
 * insides of version control (a hook there is a program that runs later, unasked).
 */

/** `realPath` is where the write would really land; `protectedPaths` are real absolute paths. */
export const checkWritable = (
  roots: Roots,
  protectedPaths: readonly string[],
  realPath: string,
  name: string,
): Outcome<void> => {
  const root = [roots.main, ...roots.additional].find((candidate) => isWithin(candidate, realPath)) ?? roots.main;
  const segments = nodePath.relative(root, realPath).split(nodePath.sep);
  const isProtected = isNeverWritten(segments.join('/')) || protectedPaths.some((path) => isWithin(path, realPath));
  if (isProtected)
    return failure('permission_denied', `${name} is protected: tools do not write there`, 'protected_path');
  return openlyNamed(name, segments.join('/'), isAutoloaded, 'other programs obey by themselves');
};

const isAutoloaded = (path: string): boolean => isAutoExecutedPath(path) || askedUntilNamed(path) !== undefined;

/** `realPath` is what was really read. */
export const checkReadable = (roots: Roots, realPath: string, name: string): Outcome<void> =>
  openlyNamed(name, nameOf(roots, realPath), mayHoldSecrets, 'may hold secrets');

const mayHoldSecrets = (path: string): boolean => isSecretPath(path) || isTokenFile(path);

/**
 * Whoever was asked was shown the name in the call. A link with a harmless name must not stand for a file that would
 * have been asked about.
 */
const openlyNamed = (name: string, realName: string, isSuch: (path: string) => boolean, what: string): Outcome<void> =>
  isSuch(realName) && !isSuch(name)
    ? failure('permission_denied', `${name} leads to ${realName}, which ${what}; name that file itself`, 'hidden_name')
    : succeed(undefined);
