/** Whether anything in a folder of the person's is another than it was. */
import path from 'node:path';
import { readEntries } from './folder-entries.ts';

/** Of folders themselves nothing is asked: what is put into them changes them too. What cannot be read is not known. */
export const isChangedBelow = (
  folder: string,
  way: readonly string[],
  isChanged: (file: string, way: readonly string[]) => boolean,
): boolean => {
  const open = [{ folder, way }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    try {
      const { entries, odd } = readEntries(next.folder);
      if (odd.length > 0) return true;
      for (const entry of entries) {
        const below = { folder: path.join(next.folder, entry.name), way: [...next.way, entry.name] };
        if (entry.isDirectory()) open.push(below);
        else if (isChanged(below.folder, below.way)) return true;
      }
    } catch {
      return true;
    }
  }
  return false;
};
