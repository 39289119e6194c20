/** The links below a folder, for the judgement of single files. Folders that did not change are not read again. */
import fs from 'node:fs';
import path from 'node:path';
import { type Entry, readEntries } from './folder-entries.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { isLeftOut } from './watch-tree.ts';

type Read = { ctimeMs: number; folders: readonly string[]; links: readonly string[] };

/** By their whole paths; what came in the last seconds may be missing. */
export const openLinksBelow = (root: string, now: () => number = () => performance.now()): (() => string[]) => {
  let known = new Map<string, Read>();
  let links: string[] = [];
  let readAt: number | undefined;
  return () => {
    if (readAt !== undefined && now() - readAt < SANDBOX_LIMITS.linksFreshMs) return links;
    readAt = now();
    const read = new Map<string, Read>();
    links = [];
    const waiting: (readonly string[])[] = [[]];
    for (let at = 0; at < waiting.length && at < SANDBOX_LIMITS.listedFolders; at += 1) {
      const way = waiting[at] ?? [];
      const folder = path.join(root, ...way);
      const found = readFolder(folder, known.get(folder));
      if (found === undefined) continue;
      read.set(folder, found);
      links.push(...found.links.map((name) => path.join(folder, name)));
      for (const name of found.folders) if (!isLeftOut([...way, name])) waiting.push([...way, name]);
    }
    known = read;
    return links;
  };
};

const readFolder = (folder: string, known: Read | undefined): Read | undefined => {
  try {
    const { ctimeMs } = fs.lstatSync(folder);
    if (known?.ctimeMs === ctimeMs) return known;
    const entries = readEntries(folder).entries;
    const named = (is: (entry: Entry) => boolean): string[] => entries.filter(is).map(({ name }) => name);
    const [folders, links] = [named((entry) => entry.isDirectory()), named((entry) => entry.isSymbolicLink())];
    return { ctimeMs, folders, links };
  } catch {
    return undefined;
  }
};
