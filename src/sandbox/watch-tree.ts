/** Tells of names that change anywhere in a folder. Folders of installed packages and of git's objects are left out. */

import { type FSWatcher, watch } from 'node:fs';
import { openBelow } from './anchored.ts';
import { readEntries } from './folder-entries.ts';
import { SANDBOX_LIMITS } from './limits.ts';

const LEFT_OUT = new Set(['node_modules', '.venv', 'target', '__pycache__']);
export const isLeftOut = (way: readonly string[]): boolean =>
  LEFT_OUT.has(way.at(-1) ?? '') || (way.at(-1) === 'objects' && way.includes('.git'));

/** `onChange` gets the words of the path. The result stops it. */
export const watchTree = (root: string, onChange: (way: readonly string[]) => void): (() => void) => {
  const watchers = new Map<string, FSWatcher>();
  const pending = new Map<string, readonly string[]>();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    const ways = [...pending.values()];
    pending.clear();
    for (const way of ways) {
      onChange(way);
      add(way);
    }
  };
  const note = (way: readonly string[]): void => {
    pending.set(way.join('/'), way);
    timer ??= setTimeout(flush, SANDBOX_LIMITS.settleMs);
    timer.unref();
  };
  const drop = (key: string): void => {
    watchers.get(key)?.close();
    watchers.delete(key);
  };
  const add = (way: readonly string[]): void => {
    const key = way.join('/');
    if (isLeftOut(way) || watchers.has(key) || watchers.size >= SANDBOX_LIMITS.watchedFolders) return;
    const folder = openBelow(root, way);
    if (folder === undefined) return;
    try {
      const watcher = watch(folder.self, { persistent: false }, (_event, name) => {
        if (name !== null) note([...way, name]);
      });
      watcher.on('error', () => drop(key));
      watchers.set(key, watcher);
      for (const entry of readEntries(folder.self).entries) {
        if (entry.isDirectory()) add([...way, entry.name]);
      }
    } catch {
      // It is gone again, or the system has no more watches to give.
    } finally {
      folder.close();
    }
  };
  add([]);
  return () => {
    clearTimeout(timer);
    for (const key of [...watchers.keys()]) drop(key);
  };
};
