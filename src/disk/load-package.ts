/**
 * Loads a package that only some need, and says how to get the right one where it is missing, another one, or damaged. It
 * may be installed while halter runs, and is found then.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Failure, failure, type Outcome, succeed } from '../core/outcome.ts';
import {
  type FoundPackage,
  notLoaded,
  type OutsidePackage,
  type PackageProblem,
  wrongVersion,
} from '../core/outside-packages.ts';
import { thrownText } from '../core/thrown-text.ts';
import { withFoldersAbove } from './folders-above.ts';
import { placeOfCode } from './place-of-code.ts';
import { runningFile } from './running-file.ts';

/**
 * Looks where Node would. Node itself is not asked: a package that it did not find once is not found by it any more, also
 * after it was installed.
 */
export const findPackage = (name: string, from: string = runningFile): FoundPackage | undefined => {
  if (!from.startsWith('file:')) return undefined;
  for (const above of withFoldersAbove(dirname(fileURLToPath(from)))) {
    const folder = join(above, 'node_modules', name);
    // It is unpacked folder first.
    if (existsSync(join(folder, 'package.json'))) return { folder, version: versionIn(folder) };
  }
  return undefined;
};

/** Not in a program that a bundler made of halter, and not under what has its packages in archives. */
const isInPackage = (): boolean =>
  placeOfCode(import.meta.url) !== undefined &&
  ['bun', 'deno', 'pnp'].every((other) => process.versions[other] === undefined);

const versionIn = (folder: string): string | undefined => {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
};

const problemOf = (one: OutsidePackage, found: FoundPackage | undefined): PackageProblem | undefined => {
  if (found !== undefined) return wrongVersion(one, found);
  // Where packages lie elsewhere the import itself has to tell.
  return isInPackage() ? notLoaded(one, undefined, undefined) : undefined;
};

/** What can be told without loading it. */
export const packageProblem = (one: OutsidePackage): PackageProblem | undefined =>
  problemOf(one, findPackage(one.name));

export const loadOrProblem = async <T>(
  one: OutsidePackage,
  load: () => Promise<T>,
  find: (name: string) => FoundPackage | undefined = findPackage,
): Promise<Outcome<T, PackageProblem>> => {
  const found = find(one.name);
  const known = problemOf(one, found);
  if (known) return { ok: false, error: known };
  try {
    return succeed(await load());
  } catch (error) {
    const isMissing = found === undefined && (error as { code?: unknown })?.code === 'ERR_MODULE_NOT_FOUND';
    return { ok: false, error: notLoaded(one, found, isMissing ? undefined : firstLine(thrownText(error))) };
  }
};

/** A resolver adds the files that asked, one a line. */
const firstLine = (text: string): string => (text.trim().split('\n')[0] ?? '').replace(/[.:\s]+$/, '');

const packageFailure = ({ message, advice }: PackageProblem): { ok: false; error: Failure } =>
  failure('io_error', `${message} ${advice}`, 'not_installed');

export const loadPackage = async <T>(...args: Parameters<typeof loadOrProblem<T>>): Promise<Outcome<T>> => {
  const loaded = await loadOrProblem(...args);
  return loaded.ok ? loaded : packageFailure(loaded.error);
};
