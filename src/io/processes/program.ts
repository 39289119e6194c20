/** Which program a request means, and which folder it starts in. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { thrownText } from '../../core/thrown-text.ts';
import type { Environment } from './environment.ts';

export const resolveFolder = (root: string, cwd: string): Outcome<string> => {
  try {
    const realRoot = realpathSync(root);
    const folder = realpathSync(resolve(realRoot, cwd));
    if (isAbsolute(cwd) || (folder !== realRoot && !isInside(realRoot, folder))) {
      return failure(
        'validation_failed',
        `The working folder must lie inside the workspace: ${cwd}`,
        'outside_workspace',
      );
    }
    if (!statSync(folder).isDirectory()) return failure('validation_failed', `Not a folder: ${cwd}`);
    return succeed(folder);
  } catch (error) {
    return failure('not_found', `The working folder cannot be opened: ${cwd} (${codeOf(error)})`);
  }
};
const isInside = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? thrownText(error);

/**
 * A program by name is looked for in the absolute folders of PATH that lie outside of the workspace: a file that the
 * model wrote there must never take the place of `git` or `bash`.
 */
export const resolveProgram = (
  name: string,
  environment: Environment,
  root: string,
  folder: string,
): Outcome<string> => {
  if (name === '') return failure('validation_failed', 'No command was given');
  if (name.includes('/') || name.includes(sep)) return isRunnable(resolve(folder, name), name);
  const realRoot = realpathSync(root);
  for (const place of (environment['PATH'] ?? '').split(delimiter)) {
    if (!isAbsolute(place) || place === realRoot || isInside(realRoot, place)) continue;
    for (const extension of process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : ['']) {
      const found = isRunnable(join(place, name + extension), name);
      if (found.ok) return found;
    }
  }
  return failure('not_found', `The program ${name} was not found; is it installed and in PATH?`, 'program_not_found');
};
const isRunnable = (path: string, name: string): Outcome<string> => {
  try {
    if (statSync(path).isDirectory())
      return failure('io_error', `${name} is a folder, not a program`, 'not_executable');
    accessSync(path, constants.X_OK);
    return succeed(path);
  } catch (error) {
    const code = codeOf(error);
    return code === 'EACCES'
      ? failure('io_error', `The program ${name} may not be run (EACCES): it is not executable`, 'not_executable')
      : failure('not_found', `The program ${name} was not found (${code})`, 'program_not_found');
  }
};
