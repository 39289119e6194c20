/** Hears of changes in the folders of a workspace. Only names are learned here; files are read through the port. */
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { IO_LIMITS } from '../limits.ts';

export type FolderWatch = {
  /** Which folders are watched from now on, relative to the root; beyond the limit the rest is not. */
  folders(relative: Iterable<string>): void;
  close(): void;
};

/** `onChange` gets the path that changed, or undefined where the system does not say which. */
export const watchFolders = (root: string, onChange: (path: string | undefined) => void): FolderWatch => {
  const watchers = new Map<string, FSWatcher>();
  const drop = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const add = (folder: string): void => {
    if (watchers.has(folder) || watchers.size >= IO_LIMITS.indexWatchedFolders) return;
    try {
      const watcher = watch(join(root, folder), { persistent: false }, (_event, name) => {
        onChange(name === null ? undefined : folder === '' ? name : `${folder}/${name}`);
      });
      // The folder went away, or the system has no more watches to give: a later look finds what changed.
      watcher.on('error', () => drop(folder));
      watchers.set(folder, watcher);
    } catch {
      // As above.
    }
  };
  return {
    folders(relative) {
      const wanted = new Set(relative);
      for (const folder of watchers.keys()) if (!wanted.has(folder)) drop(folder);
      for (const folder of wanted) add(folder);
    },
    close() {
      for (const folder of [...watchers.keys()]) drop(folder);
    },
  };
};
