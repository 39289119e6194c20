/** What lies in a folder now: the names that a glob stands for, and files with secrets below it. */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { mayBeOdd } from '../../../core/byte-names.ts';
import { type NamePattern, parseNamePattern } from '../../../core/ignore-pattern.ts';
import { isSecretPath } from '../../../core/policy/sensitive-files.ts';
import { tokenAt } from '../token-files.ts';

const NAMES_MAX = 5_000;
const ENTRIES_MAX = 20_000;
/** Of those that are only looked at for what they are: an ordinary project with its packages has fewer. */
const LINK_ENTRIES_MAX = 250_000;

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

/**
 * One part of a path as the shell reads it, in time that grows with the lengths and no faster: the names are whoever's. A name
 * with a dot needs a dot.
 */
const partPattern = (part: string): NamePattern | undefined => {
  // `[[=a=]]` and `[[.a.]]` are known to the shell's language alone.
  const pattern = /\[[=.]/.test(part.slice(1)) ? undefined : parseNamePattern(inUnits(part.replaceAll('\\', '\\\\')));
  const isHidden = part.startsWith('.');
  return pattern && { matches: (name) => name.startsWith('.') === isHidden && pattern.matches(inUnits(name)) };
};

/** One letter, one unit. Those that look the same then are a name too many, and never one too few. */
const inUnits = (text: string): string =>
  text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, (letter) =>
    String.fromCharCode(0xe000 + ((letter.codePointAt(0) ?? 0) % 0x1000)),
  );

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
          // No path in text leads there, so nobody can look what it is.
          if (mayBeOdd(name)) return undefined;
          if (pattern.matches(name) && (isLast || isFolder(path.resolve(start, join(name))))) next.push(join(name));
        }
      }
      if (next.length > NAMES_MAX) return undefined;
    }
    found = next;
  }
  return found;
};

/**
 * The first file below the path that may hold secrets and is `reached`, by its path from there; empty text for more than can
 * be looked at. Whether a file does is asked of its path from `root` on, since some are known by the folder they lie in.
 */
export const secretBelow = (start: string, { root, reaches }: SecretSearch): string | undefined => {
  const open = [start];
  let seen = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const isRepository = folder.endsWith('.git');
    for (const entry of entriesOf(folder)) {
      seen += 1;
      if (seen > ENTRIES_MAX) return '';
      if (mayBeOdd(entry.name) && !entry.isFile()) return '';
      const file = path.join(folder, entry.name);
      const below = path.relative(start, file) || entry.name;
      // Objects are packed: nothing in them can be read as it stands.
      if (entry.isDirectory() && !(isRepository && entry.name === 'objects')) open.push(file);
      else if (reaches(below) && (isSecretPath(wayFrom(root, file)) || holdsToken(file, entry.name))) return below;
    }
  }
  return undefined;
};
export type SecretSearch = { root: string; reaches(below: string): boolean };

const wayFrom = (root: string, file: string): string =>
  file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;

/** Within a repository's folder only its settings are opened: it may hold a great many files. */
const holdsToken = (file: string, name: string): boolean =>
  (!/\.git\//.test(file) || SETTINGS_OF_GIT.test(name)) && tokenAt(file) !== undefined;
const SETTINGS_OF_GIT = /^config(?:\.worktree)?$/;

export type LinksBelow = {
  /** The first that leads out, by its path from the root on and by its whole one. */
  away?: { name: string; file: string };
  /** Where the others lead, from the root on. */
  places: readonly string[];
};

/** What the links below a path lead to, those behind links too; undefined for more than can be looked at. */
export const linksBelow = (
  start: string,
  { root, leadsTo, isOutside, reaches = () => true }: LinkSearch,
): LinksBelow | undefined => {
  const open = [start];
  const seenFolders = new Set(open);
  const places = new Set<string>();
  let seen = 0;
  const enter = (folder: string): void => {
    if (seenFolders.has(folder)) return;
    seenFolders.add(folder);
    open.push(folder);
  };
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of entriesOf(folder)) {
      seen += 1;
      if (seen > LINK_ENTRIES_MAX) return undefined;
      if (entry.isFile()) continue;
      if (mayBeOdd(entry.name)) return undefined;
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) enter(file);
      if (!entry.isSymbolicLink()) continue;
      const place = leadsTo(file);
      if (place !== undefined) {
        places.add(place);
        if (isFolder(file)) enter(path.join(root, place));
      } else if (isOutside(file) && reaches(belowOf(start, file)))
        return { away: { name: wayFrom(root, file), file }, places: [...places] };
    }
  }
  return { places: [...places] };
};
/** A path is given only of what the start itself holds: behind a link within the folder the same file has other paths too. */
const belowOf = (start: string, file: string): string | undefined =>
  file.startsWith(`${start}/`) ? file.slice(start.length + 1) : undefined;
type LinkSearch = {
  root: string;
  /** By its path from the start on; undefined where it has another one. */
  reaches?(below: string | undefined): boolean;
  /** From the root on; undefined where it leads out. */
  leadsTo(file: string): string | undefined;
  /** Whether something is there that is nothing of the system's. */
  isOutside(file: string): boolean;
};
