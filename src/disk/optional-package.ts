/**
 * Packages that only some need: loaded when they are asked for, and where one is missing the message says how to get it. It
 * may be installed while halter runs, and is found then.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { thrownText } from '../core/thrown-text.ts';

export type OptionalPackage = {
  /** As it is imported. */
  package: string;
  /** What is said where it is not installed, and what it is called where it is and does not load. */
  notInstalled: string;
  name: string;
};

/** What Node could not load once, it does not load again. */
const AFTER_REPAIR = 'If it was installed or repaired while halter ran, start halter again.';

export const loadOptional = async <T>(load: () => Promise<T>, words: OptionalPackage): Promise<Outcome<T>> => {
  if (!isInstalled(words.package)) return failure('io_error', words.notInstalled, 'not_installed');
  try {
    return succeed(await load());
  } catch (error) {
    const { code } = error as { code?: string };
    const what =
      code === 'ERR_MODULE_NOT_FOUND' ? words.notInstalled : `${words.name} cannot be loaded: ${thrownText(error)}.`;
    return failure('io_error', `${what} ${AFTER_REPAIR}`, 'not_installed');
  }
};

/**
 * Whether it lies where an import from halter looks for it. Node is not asked: a package that it did not find once is not
 * found by it any more, also after it was installed. Where packages lie elsewhere the import itself has to tell.
 */
export const isInstalled = (name: string, from: string = import.meta.url): boolean =>
  !isInPackage(from) || foldersAbove(fileURLToPath(from)).some((folder) => isIn(folder, name));

const isIn = (folder: string, name: string): boolean => existsSync(join(folder, 'node_modules', name, 'package.json'));

const foldersAbove = (file: string): string[] => {
  const folder = dirname(file);
  return folder === file ? [] : [folder, ...foldersAbove(folder)];
};

/** Not in a program that a bundler made of halter, and not under what has its packages in archives. */
const isInPackage = (from: string): boolean =>
  existsSync(new URL('../../package.json', from)) &&
  ['bun', 'deno', 'pnp'].every((other) => process.versions[other] === undefined);
