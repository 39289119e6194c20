/** What lies in a folder now: the names that a glob stands for, and files with secrets below it. */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { isSecretPath } from '../../../core/policy/sensitive-files.ts';

const NAMES_MAX = 5_000;
const ENTRIES_MAX = 20_000;

const entriesOf = (folder: string): Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};

const isFolder = (file: string): boolean => {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
};

/** One part of a path as the shell reads it: `*`, `?`, `[a-z]`, `[!a]`. A name with a dot needs a dot. */
const partPattern = (part: string): RegExp | undefined => {
  const source = part.replaceAll(/\[(?:[!^]?\]?[^\]]*)\]|[\\^$.|+(){}[\]*?]/g, (found) => {
    if (found === '*') return '.*';
    if (found === '?') return '.';
    if (found.length > 2 && found.startsWith('['))
      return `[${found.slice(1, -1).replace(/^[!^]/, '^').replaceAll('\\', '\\\\')}]`;
    return `\\${found}`;
  });
  try {
    return new RegExp(`^${part.startsWith('.') ? '' : '(?!\\.)'}${source}$`, 'su');
  } catch {
    return undefined;
  }
};

/** Relative to `start`, as the shell would write them. Undefined for too many, or for a pattern that cannot be read. */
export const expandGlob = (start: string, glob: string): string[] | undefined => {
  const parts = glob.split('/').filter((part) => part !== '');
  let found = [glob.startsWith('/') ? '/' : ''];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const next: string[] = [];
    const pattern = /[*?[]/.test(part) ? partPattern(part) : part;
    if (pattern === undefined) return undefined;
    for (const before of found) {
      const join = (name: string): string =>
        before === '' || before === '/' ? `${before}${name}` : `${before}/${name}`;
      if (typeof pattern === 'string') next.push(join(pattern));
      else {
        for (const { name } of entriesOf(path.resolve(start, before))) {
          if (pattern.test(name) && (isLast || isFolder(path.resolve(start, join(name))))) next.push(join(name));
        }
      }
      if (next.length > NAMES_MAX) return undefined;
    }
    found = next;
  }
  return found;
};

/** The first file below the path that may hold secrets; empty text for more than can be looked at. */
export const secretBelow = (start: string): string | undefined => {
  const open = [start];
  let seen = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of entriesOf(folder)) {
      seen += 1;
      if (seen > ENTRIES_MAX) return '';
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) open.push(file);
      else if (isSecretPath(path.relative(start, file) || entry.name)) return path.relative(start, file);
    }
  }
  return undefined;
};
