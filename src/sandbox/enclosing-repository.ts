/** A folder within a repository: git looks for `.git` in the folders above, of which a command sees little or nothing. */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { statAt } from './place.ts';

/** The folder above with the repository that this one is part of; undefined where it has one of its own, or there is none. */
export const enclosingRepositoryOf = (folder: string): string | undefined => {
  let at: string;
  try {
    at = realpathSync(folder);
  } catch {
    return undefined;
  }
  if (holdsRepository(at)) return undefined;
  for (let above = path.dirname(at); above !== at; above = path.dirname(at)) {
    at = above;
    if (holdsRepository(at)) return at;
  }
  return undefined;
};

const holdsRepository = (folder: string): boolean => statAt(path.join(folder, '.git')) !== undefined;
