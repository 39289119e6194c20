/** What a folder brings for halter (`.halter/`), as one digest: trust is given to what was there, and not to what comes. */

import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { STORAGE_LIMITS } from './limits.ts';
import { readOwnFile } from './own-file.ts';

/** What stands in the place of a missing folder while a command runs in the sandbox is nobody's content. */
const PLACEHOLDER = /^halter-placeholder-[0-9]+$/;

/** Undefined where it cannot be told: too much, too deep, or not to be read. Then nothing of it counts. */
export const projectDigest = async (folder: string): Promise<string | undefined> => {
  const hash = createHash('sha256');
  let entries = 0;
  const add = async (place: string, depth: number): Promise<boolean> => {
    for (const entry of sortedEntries(join(folder, place))) {
      const name = `${place}/${entry.name}`;
      entries += 1;
      if (entries > STORAGE_LIMITS.projectSettingsEntries) return false;
      if (entry.isDirectory()) {
        if (depth === 0 || !(await add(name, depth - 1))) return false;
        continue;
      }
      if (PLACEHOLDER.test(entry.name)) continue;
      const link = entry.isSymbolicLink() ? readlinkSync(join(folder, name)) : '';
      const bytes = await readOwnFile(join(folder, name), STORAGE_LIMITS.configFileBytes, 'it does not count');
      if (!bytes.ok) return false;
      hash.update(`${JSON.stringify([name, link, bytes.value?.length ?? -1])}\n`).update(bytes.value ?? '');
    }
    return true;
  };
  try {
    return (await add('.halter', STORAGE_LIMITS.projectSettingsDepth)) ? hash.digest('hex') : undefined;
  } catch {
    return undefined;
  }
};

const sortedEntries = (folder: string): Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};
