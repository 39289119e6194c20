/** Which files git keeps track of, as far as its list of files says. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { findRepositories } from './repositories.ts';

const INDEX_BYTES_MAX = 16 * 1_024 * 1_024;

/** Says of a path below a folder whether it is tracked; a file of the same name elsewhere counts too. */
export const trackedBelow = (folder: string): ((below: string) => boolean) => {
  const [repository] = findRepositories(folder);
  const index = repository === undefined ? undefined : indexOf(path.join(repository.git, 'index'));
  if (index === undefined) return () => true;
  return (below) => index.includes(`${below}\0`);
};

/** Undefined for one that is not there, or whose names are not written out in it: shared in parts, or shortened. */
const indexOf = (file: string): Buffer | undefined => {
  try {
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > INDEX_BYTES_MAX) return undefined;
    const bytes = readFileSync(file);
    const version = bytes.toString('latin1', 0, 4) === 'DIRC' ? bytes.readUInt32BE(4) : 0;
    const isWhole = (version === 2 || version === 3) && !bytes.includes('link\0') && !bytes.includes('sdir\0');
    return isWhole ? bytes : undefined;
  } catch {
    return undefined;
  }
};
